//! Reads what was recorded for people who ask for it, on a thread of its own, so that neither the tasks
//! that move frames nor the journal ever wait for it.
//!
//! A bounded number of questions waits; when the queue is full, a question is refused. [`catalogue`]
//! decides who may see what; [`copy`] writes the texts.

mod catalogue;
mod copy;

use std::fmt;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};

use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::storage::{Archive, LobbyId};
use crate::lobby::List;
use crate::record::Record;
use crate::wire::limits::MAX_TICKETS;
use crate::wire::{GameName, GamesWish, HallRefusal, Ticket, ToClient, TokenHash};
use copy::{Copies, unreadable};

/// The most questions that wait: each is answered within a second or so.
const MAX_WAITING: usize = 16;

/// What somebody wants to read.
#[derive(Debug)]
pub(super) enum Question {
    /// A page of the list of games.
    Games(GamesWish),
    /// A part of the record of a game.
    Record { name: GameName, tickets: List<Ticket, MAX_TICKETS>, part: u32 },
}

/// The answer to a question.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) told: Result<ToClient, HallRefusal>,
    /// Whether tickets were shown of which none is one of this server's.
    pub(super) is_guess: bool,
}

/// An answer to come. It fails if the service has stopped.
pub(super) type Waiting = oneshot::Receiver<Answer>;

/// The record service of a server.
pub(super) struct RecordService(Mode);

/// Who reads.
enum Mode {
    /// Nobody, since nothing is recorded.
    None,
    /// The caller of [`RecordService::ask`], as in a simulation, where everything happens on one thread.
    Caller(Mutex<Reader>),
    /// A thread; `None` once the service has stopped.
    Thread(Mutex<Option<(SyncSender<Job>, JoinHandle<()>)>>),
}

type Job = (Question, oneshot::Sender<Answer>);

/// Answers questions from an archive.
#[derive(Debug)]
struct Reader {
    archive: Box<dyn Archive>,
    copies: Copies,
}

impl RecordService {
    /// A service with nothing to read.
    pub(super) fn of_nothing() -> Self {
        Self(Mode::None)
    }

    /// A service with a thread that reads.
    pub(super) fn on_a_thread(archive: Box<dyn Archive>) -> Self {
        let (jobs, waiting) = sync_channel::<Job>(MAX_WAITING);
        let mut reader = Reader::new(archive);
        let thread = thread::spawn(move || {
            for (question, reply) in waiting {
                // A connection that is closed by now costs nothing more.
                if !reply.is_closed() {
                    let _ = reply.send(reader.answer(question));
                }
            }
        });
        Self(Mode::Thread(Mutex::new(Some((jobs, thread)))))
    }

    /// A service in which the caller of [`RecordService::ask`] reads.
    pub(super) fn on_the_spot(archive: Box<dyn Archive>) -> Self {
        Self(Mode::Caller(Mutex::new(Reader::new(archive))))
    }

    /// Asks a question. Refuses it if too many wait.
    pub(super) fn ask(&self, question: Question) -> Result<Waiting, HallRefusal> {
        let (reply, answer) = oneshot::channel();
        match &self.0 {
            Mode::None => return Err(HallRefusal::NoRecords),
            Mode::Caller(reader) => {
                // The receiver is returned here.
                let _ = reply.send(reader.lock().answer(question));
            }
            Mode::Thread(thread) => {
                let thread = thread.lock();
                let (jobs, _) = thread.as_ref().ok_or(HallRefusal::RecordsBusy)?;
                jobs.try_send((question, reply)).map_err(|error| match error {
                    TrySendError::Full(_) => HallRefusal::RecordsBusy,
                    TrySendError::Disconnected(_) => HallRefusal::RecordDamaged,
                })?;
            }
        }
        Ok(answer)
    }

    /// Stops the service. Waits for the question that is being answered, a second or so.
    pub(super) fn stop(&self) {
        let Mode::Thread(thread) = &self.0 else { return };
        let Some((jobs, thread)) = thread.lock().take() else { return };
        drop(jobs);
        if thread.join().is_err() {
            tracing::error!("the thread of the record service has panicked");
        }
    }
}

impl Reader {
    fn new(archive: Box<dyn Archive>) -> Self {
        Self { archive, copies: Copies::default() }
    }

    fn answer(&mut self, question: Question) -> Answer {
        let (Question::Games(GamesWish { tickets, .. }) | Question::Record { tickets, .. }) = &question;
        let hashes: Vec<TokenHash> = tickets.iter().map(Ticket::hash).collect();
        let mine = match self.archive.seats_of(&hashes) {
            Ok(mine) => mine,
            Err(error) => return Answer { told: Err(unreadable(&error)), is_guess: false },
        };
        let is_guess = !hashes.is_empty() && mine.is_empty();
        let archive = &mut *self.archive;
        let told = match question {
            Question::Games(wish) => catalogue::page(archive, &wish, &mine),
            Question::Record { name, part, .. } => catalogue::check(archive, name, &mine)
                .and_then(|opened| self.copies.part(archive, name, opened, part)),
        };
        Answer { told, is_guess }
    }
}

/// The record of a game, for a caller who has the journal itself: whether the record is public is not asked.
///
/// # Errors
///
/// That there is no such game, or that what was recorded of it cannot be read.
pub fn record_of(archive: &mut dyn Archive, name: GameName) -> Result<Record, HallRefusal> {
    let opened = archive.opening(LobbyId(name.lobby)).map_err(|error| unreadable(&error))?;
    copy::record(archive, name, opened.ok_or(HallRefusal::NoSuchRecord)?)
}

impl fmt::Debug for RecordService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecordService(…)")
    }
}
