//! Parses a record from text, line by line, up to the first wrong line.

use super::header::Header;
use super::replay::{Replay, Step};
use super::text::{RecordError, RecordLine, RecordLines};
use super::writer::{RESULT, canonical};
use super::{parser, words};
use crate::game::notation::shown;

/// Parses the header and the steps of the record in a text.
pub(super) fn read(text: &[u8]) -> Result<(Header, Vec<Step>), RecordError> {
    let mut lines = RecordLines::of(text)?;
    let header = Header::read(&mut lines)?;
    let steps = read_steps(&mut lines, &header)?;
    lines.check()?;
    Ok((header, steps))
}

/// Parses the steps, and checks that the result follows from them.
fn read_steps(lines: &mut RecordLines, header: &Header) -> Result<Vec<Step>, RecordError> {
    let mut replay = Replay::of(header);
    let mut steps = Vec::new();
    while !lines.has(RESULT) {
        let Some(line) = lines.peek() else { break };
        if line.resembles(RESULT) || replay.result().is_some() {
            let right = format!("{RESULT}: {}", words::result(&replay));
            return Err(match replay.result() {
                Some(_) if !line.resembles(RESULT) => {
                    line.error(format!("the game is over above, so this line has to read: {right}"))
                }
                _ => line.expected(&right),
            });
        }
        let step = read_step(line, &mut replay)?;
        steps.push(step);
        lines.advance();
    }
    let right = words::result(&replay);
    let read = |found: &str| if found == right { Ok(()) } else { Err(other_result(found, &right)) };
    lines.field(RESULT, read)?;
    match lines.peek() {
        Some(line) => Err(line.error("only the checksum can follow the result")),
        None => Ok(steps),
    }
}

fn read_step(line: &RecordLine, replay: &mut Replay) -> Result<Step, RecordError> {
    let step = parser::read(&line.text, replay).map_err(|words| line.error(words))?;
    let right = canonical(&step, replay);
    if line.text != right {
        return Err(line.expected(&right));
    }
    replay.apply(&step).map_err(|_| line.error("this cannot have happened here"))?;
    Ok(step)
}

fn other_result(found: &str, right: &str) -> String {
    let found = shown(found);
    if right.contains(':') {
        format!("{found}, but by these moves it is: {right}")
    } else {
        format!("{found}, but by these moves {right}")
    }
}
