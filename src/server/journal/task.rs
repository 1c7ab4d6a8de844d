//! Recording in a task: in a simulation of several servers all have one thread, and what waits for another one must not
//! keep it.

use std::time::Duration;

use tokio::time::{Instant, timeout};

use super::state::{Batch, Journal};
use crate::server::storage::{Storage, StorageError};

impl Journal {
    /// The work of the task. It ends once the journal is closed.
    pub(super) async fn run_in_task(&self, mut storage: Box<dyn Storage>) {
        while let Some(batch) = self.next_in_task().await {
            let (began, entries) = (Instant::now(), batch.entries.len());
            let done = self.record_in_task(&mut *storage, &batch).await;
            let pause = if self.settle(batch, done, (began.elapsed(), Duration::ZERO)) {
                self.note(None);
                storage.rest_after(entries, began.elapsed())
            } else {
                storage.retry_after()
            };
            tokio::time::sleep(pause).await;
        }
    }

    async fn record_in_task(&self, storage: &mut dyn Storage, batch: &Batch) -> Result<(), StorageError> {
        let Some(remote) = storage.as_remote() else { return storage.record(&batch.entries) };
        if batch.entries.is_empty() { remote.confirm().await } else { remote.record(&batch.entries).await }
    }

    /// Waits for entries for a moment, and takes them; `None` once the journal is closed and nothing waits, or nothing will
    /// ever be recorded.
    async fn next_in_task(&self) -> Option<Batch> {
        let mut may_wait = true;
        loop {
            {
                let mut queue = self.queue.lock();
                let is_final = self.error.borrow().as_ref().is_some_and(StorageError::is_final);
                if is_final || queue.closed && (queue.batch.is_empty() || self.error.borrow().is_some()) {
                    return None;
                }
                if !queue.batch.is_empty() || !may_wait {
                    return Some(self.take(&mut queue));
                }
            }
            let filled = self.filled_for_task.notified();
            may_wait = timeout(self.confirm_after(), filled).await.is_ok();
        }
    }
}
