//! The threads that think, so that the tasks that move frames never do.

use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::thread;

use tokio::sync::oneshot;

use crate::bot::Stop;

/// A bounded number of threads that take thoughts in rounds: one of each address in turn, those of one address in the order in
/// which they came. So nobody waits for more than one thought of each other address, however many those ask for.
///
/// A lobby has one thought waiting at most, and a connection one hint, and what is given up leaves the queue at once; so
/// the queue is bounded by their number.
#[derive(Debug)]
pub(super) struct Thinkers(Arc<Pool>);

/// What somebody waits for. When it is dropped the thought is given up: one that waits is never begun, and one that
/// runs is told to stop.
#[derive(Debug)]
pub(super) struct Thought<T> {
    answer: oneshot::Receiver<T>,
    stop: Stop,
    pool: Arc<Pool>,
    place: Place,
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
        self.pool.queue().jobs.remove(&self.place);
    }
}

#[derive(Default)]
struct Pool {
    queue: Mutex<Queue>,
    /// There are no threads: whoever asks for a thought thinks it.
    on_the_spot: bool,
    filled: Condvar,
}

/// A place in the queue: the round, and behind how many that ever came.
type Place = (u64, u64);

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Queue {
    jobs: BTreeMap<Place, Job>,
    /// The round of the last one that was taken out.
    round: u64,
    /// The round of the last one of each address, of those that are still to come.
    rounds: HashMap<IpAddr, u64>,
    /// How many ever came.
    came: u64,
    /// How many have been taken out, and are being thought.
    running: usize,
    closed: bool,
}

impl Queue {
    /// Takes a job of this address in, for the first round in which it has none.
    fn push(&mut self, address: IpAddr, job: Job) -> Place {
        let last = self.rounds.entry(address).or_default();
        *last = self.round.max(*last) + 1;
        let place = (*last, self.came);
        self.came += 1;
        self.jobs.insert(place, job);
        place
    }

    fn pop(&mut self) -> Option<Job> {
        let ((round, _), job) = self.jobs.pop_first()?;
        if round > self.round {
            self.round = round;
            self.rounds.retain(|_, last| *last > round);
        }
        Some(job)
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
                match queue.pop() {
                    Some(job) => {
                        queue.running += 1;
                        break job;
                    }
                    None if queue.closed => return,
                    None => queue = self.filled.wait(queue).unwrap_or_else(PoisonError::into_inner),
                }
            };
            drop(queue);
            job();
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

    /// Has `thought`, which somebody at this address asked for, thought by a free thread once it is its turn.
    pub(super) fn think<T: Send + 'static>(
        &self,
        address: IpAddr,
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
            return Thought { answer, stop, pool: Arc::clone(&self.0), place: (0, 0) };
        }
        let place = self.0.queue().push(address, Box::new(job));
        self.0.filled.notify_one();
        Thought { answer, stop, pool: Arc::clone(&self.0), place }
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

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    /// A pool with one thread, which is kept busy until the returned sender is dropped or used.
    fn busy() -> (Thinkers, mpsc::Sender<()>, Thought<()>) {
        let thinkers = Thinkers::start_with(1);
        let ((release, released), (start, has_begun)) = (mpsc::channel(), mpsc::channel());
        let thought = thinkers.think(HERE, move |_| {
            start.send(()).expect("somebody waits for it");
            released.recv().unwrap_or_default();
        });
        has_begun.recv().expect("it begins");
        (thinkers, release, thought)
    }

    #[tokio::test]
    async fn thoughts_are_answered_in_the_order_in_which_they_came() {
        let (thinkers, release, first) = busy();
        let (tell, told) = mpsc::channel();
        let thoughts: Vec<_> = (0..3)
            .map(|number| {
                let tell = tell.clone();
                thinkers.think(HERE, move |_| tell.send(number))
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
    async fn whoever_asks_for_much_is_behind_those_of_other_addresses_who_ask_for_little() {
        let (thinkers, release, first) = busy();
        let (tell, told) = mpsc::channel();
        let [many, other, third] = [1, 2, 3].map(|end| IpAddr::from([127, 0, 0, end]));
        let asked =
            [(many, "a"), (many, "b"), (many, "c"), (other, "d"), (third, "e"), (other, "f"), (many, "g")];
        let thoughts = asked.map(|(address, name)| {
            let tell = tell.clone();
            thinkers.think(address, move |_| tell.send(name))
        });
        drop(release);
        assert_eq!(first.await, Some(()));
        for thought in thoughts {
            assert_eq!(thought.await, Some(Ok(())));
        }
        assert_eq!(told.try_iter().collect::<String>(), "adebfcg");
        assert!(thinkers.0.queue().rounds.len() <= 1, "whoever asks for nothing any more is forgotten");
    }

    #[tokio::test]
    async fn a_thought_that_nobody_waits_for_any_more_is_never_begun() {
        let (thinkers, release, _first) = busy();
        let (tell, told) = mpsc::channel();
        drop(thinkers.think(HERE, move |_| tell.send(())));
        assert_eq!(told.try_recv(), Err(mpsc::TryRecvError::Disconnected), "it has left the queue at once");
        drop(release);
        assert_eq!(thinkers.think(HERE, |_| ()).await, Some(()));
    }

    #[tokio::test]
    async fn a_thought_that_runs_is_told_to_stop_when_nobody_waits_for_it_any_more() {
        let thinkers = Thinkers::start_with(1);
        let (tell, begun) = oneshot::channel();
        let thought = thinkers.think(HERE, move |stop| {
            tell.send(()).unwrap();
            while !stop.is_raised() {
                thread::yield_now();
            }
        });
        begun.await.unwrap();
        drop(thought);
        assert_eq!(thinkers.think(HERE, |_| ()).await, Some(()), "the thread is free again");
    }

    #[tokio::test]
    async fn no_more_thoughts_run_at_a_time_than_there_are_threads() {
        let thinkers = Thinkers::start_with(2);
        let running = Arc::new(Mutex::new((0, 0)));
        let thoughts: Vec<_> = (0..20)
            .map(|_| {
                let running = Arc::clone(&running);
                thinkers.think(HERE, move |_| {
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
