//! The one who reads what was recorded for whoever asks: a thread of its own, so that neither those who move frames nor the
//! one who records ever wait for it.
//!
//! Few may wait for it at a time, and each connection for one thing; whoever comes then is told to come again. What may be seen
//! by whom is decided in the [`catalogue`]; [`copy`] makes the texts.

mod catalogue;
mod copy;

use std::fmt;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use tokio::sync::oneshot;

use super::storage::{Archive, LobbyId};
use crate::lobby::List;
use crate::record::Record;
use crate::wire::limits::MAX_TICKETS;
use crate::wire::{GameName, GamesWish, HallRefusal, Ticket, ToClient, TokenHash};
use copy::Copies;

/// How many may wait: each is served within a second or so, and whoever is refused tries again.
const MAX_WAITING: usize = 16;

/// What somebody would like to read.
#[derive(Debug)]
pub(super) enum Question {
    /// Which games there are.
    Games(GamesWish),
    /// A part of the record of a game.
    Record { name: GameName, tickets: List<Ticket, MAX_TICKETS>, part: u32 },
}

/// What comes of it.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) told: Result<ToClient, HallRefusal>,
    /// Tickets were shown, and none of them is one of this server's.
    pub(super) is_guess: bool,
}

/// An answer that is waited for. It never comes if the record service is gone, and the server with it.
pub(super) type Waiting = oneshot::Receiver<Answer>;

/// Whoever reads for others.
pub(super) struct RecordService(Way);

enum Way {
    /// Nothing is recorded, so there is nothing to read.
    Nowhere,
    /// Whoever asks reads, as in a simulation, where everything happens on one thread.
    OnTheSpot(Mutex<Desk>),
    /// A thread reads. It is gone once the record service is dismissed.
    Thread(Mutex<Option<(SyncSender<Job>, JoinHandle<()>)>>),
}

type Job = (Question, oneshot::Sender<Answer>);

/// Where questions are answered.
#[derive(Debug)]
struct Desk {
    archive: Box<dyn Archive>,
    copies: Copies,
}

impl RecordService {
    /// One who has nothing to read.
    pub(super) fn of_nothing() -> Self {
        Self(Way::Nowhere)
    }

    /// One who reads on a thread of its own.
    pub(super) fn on_a_thread(archive: Box<dyn Archive>) -> Self {
        let (jobs, waiting) = sync_channel::<Job>(MAX_WAITING);
        let mut desk = Desk::at(archive);
        let thread = thread::spawn(move || {
            for (question, reply) in waiting {
                // Whoever has gone away meanwhile costs nothing more.
                if !reply.is_closed() {
                    let _ = reply.send(desk.answer(question));
                }
            }
        });
        Self(Way::Thread(Mutex::new(Some((jobs, thread)))))
    }

    /// One who reads while whoever asks waits.
    pub(super) fn on_the_spot(archive: Box<dyn Archive>) -> Self {
        Self(Way::OnTheSpot(Mutex::new(Desk::at(archive))))
    }

    /// Has something read.
    pub(super) fn ask(&self, question: Question) -> Result<Waiting, HallRefusal> {
        let (reply, answer) = oneshot::channel();
        match &self.0 {
            Way::Nowhere => return Err(HallRefusal::NoRecords),
            Way::OnTheSpot(desk) => {
                let mut desk = desk.lock().unwrap_or_else(PoisonError::into_inner);
                // The answer is waited for, at the other end of this very call.
                let _ = reply.send(desk.answer(question));
            }
            Way::Thread(thread) => {
                let thread = thread.lock().unwrap_or_else(PoisonError::into_inner);
                let (jobs, _) = thread.as_ref().ok_or(HallRefusal::RecordsBusy)?;
                jobs.try_send((question, reply)).map_err(|error| match error {
                    TrySendError::Full(_) => HallRefusal::RecordsBusy,
                    TrySendError::Disconnected(_) => HallRefusal::RecordDamaged,
                })?;
            }
        }
        Ok(answer)
    }

    /// Reads nothing more. What is being read is waited for, a second or so.
    pub(super) fn dismiss(&self) {
        let Way::Thread(thread) = &self.0 else { return };
        let Some((jobs, thread)) = thread.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return;
        };
        drop(jobs);
        if thread.join().is_err() {
            tracing::error!("the record service's thread has panicked");
        }
    }
}

impl Desk {
    fn at(archive: Box<dyn Archive>) -> Self {
        Self { archive, copies: Copies::default() }
    }

    fn answer(&mut self, question: Question) -> Answer {
        let (Question::Games(GamesWish { tickets, .. }) | Question::Record { tickets, .. }) = &question;
        let hashes: Vec<TokenHash> = tickets.iter().map(Ticket::hash).collect();
        let mine = match self.archive.seats_of(&hashes) {
            Ok(mine) => mine,
            Err(trouble) => return Answer { told: Err(unreadable(&trouble)), is_guess: false },
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

/// The record of a game for whoever has the journal itself: nobody else is asked whether it is open to them.
///
/// # Errors
///
/// That there is no such game, or that what was recorded of it cannot be read.
pub fn record_of(archive: &mut dyn Archive, name: GameName) -> Result<Record, HallRefusal> {
    let opened = archive.opening(LobbyId(name.lobby)).map_err(|trouble| unreadable(&trouble))?;
    copy::record(archive, name, opened.ok_or(HallRefusal::NoSuchRecord)?)
}

/// What somebody is told of a trouble; the host learns more.
fn unreadable(trouble: &super::storage::StorageError) -> HallRefusal {
    tracing::warn!(%trouble, "a record could not be read");
    if trouble.is_damage() { HallRefusal::RecordDamaged } else { HallRefusal::RecordsBusy }
}

impl fmt::Debug for RecordService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Way::Nowhere => "RecordService(of nothing)",
            Way::OnTheSpot(_) => "RecordService(on the spot)",
            Way::Thread(_) => "RecordService(on a thread)",
        })
    }
}
