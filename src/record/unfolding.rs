//! Lines that a mail has folded at a blank, put together again. Whether they are right then, the checksum says alone.

use super::head::WORDS;
use super::sheet::{Line, Sheet};
use super::{Span, writer};

/// With what the lines begin that tell of something, behind the number if it is a move.
const BEGINNINGS: [&str; 5] = ["First ", "Second ", "A stand-in ", "Nobody ", "The host "];

/// The same record with the lines put together that cannot stand alone; `None` unless that is the text of which the checksum
/// was made.
pub(super) fn unfolded(sheet: &Sheet) -> Option<Sheet> {
    let mut lines: Vec<Line> = Vec::new();
    for line in &sheet.lines {
        match lines.split_first_mut().and_then(|(_, behind_title)| behind_title.last_mut()) {
            Some(last) if goes_on(last, line) => {
                last.text.push(' ');
                last.text.push_str(&line.text);
            }
            _ => lines.push(line.clone()),
        }
    }
    let unfolded = Sheet { lines, checksum: sheet.checksum.clone() };
    unfolded.check().is_ok().then_some(unfolded)
}

/// Whether a line that ends here may go on in the next one.
fn goes_on(last: &Line, next: &Line) -> bool {
    let is_whole = has_word(last) || ends_with_time(last);
    is_of(last, writer::RESULT) || !is_whole || !begins(next)
}

/// Whether something begins with this line, as far as its first words say.
fn begins(line: &Line) -> bool {
    has_word(line)
        || is_of(line, writer::RESULT)
        || is_move(line)
        || BEGINNINGS.iter().any(|words| line.text.starts_with(words))
}

fn has_word(line: &Line) -> bool {
    WORDS.iter().any(|word| is_of(line, word))
}

fn is_of(line: &Line, word: &str) -> bool {
    line.text.strip_prefix(word).is_some_and(|rest| rest.starts_with(':'))
}

/// `7. First: …`, up to the side.
fn is_move(line: &Line) -> bool {
    let (number, rest) = line.text.split_once(". ").unwrap_or_default();
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number && (rest.starts_with("First") || rest.starts_with("Second"))
}

fn ends_with_time(line: &Line) -> bool {
    line.text.rsplit(' ').next().is_some_and(|last| last.parse::<Span>().is_ok())
}
