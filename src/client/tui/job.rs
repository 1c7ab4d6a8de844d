//! Work in the background while the screen goes on answering: records are fetched, files are written, and
//! positions are searched.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::{Instant, Interval, interval_at};

use crate::client::atomic_file;
use crate::client::record_source::{Library, Listed};
use crate::game::any::{Board, Move};
use crate::record::Record;
use crate::study::branches::{Branches, branches};
use crate::study::{Stop, annotation};

/// A job.
#[derive(Debug)]
pub enum Job {
    /// List the records.
    List,
    /// Fetch the record with this name.
    Open(String),
    /// Write a new file with this text.
    Write(PathBuf, String),
}

/// What is searched about a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchTarget {
    /// The moves of a position of the learn panel.
    Moves {
        /// Its number in the tree.
        node: usize,
    },
    /// The value of the move of a record.
    Value {
        /// The number of its scene.
        scene: usize,
        /// The move.
        mv: Move,
    },
}

/// What a search has found.
#[derive(Debug)]
pub enum SearchResult {
    /// The moves of the position.
    Moves(Branches),
    /// The value of the move, in lines of words.
    Value(String),
}

impl SearchResult {
    /// The moves, if they were asked for.
    pub(super) fn moves(self) -> Option<Branches> {
        if let Self::Moves(moves) = self { Some(moves) } else { None }
    }

    /// The value, if it was asked for.
    pub(super) fn value(self) -> Option<String> {
        if let Self::Value(value) = self { Some(value) } else { None }
    }
}

impl SearchTarget {
    /// Searches the answer on the board of the question; `None` if it is stopped.
    pub fn answer(self, board: &Board, stop: &Stop) -> Option<SearchResult> {
        match self {
            Self::Moves { .. } => branches(board, stop).map(SearchResult::Moves),
            Self::Value { mv, .. } => annotation(board, mv, stop).map(SearchResult::Value),
        }
    }
}

/// What has become of a job or a search.
#[derive(Debug)]
pub enum JobResult {
    /// The records, or why they are not known, as a sentence.
    Listed(Result<Listed, String>),
    /// The record with this name, or why it cannot be had, as a sentence.
    Opened(String, Result<Box<Record>, String>),
    /// The file was written, or not.
    Written(PathBuf, io::Result<()>),
    /// The number of positions searched so far for this question.
    Searched(SearchTarget, u64),
    /// The answer to this question, if it was found.
    Answered(SearchTarget, Option<SearchResult>),
}

/// The jobs of a screen.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    source: Option<Arc<dyn Library>>,
    files: JoinSet<JobResult>,
    search: Option<Search>,
}

impl Jobs {
    /// Jobs with records from this source, if there is one.
    pub(super) fn new(source: Option<Arc<dyn Library>>) -> Self {
        Self { source, ..Self::default() }
    }

    /// Starts a job.
    pub(super) fn start(&mut self, job: Job) {
        match (job, &self.source) {
            (Job::List, Some(source)) => {
                let listing = source.list();
                self.files.spawn(async { JobResult::Listed(listing.await) });
            }
            (Job::Open(name), Some(source)) => {
                let record = source.record(&name);
                self.files.spawn(async { JobResult::Opened(name, record.await.map(Box::new)) });
            }
            (Job::List | Job::Open(_), None) => {}
            (Job::Write(path, text), _) => {
                self.files.spawn_blocking(move || {
                    let written = atomic_file::write(&path, &text, false);
                    JobResult::Written(path, written)
                });
            }
        }
    }

    /// Searches the answer to this question on this board instead of the current one, or nothing.
    pub(super) fn search(&mut self, wanted: Option<(SearchTarget, &Board)>) {
        if wanted != self.search.as_ref().map(|search| (search.question, &search.board)) {
            self.search = wanted.map(|(question, board)| Search::start(question, board.clone()));
        }
    }

    /// Waits for the next result; forever without a job. Cancel safe.
    pub(super) async fn next(&mut self) -> JobResult {
        let Self { files, search, .. } = self;
        tokio::select! {
            // A job that panicked has no result.
            Some(Ok(result)) = files.join_next() => result,
            result = next_report(search) => result,
        }
    }
}

/// The stack of a search in bytes: far more than the deepest one needs, in any build.
const STACK: usize = 64 << 20;

/// The time between two reports of progress.
const REPORT: Duration = Duration::from_millis(100);

/// A search on a thread of its own.
#[derive(Debug)]
struct Search {
    question: SearchTarget,
    board: Board,
    stop: Stop,
    answer: oneshot::Receiver<Option<SearchResult>>,
    report: Interval,
}

impl Drop for Search {
    fn drop(&mut self) {
        self.stop.raise();
    }
}

impl Search {
    fn start(question: SearchTarget, board: Board) -> Self {
        let (send, answer) = oneshot::channel();
        let stop = Stop::new();
        let (flag, there) = (stop.clone(), board.clone());
        let search = move || {
            // Fails when nobody waits for the answer any more.
            let _ = send.send(question.answer(&there, &flag));
        };
        // Where no thread can be started, there is no answer.
        let _ = thread::Builder::new().stack_size(STACK).spawn(search);
        Self { question, board, stop, answer, report: interval_at(Instant::now() + REPORT, REPORT) }
    }
}

/// Waits for the next report of a search; forever without one. Cancel safe.
async fn next_report(search: &mut Option<Search>) -> JobResult {
    let Some(running) = search else { return std::future::pending().await };
    let question = running.question;
    tokio::select! {
        found = &mut running.answer => {
            *search = None;
            // A search that panicked has found nothing.
            JobResult::Answered(question, found.ok().flatten())
        }
        _ = running.report.tick() => JobResult::Searched(question, running.stop.nodes()),
    }
}
