//! Reading a closed lobby whole, for the archives.

use super::value::{MAX_VALUE, read_head, read_page};
use crate::cluster::engine::{Engine, EngineError, RangeReader};
use crate::cluster::keys::{self, Paged, Slot};
use crate::lobby::Event;
use crate::server::storage::{Damage, Entry, LobbyId, Note};

/// What etcd has of a closed lobby.
#[derive(Debug)]
pub enum ClosedLobby {
    /// All that was recorded of it, the opening first and the end last.
    Sound(Vec<Entry>),
    /// It cannot be trusted.
    Damaged(Damage),
    /// Nothing: it is archived.
    Gone,
}

/// Reads a closed lobby.
pub async fn read_closed(
    engine: &dyn Engine,
    slot: Slot,
    lobby: LobbyId,
) -> Result<ClosedLobby, EngineError> {
    let mut reader = RangeReader::of_prefix(engine, &keys::head(slot, lobby), MAX_VALUE);
    let (mut head, mut events, mut code) = (None, Vec::new(), None);
    let damaged = |code, why| Ok(ClosedLobby::Damaged(Damage { lobby, code, why }));
    while let Some(page) = reader.next().await? {
        for found in page {
            match keys::paged(slot, &found.key) {
                Some(Paged::Head(_)) => match read_head(lobby, &found.value) {
                    Ok((kept, last)) => {
                        code = Some(kept.meta.code);
                        head = Some((kept, last));
                    }
                    Err(why) => return damaged(code, format!("its head is damaged: {why}")),
                },
                Some(Paged::Page(..)) => match read_page(lobby, &found.value) {
                    Ok(more) => events.extend(more),
                    Err(why) => return damaged(code, format!("a page of it is damaged: {why}")),
                },
                None => {}
            }
        }
    }
    let Some((kept, last)) = head else { return Ok(ClosedLobby::Gone) };
    // Pages may have more than the head, from someone who could not finish.
    events.truncate(usize::try_from(last).unwrap_or(usize::MAX));
    match check(&events, last) {
        Ok(()) => Ok(ClosedLobby::Sound([kept.head(), events].concat())),
        Err(why) => damaged(code, why),
    }
}

/// Whether these are all events of a lobby, whose last one has this number.
fn check(events: &[Entry], last: u32) -> Result<(), String> {
    let mut next = 1;
    for entry in events {
        match entry.note {
            Note::Happened { number, .. } if number == next => next += 1,
            _ => return Err(format!("event {next} is missing")),
        }
    }
    let ends = |entry: &Entry| matches!(entry.note, Note::Happened { event: Event::Closed, .. });
    match events.last() {
        _ if next <= last => Err(format!("event {next} is missing")),
        Some(end) if ends(end) => Ok(()),
        _ => Err("it does not say how it was closed".into()),
    }
}
