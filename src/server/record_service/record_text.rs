//! The text of a record, in parts that fit into a frame. The last text is cached for a request for the next
//! part; the first part is always read again, since the game may have gone on.

use bytes::Bytes;

use crate::lobby::{Event, Moment, Text};
use crate::number::saturating;
use crate::record::{LobbyInfo, MAX_BYTES, MAX_LINES, Record};
use crate::server::storage::{Archive, LobbyId, LobbyMeta, StorageError, WallTime};
use crate::wire::limits::MAX_PART;
use crate::wire::{GameName, HallRefusal, ToClient, body_of, decode};

/// The distance between the beginnings of two parts: the last character of a part may take three more bytes.
const STEP: usize = MAX_PART - 3;

/// The last text that was read.
#[derive(Debug, Default)]
pub(super) struct CachedText(Option<(GameName, String)>);

impl CachedText {
    /// A part of the record of a game in a lobby that was opened like this.
    pub(super) fn part(
        &mut self,
        archive: &mut dyn Archive,
        name: GameName,
        opened: (WallTime, LobbyMeta),
        part: u32,
    ) -> Result<ToClient, HallRefusal> {
        let known = self.0.take().filter(|(of, _)| *of == name && part > 0);
        let text = match known {
            Some((_, text)) => text,
            None => written(&record(archive, name, opened)?)?,
        };
        let (_, text) = self.0.insert((name, text));
        cut(name, text, part)
    }
}

/// One part of a text; the error if it has fewer.
fn cut(name: GameName, text: &str, part: u32) -> Result<ToClient, HallRefusal> {
    let parts = saturating::<u32, _>(text.len().div_ceil(STEP));
    if part >= parts {
        return Err(HallRefusal::NoSuchRecord);
    }
    let place = |part: usize| text.floor_char_boundary(part.saturating_mul(STEP));
    let number = saturating::<usize, _>(part);
    let text = Text::cut(&text[place(number)..place(number.saturating_add(1))]);
    Ok(ToClient::Record { name, part, parts, text })
}

/// The record of a game in its present state.
pub(super) fn record(
    archive: &mut dyn Archive,
    name: GameName,
    (opened, meta): (WallTime, LobbyMeta),
) -> Result<Record, HallRefusal> {
    let damaged = |why: &str| {
        unreadable(&StorageError::new(StorageError::DAMAGED, format!("lobby {}: {why}", name.lobby)))
    };
    let frames = archive.events(LobbyId(name.lobby)).map_err(|error| unreadable(&error))?;
    let frames = frames.ok_or(HallRefusal::RecordTooLong)?;
    let events: Option<Vec<(Moment, Event)>> =
        (1..).zip(&frames).map(|(number, frame)| event_of(number, frame)).collect();
    let events = events.ok_or_else(|| damaged("one of its events is missing or cannot be read"))?;
    let info = lobby_info(opened, &meta).ok_or_else(|| damaged("what was played there is no game"))?;
    let records = Record::games(&info, events.iter().map(|(at, event)| (*at, event)));
    let records = records.map_err(|_| damaged("its events cannot have happened"))?;
    records.into_iter().find(|record| record.game() == name.game).ok_or(HallRefusal::NoSuchRecord)
}

/// The text of a record, if it is within the limits of the reader.
fn written(record: &Record) -> Result<String, HallRefusal> {
    let text = record.to_string();
    let fits = text.len() <= MAX_BYTES && text.lines().count() < MAX_LINES;
    if fits { Ok(text) } else { Err(HallRefusal::RecordTooLong) }
}

fn lobby_info(opened: WallTime, meta: &LobbyMeta) -> Option<LobbyInfo> {
    let LobbyMeta { code, variant, conditions, .. } = meta;
    let variant = variant.parse().ok()?;
    Some(LobbyInfo { variant, conditions: *conditions, code: *code, opened: opened.0 })
}

/// The event of a frame, if it has this number.
fn event_of(expected: u32, frame: &Bytes) -> Option<(Moment, Event)> {
    match decode(body_of(frame)) {
        Ok(ToClient::Lobby { number, at, event }) if number == expected => Some((at, event)),
        _ => None,
    }
}

/// The refusal for a storage error. The log has the details for the host.
pub(super) fn unreadable(error: &StorageError) -> HallRefusal {
    tracing::warn!(%error, "a record could not be read");
    if error.is_damage() { HallRefusal::RecordDamaged } else { HallRefusal::RecordsBusy }
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
