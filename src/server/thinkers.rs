//! The threads that think, so that the tasks that move frames never do.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::thread;

use tokio::sync::oneshot;

use crate::bot::Stop;

/// A bounded number of threads that take thoughts in the order in which they came.
///
/// A lobby has one thought waiting at most, and a connection one hint, and what is given up leaves the queue at once; so
/// the queue is bounded by their number, and the order is fair between them.
#[derive(Debug)]
pub(super) struct Thinkers(Arc<Pool>);

/// What somebody waits for. When it is dropped the thought is given up: one that waits is never begun, and one that
/// runs is told to stop.
#[derive(Debug)]
pub(super) struct Thought<T> {
    answer: oneshot::Receiver<T>,
    stop: Stop,
    pool: Arc<Pool>,
    /// Its number in the queue.
    number: u64,
}

impl<T> Future for Thought<T> {
    type Output = Option<T>;

    /// Waits for the answer; `None` if the thinking threads are gone.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        Pin::new(&mut self.answer).poll(context).map(Result::ok)
    }
}

impl<T> Drop for Thought<T> {
    fn drop(&mut self) {
        self.stop.raise();
        self.pool.queue().forget(self.number);
    }
}

#[derive(Default)]
struct Pool {
    queue: Mutex<Queue>,
    /// There are no threads: whoever asks for a thought thinks it.
    on_the_spot: bool,
    filled: Condvar,
}

#[derive(Default)]
struct Queue {
    /// In the order of their numbers.
    jobs: VecDeque<Job>,
    /// The number of the next one.
    next: u64,
    /// How many have been taken out, and are being thought.
    running: usize,
    closed: bool,
}

struct Job {
    number: u64,
    work: Box<dyn FnOnce() + Send>,
}

impl Queue {
    /// Takes a job in, and gives its number.
    fn push(&mut self, work: Box<dyn FnOnce() + Send>) -> u64 {
        let number = self.next;
        self.next += 1;
        self.jobs.push_back(Job { number, work });
        number
    }

    /// Lets go of a job, unless it has begun.
    fn forget(&mut self, number: u64) {
        if let Ok(place) = self.jobs.binary_search_by_key(&number, |job| job.number) {
            self.jobs.remove(place);
        }
    }
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
                    Some(job) => {
                        queue.running += 1;
                        break job;
                    }
                    None if queue.closed => return,
                    None => queue = self.filled.wait(queue).unwrap_or_else(PoisonError::into_inner),
                }
            };
            drop(queue);
            (job.work)();
            self.queue().running -= 1;
        }
    }
}

impl Thinkers {
    /// Starts so many threads; where it is left open one for each core but one, which is left to the frames.
    pub(super) fn start(threads: Option<usize>) -> Self {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        Self::start_with(threads.unwrap_or_else(|| cores().saturating_sub(1).max(1)))
    }

    fn start_with(threads: usize) -> Self {
        let pool = Arc::new(Pool { on_the_spot: threads == 0, ..Pool::default() });
        for number in 1..=threads {
            let pool = Arc::clone(&pool);
            let started = thread::Builder::new().name(format!("thinker-{number}")).spawn(move || pool.work());
            if let Err(error) = started {
                tracing::error!(%error, "a thinking thread could not be started");
            }
        }
        Self(pool)
    }

    /// How many thoughts wait, and how many are being thought.
    pub(super) fn load(&self) -> (usize, usize) {
        let queue = self.0.queue();
        (queue.jobs.len(), queue.running)
    }

    /// Has `thought` thought by the next free thread.
    pub(super) fn think<T: Send + 'static>(
        &self,
        thought: impl FnOnce(&Stop) -> T + Send + 'static,
    ) -> Thought<T> {
        let (reply, answer) = oneshot::channel();
        let stop = Stop::new();
        let stopped = stop.clone();
        let job = move || {
            // Nobody may want the answer any more; then it is dropped.
            let _ = reply.send(thought(&stopped));
        };
        if self.0.on_the_spot {
            job();
            return Thought { answer, stop, pool: Arc::clone(&self.0), number: u64::MAX };
        }
        let number = self.0.queue().push(Box::new(job));
        self.0.filled.notify_one();
        Thought { answer, stop, pool: Arc::clone(&self.0), number }
    }
}

impl Drop for Thinkers {
    fn drop(&mut self) {
        self.0.queue().closed = true;
        self.0.filled.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// A pool with one thread, which is kept busy until the returned sender is dropped or used.
    fn busy() -> (Thinkers, mpsc::Sender<()>, Thought<()>) {
        let thinkers = Thinkers::start_with(1);
        let (release, released) = mpsc::channel();
        let thought = thinkers.think(move |_| released.recv().unwrap_or_default());
        (thinkers, release, thought)
    }

    #[tokio::test]
    async fn thoughts_are_answered_in_the_order_in_which_they_came() {
        let (thinkers, release, first) = busy();
        let (tell, told) = mpsc::channel();
        let thoughts: Vec<_> = (0..3)
            .map(|number| {
                let tell = tell.clone();
                thinkers.think(move |_| tell.send(number))
            })
            .collect();
        drop(release);
        assert_eq!(first.await, Some(()));
        for thought in thoughts {
            assert_eq!(thought.await, Some(Ok(())));
        }
        assert_eq!(told.try_iter().collect::<Vec<_>>(), [0, 1, 2]);
    }

    #[tokio::test]
    async fn a_thought_that_nobody_waits_for_any_more_is_never_begun() {
        let (thinkers, release, _first) = busy();
        let (tell, told) = mpsc::channel();
        drop(thinkers.think(move |_| tell.send(())));
        assert_eq!(told.try_recv(), Err(mpsc::TryRecvError::Disconnected), "it has left the queue at once");
        drop(release);
        assert_eq!(thinkers.think(|_| ()).await, Some(()));
    }

    #[tokio::test]
    async fn a_thought_that_runs_is_told_to_stop_when_nobody_waits_for_it_any_more() {
        let thinkers = Thinkers::start_with(1);
        let (tell, begun) = oneshot::channel();
        let thought = thinkers.think(move |stop| {
            tell.send(()).unwrap();
            while !stop.is_raised() {
                thread::yield_now();
            }
        });
        begun.await.unwrap();
        drop(thought);
        assert_eq!(thinkers.think(|_| ()).await, Some(()), "the thread is free again");
    }

    #[tokio::test]
    async fn no_more_thoughts_run_at_a_time_than_there_are_threads() {
        let thinkers = Thinkers::start_with(2);
        let running = Arc::new(Mutex::new((0, 0)));
        let thoughts: Vec<_> = (0..20)
            .map(|_| {
                let running = Arc::clone(&running);
                thinkers.think(move |_| {
                    let now = |change: i32| {
                        let mut running = running.lock().unwrap();
                        running.0 += change;
                        running.1 = running.0.max(running.1);
                    };
                    now(1);
                    thread::yield_now();
                    now(-1);
                })
            })
            .collect();
        for thought in thoughts {
            assert_eq!(thought.await, Some(()));
        }
        assert!((1..=2).contains(&running.lock().unwrap().1));
    }
}
