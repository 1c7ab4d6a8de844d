//! Reading all of a lobby that is in its pages, for the archives: in parts, so that a lobby in which very much has happened is
//! never in memory as a whole.

use std::mem;

use super::value::{Head, MAX_VALUE, read_head, read_page};
use crate::cluster::engine::{Engine, EngineError, Range, RangeReader};
use crate::cluster::keys::{self, Slot};
use crate::lobby::{Code, Event};
use crate::number::saturating;
use crate::server::storage::{Damage, Entry, LobbyId, Note};

/// A part of a lobby.
#[derive(Debug)]
pub enum Part {
    /// How the lobby was opened and who has had seats, then the last event of the part before, then further events.
    Sound {
        /// All of these.
        entries: Vec<Entry>,
        /// Whether there are no further ones.
        is_last: bool,
    },
    /// It cannot be trusted.
    Damaged(Damage),
    /// There is nothing: it is archived.
    Gone,
}

/// Reads a lobby, as it was when its first part was read.
#[derive(Debug)]
pub struct LobbyReader<'a> {
    engine: &'a dyn Engine,
    lobby: LobbyId,
    slot: Slot,
    /// Whether it is to end by its being closed.
    is_closed: bool,
    /// `None` before the first part.
    begun: Option<Begun<'a>>,
}

/// A lobby whose head was read.
#[derive(Debug)]
struct Begun<'a> {
    lobby: LobbyId,
    code: Code,
    /// How it was opened and who has had seats.
    opening: Vec<Entry>,
    /// The number of the last event.
    last: u32,
    /// The pages that are still to be read.
    pages: RangeReader<'a>,
    /// The number of the next event.
    next: u32,
    /// What was read, and not returned yet.
    events: Vec<Entry>,
}

impl<'a> LobbyReader<'a> {
    /// A reader of a closed lobby, with its end.
    pub fn of_closed(engine: &'a dyn Engine, slot: Slot, lobby: LobbyId) -> Self {
        Self { is_closed: true, ..Self::so_far(engine, slot, lobby) }
    }

    /// A reader of a lobby that may be open, as far as it is in pages.
    pub fn so_far(engine: &'a dyn Engine, slot: Slot, lobby: LobbyId) -> Self {
        Self { engine, lobby, slot, is_closed: false, begun: None }
    }

    /// The next part, which has about so many bytes at least, unless it is the last one. Not to be called after that, nor
    /// after a damage.
    ///
    /// # Errors
    ///
    /// If etcd does not answer.
    pub async fn next_part(&mut self, bytes: usize) -> Result<Part, EngineError> {
        let begun = match &mut self.begun {
            Some(begun) => begun,
            none => match Begun::read(self.engine, self.slot, self.lobby).await? {
                Some(Ok(begun)) => none.insert(begun),
                Some(Err(damage)) => return Ok(Part::Damaged(damage)),
                None => return Ok(Part::Gone),
            },
        };
        let (mut read, mut is_last) = (0, false);
        while read < bytes && !is_last {
            match begun.pages.next().await? {
                Some(found) => {
                    for page in found {
                        read += page.value.len();
                        if let Err(why) = begun.add(&page.value) {
                            return Ok(begun.damaged(why));
                        }
                    }
                }
                None => is_last = true,
            }
        }
        if is_last && begun.next <= begun.last {
            let why = format!("event {} is missing", begun.next);
            return Ok(begun.damaged(why));
        }
        let ends = |entry: &Entry| matches!(entry.note, Note::Happened { event: Event::Closed, .. });
        if is_last && self.is_closed && !begun.events.last().is_some_and(ends) {
            return Ok(begun.damaged("it does not say how it was closed".into()));
        }
        let before = begun.events.last().cloned();
        let events = mem::replace(&mut begun.events, Vec::from_iter(before));
        Ok(Part::Sound { entries: begun.opening.iter().cloned().chain(events).collect(), is_last })
    }
}

impl<'a> Begun<'a> {
    /// Reads the head of a lobby; `None` if it has none.
    async fn read(
        engine: &'a dyn Engine,
        slot: Slot,
        lobby: LobbyId,
    ) -> Result<Option<Result<Self, Damage>>, EngineError> {
        let answer = engine.range(Range::key(keys::head(slot, lobby))).await?;
        let Some(head) = answer.found.first() else { return Ok(None) };
        let pages = RangeReader::of_prefix(engine, &keys::pages(slot, lobby), MAX_VALUE).at(answer.revision);
        let damaged = |why| Damage { lobby, code: None, why: format!("its head is damaged: {why}") };
        let read = read_head(lobby, &head.value).map_err(damaged);
        Ok(Some(read.map(|Head { mut kept, last, .. }| {
            // No lobby is loaded from an archive.
            kept.checkpoint = None;
            let (code, opening) = (kept.meta.code, kept.head());
            Self { lobby, code, opening, last, pages, next: 1, events: Vec::new() }
        })))
    }

    /// Adds the events of the next page.
    fn add(&mut self, page: &[u8]) -> Result<(), String> {
        let events = read_page(self.lobby, page).map_err(|why| format!("a page of it is damaged: {why}"))?;
        for entry in events {
            match entry.note {
                // Pages may have more than the head, from someone who could not finish.
                _ if self.next > self.last => break,
                Note::Happened { number, .. } if number == self.next => self.next += 1,
                _ => return Err(format!("event {} is missing", self.next)),
            }
            self.events.push(entry);
        }
        Ok(())
    }

    fn damaged(&self, why: String) -> Part {
        Part::Damaged(Damage { lobby: self.lobby, code: Some(self.code), why })
    }
}

/// About how many bytes entries have.
pub fn bytes_of(entries: &[Entry]) -> usize {
    entries.iter().map(|entry| saturating::<usize, _>(entry.note.bytes())).sum()
}
