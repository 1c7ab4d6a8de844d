//! Threads for work that takes its time, so that the tasks that move frames never wait: bots and hints think on
//! some, and records are read on one.

use std::collections::VecDeque;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::thread;

use parking_lot::{Condvar, Mutex, MutexGuard};
use tokio::sync::oneshot;

use crate::bot::Stop;

/// A bounded number of threads that take jobs from a queue.
///
/// The waiting addresses take turns, and while others wait no address has more than one job running. No job
/// is pre-empted: each has a bound of its own. A lobby has at most two jobs at a time, a move and an answer to
/// an offer, and a connection has a hint and a question for records: so their numbers bound the queue.
#[derive(Debug)]
pub(super) struct JobPool {
    shared: Arc<Shared>,
    /// Whether [`run`](Self::run) runs the job itself, without threads, as in a simulation.
    is_inline: bool,
}

/// The future result of a job. Dropping it cancels the job: a waiting one never starts, a running one is
/// signalled to stop.
#[derive(Debug)]
pub(super) struct JobHandle<T> {
    answer: oneshot::Receiver<T>,
    shared: Arc<Shared>,
    stop: Stop,
}

impl<T> Future for JobHandle<T> {
    type Output = Option<T>;

    /// Waits for the answer; `None` if the threads are gone.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        Pin::new(&mut self.answer).poll(context).map(Result::ok)
    }
}

impl<T> Drop for JobHandle<T> {
    fn drop(&mut self) {
        self.stop.raise();
        self.shared.queue.lock().drop_stopped();
    }
}

/// A waiting job, with the flag that stops it.
type Job = (Stop, Box<dyn FnOnce() + Send>);

#[derive(Default)]
struct Shared {
    queue: Mutex<JobQueue>,
    /// Notified when a job is added or the queue is closed.
    changed: Condvar,
}

/// Jobs that wait, and the addresses of those that run.
#[derive(Default)]
struct JobQueue {
    /// The addresses with waiting jobs, in turn.
    waiting: VecDeque<(IpAddr, VecDeque<Job>)>,
    running: Vec<IpAddr>,
    closed: bool,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (waiting, running) = self.queue.lock().load();
        write!(f, "{waiting} waiting, {running} running")
    }
}

impl JobQueue {
    fn load(&self) -> (usize, usize) {
        (self.waiting.iter().map(|(_, jobs)| jobs.len()).sum(), self.running.len())
    }

    fn push(&mut self, address: IpAddr, job: Job) {
        match self.waiting.iter_mut().find(|(of, _)| *of == address) {
            Some((_, jobs)) => jobs.push_back(job),
            None => self.waiting.push_back((address, [job].into())),
        }
    }

    /// Takes the next job to run: of the first address that has none running, else of the first one.
    fn pop(&mut self) -> Option<(IpAddr, Job)> {
        let place = self.waiting.iter().position(|(of, _)| !self.running.contains(of)).unwrap_or(0);
        let (address, mut jobs) = self.waiting.remove(place)?;
        let job = jobs.pop_front()?;
        if !jobs.is_empty() {
            self.waiting.push_back((address, jobs));
        }
        self.running.push(address);
        Some((address, job))
    }

    /// Forgets a job of this address that ran.
    fn end(&mut self, address: IpAddr) {
        let place = self.running.iter().position(|of| *of == address);
        place.map(|place| self.running.swap_remove(place));
    }

    /// Drops the waiting jobs that are stopped.
    fn drop_stopped(&mut self) {
        self.waiting.retain_mut(|(_, jobs)| {
            jobs.retain(|(stop, _)| !stop.is_raised());
            !jobs.is_empty()
        });
    }
}

impl Shared {
    fn work(&self) {
        let mut queue = self.queue.lock();
        while !queue.closed {
            if let Some((address, (_, work))) = queue.pop() {
                MutexGuard::unlocked(&mut queue, work);
                queue.end(address);
            } else {
                self.changed.wait(&mut queue);
            }
        }
    }
}

/// Gives this thread a lower priority than those that move frames: 10 more of niceness. Other systems than Linux
/// have none of a single thread.
fn yield_to_others() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(10) {
        tracing::warn!(%error, "bots and records have no lower priority");
    }
}

impl JobPool {
    /// Starts this many threads of this name; with none, each job runs in the caller.
    pub(super) fn start(name: &str, threads: usize) -> Self {
        let shared = Arc::new(Shared::default());
        for number in 1..=threads {
            let (shared, name) = (Arc::clone(&shared), format!("{name}-{number}"));
            let work = move || {
                yield_to_others();
                shared.work();
            };
            if let Err(error) = thread::Builder::new().name(name).spawn(work) {
                tracing::error!(%error, "a thread could not be started");
            }
        }
        Self { shared, is_inline: threads == 0 }
    }

