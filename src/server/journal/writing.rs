//! Recording the waiting entries in batches.

use std::net::IpAddr;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use super::pruner::Pruner;
use super::state::{Batch, Journal, Queue, Writer};
use crate::server::config::History;
use crate::server::storage::{Storage, StorageError};

impl Journal {
    /// Records what waits if the journal is inline. Does nothing once it is closed: another server may use
    /// the storage by then.
    pub(in crate::server) fn retry(&self) {
        let Writer::Caller(storage) = &self.writer else { return };
        let mut storage = storage.lock();
        let mut queue = self.queue.lock();
        if !queue.closed {
            let batch = self.take(&mut queue);
            drop(queue);
            if self.record(&mut **storage, batch) {
                self.note(None);
            }
        }
    }

    /// The work of the thread. If it panics, nothing can be recorded any more, which is reported like any
    /// other error.
    pub(super) fn run(&self, storage: Box<dyn Storage>, history: History) {
        let done = panic::catch_unwind(AssertUnwindSafe(|| self.write(storage, history)));
        if done.is_err() {
            self.queue.lock().closed = true;
            self.note(Some(StorageError::new(
                StorageError::PROGRAM_FAILED,
                "the part of this program that records has failed, as told above: stop the server and start it again. What \
                 was sent is recorded",
            )));
        }
    }

    fn write(&self, mut storage: Box<dyn Storage>, history: History) {
        let (mut pruner, mut pause) = (Pruner::new(history), Duration::ZERO);
        while let Some(batch) = self.next(pause) {
            let (began, entries) = (Instant::now(), batch.entries.len());
            let is_recorded = self.record(&mut *storage, batch);
            let is_short = self.is_short(is_recorded, &mut pruner, &mut *storage);
            if is_recorded && !is_short {
                self.note_blocked(pruner.prune(&mut *storage));
                thread::sleep(storage.rest_after(entries, began.elapsed()));
                pause = pruner.pause().min(self.confirm_after());
                continue;
            }
            pause = Duration::ZERO;
            let mut queue = self.queue.lock();
            if queue.closed {
                return;
            }
            let waits = |queue: &mut Queue| !queue.closed;
            self.filled.wait_while_for(&mut queue, waits, storage.retry_after());
        }
    }

    /// Prunes if the disk is full. Returns whether it still is. If it is not, and everything is recorded, requests
    /// are granted again.
    fn is_short(&self, is_recorded: bool, pruner: &mut Pruner, storage: &mut dyn Storage) -> bool {
        if let Some(error) = storage.shortage() {
            self.note(Some(error));
            self.note_blocked(pruner.make_room(storage));
        }
        let is_short = storage.shortage().is_some();
        if is_recorded && !is_short {
            self.note(None);
        }
        is_short
    }

    /// Notes the address whose open lobbies are in the way of pruning, each time that they are found to be.
    fn note_blocked(&self, address: Option<IpAddr>) {
        if address.is_some() {
            self.blocked_by.send_replace(address);
        }
    }

    /// Waits for entries, and takes them. Returns an empty batch after a `pause` without any, so that there
    /// is time to confirm and to prune, and `None` once the journal is closed.
    fn next(&self, pause: Duration) -> Option<Batch> {
        let mut queue = self.queue.lock();
        let waits = |queue: &mut Queue| queue.batch.is_empty() && !queue.closed;
        self.filled.wait_while_for(&mut queue, waits, pause);
        let is_over = queue.closed && queue.batch.is_empty();
        (!is_over).then(|| self.take(&mut queue))
    }

    pub(super) fn take(&self, queue: &mut Queue) -> Batch {
        let batch = queue.batch.take();
        self.count(queue);
        batch
    }

    /// Records a batch and releases its recipients, or keeps it for a retry. Returns whether it was recorded. A final
    /// error closes the journal.
    fn record(&self, storage: &mut dyn Storage, batch: Batch) -> bool {
        let began = Instant::now();
        let done = match &batch.entries[..] {
            // For a server that is alone there is nothing to confirm.
            [] => self.peers.as_ref().map_or(Ok(()), |_| storage.confirm()),
            entries => storage.record(entries),
        };
        let times = (began.elapsed(), storage.synced_in());
        self.settle(batch, done, times)
    }

    /// Releases the recipients of a batch if it is recorded, which took so long, else keeps it for a retry. Returns
    /// whether it is recorded.
    pub(super) fn settle(
        &self,
        batch: Batch,
        done: Result<(), StorageError>,
        (took, synced_in): (Duration, Duration),
    ) -> bool {
        let is_recorded = done.is_ok();
        if is_recorded {
            if !batch.entries.is_empty() {
                self.checkpoints.add(batch.entries.len());
                self.metrics.note_batch(batch.entries.len(), took, synced_in);
            }
            self.recorded.reach(batch.mark);
            batch.recipients.iter().for_each(|recipient| recipient.release(&self.recorded));
            self.measure_responses(batch.arrivals);
        } else {
            let mut queue = self.queue.lock();
            queue.batch.put_back(batch);
            queue.closed |= done.as_ref().is_err_and(StorageError::is_final);
            self.count(&queue);
        }
        if let Err(error) = done {
            self.note(Some(error));
        }
        is_recorded
    }

    /// Notes why nothing can be recorded; `None` if everything can.
    pub(super) fn note(&self, error: Option<StorageError>) {
        self.is_failing.store(error.is_some(), Ordering::Release);
        self.error.send_if_modified(|known| {
            let is_new = *known != error;
            *known = error;
            is_new
        });
    }
}
