//! Positions in, scores out, a line each. It reads no further than it has answered, so it works in a pipe.

use std::io::{BufRead, Read, Write};

use clap::Args;
use nim::game::any::Variant;
use nim::study::score::Scorer;

use crate::failure::Failure;
use crate::flags;

/// The longest line that is read, in bytes: longer than any position. The rest of a longer one is dropped.
const MAX_LINE: u64 = 1_000;

#[derive(Debug, Args)]
pub(crate) struct ScoreFlags {
    /// The game
    #[arg(value_name = "GAME", value_parser = flags::game(), hide_possible_values = true)]
    variant: Variant,

    /// Take what the opening book of Connect Four knows from there, which costs no nodes
    #[arg(long)]
    book: bool,
}

impl ScoreFlags {
    fn scorer(self) -> Result<Scorer, Failure> {
        let scorer = Scorer::new(self.variant);
        if self.book { scorer.with_book().map_err(|bad| Failure::Usage(bad.to_string())) } else { Ok(scorer) }
    }
}

/// Answers every line of `input`; fails at its end if any of them was wrong.
pub(super) fn score(
    flags: ScoreFlags,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Result<(), Failure> {
    let mut scorer = flags.scorer()?;
    let mut all_right = true;
    while let Some(line) = read_line(&mut input).map_err(Failure::Input)? {
        let answer = match line {
            Line::Text(text) => scorer.line(&text).map_err(|bad| bad.to_string()),
            Line::Unreadable => Err(format!("a line has at most {MAX_LINE} bytes of UTF-8")),
        };
        all_right &= answer.is_ok();
        let answer = answer.unwrap_or_else(|bad| format!("error: {bad}"));
        writeln!(output, "{answer}").and_then(|()| output.flush()).map_err(Failure::Output)?;
    }
    if all_right { Ok(()) } else { Err(Failure::Lines) }
}

enum Line {
    Text(String),
    /// It is too long, or no text.
    Unreadable,
}

/// The next line without its end; `None` at the end of the input.
fn read_line(input: &mut impl BufRead) -> std::io::Result<Option<Line>> {
    let mut line = Vec::new();
    if input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() as u64 == MAX_LINE && !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
        return Ok(Some(Line::Unreadable));
    }
    let text = String::from_utf8(line);
    Ok(Some(text.map_or(Line::Unreadable, |text| Line::Text(text.trim_end_matches(['\n', '\r']).to_owned()))))
}
