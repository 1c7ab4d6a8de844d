//! What somebody wants to know about a position is found out on a thread of its own, so that the screen answers meanwhile.
//! One thing is thought about at a time; another question, or none, stops it.

use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, Interval, interval_at};

use crate::study::Stop;

/// The stack of a search: far more than the deepest one takes, in any build.
const STACK: usize = 64 << 20;

/// How often it is told how far a thought has come.
const BETWEEN: Duration = Duration::from_millis(100);

/// Whoever thinks about questions of one kind, to which there are answers of one kind.
#[derive(Debug)]
pub(super) struct Thinker<Q, A>(Option<Thought<Q, A>>);

/// What there is to be told of a thought.
#[derive(Debug)]
pub(super) enum Insight<Q, A> {
    /// How many positions it has looked at so far.
    Looked(Q, u64),
    /// What it came to; nothing where it was stopped.
    Found(Q, Option<A>),
}

#[derive(Debug)]
struct Thought<Q, A> {
    question: Q,
    stop: Stop,
    answer: oneshot::Receiver<Option<A>>,
    told: Interval,
}

impl<Q, A> Default for Thinker<Q, A> {
    fn default() -> Self {
        Self(None)
    }
}

impl<Q, A> Drop for Thought<Q, A> {
    fn drop(&mut self) {
        self.stop.raise();
    }
}

impl<Q: Copy, A: Send + 'static> Thinker<Q, A> {
    /// Finds this out, and thinks no more about anything else. Whatever finds it out looks whether it is to stop.
    pub(super) fn think(&mut self, question: Q, find: impl FnOnce(&Stop) -> Option<A> + Send + 'static) {
        let (send, answer) = oneshot::channel();
        let stop = Stop::new();
        let flag = stop.clone();
        let work = move || {
            // Whoever asked may have gone meanwhile.
            let _ = send.send(find(&flag));
        };
        // Where no thread can be had, the answer is that there is none.
        let _ = thread::Builder::new().stack_size(STACK).spawn(work);
        let told = interval_at(Instant::now() + BETWEEN, BETWEEN);
        self.0 = Some(Thought { question, stop, answer, told });
    }

    /// Thinks about nothing.
    pub(super) fn rest(&mut self) {
        self.0 = None;
    }

    /// What there is to be told of the present thought; never anything where there is none.
    ///
    /// Nothing is lost if the future is dropped before it is ready.
    pub(super) async fn next(&mut self) -> Insight<Q, A> {
        let Some(thought) = &mut self.0 else { return std::future::pending().await };
        let question = thought.question;
        tokio::select! {
            found = &mut thought.answer => {
                self.0 = None;
                // A thought that panicked has said so, and found nothing.
                Insight::Found(question, found.ok().flatten())
            }
            _ = thought.told.tick() => Insight::Looked(question, thought.stop.nodes()),
        }
    }
}
