//! The journal: everything that must not be lost is recorded in [storage](super::storage) first, and sent
//! then.
//!
//! A lobby posts what happened together with its recipients, and gets a [`CommitMark`]. What it sends them
//! with this mark is held until the journal has reached it. One thread has the storage: it records all that
//! waits as one batch (group commit), and then releases the recipients, so that no task that moves frames
//! waits for the disk. While nothing can be recorded, nothing is sent: the batch is retried, and until then
//! the [clock](super::clock) of all lobbies stands still.

mod pruner;
mod queue;

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::Instant;

use super::commit::{CommitMark, Recipient, Recorded, SharedRecipient};
use super::config::History;
use super::metrics::Metrics;
use super::storage::{Entry, Storage, StorageError};
use queue::Shared;
pub(super) use queue::TRY_AGAIN;

/// The most entries that may wait before requests are refused: some seconds of work for a fast disk.
const MAX_WAITING: usize = 200_000;

/// The longest that the server waits for a proof that everything is recorded.
const PROOF: Duration = Duration::from_secs(2);

/// Records what happens in the lobbies of a server.
pub(super) struct Journal {
    shared: Arc<Shared>,
    writer: Writer,
}

/// Who records what is posted.
enum Writer {
    /// Nobody: what happens is sent at once.
    None,
    /// The caller of [`Journal::post`], as in a simulation, where everything happens on one thread.
    Caller(Mutex<Box<dyn Storage>>),
    /// A thread; `None` once the journal is closed.
    Thread(Mutex<Option<JoinHandle<()>>>),
}

impl Journal {
    /// A journal that records nothing.
    pub(super) fn nowhere(metrics: &Arc<Metrics>) -> Self {
        Self { shared: Arc::new(Shared::new(metrics)), writer: Writer::None }
    }

    /// A journal in this storage, with a thread that records.
    pub(super) fn on_a_thread(storage: Box<dyn Storage>, history: History, metrics: &Arc<Metrics>) -> Self {
        let shared = Arc::new(Shared::new(metrics));
        let of_the_thread = Arc::clone(&shared);
        let thread = thread::spawn(move || of_the_thread.run(storage, history));
        Self { shared, writer: Writer::Thread(Mutex::new(Some(thread))) }
    }

    /// A journal in which the caller of [`Journal::post`] records.
    pub(super) fn on_the_spot(storage: Box<dyn Storage>, metrics: &Arc<Metrics>) -> Self {
        Self { shared: Arc::new(Shared::new(metrics)), writer: Writer::Caller(Mutex::new(storage)) }
    }

    /// Whether anything is recorded at all.
    pub(super) fn records(&self) -> bool {
        !matches!(self.writer, Writer::None)
    }

    /// How far it has come.
    pub(super) fn recorded(&self) -> &Recorded {
        &self.shared.recorded
    }

    /// Records these entries together, and releases the recipients then. What they are sent of it is to be
    /// sent with the mark that is returned. `arrived` is when the request arrived that caused all this, if
    /// one did.
    pub(super) fn post(
        &self,
        entries: impl IntoIterator<Item = Entry>,
        recipients: impl IntoIterator<Item = SharedRecipient>,
        arrived: Option<Instant>,
    ) -> CommitMark {
        if !self.records() {
            return CommitMark::default();
        }
        let mark = self.shared.post(entries, recipients, arrived);
        self.try_again();
        mark
    }

    /// Sends these frames as soon as everything is recorded that has happened up to now: at once if it is.
    /// This is for what does not come from a lobby, such as refusals and the list of lobbies, and may tell
    /// of events that are not recorded yet.
    pub(super) fn tell<R: Recipient + 'static>(&self, recipients: &[Arc<R>], frames: &[Bytes]) {
        let posted = self.shared.posted();
        let mark = if self.recorded().has(posted) {
            posted
        } else {
            self.post([], recipients.iter().map(|recipient| Arc::clone(recipient) as SharedRecipient), None)
        };
        for recipient in recipients {
            for (number, frame) in (1..).zip(frames) {
                recipient.send_once(self.recorded(), mark, frame.clone(), number < frames.len());
            }
        }
    }

    /// Measures how long it took until what a request caused was sent. If it is recorded it is sent later,
    /// and the journal measures that itself.
    pub(super) fn note_told(&self, arrived: Option<Instant>) {
        if !self.records() {
            self.shared.note_told(arrived);
        }
    }

    /// How many entries wait to be recorded.
    pub(super) fn waiting(&self) -> usize {
        self.shared.waiting()
    }

    /// Why requests are refused now, if they are.
    pub(super) fn error(&self) -> Option<StorageError> {
        self.shared.error().or_else(|| {
            let is_behind = self.waiting() > MAX_WAITING;
            is_behind.then(|| {
                StorageError::new(
                    "the disk is too slow for all that happens",
                    "the disk is too slow for all that happens: give the journal a faster one with --data DIR",
                )
            })
        })
    }

    /// Tells when recording begins to fail, and when it works again.
    pub(super) fn watch(&self) -> watch::Receiver<Option<StorageError>> {
        self.shared.watch()
    }

    /// Records what waits, if that is for the caller to do.
    pub(super) fn try_again(&self) {
        if let Writer::Caller(storage) = &self.writer {
            self.shared.record_waiting(&mut **storage.lock());
        }
    }

    /// Tests whether everything that was sent is recorded and will be found again. Waits until what waits
    /// now was tried.
    pub(super) fn prove(&self) -> Result<(), StorageError> {
        match &self.writer {
            Writer::None => Err(StorageError::of_host("nothing is recorded")),
            Writer::Caller(storage) => storage.lock().prove(),
            Writer::Thread(_) => {
                let (answer, answered) = channel();
                if !self.shared.ask_for_proof(answer) {
                    return Err(self
                        .error()
                        .unwrap_or_else(|| StorageError::of_host("the journal is closed")));
                }
                let late = || StorageError::of_host("the disk does not answer in time");
                answered.recv_timeout(PROOF).unwrap_or_else(|_| Err(late()))
            }
        }
    }

    /// Records what still waits, if it can, and takes nothing more.
    pub(super) fn close(&self) {
        self.try_again();
        self.shared.close();
        if let Writer::Thread(thread) = &self.writer
            && let Some(thread) = thread.lock().take()
        {
            // A panic of the thread was reported by the thread itself.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal").field("recorded", &self.shared.recorded).finish_non_exhaustive()
    }
}
