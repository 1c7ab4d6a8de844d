//! Heads and pages as bytes, both [checked] values. The content of a page are the entries of its
//! events; that of a head, numbers with the high byte first:
//!
//! ```text
//! +---------------+-----------------+-----------------------+---------+
//! | u64: covered  | u32: the number | u64: when it was      | needed  |
//! | revision      | of the last     | closed, in ms; all    | pages,  |
//! |               | event           | bits set if it is not | entries |
//! +---------------+-----------------+-----------------------+---------+
//! ```
//!
//! The needed pages are those that a node reads which takes over:
//!
//! ```text
//! +------------------------+-------------------------+---------------+
//! | u32: the number of the | u64: the bytes of all   | u32: how many |
//! | first one's first event| events before that      | pages         |
//! +------------------------+-------------------------+---------------+
//! ```

use bytes::Bytes;

use super::kept::{Events, KeptLobby, PageStart};
use crate::cluster::checked;
use crate::cluster::engine::Revision;
use crate::cluster::format::Format;
use crate::cluster::log::{read_entry, write_entry};
use crate::number::saturating;
use crate::server::storage::{Entry, LobbyId, Note, WallTime};

/// The most bytes of a head or a page: a frame of 16 KiB, and in a head some 200 bytes for each of a hundred people.
pub(super) const MAX_VALUE: usize = 48 << 10;

const OPEN: u64 = u64::MAX;

/// A head that was read.
#[derive(Debug)]
pub(super) struct Head {
    /// The lobby without its events.
    pub(super) kept: KeptLobby,
    /// The number of its last event.
    pub(super) last: u32,
    /// The first page that a new owner reads, and how many it reads.
    pub(super) needed: (PageStart, usize),
}

/// The value of a lobby's head.
pub(super) fn head(format: Format, lobby: &KeptLobby) -> Bytes {
    let mut value = vec![0; checked::HEADER];
    value.extend(lobby.covered.0.to_be_bytes());
    value.extend(lobby.last.to_be_bytes());
    value.extend(lobby.closed.map_or(OPEN, |wall| wall.0).to_be_bytes());
    let (PageStart { first, before }, pages) = lobby.needed();
    value.extend(first.to_be_bytes());
    value.extend(before.to_be_bytes());
    value.extend(saturating::<u32, _>(pages).to_be_bytes());
    lobby.head().iter().for_each(|entry| write_entry(entry, &mut value));
    checked::finish(format, value)
}

/// The value of a page.
pub(super) fn page(format: Format, events: &Events) -> Bytes {
    let mut value = vec![0; checked::HEADER];
    value.extend(&events.bytes);
    checked::finish(format, value)
}

/// Reads a head.
///
/// # Errors
///
/// What is wrong, as the end of a sentence.
pub(super) fn read_head(lobby: LobbyId, value: &[u8]) -> Result<Head, String> {
    let content = checked::content(value)?;
    let short = || "it ends too early".to_owned();
    let (covered, rest) = content.split_first_chunk().ok_or_else(short)?;
    let (last, rest) = rest.split_first_chunk().ok_or_else(short)?;
    let (closed, rest) = rest.split_first_chunk().ok_or_else(short)?;
    let (first, rest) = rest.split_first_chunk().ok_or_else(short)?;
    let (before, rest) = rest.split_first_chunk().ok_or_else(short)?;
    let (pages, mut rest) = rest.split_first_chunk().ok_or_else(short)?;
    let opened = read_entry(&mut rest).map_err(|error| error.to_string())?;
    let Entry { wall, note: Note::Opened(meta), .. } = opened else {
        return Err("it does not say how the lobby was opened".into());
    };
    let covered = Revision(u64::from_be_bytes(*covered));
    let mut kept = KeptLobby::opened(lobby, wall, meta, covered);
    while !rest.is_empty() {
        let entry = read_entry(&mut rest).map_err(|error| error.to_string())?;
        match entry.note {
            Note::Seated(_) | Note::Unseated(_) | Note::Checkpoint(_) if entry.lobby == lobby => {
                kept.apply(&entry, covered).map_err(|damage| damage.why)?;
            }
            _ => return Err("it has an entry that belongs somewhere else".into()),
        }
    }
    let closed = u64::from_be_bytes(*closed);
    kept.closed = (closed != OPEN).then_some(WallTime(closed));
    let (last, first) = (u32::from_be_bytes(*last), u32::from_be_bytes(*first));
    if first == 0 || first > kept.first_needed(last).max(1) {
        return Err(format!("it is to be read from event {first} on, which is too late"));
    }
    let start = PageStart { first, before: u64::from_be_bytes(*before) };
    Ok(Head { kept, last, needed: (start, saturating(u32::from_be_bytes(*pages))) })
}

