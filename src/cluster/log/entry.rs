//! Entries as bytes. Numbers are written with the high byte first:
//!
//! ```text
//! +-------------+------+-----------+----------+----------------+
//! | u32: length | kind | u64 lobby | u64 time | body, by kind  |
//! | of the rest |  u8  |           | (ms)     |                |
//! +-------------+------+-----------+----------+----------------+
//! ```
//!
//! | kind | body |
//! |---|---|
//! | 1, opened | code, variant, conditions, password hash if there is one, opener's address, as one message |
//! | 2, happened | the body of the event's frame |
//! | 3, happened, and a game starts | `u32` length and message of both players, then the body of the frame |
//! | 4, seated | player, name and ticket hash, as one message |
//! | 5, unseated | `u32` player |
//! | 6, checkpoint | the checkpoint, as one message |
//!
//! A message is the body of a frame of [`wire`]. A change of these bytes needs another version of the segments
//! and heads in which they lie.

use std::net::IpAddr;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::game::BySide;
use crate::lobby::{Code, Conditions, Name, Player, PlayerId};
use crate::number::saturating;
use crate::server::storage::{Entry, LobbyId, LobbyMeta, Note, Owner, PasswordHash, WallTime};
use crate::wire::{self, ToClient, TokenHash};

const OPENED: u8 = 1;
const HAPPENED: u8 = 2;
const STARTED: u8 = 3;
const SEATED: u8 = 4;
const UNSEATED: u8 = 5;
const CHECKPOINT: u8 = 6;

/// Bytes that are no entry; the text says why, as the end of a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadEntry(String);

/// How a lobby was opened, as a message.
#[derive(Serialize, Deserialize)]
struct Opened {
    code: Code,
    variant: String,
    conditions: Conditions,
    /// Salt and hash.
    password: Option<([u8; 16], [u8; 32])>,
    opener: IpAddr,
}

/// Writes an entry behind these bytes.
pub fn write_entry(entry: &Entry, bytes: &mut Vec<u8>) {
    let start = bytes.len();
    bytes.extend([0; 4]);
    let Entry { lobby, wall, note } = entry;
    bytes.push(kind(note));
    bytes.extend(lobby.0.to_be_bytes());
    bytes.extend(wall.0.to_be_bytes());
    match note {
        Note::Opened(meta) => write_message(&opened(meta), bytes),
        Note::Happened { frame, players, .. } => {
            if let Some(players) = players {
                let message = wire::encode(&**players);
                // A frame is a length and a body.
                bytes.extend(&message[..]);
            }
            bytes.extend(wire::body_of(frame));
        }
        Note::Seated(Owner { player, name, seat }) => write_message(&(player, name, seat.bytes()), bytes),
        Note::Unseated(player) => bytes.extend(player.0.to_be_bytes()),
        Note::Checkpoint(checkpoint) => write_message(&**checkpoint, bytes),
    }
    let length: u32 = saturating(bytes.len() - start - 4);
    bytes[start..start + 4].copy_from_slice(&length.to_be_bytes());
}

fn kind(note: &Note) -> u8 {
    match note {
        Note::Opened(_) => OPENED,
        Note::Happened { players: None, .. } => HAPPENED,
        Note::Happened { players: Some(_), .. } => STARTED,
        Note::Seated(_) => SEATED,
        Note::Unseated(_) => UNSEATED,
        Note::Checkpoint(_) => CHECKPOINT,
    }
}

fn write_message<M: Serialize>(message: &M, bytes: &mut Vec<u8>) {
    bytes.extend(wire::body_of(&wire::encode(message)));
}

fn opened(meta: &LobbyMeta) -> Opened {
    let LobbyMeta { code, variant, conditions, password, opener } = meta;
    let password = password.map(|password| {
        let (mut salt, mut hash, bytes) = ([0; 16], [0; 32], password.bytes());
        salt.copy_from_slice(&bytes[..16]);
        hash.copy_from_slice(&bytes[16..]);
        (salt, hash)
    });
    Opened { code: *code, variant: variant.clone(), conditions: *conditions, password, opener: *opener }
}

/// Takes the first entry off the front of these bytes. It allocates no more than some times their length.
///
/// # Errors
///
/// If they begin with no entry.
pub fn read_entry(bytes: &mut &[u8]) -> Result<Entry, BadEntry> {
    let length = u32::from_be_bytes(take(bytes)?);
    let (entry, rest) = bytes.split_at_checked(saturating(length)).ok_or_else(cut)?;
    *bytes = rest;
    let mut entry = entry;
    let [kind] = take(&mut entry)?;
    let (lobby, wall) =
        (LobbyId(u64::from_be_bytes(take(&mut entry)?)), WallTime(u64::from_be_bytes(take(&mut entry)?)));
    let note = read_note(kind, entry)?;
    Ok(Entry { lobby, wall, note })
}

