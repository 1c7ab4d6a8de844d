//! Searches on a thread of their own, so that the screen goes on answering. One search runs at a time;
//! another one, or none, stops it.

use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, Interval, interval_at};

use crate::study::Stop;

/// The stack of a search in bytes: far more than the deepest one needs, in any build.
const STACK: usize = 64 << 20;

/// The time between two reports of progress.
const REPORT: Duration = Duration::from_millis(100);

/// A worker for questions of one type, with answers of one type.
#[derive(Debug)]
pub(super) struct Worker<Q, A>(Option<Search<Q, A>>);

/// What a worker reports.
#[derive(Debug)]
pub(super) enum Report<Q, A> {
    /// The number of positions searched so far.
    Progress(Q, u64),
    /// The answer, or `None` if the search was stopped.
    Done(Q, Option<A>),
}

#[derive(Debug)]
struct Search<Q, A> {
    question: Q,
    stop: Stop,
    answer: oneshot::Receiver<Option<A>>,
    report: Interval,
}

impl<Q, A> Default for Worker<Q, A> {
    fn default() -> Self {
        Self(None)
    }
}

impl<Q, A> Drop for Search<Q, A> {
    fn drop(&mut self) {
        self.stop.raise();
    }
}

impl<Q: Copy, A: Send + 'static> Worker<Q, A> {
    /// Starts a search instead of the current one. `find` returns early when its flag is raised.
    pub(super) fn start(&mut self, question: Q, find: impl FnOnce(&Stop) -> Option<A> + Send + 'static) {
        let (send, answer) = oneshot::channel();
        let stop = Stop::new();
        let flag = stop.clone();
        let search = move || {
            // Fails when nobody waits for the answer any more.
            let _ = send.send(find(&flag));
        };
        // Where no thread can be started, the answer is `None`.
        let _ = thread::Builder::new().stack_size(STACK).spawn(search);
        let report = interval_at(Instant::now() + REPORT, REPORT);
        self.0 = Some(Search { question, stop, answer, report });
    }

    /// Stops the current search.
    pub(super) fn stop(&mut self) {
        self.0 = None;
    }

    /// Waits for the next report; forever without a search. Cancel safe.
    pub(super) async fn next(&mut self) -> Report<Q, A> {
        let Some(search) = &mut self.0 else { return std::future::pending().await };
        let question = search.question;
        tokio::select! {
            found = &mut search.answer => {
                self.0 = None;
                // A search that panicked has found nothing.
                Report::Done(question, found.ok().flatten())
            }
            _ = search.report.tick() => Report::Progress(question, search.stop.nodes()),
        }
    }
}
