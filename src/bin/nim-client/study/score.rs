//! `nim-client study score`: reads positions and writes scores, a line each. It answers each line before it
//! reads the next, so it works in a pipe.

use std::io::{BufRead, Write};

use clap::Args;
use nim::client::input::read_line;
use nim::game::any::Variant;
use nim::study::score::Scorer;

use crate::failure::CliError;
use crate::flags;

#[derive(Debug, Args)]
pub(crate) struct ScoreFlags {
    /// The game
    #[arg(value_name = "GAME", add = flags::games())]
    variant: Variant,

    /// Use the opening book of Connect Four; a score from it takes no nodes
    #[arg(long)]
    book: bool,
}

impl ScoreFlags {
    fn scorer(self) -> Result<Scorer, CliError> {
        let scorer = Scorer::new(self.variant);
        if self.book {
            scorer.with_book().map_err(|bad| CliError::Usage(bad.to_string()))
        } else {
            Ok(scorer)
        }
    }
}

/// Answers every line of `input`. Fails at the end if a line was wrong.
pub(super) fn score(
    flags: ScoreFlags,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Result<(), CliError> {
    let mut scorer = flags.scorer()?;
    let mut all_right = true;
    while let Some(line) = read_line(&mut input).map_err(CliError::Input)? {
        let answer = scorer.line(&line);
        all_right &= answer.is_ok();
        let answer = answer.unwrap_or_else(|bad| format!("error: {bad}"));
        writeln!(output, "{answer}").and_then(|()| output.flush()).map_err(CliError::Output)?;
    }
    if all_right { Ok(()) } else { Err(CliError::Lines) }
}
