//! The threads that think, so that the tasks that move frames never do.

use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::thread;
use std::time::Instant;

use tokio::sync::oneshot;

use crate::bot::Stop;

mod queue;

use queue::{Number, Queue, Turn};

/// A bounded number of threads that take thoughts by turns: each address has its share of their time, and of those that one has
/// asked for the short ones are first. So nobody waits for long for what is soon found out, however much others ask for.
///
/// A lobby has one thought waiting at most, and a connection one hint, and what is given up leaves the queue at once; so
/// the queue is bounded by their number.
#[derive(Debug)]
pub(super) struct ThinkPool(Arc<Pool>);

/// What somebody waits for. When it is dropped the thought is given up: one that waits is never begun, and one that
/// runs is told to stop.
#[derive(Debug)]
pub(super) struct JobHandle<T> {
    answer: oneshot::Receiver<T>,
    pool: Arc<Pool>,
    address: IpAddr,
    number: Number,
}

impl<T> Future for JobHandle<T> {
    type Output = Option<T>;

    /// Waits for the answer; `None` if the thinking threads are gone.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        Pin::new(&mut self.answer).poll(context).map(Result::ok)
    }
}

impl<T> Drop for JobHandle<T> {
    fn drop(&mut self) {
        self.pool.queue().give_up(self.address, self.number);
    }
}

/// Thinks until it is done or stopped; whether it is done.
type Job = Box<dyn FnMut(&Stop) -> bool + Send>;

#[derive(Default)]
struct Pool {
    queue: Mutex<Queue<Job>>,
    /// There are no threads: whoever asks for a thought thinks it.
    on_the_spot: bool,
    filled: Condvar,
    /// Something waits while something is being thought.
    crowded: Condvar,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pool({} waiting)", self.queue().load().0)
    }
}

