//! Whoever runs errands about records: what a library has comes from there, files are written, and moves are thought about,
//! while the screen answers.

use std::sync::Arc;

use tokio::task::JoinSet;

use super::errand::{Answer, Errand};
use crate::client::atomic_file;
use crate::client::record_source::Library;
use crate::client::tui::learn::Question;
use crate::client::tui::message::{Command, Message};
use crate::client::tui::thinker::{Insight, Thinker};
use crate::study::annotation;
use crate::study::branches::Branches;

/// Somebody for one library.
#[derive(Debug)]
pub(in crate::client::tui) struct Librarian {
    library: Arc<dyn Library>,
    fetches: JoinSet<Answer>,
    judge: Thinker<usize, String>,
    tree: Thinker<Question, Branches>,
}

impl Librarian {
    /// One for this library.
    pub(in crate::client::tui) fn of(library: Arc<dyn Library>) -> Self {
        Self { library, fetches: JoinSet::new(), judge: Thinker::default(), tree: Thinker::default() }
    }

    /// Does what can be done with records alone.
    pub(in crate::client::tui) fn obey(&mut self, command: Command) {
        match command {
            Command::Read(errand) => self.run(errand),
            Command::Think(question, board) => {
                self.tree.think(question, move |stop| question.answer(&board, stop));
            }
            Command::Rest => self.tree.rest(),
            _ => {}
        }
    }

    fn run(&mut self, errand: Errand) {
        match errand {
            Errand::List => {
                let listing = self.library.list();
                self.fetches.spawn(async { Answer::Listed(listing.await) });
            }
            Errand::Open(name) => {
                let record = self.library.record(&name);
                self.fetches.spawn(async { Answer::Opened(name, record.await.map(Box::new)) });
            }
            Errand::Write(path, text) => {
                self.fetches.spawn_blocking(move || {
                    let written = atomic_file::write(&path, &text, false);
                    Answer::Written(path, written)
                });
            }
            Errand::Judge(step, board, mv) => {
                self.judge.think(step, move |stop| annotation(&board, mv, stop));
            }
            Errand::Rest => self.judge.rest(),
        }
    }

    /// What comes of it next; never anything where nothing is to be done.
    ///
    /// Nothing is lost if the future is dropped before it is ready.
    pub(in crate::client::tui) async fn next(&mut self) -> Message {
        let Self { fetches, judge, tree, .. } = self;
        tokio::select! {
            answer = fetched(fetches) => Message::Read(answer),
            insight = judge.next() => Message::Read(match insight {
                Insight::Looked(step, looked) => Answer::Looked(step, looked),
                Insight::Found(step, worth) => Answer::Judged(step, worth),
            }),
            insight = tree.next() => insight.into(),
        }
    }
}

/// What was fetched next. A fetch that panicked has said so, and brings nothing.
async fn fetched(fetches: &mut JoinSet<Answer>) -> Answer {
    loop {
        match fetches.join_next().await {
            Some(Ok(answer)) => return answer,
            Some(Err(_)) => {}
            None => std::future::pending().await,
        }
    }
}
