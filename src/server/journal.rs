//! What must not be lost, on its way to [storage](super::storage): recorded first, and told then.
//!
//! A lobby posts what happened, with those who are to be told, and gets a [`Mark`]; what it sends them is held by their connections
//! until the journal has come as far. One thread has the storage: it takes all that waits as one batch, and then releases the
//! connections itself, so that no task that moves frames ever waits for the disk. When nothing can be recorded, nothing is told: the
//! batch is tried again and again, and until then the [clock](super::clock) of all lobbies stands still.

mod batch;
mod mark;
mod past;
mod telling;

use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use batch::Batch;
pub(super) use mark::{Mark, Recorded};
use past::Past;
use tokio::sync::watch;

use super::config::History;
use super::connection::Connection;
use super::metrics::Metrics;
use super::storage::{Entry, Storage, StorageError};

/// How long to wait before what could not be recorded is tried again: soon enough for whoever has made room on the disk.
pub(super) const TRY_AGAIN: Duration = Duration::from_secs(1);

/// How much may wait to be recorded before nothing more is granted: some seconds of a fast disk.
const MAX_WAITING: usize = 200_000;

/// Where a batch had so many entries, several lobbies are at play, and the next one is begun so long after it at the earliest, or once so
/// many wait again: each batch costs as much as some moves, and nobody sees a thousandth of a second. A lobby that is alone never waits.
const SEVERAL: usize = 8;
const GATHER: Duration = Duration::from_millis(1);
const ENOUGH: usize = 512;

/// How long a disk may take to show what was recorded last.
const PROOF: Duration = Duration::from_secs(2);

/// Where the server's lobbies are recorded.
pub(super) struct Journal {
    shared: Arc<Shared>,
    way: Way,
}

/// How what is posted comes to be recorded.
enum Way {
    /// It does not.
    Nowhere,
    /// Whoever posts records it, as in a simulation, where everything happens on one thread.
    OnTheSpot(Mutex<Box<dyn Storage>>),
    /// A thread does. It is gone once the journal is closed.
    Thread(Mutex<Option<JoinHandle<()>>>),
}

/// What the journal's thread and all others look at.
struct Shared {
    /// Held while something is put in or all is taken out.
    queue: Mutex<Queue>,
    filled: Condvar,
    recorded: Recorded,
    trouble: watch::Sender<Option<StorageError>>,
    /// Whether there is any trouble, and how many entries wait: every request looks at them, and takes no lock for it.
    troubled: AtomicBool,
    waiting: AtomicUsize,
    metrics: Arc<Metrics>,
}

#[derive(Default)]
struct Queue {
    batch: Batch,
    /// Whoever wants to know whether all that was recorded will be found again.
    asking: Option<Sender<Result<(), StorageError>>>,
    closed: bool,
}

impl Journal {
    /// A journal of nothing: what happens is told at once, and lost with the program.
    pub(super) fn nowhere(metrics: &Arc<Metrics>) -> Self {
        Self { shared: Arc::new(Shared::new(metrics)), way: Way::Nowhere }
    }

    /// A journal in this storage, which a thread of its own has from now on.
    pub(super) fn on_a_thread(storage: Box<dyn Storage>, history: History, metrics: &Arc<Metrics>) -> Self {
        let shared = Arc::new(Shared::new(metrics));
        let of_the_thread = Arc::clone(&shared);
        let thread = thread::spawn(move || of_the_thread.write_to_the_end(storage, history));
        Self { shared, way: Way::Thread(Mutex::new(Some(thread))) }
    }

    /// A journal in which whoever posts something waits until it is recorded.
    pub(super) fn on_the_spot(storage: Box<dyn Storage>, metrics: &Arc<Metrics>) -> Self {
        Self { shared: Arc::new(Shared::new(metrics)), way: Way::OnTheSpot(Mutex::new(storage)) }
    }

    /// Whether anything is recorded at all.
    pub(super) fn records(&self) -> bool {
        !matches!(self.way, Way::Nowhere)
    }

    /// How far it has come.
    pub(super) fn recorded(&self) -> &Recorded {
        &self.shared.recorded
    }

