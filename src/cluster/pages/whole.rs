//! Reading all of a lobby that is in its pages, for the archives: in parts, so that a lobby in which very much has happened is
//! never in memory as a whole.

use std::mem;

use super::value::{MAX_VALUE, read_head, read_page};
use crate::cluster::engine::{Engine, EngineError, KeyValue, RangeReader};
use crate::cluster::keys::{self, Paged, Slot};
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
    reader: RangeReader<'a>,
    lobby: LobbyId,
    slot: Slot,
    /// Whether it is to end by its being closed.
    is_closed: bool,
    head: Option<Head>,
    /// The number of the next event.
    next: u32,
    /// What was read, and not returned yet.
    events: Vec<Entry>,
}

/// What a head says.
#[derive(Debug)]
struct Head {
    code: Code,
    entries: Vec<Entry>,
    /// The number of the last event.
    last: u32,
}

impl<'a> LobbyReader<'a> {
    /// A reader of a closed lobby, with its end.
    pub fn of_closed(engine: &'a dyn Engine, slot: Slot, lobby: LobbyId) -> Self {
        Self { is_closed: true, ..Self::so_far(engine, slot, lobby) }
    }

    /// A reader of a lobby that may be open, as far as it is in pages.
    pub fn so_far(engine: &'a dyn Engine, slot: Slot, lobby: LobbyId) -> Self {
        let reader = RangeReader::of_prefix(engine, &keys::head(slot, lobby), MAX_VALUE);
        Self { reader, lobby, slot, is_closed: false, head: None, next: 1, events: Vec::new() }
    }

    /// The next part, which has about so many bytes at least, unless it is the last one. Not to be called after that, nor
    /// after a damage.
    ///
    /// # Errors
    ///
    /// If etcd does not answer.
    pub async fn next_part(&mut self, bytes: usize) -> Result<Part, EngineError> {
        let (mut read, mut is_last) = (0, false);
        while read < bytes && !is_last {
            match self.reader.next().await? {
                Some(found) => {
                    for found in found {
                        read += found.value.len();
                        if let Err(why) = self.add(&found) {
                            return Ok(self.damaged(why));
                        }
                    }
                }
                None => is_last = true,
            }
        }
        let Some(head) = &self.head else { return Ok(Part::Gone) };
        if is_last && self.next <= head.last {
            let why = format!("event {} is missing", self.next);
            return Ok(self.damaged(why));
        }
        let ends = |entry: &Entry| matches!(entry.note, Note::Happened { event: Event::Closed, .. });
        if is_last && self.is_closed && !self.events.last().is_some_and(ends) {
            return Ok(self.damaged("it does not say how it was closed".into()));
        }
        let before = self.events.last().cloned();
        let events = mem::replace(&mut self.events, Vec::from_iter(before));
        Ok(Part::Sound { entries: head.entries.iter().cloned().chain(events).collect(), is_last })
    }

    fn add(&mut self, found: &KeyValue) -> Result<(), String> {
        match keys::paged(self.slot, &found.key) {
            Some(Paged::Head(_)) => {
                let read = read_head(self.lobby, &found.value);
                let (mut kept, last) = read.map_err(|why| format!("its head is damaged: {why}"))?;
                // No lobby is loaded from an archive.
                kept.checkpoint = None;
                self.head = Some(Head { code: kept.meta.code, entries: kept.head(), last });
            }
            Some(Paged::Page(..)) => {
                let page = read_page(self.lobby, &found.value);
                for entry in page.map_err(|why| format!("a page of it is damaged: {why}"))? {
                    match entry.note {
                        // Pages may have more than the head, from someone who could not finish.
                        _ if self.head.as_ref().is_none_or(|head| self.next > head.last) => break,
                        Note::Happened { number, .. } if number == self.next => self.next += 1,
                        _ => return Err(format!("event {} is missing", self.next)),
                    }
                    self.events.push(entry);
                }
            }
            None => {}
        }
        Ok(())
    }

    fn damaged(&self, why: String) -> Part {
        let code = self.head.as_ref().map(|head| head.code);
        Part::Damaged(Damage { lobby: self.lobby, code, why })
    }
}

/// About how many bytes entries have.
pub fn bytes_of(entries: &[Entry]) -> usize {
    entries.iter().map(|entry| saturating::<usize, _>(entry.note.bytes())).sum()
}
