//! What waits to be recorded, and the loop that records it in batches.

use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use tokio::sync::watch;

use super::pruner::Pruner;
use crate::server::commit::{CommitMark, Recorded, SharedRecipient};
use crate::server::config::History;
use crate::server::metrics::Metrics;
use crate::server::storage::{Entry, Storage, StorageError};

/// The pause before a batch that could not be recorded is retried.
pub(in crate::server) const TRY_AGAIN: Duration = Duration::from_secs(1);

/// After a batch of at least `SEVERAL` entries, several lobbies are busy. The next batch then begins
/// [`GATHER`] after it at the earliest, or once `ENOUGH` entries wait: each batch costs as much as some
/// moves. A lobby that plays alone never waits.
const SEVERAL: usize = 8;
const GATHER: Duration = Duration::from_millis(1);
const ENOUGH: usize = 512;

/// What the thread that records shares with all others.
pub(super) struct Shared {
    /// Held while entries are put in or taken out.
    queue: Mutex<Queue>,
    filled: Condvar,
    pub(super) recorded: Recorded,
    error: watch::Sender<Option<StorageError>>,
    /// Whether there is an error, and how many entries wait: every request reads these, without a lock.
    is_failing: AtomicBool,
    waiting: AtomicUsize,
    metrics: Arc<Metrics>,
}

#[derive(Default)]
struct Queue {
    batch: Batch,
    /// Who asked whether everything that was recorded will be found again.
    asking: Option<Sender<Result<(), StorageError>>>,
    closed: bool,
}

/// What is recorded together.
#[derive(Default)]
struct Batch {
    entries: Vec<Entry>,
    /// Who is released then.
    recipients: Vec<SharedRecipient>,
    /// When the requests arrived that caused it.
    arrivals: Vec<tokio::time::Instant>,
    mark: CommitMark,
}

impl Batch {
    fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.recipients.is_empty()
    }

    /// Takes everything out. What is put in next has greater marks.
    fn take(&mut self) -> Self {
        let mark = self.mark;
        mem::replace(self, Self { mark, ..Self::default() })
    }

    /// Puts a batch back that was taken out, before what was put in since.
    fn put_back(&mut self, mut first: Self) {
        first.entries.append(&mut self.entries);
        first.recipients.append(&mut self.recipients);
        first.arrivals.append(&mut self.arrivals);
        *self = Self { mark: self.mark, ..first };
    }
}

impl Shared {
    pub(super) fn new(metrics: &Arc<Metrics>) -> Self {
        Self {
            queue: Mutex::default(),
            filled: Condvar::new(),
            recorded: Recorded::default(),
            error: watch::Sender::new(None),
            is_failing: AtomicBool::new(false),
            waiting: AtomicUsize::new(0),
            metrics: Arc::clone(metrics),
        }
    }