    /// Has something recorded, all of it together, and then `recipients` released. What they are to be told of it is to be
    /// sent with the mark. `arrived` is when the request arrived of which it comes, if it was one.
    pub(super) fn post(
        &self,
        entries: impl IntoIterator<Item = Entry>,
        recipients: impl IntoIterator<Item = Arc<Connection>>,
        arrived: Option<tokio::time::Instant>,
    ) -> Mark {
        if !self.records() {
            return Mark::default();
        }
        let mut queue = self.shared.queue();
        let was_empty = queue.batch.is_empty();
        queue.batch.mark.step();
        queue.batch.entries.extend(entries);
        queue.batch.recipients.extend(recipients);
        queue.batch.arrivals.extend(arrived);
        self.shared.count(&queue);
        let mark = queue.batch.mark;
        drop(queue);
        match &self.way {
            Way::OnTheSpot(_) => self.try_again(),
            _ if was_empty => self.shared.filled.notify_one(),
            _ => {}
        }
        mark
    }

    /// What comes of a request that arrived at this instant has been sent. Where it is recorded it is told later, which the
    /// journal notes by itself.
    pub(super) fn note_told(&self, arrived: Option<tokio::time::Instant>) {
        if !self.records() {
            self.shared.note_told(arrived);
        }
    }

    /// How many notes wait to be recorded.
    pub(super) fn waiting(&self) -> usize {
        self.shared.waiting.load(Ordering::Relaxed)
    }

    /// Why nothing more is to be granted now, if so.
    pub(super) fn trouble(&self) -> Option<StorageError> {
        if self.shared.troubled.load(Ordering::Acquire) {
            return self.shared.trouble.borrow().clone();
        }
        let behind = self.waiting() > MAX_WAITING;
        behind.then(|| {
            StorageError::new(
                "the disk is too slow for all that happens",
                "the disk is too slow for all that happens: give the journal a faster one with --data DIR",
            )
        })
    }

    /// Tells whenever nothing can be recorded any more, and when something can be again.
    pub(super) fn watch(&self) -> watch::Receiver<Option<StorageError>> {
        self.shared.trouble.subscribe()
    }

    /// Tries to record what waits, if that is for whoever comes by to do.
    pub(super) fn try_again(&self) {
        if let Way::OnTheSpot(storage) = &self.way {
            let mut storage = storage.lock().unwrap_or_else(PoisonError::into_inner);
            let mut queue = self.shared.queue();
            // A lobby that does not know of the end goes on; another server may have the storage by then.
            if queue.closed {
                return;
            }
            let batch = self.shared.take(&mut queue);
            drop(queue);
            self.shared.record(&mut **storage, batch);
        }
    }

    /// Whether all that anybody was told of will be found again. This waits until what waits now has been tried.
    pub(super) fn prove(&self) -> Result<(), StorageError> {
        match &self.way {
            Way::Nowhere => Err(StorageError::of_host("nothing is recorded")),
            Way::OnTheSpot(storage) => storage.lock().unwrap_or_else(PoisonError::into_inner).prove(),
            Way::Thread(_) => {
                let (answer, answered) = channel();
                let mut queue = self.shared.queue();
                if queue.closed {
                    return Err(self
                        .trouble()
                        .unwrap_or_else(|| StorageError::of_host("the journal is closed")));
                }
                queue.asking = Some(answer);
                drop(queue);
                self.shared.filled.notify_one();
                let late = || StorageError::of_host("the disk does not answer in time");
                answered.recv_timeout(PROOF).unwrap_or_else(|_| Err(late()))
            }
        }
    }