    /// How many jobs wait, and how many run.
    pub(super) fn load(&self) -> (usize, usize) {
        self.shared.queue.lock().load()
    }

    /// Runs `work` on a free thread when it is the turn of this address.
    pub(super) fn run<T: Send + 'static>(
        &self,
        address: IpAddr,
        work: impl FnOnce(&Stop) -> T + Send + 'static,
    ) -> JobHandle<T> {
        // While a thread computes without a pause, Linux may let those that move frames wait for some milliseconds.
        let ((reply, answer), stop) = (oneshot::channel(), Stop::with_pauses(thread::yield_now));
        let handle = JobHandle { answer, shared: Arc::clone(&self.shared), stop: stop.clone() };
        let flag = stop.clone();
        // Nobody may want the answer any more.
        let work = move || drop(reply.send(work(&flag)));
        if self.is_inline {
            work();
        } else {
            self.shared.queue.lock().push(address, (stop, Box::new(work)));
            self.shared.changed.notify_one();
        }
        handle
    }
}

impl Drop for JobPool {
    fn drop(&mut self) {
        let mut queue = self.shared.queue.lock();
        queue.closed = true;
        queue.waiting.clear();
        drop(queue);
        self.shared.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn address(last: u8) -> IpAddr {
        [10, 0, 0, last].into()
    }

    /// Adds a job for the address that ends in this number.
    fn push(queue: &mut JobQueue, last: u8) -> Stop {
        let stop = Stop::new();
        queue.push(address(last), (stop.clone(), Box::new(|| ())));
        stop
    }

    /// The last number of the address whose job runs next.
    fn pop(queue: &mut JobQueue) -> Option<u8> {
        let (from, _) = queue.pop()?;
        (1..=9).find(|last| address(*last) == from)
    }

    #[test]
    fn the_addresses_that_wait_take_turns() {
        let mut queue = JobQueue::default();
        for last in [1, 1, 1, 2, 2] {
            push(&mut queue, last);
        }
        let order = std::iter::from_fn(|| {
            queue.running.clear();
            pop(&mut queue)
        });
        assert_eq!(order.collect::<Vec<_>>(), [1, 2, 1, 2, 1]);
    }

    #[test]
    fn while_others_wait_an_address_has_one_job_running() {
        let mut queue = JobQueue::default();
        (0..4).for_each(|_| drop(push(&mut queue, 1)));
        assert_eq!([(); 2].map(|()| pop(&mut queue)), [Some(1); 2], "nobody else waits");
        push(&mut queue, 2);
        push(&mut queue, 2);
        assert_eq!([(); 2].map(|()| pop(&mut queue)), [Some(2), Some(1)]);
        queue.end(address(2));
        assert_eq!((pop(&mut queue), queue.load()), (Some(2), (1, 4)));
    }

    #[test]
    fn a_job_that_is_stopped_leaves_the_queue() {
        let mut queue = JobQueue::default();
        let [first, _, third] = [1, 1, 2].map(|last| push(&mut queue, last));
        first.raise();
        third.raise();
        queue.drop_stopped();
        assert_eq!((queue.load(), pop(&mut queue), pop(&mut queue)), ((1, 0), Some(1), None));
    }

    /// Thinks until it is cancelled, and reports when it begins.
    fn endless(begun: mpsc::Sender<()>) -> impl FnOnce(&Stop) {
        move |stop| {
            begun.send(()).unwrap();
            while !stop.is_raised() {
                thread::yield_now();
            }
        }
    }

    #[tokio::test]
    async fn a_thread_is_free_again_when_nobody_waits_for_its_job_any_more() {
        let (pool, (tell, begun)) = (JobPool::start("test", 1), mpsc::channel());
        let job = pool.run(address(1), endless(tell));
        begun.recv().unwrap();
        let next = pool.run(address(1), |_| 7);
        drop(job);
        assert_eq!(next.await, Some(7));
    }

    #[tokio::test]
    async fn a_job_that_waits_at_the_end_of_the_pool_has_no_answer() {
        let (pool, (tell, begun)) = (JobPool::start("test", 1), mpsc::channel());
        let _running = pool.run(address(1), endless(tell));
        begun.recv().unwrap();
        let waiting = pool.run(address(1), |_| ());
        drop(pool);
        assert_eq!(waiting.await, None);
    }
}
