//! Threads for work that takes its time, so that the tasks that move frames never wait: bots and hints think on
//! some, and records are read on one.

use std::collections::VecDeque;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::thread;

use parking_lot::{Condvar, Mutex};
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
    number: u64,
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
        self.shared.queue.lock().cancel(self.number);
    }
}

type Work = Box<dyn FnOnce(&Stop) + Send>;

#[derive(Default)]
struct Shared {
    queue: Mutex<JobQueue>,
    /// Notified when a job is added or the queue is closed.
    changed: Condvar,
}

/// Jobs that wait, and those that run.
#[derive(Default)]
struct JobQueue {
    /// The addresses with waiting jobs, in turn.
    waiting: VecDeque<(IpAddr, VecDeque<(u64, Work)>)>,
    running: Vec<Running>,
    /// The number of the last job that was added.
    last: u64,
    closed: bool,
}

struct Running {
    number: u64,
    address: IpAddr,
    stop: Stop,
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

    fn push(&mut self, address: IpAddr, work: Work) -> u64 {
        self.last += 1;
        let job = (self.last, work);
        match self.waiting.iter_mut().find(|(of, _)| *of == address) {
            Some((_, jobs)) => jobs.push_back(job),
            None => self.waiting.push_back((address, [job].into())),
        }
        self.last
    }

    /// Takes the next job to run: of the first address that has none running, else of the first one.
    fn pop(&mut self) -> Option<(u64, Work, Stop)> {
        let is_idle = |(of, _): &(IpAddr, _)| self.running.iter().all(|running| running.address != *of);
        let place = self.waiting.iter().position(is_idle).unwrap_or(0);
        let (address, mut jobs) = self.waiting.remove(place)?;
        let (number, work) = jobs.pop_front()?;
        if !jobs.is_empty() {
            self.waiting.push_back((address, jobs));
        }
        let stop = Stop::new();
        self.running.push(Running { number, address, stop: stop.clone() });
        Some((number, work, stop))
    }

    fn cancel(&mut self, number: u64) {
        if let Some(running) = self.running.iter().find(|running| running.number == number) {
            return running.stop.raise();
        }
        for (_, jobs) in &mut self.waiting {
            jobs.retain(|(of, _)| *of != number);
        }
        self.waiting.retain(|(_, jobs)| !jobs.is_empty());
    }
}

impl Shared {
    fn work(&self) {
        let mut queue = self.queue.lock();
        loop {
            if let Some((number, work, stop)) = queue.pop() {
                drop(queue);
                work(&stop);
                queue = self.queue.lock();
                queue.running.retain(|running| running.number != number);
            } else if queue.closed {
                return;
            } else {
                self.changed.wait(&mut queue);
            }
        }
    }
}

impl JobPool {
    /// Starts this many threads of this name; with none, each job runs in the caller.
    pub(super) fn start(name: &str, threads: usize) -> Self {
        let shared = Arc::new(Shared::default());
        for number in 1..=threads {
            let (shared, name) = (Arc::clone(&shared), format!("{name}-{number}"));
            if let Err(error) = thread::Builder::new().name(name).spawn(move || shared.work()) {
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
        let (reply, answer) = oneshot::channel();
        // Nobody may want the answer any more.
        let work = move |stop: &Stop| drop(reply.send(work(stop)));
        let number = if self.is_inline {
            work(&Stop::new());
            0
        } else {
            self.shared.queue.lock().push(address, Box::new(work))
        };
        self.shared.changed.notify_one();
        JobHandle { answer, shared: Arc::clone(&self.shared), number }
    }
}

impl Drop for JobPool {
    fn drop(&mut self) {
        let mut queue = self.shared.queue.lock();
        queue.closed = true;
        queue.waiting.clear();
        queue.running.iter().for_each(|running| running.stop.raise());
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
    fn push(queue: &mut JobQueue, last: u8) -> u64 {
        queue.push(address(last), Box::new(|_| ()))
    }

    #[test]
    fn the_addresses_that_wait_take_turns() {
        let mut queue = JobQueue::default();
        let ones = [1; 3].map(|last| push(&mut queue, last));
        let twos = [2; 2].map(|last| push(&mut queue, last));
        let order = std::iter::from_fn(|| {
            let (number, ..) = queue.pop()?;
            queue.running.clear();
            Some(number)
        });
        assert_eq!(order.collect::<Vec<_>>(), [ones[0], twos[0], ones[1], twos[1], ones[2]]);
    }

    #[test]
    fn while_others_wait_an_address_has_one_job_running() {
        let mut queue = JobQueue::default();
        let ones = [1; 3].map(|last| push(&mut queue, last));
        assert_eq!(queue.pop().unwrap().0, ones[0]);
        assert_eq!(queue.pop().unwrap().0, ones[1], "nobody else waits");
        let two = push(&mut queue, 2);
        assert_eq!(queue.pop().unwrap().0, two);
        assert_eq!((queue.pop().unwrap().0, queue.load()), (ones[2], (0, 4)));
    }

    #[test]
    fn a_job_that_is_cancelled_leaves_the_queue_or_is_told_to_stop() {
        let mut queue = JobQueue::default();
        let [first, second] = [1; 2].map(|last| push(&mut queue, last));
        let (_, _, stop) = queue.pop().unwrap();
        queue.cancel(first);
        queue.cancel(second);
        assert_eq!((stop.is_raised(), queue.load()), (true, (0, 1)));
        assert!(queue.pop().is_none());
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
    async fn jobs_end_with_the_pool_and_have_no_answer() {
        let (pool, (tell, begun)) = (JobPool::start("test", 1), mpsc::channel());
        let running = pool.run(address(1), endless(tell));
        begun.recv().unwrap();
        let waiting = pool.run(address(1), |_| ());
        drop(pool);
        assert_eq!((running.await, waiting.await), (Some(()), None));
    }
}
