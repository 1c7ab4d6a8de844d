//! All events that are recorded, as of one revision: those in pages, and after them those in logs alone. For checks of
//! what clients were told. It is slow and plain, and not how nodes restore lobbies: those leave out what a checkpoint
//! covers.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::marks::read_marks_at;
use super::value::{Head, MAX_VALUE, read_head, read_page};
use crate::cluster::engine::{Engine, EngineError, RangeReader, Revision};
use crate::cluster::keys::{self, Slot};
use crate::cluster::log::{LogReader, ReadError, logs_at};
use crate::cluster::node::Living;
use crate::lobby::Code;
use crate::number::saturating;
use crate::server::storage::{Damage, Entry, LobbyId, Note};

/// All events of a lobby that are recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    /// Which lobby.
    pub lobby: LobbyId,
    /// Its code, which other lobbies may have had before.
    pub code: Code,
    /// The frames of its events, in the order of their numbers, from 1 on.
    pub frames: Vec<Bytes>,
}

/// What is recorded as of one revision. Nodes may go on meanwhile. It keeps all logs in memory, and reads pages one slot
/// after the other.
#[derive(Debug)]
pub struct Histories<'a> {
    engine: &'a dyn Engine,
    at: Revision,
    /// For each slot the revision up to which logs do not count.
    marks: BTreeMap<Slot, Revision>,
    /// What all logs have of each lobby, in the order in which it was recorded.
    logged: BTreeMap<LobbyId, Vec<(Revision, Logged)>>,
}

/// An entry of a log.
#[derive(Debug)]
enum Logged {
    Opened(Code),
    Happened(u32, Bytes),
}

/// A lobby of which the pages are read.
#[derive(Debug)]
struct Reading {
    history: History,
    /// The number of its last event by its head.
    last: u32,
    /// The revision up to which logs do not count.
    covered: Revision,
}

impl<'a> Histories<'a> {
    /// Reads all logs, as they are now.
    ///
    /// # Errors
    ///
    /// If etcd does not answer, or a log is damaged.
    pub async fn read(engine: &'a dyn Engine) -> Result<Self, ReadError> {
        let at = Living::read(engine).await?.revision;
        let marks = read_marks_at(engine, at).await?.into_iter();
        let marks = marks.filter_map(|(slot, mark)| Some((slot, mark?))).collect();
        let mut this = Self { engine, at, marks, logged: BTreeMap::new() };
        for epoch in logs_at(engine, Some(at)).await? {
            let mut reader = LogReader::open_at(engine, epoch, Some(at)).await?;
            while let Some(batch) = reader.next().await? {
                batch.entries.into_iter().for_each(|entry| this.log(entry, batch.revision));
            }
        }
        // Those of a batch stay in their order.
        this.logged.values_mut().for_each(|entries| entries.sort_by_key(|(at, _)| *at));
        Ok(this)
    }

    fn log(&mut self, entry: Entry, at: Revision) {
        let logged = match entry.note {
            Note::Opened(meta) => Logged::Opened(meta.code),
            Note::Happened { number, frame, .. } => Logged::Happened(number, frame),
            _ => return,
        };
        self.logged.entry(entry.lobby).or_default().push((at, logged));
    }

    /// The lobbies of a slot that are open, or closed and not yet deleted by the archives. A lobby of which an event is
    /// missing, doubled or out of order is damaged.
    ///
    /// # Errors
    ///
    /// If etcd does not answer, or has forgotten the revision.
    pub async fn of_slot(&self, slot: Slot) -> Result<Vec<Result<History, Damage>>, EngineError> {
        let mut lobbies = self.in_pages(slot).await?;
        let mark = self.mark(slot);
        for (lobby, logged) in &self.logged {
            // A lobby without a head that begins before the mark was archived, or is of another slot.
            let opened = logged.iter().find_map(|(at, entry)| match entry {
                Logged::Opened(code) if Slot::of(*code) == slot && *at > mark => Some(*code),
                _ => None,
            });
            if let (Some(code), false) = (opened, lobbies.contains_key(lobby)) {
                let history = History { lobby: *lobby, code, frames: Vec::new() };
                lobbies.insert(*lobby, Ok(Reading { history, last: 0, covered: mark }));
            }
        }
        Ok(lobbies.into_values().map(|reading| self.with_logs(reading?)).collect())
    }

