//! What the learn panel wants to know is found out on a thread of its own, so that the screen answers meanwhile. One thing is
//! thought about at a time; another question, or none, stops it.

use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, Interval, interval_at};

use super::learn::Question;
use super::message::Message;
use crate::game::any::Board;
use crate::study::Stop;
use crate::study::branches::{Branches, branches};

/// The stack of a search: far more than the deepest one takes, in any build.
const STACK: usize = 64 << 20;

/// How often it is told how far a thought has come.
const BETWEEN: Duration = Duration::from_millis(100);

/// Whoever thinks.
#[derive(Debug, Default)]
pub(super) struct Thinker(Option<Thought>);

#[derive(Debug)]
struct Thought {
    question: Question,
    stop: Stop,
    answer: oneshot::Receiver<Option<Branches>>,
    told: Interval,
}

impl Drop for Thought {
    fn drop(&mut self) {
        self.stop.raise();
    }
}

impl Thinker {
    /// Thinks about this, and no more about anything else.
    pub(super) fn think(&mut self, question: Question, board: Board) {
        let (send, answer) = oneshot::channel();
        let stop = Stop::new();
        let flag = stop.clone();
        let work = move || {
            // Whoever asked may have gone meanwhile.
            let _ = send.send(branches(&board, &flag));
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
    pub(super) async fn next(&mut self) -> Message {
        let Some(thought) = &mut self.0 else { return std::future::pending().await };
        let question = thought.question;
        tokio::select! {
            found = &mut thought.answer => {
                self.0 = None;
                // A thought that panicked has said so, and found nothing.
                Message::Learnt(question, found.ok().flatten())
            }
            _ = thought.told.tick() => Message::Looked(question, thought.stop.nodes()),
        }
    }
}