    /// Records what still waits, if it can be, and takes nothing more.
    pub(super) fn close(&self) {
        self.try_again();
        self.shared.queue().closed = true;
        self.shared.filled.notify_one();
        if let Way::Thread(thread) = &self.way
            && let Some(thread) = thread.lock().unwrap_or_else(PoisonError::into_inner).take()
        {
            // What went wrong there has been told.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn new(metrics: &Arc<Metrics>) -> Self {
        Self {
            queue: Mutex::default(),
            filled: Condvar::new(),
            recorded: Recorded::default(),
            trouble: watch::Sender::new(None),
            troubled: AtomicBool::new(false),
            waiting: AtomicUsize::new(0),
            metrics: Arc::clone(metrics),
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The thread's work. Should it end in the middle, nothing can be recorded any more: that is told like everything else that
    /// keeps it from being so.
    fn write_to_the_end(&self, storage: Box<dyn Storage>, history: History) {
        let done = panic::catch_unwind(AssertUnwindSafe(|| self.write(storage, history)));
        if done.is_err() {
            self.queue().closed = true;
            self.note_trouble(Some(StorageError::new(
                "the server's program has failed",
                "the part of this program that records has failed, as told above: stop the server and start it again. What \
                 was told is recorded",
            )));
        }
    }

    /// The same, as long as nothing unforeseen happens.
    fn write(&self, mut storage: Box<dyn Storage>, history: History) {
        let mut past = Past::of(history);
        while let Some(batch) = self.next(past.pause()) {
            let (began, size) = (Instant::now(), batch.entries.len());
            let is_recorded = batch.is_empty() || self.record(&mut *storage, batch);
            if let Some(asking) = self.queue().asking.take() {
                // Whoever asked may have gone.
                let _ = asking.send(storage.prove());
            }
            if is_recorded {
                past.prune(&mut *storage);
                self.gather(began, size);
                continue;
            }
            let queue = self.queue();
            if queue.closed {
                return;
            }
            let waits = |queue: &mut Queue| !queue.closed && queue.asking.is_none();
            drop(self.filled.wait_timeout_while(queue, TRY_AGAIN, waits));
        }
    }

    /// Lets more come together for the next batch than there would be at once.
    fn gather(&self, began: Instant, size: usize) {
        if size >= SEVERAL && self.waiting.load(Ordering::Relaxed) < ENOUGH {
            thread::sleep(GATHER.saturating_sub(began.elapsed()));
        }
    }

    /// What waits, once something does; nothing after so long a time, in which what is old can be forgotten. `None` at the end.
    fn next(&self, pause: Duration) -> Option<Batch> {
        let queue = self.queue();
        let waits = |queue: &mut Queue| queue.batch.is_empty() && queue.asking.is_none() && !queue.closed;
        let waited = self.filled.wait_timeout_while(queue, pause, waits);
        let (mut queue, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let is_over = queue.closed && queue.batch.is_empty() && queue.asking.is_none();
        (!is_over).then(|| self.take(&mut queue))
    }

    /// All that waits.
    fn take(&self, queue: &mut Queue) -> Batch {
        let batch = queue.batch.take();
        self.count(queue);
        batch
    }

    /// Notes how much waits.
    fn count(&self, queue: &Queue) {
        self.waiting.store(queue.batch.entries.len(), Ordering::Relaxed);
    }

    /// Notes how long it took until something was told that came of these requests.
    fn note_told(&self, arrivals: impl IntoIterator<Item = tokio::time::Instant>) {
        arrivals.into_iter().for_each(|arrived| self.metrics.note_told(arrived.elapsed()));
    }

    /// Notes why nothing can be recorded; `None` if something can.
    fn note_trouble(&self, trouble: Option<StorageError>) {
        self.troubled.store(trouble.is_some(), Ordering::Release);
        self.trouble.send_if_modified(|known| {
            let is_news = *known != trouble;
            *known = trouble;
            is_news
        });
    }

    /// Records a batch and releases those who wait for it, or keeps it for another try.
    fn record(&self, storage: &mut dyn Storage, batch: Batch) -> bool {
        let began = Instant::now();
        let done = if batch.entries.is_empty() { Ok(()) } else { storage.record(&batch.entries) };
        match done {
            Ok(()) => {
                if !batch.entries.is_empty() {
                    self.metrics.note_batch(batch.entries.len(), began.elapsed(), storage.synced_in());
                }
                self.recorded.reach(batch.mark);
                batch.recipients.iter().for_each(|connection| connection.release(&self.recorded));
                self.note_told(batch.arrivals);
                self.note_trouble(None);
                true
            }
            Err(trouble) => {
                let mut queue = self.queue();
                queue.batch.put_back(batch);
                self.count(&queue);
                drop(queue);
                self.note_trouble(Some(trouble));
                false
            }
        }
    }
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = match self.way {
            Way::Nowhere => "nowhere",
            Way::OnTheSpot(_) => "on the spot",
            Way::Thread(_) => "on a thread",
        };
        f.debug_struct("Journal")
            .field("way", &way)
            .field("recorded", &self.shared.recorded)
            .finish_non_exhaustive()
    }
}
