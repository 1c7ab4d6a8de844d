//! The task that writes pages: it takes over each batch that the journal has recorded, and writes when enough has
//! come together, or when slots are to go to another node. Closed lobbies are written soon, since all archives wait for
//! them, and so are open ones in which a game has ended.
//!
//! It takes batches between its transactions, so that the journal never waits for the length of a whole writing.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

use super::engine::{Engine, EngineError, Revision};
use super::keys::Slot;
use super::log::{Recorded, logs};
use super::node::{FencedOff, Living, Membership, WriteError};
use super::pages::{PageWriter, Restored, delete_covered_logs};
use crate::server::storage::Entry;

/// The most batches that wait to be taken, as long as one transaction lasts: more than a second of the most batches that
/// a journal makes.
const MAX_WAITING: usize = 1_024;

/// The pause after etcd did not answer, and after it has refused what was asked.
const RETRY_PAUSE: Duration = Duration::from_millis(100);
const REFUSED_PAUSE: Duration = Duration::from_secs(2);

/// How often closed lobbies are written.
const CLOSED_EVERY: Duration = Duration::from_secs(1);

/// How often open lobbies are written in which games have ended: by one transaction each time, so by 80 lobbies a second.
/// Where more games end, archives get them later, and all games of a lobby that have ended meanwhile together.
const ENDED_EVERY: Duration = Duration::from_millis(500);

/// How often the logs of dead nodes are looked for.
const CLEAN_EVERY: Duration = Duration::from_mins(1);

/// How soon they are looked for after slots were taken over: once everybody is back.
const CLEAN_AFTER_TAKING: Duration = Duration::from_secs(5);

/// What the task is to do.
#[derive(Debug)]
enum Job {
    Take(Vec<Entry>, Recorded),
    NoteCurrent(Revision),
    Adopt(Box<Restored>),
    Write(oneshot::Sender<()>),
    WriteSlots(BTreeSet<Slot>, oneshot::Sender<usize>),
    Forget(BTreeSet<Slot>),
}

/// Where the journal puts what it has recorded.
#[derive(Debug, Clone)]
pub struct RecordedSender {
    jobs: mpsc::Sender<Job>,
    takes_too_much: watch::Receiver<Option<IpAddr>>,
}

impl RecordedSender {
    /// A batch was recorded. Waits while too many wait.
    pub async fn send(&self, entries: &[Entry], recorded: Recorded) {
        // Where nobody takes it, the node is no member any more, and others read its log.
        let _ = self.jobs.send(Job::Take(entries.to_vec(), recorded)).await;
    }

    /// All that was recorded at this revision was sent.
    pub fn send_confirmed(&self, revision: Revision) {
        // As above. It may be left out.
        let _ = self.jobs.try_send(Job::NoteCurrent(revision));
    }

    /// The address whose open lobbies are to be closed first, if all open lobbies of this node take too much of etcd.
    pub fn takes_too_much(&self) -> Option<IpAddr> {
        *self.takes_too_much.borrow()
    }
}

/// The task, as the others use it.
#[derive(Debug, Clone)]
pub struct Pager(mpsc::Sender<Job>);

impl Pager {
    /// Goes on with the lobbies of slots that this node has taken over. To be called before anything of them is
    /// recorded.
    pub async fn adopt(&self, restored: Restored) -> Result<(), FencedOff> {
        self.send(Job::Adopt(Box::new(restored))).await
    }

    /// Writes all that was recorded before the call.
    pub async fn write(&self) -> Result<(), FencedOff> {
        let (done, written) = oneshot::channel();
        self.send(Job::Write(done)).await?;
        written.await.map_err(|_| FencedOff)
    }

    /// Writes all that was recorded of these slots before the call. Returns how many open lobbies they have.
    pub async fn write_slots(&self, slots: BTreeSet<Slot>) -> Result<usize, FencedOff> {
        let (done, written) = oneshot::channel();
        self.send(Job::WriteSlots(slots, done)).await?;
        written.await.map_err(|_| FencedOff)
    }