    fn mark(&self, slot: Slot) -> Revision {
        self.marks.get(&slot).copied().unwrap_or_default()
    }

    /// What heads and pages have. Pages without a head were written by someone who could not finish.
    async fn in_pages(&self, slot: Slot) -> Result<BTreeMap<LobbyId, Result<Reading, Damage>>, EngineError> {
        let mut lobbies = BTreeMap::new();
        let mut heads = RangeReader::of_prefix(self.engine, &keys::heads(slot), MAX_VALUE).at(self.at);
        while let Some(some) = heads.next().await? {
            for head in some {
                let Some(lobby) = keys::headed(slot, &head.key) else { continue };
                lobbies.insert(lobby, Reading::begin(lobby, &head.value, self.mark(slot)));
            }
        }
        let mut pages =
            RangeReader::of_prefix(self.engine, &keys::pages_of_slot(slot), MAX_VALUE).at(self.at);
        while let Some(some) = pages.next().await? {
            for page in some {
                let Some((lobby, _)) = keys::paged(slot, &page.key) else { continue };
                let reading = lobbies.remove(&lobby).map(|reading| reading?.with_page(&page.value));
                lobbies.extend(reading.map(|reading| (lobby, reading)));
            }
        }
        Ok(lobbies)
    }

    /// Adds what logs alone have.
    fn with_logs(&self, reading: Reading) -> Result<History, Damage> {
        let Reading { mut history, last, covered } = reading;
        if history.last() != last {
            return Err(history.damaged(format!("event {} is missing", history.last() + 1)));
        }
        for (at, logged) in self.logged.get(&history.lobby).into_iter().flatten() {
            match logged {
                Logged::Happened(number, frame) if *at > covered => history.add(*number, frame.clone())?,
                Logged::Happened(..) | Logged::Opened(_) => {}
            }
        }
        Ok(history)
    }
}

impl Reading {
    fn begin(lobby: LobbyId, head: &[u8], mark: Revision) -> Result<Self, Damage> {
        let damaged = |why| Damage { lobby, code: None, why: format!("its head is damaged: {why}") };
        let Head { kept, last, .. } = read_head(lobby, head).map_err(damaged)?;
        let history = History { lobby, code: kept.meta.code, frames: Vec::new() };
        Ok(Self { history, last, covered: kept.covered.max(mark) })
    }

    /// Adds a page. What it has beyond the head was written by someone who could not finish: the log has it.
    fn with_page(mut self, page: &[u8]) -> Result<Self, Damage> {
        let damaged = |why| self.history.damaged(format!("a page of it is damaged: {why}"));
        for entry in read_page(self.history.lobby, page).map_err(damaged)? {
            match entry.note {
                Note::Happened { number, frame, .. } if number <= self.last => {
                    self.history.add(number, frame)?;
                }
                _ => {}
            }
        }
        Ok(self)
    }
}

impl History {
    /// The number of the last event; 0 before the first one.
    fn last(&self) -> u32 {
        saturating(self.frames.len())
    }

    fn add(&mut self, number: u32, frame: Bytes) -> Result<(), Damage> {
        let expected = self.last() + 1;
        if number != expected {
            return Err(self.damaged(format!("event {expected} is missing, and {number} is there")));
        }
        self.frames.push(frame);
        Ok(())
    }