impl Pool {
    fn queue(&self) -> MutexGuard<'_, Queue<Job>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let mut queue = self.queue();
        loop {
            match queue.pop(Instant::now()) {
                Some(Turn { number, mut job, stop }) => {
                    if queue.load().0 > 0 {
                        self.crowded.notify_one();
                    }
                    drop(queue);
                    let is_done = job(&stop);
                    queue = self.queue();
                    queue.done(number, (!is_done).then_some(job), Instant::now());
                }
                None if queue.closed => return,
                None => queue = self.filled.wait(queue).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// Sees to it that whoever thinks for long makes way for others.
    fn keep_turns(&self) {
        let mut queue = self.queue();
        while !queue.closed {
            let now = Instant::now();
            queue = match queue.look(now) {
                Some(again) => {
                    let waited = self.crowded.wait_timeout(queue, again.saturating_duration_since(now));
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.crowded.wait(queue).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

impl ThinkPool {
    /// Starts so many threads; where it is left open one for each core but one, which is left to the frames.
    pub(super) fn start(threads: Option<usize>) -> Self {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        Self::start_with(threads.unwrap_or_else(|| cores().saturating_sub(1).max(1)))
    }

    fn start_with(threads: usize) -> Self {
        let pool = Arc::new(Pool { on_the_spot: threads == 0, ..Pool::default() });
        for number in 1..=threads {
            spawn(&pool, format!("thinker-{number}"), Pool::work);
        }
        if threads > 0 {
            spawn(&pool, "turn-keeper".into(), Pool::keep_turns);
        }
        Self(pool)
    }

    /// How many thoughts wait, and how many are being thought.
    pub(super) fn load(&self) -> (usize, usize) {
        self.0.queue().load()
    }

    /// Has `thought`, which somebody at this address asked for, thought by a free thread once it is its turn. What it says once it
    /// was told to stop is not believed; then it may be asked again.
    pub(super) fn think<T: Send + 'static>(
        &self,
        address: IpAddr,
        thought: impl Fn(&Stop) -> T + Send + 'static,
    ) -> JobHandle<T> {
        let (reply, answer) = oneshot::channel();
        let mut reply = Some(reply);
        let mut job = move |stop: &Stop| {
            let found = thought(stop);
            if !stop.is_raised()
                && let Some(reply) = reply.take()
            {
                // Nobody may want the answer any more; then it is dropped.
                let _ = reply.send(found);
            }
            reply.is_none()
        };
        let number = if self.0.on_the_spot {
            job(&Stop::new());
            0
        } else {
            let mut queue = self.0.queue();
            let number = queue.push(address, Box::new(job));
            if queue.load().1 > 0 {
                self.0.crowded.notify_one();
            }
            number
        };
        self.0.filled.notify_one();
        JobHandle { answer, pool: Arc::clone(&self.0), address, number }
    }
}

fn spawn(pool: &Arc<Pool>, name: String, work: impl FnOnce(&Pool) + Send + 'static) {
    let pool = Arc::clone(pool);
    if let Err(error) = thread::Builder::new().name(name).spawn(move || work(&pool)) {
        tracing::error!(%error, "a thread that thinks could not be started");
    }
}

impl Drop for ThinkPool {
    fn drop(&mut self) {
        self.0.queue().closed = true;
        self.0.filled.notify_all();
        self.0.crowded.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    /// A pool with one thread, which is kept busy until the returned sender is dropped or used.
    fn busy() -> (ThinkPool, mpsc::Sender<()>, JobHandle<()>) {
        let think_pool = ThinkPool::start_with(1);
        let ((release, released), (start, has_begun)) = (mpsc::channel(), mpsc::channel());
        let thought = think_pool.think(HERE, move |_| {
            start.send(()).expect("somebody waits for it");
            released.recv().unwrap_or_default();
        });
        has_begun.recv().expect("it begins");
        (think_pool, release, thought)
    }

    #[tokio::test]
    async fn thoughts_are_answered_in_the_order_in_which_they_came() {
        let (think_pool, release, first) = busy();
        let (tell, told) = mpsc::channel();
        let thoughts: Vec<_> = (0..3)
            .map(|number| {
                let tell = tell.clone();
                think_pool.think(HERE, move |_| tell.send(number))
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
    async fn a_thought_that_takes_long_makes_way_for_a_short_one_and_is_thought_anew() {
        let think_pool = ThinkPool::start_with(1);
        let tried = Arc::new(Mutex::new(0));
        let times = Arc::clone(&tried);
        let (tell, begun) = mpsc::channel();
        // Without end the first time, and short the next.
        let long = think_pool.think(HERE, move |stop| {
            let is_first = std::mem::replace(&mut *times.lock().unwrap(), 1) == 0;
            let _ = tell.send(());
            while is_first && !stop.is_raised() {
                thread::yield_now();
            }
            if stop.is_raised() { "stopped" } else { "found" }
        });
        begun.recv().unwrap();
        assert_eq!(think_pool.think(HERE, |_| "short").await, Some("short"));
        assert_eq!(long.await, Some("found"), "what it said when it was stopped is not believed");
    }

    #[tokio::test]
    async fn a_thought_that_nobody_waits_for_any_more_is_never_begun() {
        let (think_pool, release, _first) = busy();
        let (tell, told) = mpsc::channel();
        drop(think_pool.think(HERE, move |_| tell.send(())));
        assert_eq!(told.try_recv(), Err(mpsc::TryRecvError::Disconnected), "it has left the queue at once");
        drop(release);
        assert_eq!(think_pool.think(HERE, |_| ()).await, Some(()));
    }

    #[tokio::test]
    async fn a_thought_that_runs_is_told_to_stop_when_nobody_waits_for_it_any_more() {
        let think_pool = ThinkPool::start_with(1);
        let (tell, begun) = mpsc::channel();
        let thought = think_pool.think(HERE, move |stop| {
            tell.send(()).unwrap();
            while !stop.is_raised() {
                thread::yield_now();
            }
        });
        begun.recv().unwrap();
        drop(thought);
        assert_eq!(think_pool.think(HERE, |_| ()).await, Some(()), "the thread is free again");
    }

    #[tokio::test]
    async fn no_more_thoughts_run_at_a_time_than_there_are_threads() {
        let think_pool = ThinkPool::start_with(2);
        let running = Arc::new(Mutex::new((0, 0)));
        let thoughts: Vec<_> = (0..20)
            .map(|_| {
                let running = Arc::clone(&running);
                think_pool.think(HERE, move |_| {
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
