//! Reads a record from text, line by line, up to the first line that is wrong.

use super::head::Head;
use super::replay::{Replay, Step};
use super::text::{Line, Lines, RecordError};
use super::writer::{RESULT, canonical};
use super::{parser, words};
use crate::game::notation::shown;
use crate::lobby::Event;

/// The limit of moves in a record, including those taken back: longer than any game, it bounds the time that
/// a hostile text takes.
pub const MAX_MOVES: usize = 20_000;

/// The head and the steps of the one record in a text.
pub(super) fn read(text: &[u8]) -> Result<(Head, Vec<Step>), RecordError> {
    let mut lines = Lines::of(text)?;
    let head = Head::read(&mut lines)?;
    let steps = read_steps(&mut lines, &head)?;
    lines.check()?;
    Ok((head, steps))
}

/// Everything that happened, and the result, which has to follow from it.
fn read_steps(lines: &mut Lines, head: &Head) -> Result<Vec<Step>, RecordError> {
    let mut replay = Replay::of(head);
    let (mut steps, mut moves) = (Vec::new(), 0);
    while !lines.has(RESULT) {
        let Some(line) = lines.peek() else { break };
        if line.resembles(RESULT) || replay.result().is_some() {
            let right = format!("{RESULT}: {}", words::result(&replay));
            return Err(match replay.result() {
                Some(_) if !line.resembles(RESULT) => {
                    line.fault(format!("the game is over above, so this line has to read: {right}"))
                }
                _ => line.has_to_read(&right),
            });
        }
        let step = read_step(line, &mut replay)?;
        moves += usize::from(matches!(step.event, Event::Moved { .. }));
        if moves > MAX_MOVES {
            return Err(line.fault(format!("the record has more than {MAX_MOVES} moves")));
        }
        steps.push(step);
        lines.advance();
    }
    let right = words::result(&replay);
    let read = |found: &str| if found == right { Ok(()) } else { Err(other_result(found, &right)) };
    lines.field(RESULT, read)?;
    match lines.peek() {
        Some(line) => Err(line.fault("only the checksum can follow the result")),
        None => Ok(steps),
    }
}

fn read_step(line: &Line, replay: &mut Replay) -> Result<Step, RecordError> {
    let step = parser::read(&line.text, replay).map_err(|words| line.fault(words))?;
    let right = canonical(&step, replay);
    if line.text != right {
        return Err(line.has_to_read(&right));
    }
    replay.apply(&step).map_err(|_| line.fault("this cannot have happened here"))?;
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