fn read_note(kind: u8, mut body: &[u8]) -> Result<Note, BadEntry> {
    match kind {
        OPENED => {
            let Opened { code, variant, conditions, password, opener } = message(body)?;
            let password = password.map(|(salt, hash)| {
                let mut bytes = [0; 48];
                bytes[..16].copy_from_slice(&salt);
                bytes[16..].copy_from_slice(&hash);
                PasswordHash::from_bytes(&bytes)
            });
            Ok(Note::Opened(LobbyMeta { code, variant, conditions, password, opener }))
        }
        HAPPENED => happened(body, None),
        STARTED => {
            let players = wire::first_body(body).ok().flatten().ok_or_else(cut)?;
            let rest = &body[wire::frame_length(players)..];
            let players: BySide<Player> = message(players)?;
            happened(rest, Some(Box::new(players)))
        }
        SEATED => {
            let (player, name, seat): (PlayerId, Name, [u8; 32]) = message(body)?;
            Ok(Note::Seated(Owner { player, name, seat: TokenHash::of(seat) }))
        }
        UNSEATED => {
            let player = PlayerId(u32::from_be_bytes(take(&mut body)?));
            if body.is_empty() {
                Ok(Note::Unseated(player))
            } else {
                Err(BadEntry("bytes are left over".into()))
            }
        }
        CHECKPOINT => Ok(Note::Checkpoint(Box::new(message(body)?))),
        other => Err(BadEntry(format!("{other} is no kind of entry"))),
    }
}

fn happened(body: &[u8], players: Option<Box<BySide<Player>>>) -> Result<Note, BadEntry> {
    match message(body)? {
        ToClient::Lobby { number, at, event } => {
            Ok(Note::Happened { number, at, event, frame: wire::frame_of(body), players })
        }
        _ => Err(BadEntry("a frame in it is no event".into())),
    }
}

fn message<M: DeserializeOwned>(body: &[u8]) -> Result<M, BadEntry> {
    wire::decode(body).map_err(|malformed| BadEntry(malformed.to_string()))
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], BadEntry> {
    let (taken, rest) = bytes.split_first_chunk().ok_or_else(cut)?;
    *bytes = rest;
    Ok(*taken)
}

fn cut() -> BadEntry {
    BadEntry("it ends too early".into())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};

    use super::*;
    use crate::cluster::sample::{any_entry, opened, seated};

    fn written(entry: &Entry) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_entry(entry, &mut bytes);
        bytes
    }

    proptest! {
        #[test]
        fn every_entry_reads_back(first: [u8; 3], entry in any_entry(), other in any_entry()) {
            let mut bytes = first.to_vec();
            write_entry(&entry, &mut bytes);
            write_entry(&other, &mut bytes);
            let mut rest = &bytes[3..];
            for entry in [entry, other] {
                let read = read_entry(&mut rest).unwrap();
                assert_eq!(format!("{read:?}"), format!("{entry:?}"));
                assert_eq!(written(&read), written(&entry));
            }
            assert_eq!(rest, &[0; 0]);
        }

        #[test]
        fn any_bytes_are_an_entry_or_refused(bytes: Vec<u8>, kind in 0..8_u8) {
            let _ = read_entry(&mut &bytes[..]);
            let length = u32::try_from(bytes.len() + 17).unwrap();
            let framed = [&length.to_be_bytes()[..], &[kind], &[0; 16], &bytes].concat();
            let _ = read_entry(&mut &framed[..]);
        }

        #[test]
        fn a_changed_byte_makes_another_entry_or_none(entry in any_entry(), place: usize, byte in any::<u8>()) {
            let mut bytes = written(&entry);
            let place = place % bytes.len();
            bytes[place] = byte;
            let _ = read_entry(&mut &bytes[..]);
        }

        #[test]
        fn no_entry_is_cut(entry in any_entry(), place: usize) {
            let bytes = written(&entry);
            assert!(read_entry(&mut &bytes[..place % bytes.len()]).is_err());
        }
    }

    #[test]
    fn secrets_read_back() {
        // Their texts show nothing.
        for entry in [opened(1), seated(1, 2, 3)] {
            match (read_entry(&mut &written(&entry)[..]).unwrap().note, entry.note) {
                (Note::Opened(read), Note::Opened(meta)) => assert_eq!(read, meta),
                (Note::Seated(read), Note::Seated(owner)) => assert_eq!(read, owner),
                other => panic!("{other:?}"),
            }
        }
    }
}
