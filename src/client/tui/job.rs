//! Background jobs, during which the screen stays responsive: they fetch records, write files and search
//! positions.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::{Instant, Interval, interval_at};

use crate::client::learn::search::{SearchResult, SearchTarget};
use crate::client::record_source::{GameList, RecordSource};
use crate::file::atomic;
use crate::game::any::Board;
use crate::record::Record;
use crate::study::Stop;

/// A job.
#[derive(Debug)]
pub enum Job {
    /// List the records.
    List,
    /// Fetch the record with this name.
    Open(String),
    /// Write a file.
    Write {
        /// Its path.
        path: PathBuf,
        /// Its text.
        text: String,
        /// An older file is overwritten.
        overwrites: bool,
    },
}

/// The result or the progress of a job or a search.
#[derive(Debug)]
pub enum JobResult {
    /// The records, or why they are not known, as a sentence.
    Listed(Result<GameList, String>),
    /// The record with this name, or why it cannot be fetched, as a sentence.
    Opened(String, Result<Box<Record>, String>),
    /// The file was written, or not.
    Written(PathBuf, io::Result<()>),
    /// The number of positions that the search has visited so far.
    Searched(u64),
    /// The result of a search.
    Found(SearchResult),
}

/// The jobs of a screen.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    source: Option<Arc<dyn RecordSource>>,
    files: JoinSet<JobResult>,
    search: Option<SearchJob>,
}

impl Jobs {
    /// Jobs with records from this source, if there is one.
    pub(super) fn new(source: Option<Arc<dyn RecordSource>>) -> Self {
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
            (Job::Write { path, text, overwrites }, _) => {
                self.files.spawn_blocking(move || {
                    let written = atomic::write(&path, &text, overwrites);
                    JobResult::Written(path, written)
                });
            }
        }
    }

    /// Searches this on its board instead of the current search, or nothing.
    pub(super) fn search(&mut self, wanted: Option<(SearchTarget, &Board)>) {
        if wanted != self.search.as_ref().map(|search| (search.target, &search.board)) {
            self.search = wanted.map(|(target, board)| SearchJob::start(target, board.clone()));
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
struct SearchJob {
    target: SearchTarget,
    board: Board,
    stop: Stop,
    result: oneshot::Receiver<SearchResult>,
    report: Interval,
}

impl Drop for SearchJob {
    fn drop(&mut self) {
        self.stop.raise();
    }
}

impl SearchJob {
    fn start(target: SearchTarget, board: Board) -> Self {
        let (send, result) = oneshot::channel();
        let stop = Stop::new();
        let (flag, there) = (stop.clone(), board.clone());
        let search = move || {
            // Fails when nobody waits for the result any more.
            let _ = send.send(target.search(&there, &flag));
        };
        // Where no thread can be started, it fails.
        let _ = thread::Builder::new().stack_size(STACK).spawn(search);
        Self { target, board, stop, result, report: interval_at(Instant::now() + REPORT, REPORT) }
    }
}

/// Waits for the next report of a search; forever without one. Cancel safe.
async fn next_report(search: &mut Option<SearchJob>) -> JobResult {
    let Some(running) = search else { return std::future::pending().await };
    let target = running.target;
    tokio::select! {
        found = &mut running.result => {
            *search = None;
            // It fails after a panic.
            JobResult::Found(found.unwrap_or_else(|_| target.failure()))
        }
        _ = running.report.tick() => JobResult::Searched(running.stop.nodes()),
    }
}
