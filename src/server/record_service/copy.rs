//! The text of a record, in parts that fit into a frame. Whoever asks for one part mostly asks for the next one soon, so the
//! last few texts are kept; a game that goes on is read anew for whoever begins.

use bytes::Bytes;

use super::unreadable;
use crate::lobby::{Event, Moment, Text};
use crate::record::{MAX_BYTES, MAX_LINES, MAX_MOVES, Record, Setting};
use crate::server::storage::{Archive, LobbyId, Opening, StorageError, WallTime};
use crate::wire::limits::MAX_PART;
use crate::wire::{GameName, HallRefusal, ToClient, decode};

/// How many texts are kept, each of [`MAX_BYTES`] at most.
const KEPT: usize = 4;

/// The bytes in front of a frame's body.
const HEADER: usize = 4;

/// How far apart the beginnings of two parts are: the last character of one may take three bytes more.
const STEP: usize = MAX_PART - 3;

/// The texts that were read last, the newest one last.
#[derive(Debug, Default)]
pub(super) struct Copies(Vec<(GameName, String)>);

impl Copies {
    /// A part of the record of a game, of which it is known how its lobby was opened.
    pub(super) fn part(
        &mut self,
        archive: &mut dyn Archive,
        name: GameName,
        opened: (WallTime, Opening),
        part: u32,
    ) -> Result<ToClient, HallRefusal> {
        let text = match self.0.iter().position(|(of, _)| *of == name && part > 0) {
            Some(place) => self.0.remove(place).1,
            None => text(archive, name, opened)?,
        };
        let told = cut(name, &text, part);
        self.keep(name, text);
        told
    }

    fn keep(&mut self, name: GameName, text: String) {
        self.0.retain(|(of, _)| *of != name);
        if self.0.len() == KEPT {
            self.0.remove(0);
        }
        self.0.push((name, text));
    }
}

/// One part of a text. There is none of a number that is too high.
fn cut(name: GameName, text: &str, part: u32) -> Result<ToClient, HallRefusal> {
    let parts = u32::try_from(text.len().div_ceil(STEP)).unwrap_or(u32::MAX);
    if part >= parts {
        return Err(HallRefusal::NoSuchRecord);
    }
    let place = |part: usize| text.floor_char_boundary(part.saturating_mul(STEP));
    let number = usize::try_from(part).unwrap_or(usize::MAX);
    let text = Text::cut(&text[place(number)..place(number.saturating_add(1))]);
    Ok(ToClient::Record { name, part, parts, text })
}

/// The text of the record of a game, as it is now.
fn text(
    archive: &mut dyn Archive,
    name: GameName,
    opened: (WallTime, Opening),
) -> Result<String, HallRefusal> {
    written(&record(archive, name, opened)?)
}

/// The record of a game, as it is now.
pub(super) fn record(
    archive: &mut dyn Archive,
    name: GameName,
    (opened, opening): (WallTime, Opening),
) -> Result<Record, HallRefusal> {
    let damaged = |why: &str| unreadable(&StorageError::of_host(format!("lobby {}: {why}", name.lobby)));
    let frames = archive.events(LobbyId(name.lobby)).map_err(|trouble| unreadable(&trouble))?;
    let frames = frames.ok_or(HallRefusal::RecordTooLong)?;
    let events: Option<Vec<(Moment, Event)>> = frames.iter().map(told).collect();
    let events = events.ok_or_else(|| damaged("one of its events cannot be read"))?;
    let setting = setting(opened, &opening).ok_or_else(|| damaged("what was played there is no game"))?;
    let records = Record::games(&setting, events.iter().map(|(at, event)| (*at, event)));
    let records = records.map_err(|_| damaged("its events cannot have happened"))?;
    records.into_iter().find(|record| record.game() == name.game).ok_or(HallRefusal::NoSuchRecord)
}

/// The text of a record, if it is one that can be read again.
fn written(record: &Record) -> Result<String, HallRefusal> {
    let moves = record.steps().iter().filter(|step| matches!(step.event, Event::Moved { .. })).count();
    let text = Some(record).filter(|_| moves <= MAX_MOVES).map(ToString::to_string);
    let fits = |text: &String| text.len() <= MAX_BYTES && text.lines().count() < MAX_LINES;
    text.filter(fits).ok_or(HallRefusal::RecordTooLong)
}

fn setting(opened: WallTime, opening: &Opening) -> Option<Setting> {
    let Opening { code, variant, conditions, .. } = opening;
    let variant = variant.parse().ok()?;
    Some(Setting { variant, conditions: *conditions, code: *code, opened: opened.0 })
}

/// What a frame tells that was told in a lobby.
fn told(frame: &Bytes) -> Option<(Moment, Event)> {
    match decode(frame.get(HEADER..)?) {
        Ok(ToClient::Lobby { at, event, .. }) => Some((at, event)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_text_are_the_text() {
        let name = GameName { lobby: 1, game: 1 };
        for character in ["a", "é", "李", "🦦"] {
            let text = format!("-{}", character.repeat(10_000));
            let mut whole = String::new();
            let mut count = 0;
            while let Ok(ToClient::Record { part, parts, text, .. }) = cut(name, &text, count) {
                assert!(part == count && part < parts);
                whole.push_str(text.as_str());
                count += 1;
            }
            assert_eq!(whole, text);
            assert_eq!(cut(name, &text, count), Err(HallRefusal::NoSuchRecord));
            assert_eq!(cut(name, &text, u32::MAX), Err(HallRefusal::NoSuchRecord));
        }
    }
}