    /// Forgets slots that were given away.
    pub async fn forget(&self, slots: BTreeSet<Slot>) -> Result<(), FencedOff> {
        self.send(Job::Forget(slots)).await
    }

    async fn send(&self, job: Job) -> Result<(), FencedOff> {
        self.0.send(job).await.map_err(|_| FencedOff)
    }
}

/// The task before it runs.
#[derive(Debug)]
pub struct Paging {
    engine: Arc<dyn Engine>,
    membership: Membership,
    writer: PageWriter,
    jobs: mpsc::Receiver<Job>,
    /// See [`RecordedSender::takes_too_much`].
    takes_too_much: watch::Sender<Option<IpAddr>>,
    /// Who waits for the round after the present one, and who for the present one.
    next: Vec<oneshot::Sender<()>>,
    present: Vec<oneshot::Sender<()>>,
    /// When it is time to go on after an error.
    retry_at: Instant,
    /// When closed lobbies are to be written, if there are any.
    closed_at: Instant,
    /// When open lobbies in which games have ended are to be written, if there are any.
    ended_at: Instant,
    /// When to look for logs of dead nodes, and whether some are to be deleted after the round.
    clean_at: Instant,
    is_cleaning: bool,
}

impl Paging {
    /// The task of a node that has just joined, and the ways to it.
    pub fn new(engine: Arc<dyn Engine>, membership: Membership) -> (Self, Pager, RecordedSender) {
        let (sender, jobs) = mpsc::channel(MAX_WAITING);
        let writer = PageWriter::new(Arc::clone(&engine), membership.clone());
        let (takes_too_much, found) = watch::channel(None);
        let now = Instant::now();
        let paging = Self {
            engine,
            membership,
            writer,
            jobs,
            takes_too_much,
            next: Vec::new(),
            present: Vec::new(),
            retry_at: now,
            closed_at: now,
            ended_at: now,
            clean_at: now + CLEAN_EVERY,
            is_cleaning: false,
        };
        let recorded = RecordedSender { jobs: sender.clone(), takes_too_much: found };
        (paging, Pager(sender), recorded)
    }

    /// Works until the node is no member any more.
    pub async fn run(mut self) {
        let membership = self.membership.clone();
        tokio::select! {
            () = membership.fenced_off() => {}
            () = self.work() => {}
        }
    }

    async fn work(&mut self) {
        loop {
            while let Ok(job) = self.jobs.try_recv() {
                if self.handle(job).await.is_err() {
                    return;
                }
            }
            if Instant::now() >= self.retry_at
                && let Err(error) = self.go_on().await
                && self.note(&error).is_err()
            {
                return;
            }
            let wakes = self.wakes_at();
            if wakes <= Instant::now() {
                continue;
            }
            match tokio::time::timeout_at(wakes, self.jobs.recv()).await {
                Ok(Some(job)) => {
                    if self.handle(job).await.is_err() {
                        return;
                    }
                }
                Ok(None) => return,
                Err(_) => {}
            }
        }
    }

    /// When there is something to do, if nothing comes.
    fn wakes_at(&self) -> Instant {
        let is_busy = self.writer.is_writing() || !self.next.is_empty();
        let closed_at = self.writer.has_closed().then_some(self.closed_at);
        let ended_at = self.writer.has_ended().then_some(self.ended_at);
        let idle_until = [closed_at, ended_at].into_iter().flatten().fold(self.clean_at, Instant::min);
        if is_busy { self.retry_at } else { idle_until.max(self.retry_at) }
    }

    /// Waits a moment after an error of etcd.
    fn note(&mut self, error: &WriteError) -> Result<(), FencedOff> {
        match error {
            WriteError::FencedOff(off) => Err(*off),
            WriteError::Engine(error) => {
                let pause = if error.is_in_doubt() {
                    tracing::debug!(%error, "pages could not be written yet");
                    RETRY_PAUSE
                } else {
                    tracing::error!(%error, "pages are not written, so that the log grows");
                    REFUSED_PAUSE
                };
                self.retry_at = Instant::now() + pause;
                Ok(())
            }
        }
    }

