//! Reads recorded games for clients, on a thread of its own, so that neither the tasks that move frames nor
//! the journal ever wait for it.
//!
//! One question is answered at a time, and the addresses that ask take turns. Each connection has one question
//! at most, which a second or so is enough for.
//! [`catalogue`] decides who may see what; [`record_text`] writes the texts.

mod catalogue;
mod record_text;

use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;

use super::job_pool::{JobHandle, JobPool};
use super::storage::{Archive, LobbyId};
use crate::lobby::List;
use crate::record::Record;
use crate::wire::limits::MAX_TICKETS;
use crate::wire::{GameName, GamesWish, HallRefusal, Ticket, ToClient, TokenHash};
use record_text::{CachedText, unreadable};

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

/// An answer to come; `None` if the service has stopped.
pub(super) type PendingAnswer = JobHandle<Option<Answer>>;

/// The record service of a server.
#[derive(Debug)]
pub(super) struct RecordService {
    /// `None` if nothing is recorded, or once the service has stopped. Held while a question is answered.
    reader: Arc<Mutex<Option<ArchiveReader>>>,
    pool: JobPool,
    records: bool,
}

/// Answers questions from an archive.
#[derive(Debug)]
struct ArchiveReader {
    archive: Box<dyn Archive>,
    last: CachedText,
}

impl RecordService {
    /// A service that reads from this archive, if there is anything to read. Inline, the caller reads, as in a
    /// simulation, where everything happens on one thread.
    pub(super) fn new(archive: Option<Box<dyn Archive>>, is_inline: bool) -> Self {
        let reader = archive.map(|archive| ArchiveReader { archive, last: CachedText::default() });
        let pool = JobPool::start("records", usize::from(reader.is_some() && !is_inline));
        Self { records: reader.is_some(), reader: Arc::new(Mutex::new(reader)), pool }
    }

    /// Asks a question for a client at this address. Nothing is read for one that is gone by then.
    pub(super) fn ask(&self, address: IpAddr, question: ArchiveQuery) -> Result<PendingAnswer, HallRefusal> {
        if !self.records {
            return Err(HallRefusal::NoRecords);
        }
        let reader = Arc::clone(&self.reader);
        Ok(self.pool.run(address, move |_| Some(reader.lock().as_mut()?.answer(question))))
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

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::mpsc::{Receiver, Sender, channel};

    use bytes::Bytes;

    use super::*;
    use crate::server::storage::{GameCursor, LobbyMeta, OwnSeats, PastGame, StorageError, WallTime};

    /// An empty archive that answers a question only when it is told to.
    #[derive(Debug)]
    struct Gate(Receiver<()>);

    impl Archive for Gate {
        fn seats_of(&mut self, _: &[TokenHash]) -> Result<OwnSeats, StorageError> {
            let told = self.0.recv().map(|()| OwnSeats::default());
            told.map_err(|_| StorageError::of_host("nothing more is told"))
        }

        fn games(
            &mut self,
            _: GameCursor,
            _: Option<&OwnSeats>,
            _: usize,
            _: &mut dyn FnMut(PastGame) -> ControlFlow<Option<GameCursor>>,
        ) -> Result<Option<GameCursor>, StorageError> {
            Ok(None)
        }

        fn lobby_meta(&mut self, _: LobbyId) -> Result<Option<(WallTime, LobbyMeta)>, StorageError> {
            Ok(None)
        }

        fn events(&mut self, _: LobbyId) -> Result<Option<Vec<Bytes>>, StorageError> {
            Ok(None)
        }
    }

    fn ask(service: &RecordService, address: u8) -> PendingAnswer {
        let question = ArchiveQuery::Games(GamesWish::default());
        service.ask([10, 0, 0, address].into(), question).expect("nobody is refused")
    }

    #[tokio::test]
    async fn one_who_asks_is_answered_after_one_question_of_each_other_address() {
        let (tell, gate): (Sender<()>, _) = channel();
        let service = RecordService::new(Some(Box::new(Gate(gate))), false);
        let (addresses, each) = (20, 10);
        let crowd: Vec<_> =
            (0..each).flat_map(|_| 1..=addresses).map(|address| ask(&service, address)).collect();
        let honest = ask(&service, 99);
        // One that may have begun before the others came, one of each, and this one.
        (0..addresses + 2).for_each(|_| tell.send(()).unwrap());
        // All later questions fail.
        drop(tell);
        assert!(honest.await.flatten().is_some_and(|answer| answer.reply.is_ok()));
        drop(crowd);
    }
}
