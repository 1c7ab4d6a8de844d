//! The journal: whatever must not be lost is recorded in [storage](super::storage) before it is sent.
//!
//! A lobby posts events together with their recipients, and gets a [`CommitMark`]. Frames with this mark are
//! deferred until the journal has reached it. One thread owns the storage: it records all that waits as one
//! batch (group commit), and then releases the recipients, so that no task that moves frames waits for the
//! disk. While nothing can be recorded, nothing is sent: the batch is retried, and until then the
//! [clock](super::clock) of all lobbies stands still.
//!
//! Where several servers share their lobbies, another one may have gone on with those of this server. So what is
//! sent without being recorded is sent only while that is [certainly not so](super::peers::Peers::is_certain), else
//! after an empty batch. An error may be [final](StorageError::is_final): then nothing is retried, and the server
//! ends.

mod checkpoints;
mod pruner;
mod state;
mod task;
mod writing;

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::Instant;

pub use self::pruner::Pruner;
pub(super) use self::state::Journal;
use self::state::Writer;
use super::config::Config;
use super::connection::{CommitMark, Connection};
use super::metrics::Metrics;
use super::peers::Peers;
use super::storage::{Entry, Storage, StorageError};

/// The pause before a batch that could not be recorded is retried.
pub(super) const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// The most entries that may wait before requests are refused: some seconds of work for a fast disk.
const MAX_WAITING: usize = 200_000;

/// How long a stopping server waits until everything is recorded, and how often it checks.
const COMPLETE_WITHIN: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(10);

impl Journal {
    /// A journal that records nothing.
    pub(super) fn disabled(config: &Config, metrics: &Arc<Metrics>) -> Arc<Self> {
        Self::new(Writer::None, config, metrics, None)
    }

    /// A journal in this storage, with a thread that records.
    pub(super) fn on_a_thread(
        storage: Box<dyn Storage>,
        config: &Config,
        metrics: &Arc<Metrics>,
        peers: Option<Arc<dyn Peers>>,
    ) -> Arc<Self> {
        let journal = Self::new(Writer::Thread(Mutex::default()), config, metrics, peers);
        let history = config.history;
        let of_the_thread = Arc::clone(&journal);
        if let Writer::Thread(thread) = &journal.writer {
            *thread.lock() = Some(thread::spawn(move || of_the_thread.run(storage, history)));
        }
        journal
    }

    /// A journal of a simulation: the caller of [`Journal::post`] records, or a task where that waits for other machines.
    pub(super) fn simulated(
        mut storage: Box<dyn Storage>,
        config: &Config,
        metrics: &Arc<Metrics>,
        peers: Option<Arc<dyn Peers>>,
    ) -> Arc<Self> {
        if storage.as_remote().is_none() {
            return Self::new(Writer::Caller(Mutex::new(storage)), config, metrics, peers);
        }
        let journal = Self::new(Writer::Task, config, metrics, peers);
        let of_the_task = Arc::clone(&journal);
        tokio::spawn(async move { of_the_task.run_in_task(storage).await });
        journal
    }

    /// Records these entries together, and then releases the recipients. Returns the mark with which the
    /// frames are to be sent. `arrived` is the arrival time of the request that caused the entries, if one
    /// did.
    pub(super) fn post(
        &self,
        entries: impl IntoIterator<Item = Entry>,
        recipients: impl IntoIterator<Item = Arc<Connection>>,
        arrived: Option<Instant>,
    ) -> CommitMark {
        if !self.records() {
            return CommitMark::default();
        }
        let mut queue = self.queue.lock();
        let was_empty = queue.batch.is_empty();
        queue.batch.mark.step();
        queue.batch.entries.extend(entries);
        queue.batch.recipients.extend(recipients);
        queue.batch.arrivals.extend(arrived);
        self.count(&queue);
        let mark = queue.batch.mark;
        drop(queue);
        if was_empty {
            self.wake();
        }
        self.retry();
        mark
    }

    /// Wakes who records.
    fn wake(&self) {
        match self.writer {
            Writer::Thread(_) => drop(self.filled.notify_one()),
            Writer::Task => self.filled_for_task.notify_one(),
            Writer::None | Writer::Caller(_) => {}
        }
    }

    /// Sends these frames as soon as everything posted so far is recorded and [may be told](Self::may_tell):
    /// immediately if it is. This is for messages that do not come from a lobby, such as refusals and the list of
    /// lobbies, but may reveal events that are not recorded yet.
    pub(super) fn send_when_recorded(&self, recipients: &[Arc<Connection>], frames: &[Bytes]) {
        let posted = self.queue.lock().batch.mark;
        let is_told_at_once = self.recorded.has(posted) && self.may_tell();
        let mark = if is_told_at_once { posted } else { self.post([], recipients.iter().cloned(), None) };
        for recipient in recipients {
            for (number, frame) in (1..).zip(frames) {
                recipient.send_after_mark(&self.recorded, mark, frame.clone(), number < frames.len());
            }
        }
    }

    /// Measures the response time of a request if nothing is recorded. Otherwise the journal measures it once
    /// the batch is recorded.
    pub(super) fn note_response(&self, arrived: Option<Instant>) {
        if !self.records() {
            self.measure_responses(arrived);
        }
    }

    /// Why requests are refused now, if they are.
    pub(super) fn error(&self) -> Option<StorageError> {
        if self.is_failing.load(Ordering::Acquire) {
            return self.error.borrow().clone();
        }
        (self.waiting() > MAX_WAITING).then(|| {
            StorageError::new(
                "the disk is too slow for all that happens",
                "the disk is too slow for all that happens: give the journal a faster one with --data DIR, or etcd faster \
                 ones where there are several nodes",
            )
        })
    }

    /// Watches the error that keeps the journal from recording.
    pub(super) fn watch(&self) -> watch::Receiver<Option<StorageError>> {
        self.error.subscribe()
    }

    /// Watches for the address whose open lobbies are in the way of pruning.
    pub(super) fn watch_blocked(&self) -> watch::Receiver<Option<IpAddr>> {
        self.blocked_by.subscribe()
    }

    /// Whether everything posted is recorded. Waits a moment for a batch that is being recorded.
    pub(super) async fn is_complete(&self) -> bool {
        self.retry();
        let deadline = Instant::now() + COMPLETE_WITHIN;
        while self.error().is_none() && Instant::now() < deadline {
            if self.recorded.has(self.queue.lock().batch.mark) {
                return true;
            }
            tokio::time::sleep(LOOK).await;
        }
        false
    }

    /// Waits until everything posted so far is recorded.
    ///
    /// # Errors
    ///
    /// Why something cannot be recorded now.
    pub(super) async fn all_recorded(&self) -> Result<(), StorageError> {
        let posted = self.queue.lock().batch.mark;
        self.retry();
        while !self.recorded.has(posted) {
            if let Some(error) = self.error.borrow().clone() {
                return Err(error);
            }
            tokio::time::sleep(LOOK).await;
        }
        Ok(())
    }

    /// Records what still waits, if possible, and closes the journal.
    pub(super) fn close(&self) {
        self.retry();
        self.queue.lock().closed = true;
        self.wake();
        if let Writer::Thread(thread) = &self.writer
            && let Some(thread) = thread.lock().take()
        {
            // A panic of the thread was reported by the thread itself.
            let _ = thread.join();
        }
    }
}
