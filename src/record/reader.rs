//! A text made into a record: line by line, each played by the rules, until the first that is wrong.

use super::head::Head;
use super::replay::Replay;
use super::sheet::{Fault, Line, Sheet};
use super::{Deed, MAX_MOVES, Record, Step, judge, phrase, unfolding, verdict, writer};
use crate::game::notation::shown;

impl Record {
    /// The one record in a text; or the first line that is wrong, and what would be right there.
    ///
    /// Everything is looked at: that every move was legal, in turn and in time, by a hand that could make it; that
    /// whatever else is told could happen then; the result; and the checksum. Text before and behind the record does not
    /// matter. At most [`super::MAX_BYTES`], [`super::MAX_LINES`] and [`MAX_MOVES`].
    pub fn read(text: &[u8]) -> Result<Self, Fault> {
        let sheet = Sheet::of(text)?;
        Self::of(&sheet)
            .or_else(|fault| unfolding::unfolded(&sheet).map_or(Err(fault), |sheet| Self::of(&sheet)))
    }

    fn of(sheet: &Sheet) -> Result<Self, Fault> {
        let mut lines = Lines { sheet, next: 1 };
        let head = Head::read(&mut lines)?;
        let steps = read_steps(&mut lines, &head)?;
        sheet.check()?;
        Ok(Self { head, steps })
    }
}

/// The lines of a record that have not been read yet.
pub(super) struct Lines<'a> {
    sheet: &'a Sheet,
    /// The place of the next one.
    next: usize,
}

impl<'a> Lines<'a> {
    /// The place of the next line.
    pub(super) fn place(&self) -> usize {
        self.next
    }

    fn peek(&self) -> Option<&'a Line> {
        self.sheet.lines.get(self.next)
    }

    /// Whether the next line begins with this word.
    pub(super) fn has(&self, word: &str) -> bool {
        self.peek().is_some_and(|line| value(line, word).is_some())
    }

    /// What the next line says behind this word, made sense of; it has to read as it is written again.
    pub(super) fn field<T>(
        &mut self,
        word: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
        write: impl FnOnce(&T) -> String,
    ) -> Result<T, Fault> {
        let missing = || format!("here the line has to stand that begins with \"{word}: \"");
        let line = self.peek().ok_or_else(|| self.sheet.checksum.fault(missing()))?;
        let said = value(line, word).ok_or_else(|| line.fault(missing()))?;
        let read = read(said).map_err(|words| line.fault(words))?;
        self.compare(self.next, &format!("{word}: {}", write(&read)))?;
        self.next += 1;
        Ok(read)
    }

    /// What is wrong with the line at this place.
    pub(super) fn fault(&self, place: usize, words: &str) -> Fault {
        self.sheet.lines.get(place).unwrap_or(&self.sheet.checksum).fault(words)
    }

    /// Whether the line at this place reads as it has to.
    pub(super) fn compare(&self, place: usize, right: &str) -> Result<(), Fault> {
        match self.sheet.lines.get(place) {
            Some(line) if line.text != right => Err(line.fault(has_to_read(right))),
            _ => Ok(()),
        }
    }
}

fn value<'a>(line: &'a Line, word: &str) -> Option<&'a str> {
    line.text.strip_prefix(word)?.strip_prefix(": ")
}

fn has_to_read(right: &str) -> String {
    format!("this line has to read: {right}")
}

/// Everything that happened, up to the result, which has to follow from it.
fn read_steps(lines: &mut Lines<'_>, head: &Head) -> Result<Vec<Step>, Fault> {
    let mut replay = Replay::of(head);
    let (mut steps, mut moves) = (Vec::new(), 0);
    while !lines.has(writer::RESULT) {
        let Some(line) = lines.peek() else { break };
        if line.resembles(writer::RESULT) {
            return Err(line.fault(has_to_read(&format!("{}: {}", writer::RESULT, verdict::of(&replay)))));
        }
        let step = read_step(line, &mut replay)?;
        moves += usize::from(matches!(step.deed, Deed::Moved { .. }));
        if moves > MAX_MOVES {
            return Err(line.fault(format!("there are more than {MAX_MOVES} moves, and no more are read")));
        }
        steps.push(step);
        lines.next += 1;
    }
    let right = verdict::of(&replay);
    let read = |said: &str| if said == right { Ok(()) } else { Err(other_result(said, &right)) };
    lines.field(writer::RESULT, read, |()| right.clone())?;
    match lines.peek() {
        Some(line) => Err(line.fault("behind the result only the checksum can follow")),
        None => Ok(steps),
    }
}

fn read_step(line: &Line, replay: &mut Replay) -> Result<Step, Fault> {
    if let Some(over) = judge::over(replay) {
        return Err(line.fault(over));
    }
    let step = phrase::read(&line.text, replay).map_err(|words| line.fault(words))?;
    if let Some(words) = judge::objection(replay, &step) {
        let what = phrase::write(&step.deed, replay);
        return Err(line.fault(format!("{what}: {words}")));
    }
    let right = writer::canonical(&step, replay);
    if line.text != right {
        return Err(line.fault(has_to_read(&right)));
    }
    replay.apply(&step).map_err(|_| line.fault("this cannot have happened here"))?;
    Ok(step)
}

fn other_result(said: &str, right: &str) -> String {
    let said = shown(said);
    if right.contains(':') {
        format!("{said}, and by these moves it is: {right}")
    } else {
        format!("{said}, and by these moves {right}")
    }
}
