//! The journal: everything that must not be lost is recorded in [storage](super::storage) first, and sent
//! then.
//!
//! A lobby posts what happened together with its recipients, and gets a [`CommitMark`]. What it sends them
//! with this mark is held until the journal has reached it. One thread has the storage: it records all that
//! waits as one batch (group commit), and then releases the recipients, so that no task that moves frames
//! waits for the disk. While nothing can be recorded, nothing is sent: the batch is retried, and until then
//! the [clock](super::clock) of all lobbies stands still.

mod pruner;
mod writing;

use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use bytes::Bytes;
use parking_lot::{Condvar, Mutex};
use tokio::sync::watch;
use tokio::time::Instant;

use super::config::History;
use super::connection::{CommitMark, Connection, Recorded};
use super::metrics::Metrics;
use super::storage::{Entry, Storage, StorageError};

/// The pause before a batch that could not be recorded is retried.
pub(super) const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// The most entries that may wait before requests are refused: some seconds of work for a fast disk.
const MAX_WAITING: usize = 200_000;

/// The longest that a server which stops waits until everything is recorded, and how often it looks.
const COMPLETE_WITHIN: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(10);

/// Records what happens in the lobbies of a server.
#[derive(Debug)]
pub(super) struct Journal {
    /// Held while entries are put in or taken out.
    queue: Mutex<Queue>,
    /// Something waits for the thread that records.
    filled: Condvar,
    /// How far it has come.
    pub(super) recorded: Recorded,
    error: watch::Sender<Option<StorageError>>,
    /// Whether there is an error, and how many entries wait: every request reads these, without a lock.
    is_failing: AtomicBool,
    waiting: AtomicUsize,
    metrics: Arc<Metrics>,
    writer: Writer,
}

/// Who records what is posted.
#[derive(Debug)]
enum Writer {
    /// Nobody: what happens is sent at once.
    None,
    /// The caller of [`Journal::post`], as in a simulation, where everything happens on one thread.
    Caller(Mutex<Box<dyn Storage>>),
    /// A thread; `None` once the journal is closed.
    Thread(Mutex<Option<JoinHandle<()>>>),
}

/// Everything that waits for the thread that records.
#[derive(Debug, Default)]
struct Queue {
    batch: Batch,
    closed: bool,
}

/// What is recorded together.
#[derive(Debug, Default)]
struct Batch {
    entries: Vec<Entry>,
    /// Who is released then.
    recipients: Vec<Arc<Connection>>,
    /// When the requests arrived that caused it.
    arrivals: Vec<Instant>,
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

impl Journal {
    fn new(writer: Writer, metrics: &Arc<Metrics>) -> Arc<Self> {
        Arc::new(Self {
            queue: Mutex::default(),
            filled: Condvar::new(),
            recorded: Recorded::default(),
            error: watch::Sender::new(None),
            is_failing: AtomicBool::new(false),
            waiting: AtomicUsize::new(0),
            metrics: Arc::clone(metrics),
            writer,
        })
    }

    /// A journal that records nothing.
    pub(super) fn disabled(metrics: &Arc<Metrics>) -> Arc<Self> {
        Self::new(Writer::None, metrics)
    }

    /// A journal in this storage, with a thread that records.
    pub(super) fn on_a_thread(
        storage: Box<dyn Storage>,
        history: History,
        metrics: &Arc<Metrics>,
    ) -> Arc<Self> {
        let journal = Self::new(Writer::Thread(Mutex::default()), metrics);
        let of_the_thread = Arc::clone(&journal);
        if let Writer::Thread(thread) = &journal.writer {
            *thread.lock() = Some(thread::spawn(move || of_the_thread.run(storage, history)));
        }
        journal
    }

    /// A journal in which the caller of [`Journal::post`] records.
    pub(super) fn inline(storage: Box<dyn Storage>, metrics: &Arc<Metrics>) -> Arc<Self> {
        Self::new(Writer::Caller(Mutex::new(storage)), metrics)
    }

    /// Whether anything is recorded at all.
    pub(super) fn records(&self) -> bool {
        !matches!(self.writer, Writer::None)
    }

    /// Records these entries together, and releases the recipients then. What they are sent of it is to be
    /// sent with the mark that is returned. `arrived` is when the request arrived that caused all this, if
    /// one did.
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
            self.filled.notify_one();
        }
        self.retry();
        mark
    }

    /// Sends these frames as soon as everything is recorded that has happened up to now: at once if it is.
    /// This is for what does not come from a lobby, such as refusals and the list of lobbies, and may tell
    /// of events that are not recorded yet.
    pub(super) fn send_when_recorded(&self, recipients: &[Arc<Connection>], frames: &[Bytes]) {
        let posted = self.queue.lock().batch.mark;
        let mark =
            if self.recorded.has(posted) { posted } else { self.post([], recipients.iter().cloned(), None) };
        for recipient in recipients {
            for (number, frame) in (1..).zip(frames) {
                recipient.send_after_mark(&self.recorded, mark, frame.clone(), number < frames.len());
            }
        }
    }

    /// Measures how long it took until what a request caused was sent. If it is recorded it is sent later,
    /// and the journal measures that itself.
    pub(super) fn note_response(&self, arrived: Option<Instant>) {
        if !self.records() {
            self.measure_responses(arrived);
        }
    }

    /// How many entries wait to be recorded.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Why requests are refused now, if they are.
    pub(super) fn error(&self) -> Option<StorageError> {
        if self.is_failing.load(Ordering::Acquire) {
            return self.error.borrow().clone();
        }
        (self.waiting() > MAX_WAITING).then(|| {
            StorageError::new(
                "the disk is too slow for all that happens",
                "the disk is too slow for all that happens: give the journal a faster one with --data DIR",
            )
        })
    }

    /// Tells when recording begins to fail, and when it works again.
    pub(super) fn watch(&self) -> watch::Receiver<Option<StorageError>> {
        self.error.subscribe()
    }

    /// Whether everything is recorded that was posted. Waits a moment for what is being recorded.
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

    /// Records what still waits, if it can, and takes nothing more.
    pub(super) fn close(&self) {
        self.retry();
        self.queue.lock().closed = true;
        self.filled.notify_one();
        if let Writer::Thread(thread) = &self.writer
            && let Some(thread) = thread.lock().take()
        {
            // A panic of the thread was reported by the thread itself.
            let _ = thread.join();
        }
    }
}
