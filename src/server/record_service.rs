//! Reads recorded games for clients, on threads of its own, so that neither the tasks that move frames nor
//! the journal ever wait for it.
//!
//! A bounded number of questions waits, and one is answered at a time; beyond it, a question is refused.
//! [`catalogue`] decides who may see what; [`record_text`] writes the texts.

mod catalogue;
mod record_text;

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{Semaphore, oneshot};

use super::storage::{Archive, LobbyId};
use crate::lobby::List;
use crate::record::Record;
use crate::wire::limits::MAX_TICKETS;
use crate::wire::{GameName, GamesWish, HallRefusal, Ticket, ToClient, TokenHash};
use record_text::{CachedText, unreadable};

/// The most questions that wait: each is answered within a second or so.
const MAX_WAITING: usize = 16;

/// What a client wants to read.
#[derive(Debug)]
pub(super) enum ArchiveQuery {
    /// A page of the list of games.
    Games(GamesWish),
    /// A part of the record of a game.
    Record { name: GameName, tickets: List<Ticket, MAX_TICKETS>, part: u32 },
}

/// The answer to a question.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) reply: Result<ToClient, HallRefusal>,
    /// Whether none of the shown tickets is known here.
    pub(super) is_guess: bool,
}

/// An answer to come. It fails if the service has stopped.
pub(super) type PendingAnswer = oneshot::Receiver<Answer>;

/// The record service of a server.
#[derive(Debug)]
pub(super) struct RecordService {
    /// `None` if nothing is recorded, or once the service has stopped. Held while a question is answered.
    reader: Arc<Mutex<Option<ArchiveReader>>>,
    /// A permit for each question that waits.
    waiting: Arc<Semaphore>,
    records: bool,
    /// Whether the caller of [`RecordService::ask`] reads, as in a simulation, where everything happens on
    /// one thread.
    is_inline: bool,
}

/// Answers questions from an archive.
#[derive(Debug)]
struct ArchiveReader {
    archive: Box<dyn Archive>,
    last: CachedText,
}

impl RecordService {
    /// A service that reads from this archive, if there is anything to read.
    pub(super) fn new(archive: Option<Box<dyn Archive>>, is_inline: bool) -> Self {
        let reader = archive.map(|archive| ArchiveReader { archive, last: CachedText::default() });
        let waiting = Arc::new(Semaphore::new(MAX_WAITING));
        Self { records: reader.is_some(), reader: Arc::new(Mutex::new(reader)), waiting, is_inline }
    }

    /// Asks a question. Refuses it if too many wait.
    pub(super) fn ask(&self, question: ArchiveQuery) -> Result<PendingAnswer, HallRefusal> {
        if !self.records {
            return Err(HallRefusal::NoRecords);
        }
        let place = Arc::clone(&self.waiting).try_acquire_owned().map_err(|_| HallRefusal::RecordsBusy)?;
        let (reader, (sender, answer)) = (Arc::clone(&self.reader), oneshot::channel());
        let read = move || {
            let mut reader = reader.lock();
            // Nothing is read for a connection that is closed by now.
            if let Some(reader) = reader.as_mut().filter(|_| !sender.is_closed()) {
                let _ = sender.send(reader.answer(question));
            }
            drop(place);
        };
        if self.is_inline {
            read();
        } else {
            tokio::task::spawn_blocking(read);
        }
        Ok(answer)
    }

    /// Stops the service. Waits for the question that is being answered, a second or so.
    pub(super) fn stop(&self) {
        drop(self.reader.lock().take());
    }
}

impl ArchiveReader {
    fn answer(&mut self, question: ArchiveQuery) -> Answer {
        let (ArchiveQuery::Games(GamesWish { tickets, .. }) | ArchiveQuery::Record { tickets, .. }) =
            &question;
        let hashes: Vec<TokenHash> = tickets.iter().map(Ticket::hash).collect();
        let mine = match self.archive.seats_of(&hashes) {
            Ok(mine) => mine,
            Err(error) => return Answer { reply: Err(unreadable(&error)), is_guess: false },
        };
        let is_guess = !hashes.is_empty() && mine.is_empty();
        let archive = &mut *self.archive;
        let reply = match question {
            ArchiveQuery::Games(wish) => catalogue::page(archive, &wish, &mine),
            ArchiveQuery::Record { name, part, .. } => catalogue::check(archive, name, &mine)
                .and_then(|opened| self.last.part(archive, name, opened, part)),
        };
        Answer { reply, is_guess }
    }
}

/// Returns the record of a game without checking whether it is public, for a caller who has the journal
/// itself.
///
/// # Errors
///
/// If there is no such game, or if its events cannot be read.
pub fn record_of(archive: &mut dyn Archive, name: GameName) -> Result<Record, HallRefusal> {
    let opened = archive.lobby_meta(LobbyId(name.lobby)).map_err(|error| unreadable(&error))?;
    record_text::record(archive, name, opened.ok_or(HallRefusal::NoSuchRecord)?)
}