/// The events of a page.
///
/// # Errors
///
/// What is wrong, as the end of a sentence.
pub(super) fn read_page(lobby: LobbyId, value: &[u8]) -> Result<Vec<Entry>, String> {
    let (mut content, mut events) = (checked::content(value)?, Vec::new());
    while !content.is_empty() {
        let entry = read_entry(&mut content).map_err(|error| error.to_string())?;
        if entry.lobby != lobby || !matches!(entry.note, Note::Happened { .. }) {
            return Err("it has an entry that belongs somewhere else".into());
        }
        events.push(entry);
    }
    Ok(events)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::proptest;

    use super::*;
    use crate::cluster::sample::{checkpoint, event, opened, seated, started, unseated};

    fn kept() -> KeptLobby {
        let Entry { lobby, wall, note: Note::Opened(meta) } = opened(3) else { panic!("it is an opening") };
        let mut kept = KeptLobby::opened(lobby, wall, meta, Revision(5));
        let entries = [
            seated(3, 1, 7),
            seated(3, 2, 8),
            unseated(3, 1),
            started(3, 1),
            event(3, 2, 9),
            checkpoint(3, 2),
        ];
        for (entry, at) in entries.iter().zip(6..) {
            kept.apply(entry, Revision(at)).unwrap();
        }
        kept
    }

    #[test]
    fn heads_and_pages_read_back() {
        let mut written = kept();
        for closed in [None, Some(WallTime(77))] {
            written.closed = closed;
            let Head { kept: read, last, needed } =
                read_head(written.lobby, &head(Format::FIRST, &written)).unwrap();
            assert_eq!((last, read.last, needed), (2, 0, (PageStart::FIRST, 1)));
            assert_eq!((read.opened, &read.meta, read.closed), (written.opened, &written.meta, closed));
            assert_eq!((&read.owners, &read.checkpoint), (&written.owners, &written.checkpoint));
            assert_eq!(read.covered, Revision(11));
        }
        let read = read_page(written.lobby, &page(Format::FIRST, &written.tail)).unwrap();
        assert_eq!(format!("{read:?}"), format!("{:?}", [started(3, 1), event(3, 2, 9)]));
    }

    #[test]
    fn entries_of_another_lobby_are_refused() {
        assert!(read_page(LobbyId(4), &page(Format::FIRST, &kept().tail)).is_err());
        assert!(read_head(LobbyId(4), &head(Format::FIRST, &kept())).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_refused(bytes: Vec<u8>) {
            assert!(read_head(LobbyId(3), &bytes).is_err() && read_page(LobbyId(3), &bytes).is_err());
            // Even where the checksum fits.
            let value = checked::finish(Format::FIRST, [&[0; checked::HEADER][..], &bytes].concat());
            assert!(read_head(LobbyId(3), &value).is_err());
            assert_eq!(read_page(LobbyId(3), &value).is_ok(), bytes.is_empty());
        }

        #[test]
        fn a_changed_bit_is_found(place: usize) {
            for value in [head(Format::FIRST, &kept()), page(Format::FIRST, &kept().tail)] {
                let mut value = value.to_vec();
                let place = place % (value.len() * 8);
                value[place / 8] ^= 1 << (place % 8);
                assert!(read_head(LobbyId(3), &value).is_err() && read_page(LobbyId(3), &value).is_err());
            }
        }
    }
}