    async fn handle(&mut self, job: Job) -> Result<(), FencedOff> {
        match job {
            Job::Take(entries, recorded) => {
                if let Err(damage) = self.writer.take(&entries, recorded) {
                    // The log has all of it. The node that takes over sets the lobby aside.
                    tracing::error!(%damage, "what was recorded contradicts itself: this node starts anew");
                    self.membership.fence_off();
                    return Err(FencedOff);
                }
            }
            Job::NoteCurrent(revision) => self.writer.note_current(revision),
            Job::Adopt(restored) => {
                self.writer.adopt(&restored);
                self.measure();
                // Each takeover reads all logs of dead nodes.
                self.clean_at = self.clean_at.min(Instant::now() + CLEAN_AFTER_TAKING);
            }
            Job::Write(done) => self.next.push(done),
            Job::WriteSlots(slots, done) => {
                while let Err(error) = self.writer.write_slots(&slots).await {
                    self.note(&error)?;
                    tokio::time::sleep_until(self.retry_at).await;
                }
                // Who asked may have gone.
                let _ = done.send(self.writer.open_lobbies(&slots));
            }
            Job::Forget(slots) => slots.into_iter().for_each(|slot| self.writer.give_away(slot)),
        }
        Ok(())
    }

    /// Goes on with the round, or begins one if it is time.
    async fn go_on(&mut self) -> Result<(), WriteError> {
        if !self.writer.is_writing() {
            if Instant::now() >= self.closed_at && self.writer.has_closed() {
                self.writer.write_closed().await?;
                if !self.writer.has_closed() {
                    self.measure();
                    self.closed_at = Instant::now() + CLOSED_EVERY;
                }
            }
            if Instant::now() >= self.ended_at && self.writer.has_ended() {
                self.writer.write_ended().await?;
                self.ended_at = Instant::now() + ENDED_EVERY;
            }
            if Instant::now() >= self.clean_at {
                self.clean_at = Instant::now() + CLEAN_EVERY;
                self.is_cleaning = self.has_dead_logs().await?;
            }
            if !(self.is_cleaning || self.writer.is_due() || !self.next.is_empty()) {
                return Ok(());
            }
            if self.is_cleaning {
                self.writer.cover_all();
            }
            self.present = std::mem::take(&mut self.next);
            self.writer.begin();
        }
        self.writer.step().await?;
        if !self.writer.is_writing() {
            self.measure();
            // Who asked may have gone.
            for done in self.present.drain(..) {
                let _ = done.send(());
            }
            if std::mem::take(&mut self.is_cleaning) {
                self.clean().await?;
            }
        }
        Ok(())
    }

    /// Finds out whether open lobbies take too much. They grow by as much as a round writes, or by what was taken over.
    fn measure(&self) {
        let found = self.writer.takes_too_much();
        let before = self.takes_too_much.send_replace(found);
        if let Some(address) = found.filter(|_| found != before) {
            tracing::warn!(
                %address,
                "open lobbies take more of etcd than this node's share of 4 GiB: those that were opened from there are closed"
            );
        }
    }

    async fn has_dead_logs(&self) -> Result<bool, EngineError> {
        let living = Living::read(&*self.engine).await?;
        Ok(logs(&*self.engine).await?.into_iter().any(|epoch| living.sealed(epoch).is_some()))
    }

    /// Deletes the logs of dead nodes of which everything is in pages.
    async fn clean(&self) -> Result<(), WriteError> {
        let living = Living::read(&*self.engine).await?;
        for epoch in delete_covered_logs(&*self.engine, &self.membership, &living).await? {
            tracing::info!(%epoch, "the log of a dead node is deleted, since all of it is in pages");
        }
        Ok(())
    }
}
