//! Reading all of a lobby that is in its pages, for the archives.

use super::value::{MAX_VALUE, read_head, read_page};
use crate::cluster::engine::{Engine, EngineError, RangeReader};
use crate::cluster::keys::{self, Paged, Slot};
use crate::lobby::Event;
use crate::server::storage::{Damage, Entry, LobbyId, Note};

/// What etcd has of a lobby in its head and pages.
#[derive(Debug)]
pub enum WholeLobby {
    /// All of it, the opening first and the last event last.
    Sound(Vec<Entry>),
    /// It cannot be trusted.
    Damaged(Damage),
    /// Nothing: it is archived.
    Gone,
}

/// Reads a closed lobby, with its end.
///
/// # Errors
///
/// If etcd does not answer.
pub async fn read_closed(engine: &dyn Engine, slot: Slot, lobby: LobbyId) -> Result<WholeLobby, EngineError> {
    let read = read_so_far(engine, slot, lobby).await?;
    let WholeLobby::Sound(entries) = &read else { return Ok(read) };
    let ends = |entry: &Entry| matches!(entry.note, Note::Happened { event: Event::Closed, .. });
    if entries.last().is_some_and(ends) {
        return Ok(read);
    }
    let code = entries.first().and_then(|entry| match &entry.note {
        Note::Opened(meta) => Some(meta.code),
        _ => None,
    });
    Ok(WholeLobby::Damaged(Damage { lobby, code, why: "it does not say how it was closed".into() }))
}

/// Reads a lobby that may be open, as far as it is in pages.
///
/// # Errors
///
/// If etcd does not answer.
pub async fn read_so_far(engine: &dyn Engine, slot: Slot, lobby: LobbyId) -> Result<WholeLobby, EngineError> {
    let mut reader = RangeReader::of_prefix(engine, &keys::head(slot, lobby), MAX_VALUE);
    let (mut head, mut events, mut code) = (None, Vec::new(), None);
    let damaged = |code, why| Ok(WholeLobby::Damaged(Damage { lobby, code, why }));
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
    let Some((mut kept, last)) = head else { return Ok(WholeLobby::Gone) };
    // Pages may have more than the head, from someone who could not finish.
    events.truncate(usize::try_from(last).unwrap_or(usize::MAX));
    // No lobby is loaded from an archive.
    kept.checkpoint = None;
    match check(&events, last) {
        Ok(()) => Ok(WholeLobby::Sound([kept.head(), events].concat())),
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
    if next <= last { Err(format!("event {next} is missing")) } else { Ok(()) }
}