    /// Puts entries into the next batch, and wakes the thread that records.
    pub(super) fn post(
        &self,
        entries: impl IntoIterator<Item = Entry>,
        recipients: impl IntoIterator<Item = SharedRecipient>,
        arrived: Option<tokio::time::Instant>,
    ) -> CommitMark {
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
            self.filled.notify_one();
        }
        mark
    }

    /// The mark of what was posted last.
    pub(super) fn posted(&self) -> CommitMark {
        self.queue.lock().batch.mark
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Why nothing can be recorded, if so.
    pub(super) fn error(&self) -> Option<StorageError> {
        if self.is_failing.load(Ordering::Acquire) { self.error.borrow().clone() } else { None }
    }

    pub(super) fn watch(&self) -> watch::Receiver<Option<StorageError>> {
        self.error.subscribe()
    }

    /// Has the thread prove that everything is recorded. Returns false if it has ended.
    pub(super) fn ask_for_proof(&self, answer: Sender<Result<(), StorageError>>) -> bool {
        let mut queue = self.queue.lock();
        if !queue.closed {
            queue.asking = Some(answer);
            self.filled.notify_one();
        }
        !queue.closed
    }

    pub(super) fn close(&self) {
        self.queue.lock().closed = true;
        self.filled.notify_one();
    }

    /// Records what waits, unless the journal is closed: another server may have the storage by then.
    pub(super) fn record_waiting(&self, storage: &mut dyn Storage) {
        let mut queue = self.queue.lock();
        if !queue.closed {
            let batch = self.take(&mut queue);
            drop(queue);
            self.record(storage, batch);
        }
    }

    /// The work of the thread. If it panics, nothing can be recorded any more, which is reported like any
    /// other error.
    pub(super) fn run(&self, storage: Box<dyn Storage>, history: History) {
        let done = panic::catch_unwind(AssertUnwindSafe(|| self.write(storage, history)));
        if done.is_err() {
            self.queue.lock().closed = true;
            self.note(Some(StorageError::new(
                "the server's program has failed",
                "the part of this program that records has failed, as told above: stop the server and start it again. What \
                 was sent is recorded",
            )));
        }
    }

    fn write(&self, mut storage: Box<dyn Storage>, history: History) {
        let mut pruner = Pruner::new(history);
        while let Some(batch) = self.next(pruner.pause()) {
            let (began, size) = (Instant::now(), batch.entries.len());
            let is_recorded = batch.is_empty() || self.record(&mut *storage, batch);
            if let Some(asking) = self.queue.lock().asking.take() {
                // The caller may not wait any more.
                let _ = asking.send(storage.prove());
            }
            if is_recorded {
                pruner.prune(&mut *storage);
                self.gather(began, size);
                continue;
            }
            let mut queue = self.queue.lock();
            if queue.closed {
                return;
            }
            let waits = |queue: &mut Queue| !queue.closed && queue.asking.is_none();
            self.filled.wait_while_for(&mut queue, waits, storage.retry_after());
        }
    }

    /// Lets the next batch grow, if several lobbies are busy.
    fn gather(&self, began: Instant, size: usize) {
        if size >= SEVERAL && self.waiting() < ENOUGH {
            thread::sleep(GATHER.saturating_sub(began.elapsed()));
        }
    }

    /// Waits for entries, and takes them. After a `pause` without any it returns an empty batch, so that
    /// there is time to prune. `None` at the end.
    fn next(&self, pause: Duration) -> Option<Batch> {
        let mut queue = self.queue.lock();
        let waits = |queue: &mut Queue| queue.batch.is_empty() && queue.asking.is_none() && !queue.closed;
        self.filled.wait_while_for(&mut queue, waits, pause);
        let is_over = queue.closed && queue.batch.is_empty() && queue.asking.is_none();
        (!is_over).then(|| self.take(&mut queue))
    }

    fn take(&self, queue: &mut Queue) -> Batch {
        let batch = queue.batch.take();
        self.count(queue);
        batch
    }

    fn count(&self, queue: &Queue) {
        self.waiting.store(queue.batch.entries.len(), Ordering::Relaxed);
    }

    /// Records a batch and releases its recipients, or keeps it for a retry. Returns whether it was recorded.
    fn record(&self, storage: &mut dyn Storage, batch: Batch) -> bool {
        let began = Instant::now();
        let done = if batch.entries.is_empty() { Ok(()) } else { storage.record(&batch.entries) };
        let is_recorded = done.is_ok();
        if is_recorded {
            if !batch.entries.is_empty() {
                self.metrics.note_batch(batch.entries.len(), began.elapsed(), storage.synced_in());
            }
            self.recorded.reach(batch.mark);
            batch.recipients.iter().for_each(|recipient| recipient.release(&self.recorded));
            self.note_told(batch.arrivals);
        } else {
            let mut queue = self.queue.lock();
            queue.batch.put_back(batch);
            self.count(&queue);
        }
        self.note(done.err());
        is_recorded
    }

    /// Measures how long it took until what these requests caused was sent.
    pub(super) fn note_told(&self, arrivals: impl IntoIterator<Item = tokio::time::Instant>) {
        arrivals.into_iter().for_each(|arrived| self.metrics.note_told(arrived.elapsed()));
    }

    /// Notes why nothing can be recorded; `None` if everything can.
    fn note(&self, error: Option<StorageError>) {
        self.is_failing.store(error.is_some(), Ordering::Release);
        self.error.send_if_modified(|known| {
            let is_new = *known != error;
            *known = error;
            is_new
        });
    }
}
