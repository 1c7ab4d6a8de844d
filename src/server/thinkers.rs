//! The threads that think, so that the tasks that move frames never do.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use tokio::sync::oneshot;

/// A bounded number of threads that take jobs in the order in which they came.
///
/// A lobby has one thought waiting at most, and a connection one hint, so the queue is bounded by
/// their number, and the order is fair between them.
#[derive(Debug)]
pub(super) struct Thinkers(Arc<Pool>);

#[derive(Default)]
struct Pool {
    queue: Mutex<Queue>,
    filled: Condvar,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Box<dyn FnOnce() + Send>>,
    closed: bool,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pool({} waiting)", self.queue().jobs.len())
    }
}

impl Pool {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        loop {
            let mut queue = self.queue();
            let job = loop {
                match queue.jobs.pop_front() {
                    Some(job) => break job,
                    None if queue.closed => return,
                    None => queue = self.filled.wait(queue).unwrap_or_else(PoisonError::into_inner),
                }
            };
            drop(queue);
            job();
        }
    }
}

impl Thinkers {
    /// Starts a thread for each core but one, which is left to the frames.
    pub(super) fn start() -> Self {
        let pool = Arc::new(Pool::default());
        let cores = thread::available_parallelism().map_or(1, usize::from);
        for number in 1..cores.max(2) {
            let pool = Arc::clone(&pool);
            let started = thread::Builder::new().name(format!("thinker-{number}")).spawn(move || pool.work());
            if let Err(error) = started {
                tracing::error!(%error, "a thinking thread could not be started");
            }
        }
        Self(pool)
    }

    /// Has `thought` thought by the next free thread. A job that nobody waits for any more is dropped unthought.
    pub(super) fn think<T: Send + 'static>(
        &self,
        thought: impl FnOnce() -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (reply, answer) = oneshot::channel();
        let job = move || {
            if !reply.is_closed() {
                // Nobody may want the answer any more; then it is dropped.
                let _ = reply.send(thought());
            }
        };
        self.0.queue().jobs.push_back(Box::new(job));
        self.0.filled.notify_one();
        answer
    }
}

impl Drop for Thinkers {
    fn drop(&mut self) {
        self.0.queue().closed = true;
        self.0.filled.notify_all();
    }
}