    fn damaged(&self, why: String) -> Damage {
        Damage { lobby: self.lobby, code: Some(self.code), why }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cluster::engine::memory::{MemoryClient, MemoryEtcd};
    use crate::cluster::engine::{Operation, Txn};
    use crate::cluster::format::Format;
    use crate::cluster::log::{Batch, Log, Outcome};
    use crate::cluster::node::{LEASE, Node};
    use crate::cluster::pages::{PageWriter, restore};
    use crate::cluster::sample::{about, checkpoint, code, event, frame, opened};

    /// A node that records.
    struct Member {
        client: Arc<MemoryClient>,
        node: Node,
        log: Option<Log>,
        writer: PageWriter,
    }

    impl Member {
        async fn join(etcd: &MemoryEtcd) -> Self {
            let client = etcd.client();
            let node = Node::join(client.clone(), &"a".parse().unwrap(), &about(), LEASE).await.unwrap();
            let log = Some(Log::new(client.clone(), node.membership().clone()));
            let writer = PageWriter::new(client.clone(), node.membership().clone());
            Self { client, node, log, writer }
        }

        async fn record(&mut self, entries: &[Entry]) {
            let batch = Batch::of(Format::FIRST, entries);
            let Outcome::Recorded(log, recorded) = self.log.take().unwrap().append(batch).go_on().await
            else {
                panic!("etcd answers");
            };
            self.log = Some(log);
            self.writer.take(entries, recorded).unwrap();
        }

        /// The history of the lobby with this number, or what is wrong with it.
        async fn history(&self, lobby: u64) -> Option<Result<Vec<Bytes>, String>> {
            let histories = Histories::read(&*self.client).await.unwrap();
            let mut found = histories.of_slot(Slot::of(code(lobby))).await.unwrap().into_iter();
            let is_it = |history: &Result<History, Damage>| match history {
                Ok(history) => (history.lobby, history.code) == (LobbyId(lobby), code(lobby)),
                Err(damage) => damage.lobby == LobbyId(lobby),
            };
            let found = found.find(is_it)?;
            Some(found.map(|history| history.frames).map_err(|damage| damage.why))
        }
    }

    fn frames(count: u32) -> Vec<Bytes> {
        (1..=count).map(|number| frame(number, 0)).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn all_events_are_found_in_pages_and_logs_also_behind_a_checkpoint_and_a_death() {
        let etcd = MemoryEtcd::default();
        let mut member = Member::join(&etcd).await;
        assert_eq!(member.history(1).await, None);
        member.record(&[opened(1), event(1, 1, 0), event(1, 2, 0)]).await;
        assert_eq!(member.history(1).await, Some(Ok(frames(2))), "in the log");
        let many: Vec<Entry> = (3..=500).map(|number| event(1, number, 0)).collect();
        member.record(&many).await;
        member.record(&[checkpoint(1, 400), opened(2)]).await;
        member.writer.write().await.unwrap();
        assert_eq!(member.history(1).await, Some(Ok(frames(500))), "in pages");
        member.record(&[event(1, 501, 0), event(2, 1, 0)]).await;
        for lobby in [(1, 501), (2, 1)] {
            assert_eq!(member.history(lobby.0).await, Some(Ok(frames(lobby.1))), "in both");
        }
        let Member { client, node, log, writer } = member;
        node.leave().await.unwrap();
        let mut other = Member::join(&etcd).await;
        assert_eq!(other.history(1).await, Some(Ok(frames(501))), "in the log of a dead node");
        let living = Living::read(&*other.client).await.unwrap();
        let restored = restore(&*other.client, &living, Slot::all()).await.unwrap();
        other.writer.adopt(&restored);
        other.record(&[event(1, 502, 0)]).await;
        assert_eq!(other.history(1).await, Some(Ok(frames(502))), "in the logs of two nodes");
        drop((client, log, writer));
    }

    #[tokio::test(start_paused = true)]
    async fn events_that_are_missing_doubled_or_out_of_order_are_damage() {
        for numbers in [&[2][..], &[1, 3], &[1, 1], &[1, 2, 1]] {
            let mut member = Member::join(&MemoryEtcd::default()).await;
            member.record(&[opened(1)]).await;
            let events: Vec<Entry> = numbers.iter().map(|number| event(1, *number, 0)).collect();
            let batch = Batch::of(Format::FIRST, &events);
            let appended = member.log.take().unwrap().append(batch).go_on().await;
            assert!(matches!(appended, Outcome::Recorded(..)));
            let why = member.history(1).await.unwrap().unwrap_err();
            assert!(why.contains("is missing, and"), "{why}");
        }
        let mut member = Member::join(&MemoryEtcd::default()).await;
        member.record(&[opened(1), event(1, 1, 0)]).await;
        member.writer.write().await.unwrap();
        let then = vec![Operation::Delete(keys::page(Slot::of(code(1)), LobbyId(1), 1))];
        member.client.txn(Txn { then, ..Txn::default() }).await.unwrap();
        assert_eq!(member.history(1).await, Some(Err("event 1 is missing".into())));
    }
}
