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

use super::learn::Question;
use crate::client::atomic_file;
use crate::client::record_source::{Library, Listed};
use crate::game::any::{Board, Move};
use crate::record::Record;
use crate::study::branches::Branches;
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
    /// Search the value of the move of this step of a record, instead of any other.
    Judge(usize, Box<Board>, Move),
    /// Stop that search.
    StopJudging,
    /// Search the answer to this question on this board, instead of any other.
    Learn(Question, Box<Board>),
    /// Stop that search.
    StopLearning,
}

/// What has become of a job.
#[derive(Debug)]
pub enum JobResult {
    /// The records, or why they are not known, as a sentence.
    Listed(Result<Listed, String>),
    /// The record with this name, or why it cannot be had, as a sentence.
    Opened(String, Result<Box<Record>, String>),
    /// The file was written, or not.
    Written(PathBuf, io::Result<()>),
    /// The number of positions searched so far for the move of this step.
    Judging(usize, u64),
    /// The value of the move of this step, in lines of words; `None` if it was not found.
    Judged(usize, Option<String>),
    /// The number of positions searched so far for this question.
    Learning(Question, u64),
    /// The answer to this question; `None` if the search was stopped.
    Learnt(Question, Option<Branches>),
}

/// The jobs of a screen.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    source: Option<Arc<dyn Library>>,
    files: JoinSet<JobResult>,
    judge: Worker<usize, String>,
    learn: Worker<Question, Branches>,
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
            (Job::Judge(step, board, mv), _) => {
                self.judge.start(step, move |stop| annotation(&board, mv, stop));
            }
            (Job::StopJudging, _) => self.judge.stop(),
            (Job::Learn(question, board), _) => {
                self.learn.start(question, move |stop| question.answer(&board, stop));
            }
            (Job::StopLearning, _) => self.learn.stop(),
        }
    }

    /// Waits for the next result; forever without a job. Cancel safe.
    pub(super) async fn next(&mut self) -> JobResult {
        let Self { files, judge, learn, .. } = self;
        tokio::select! {
            // A job that panicked has no result.
            Some(Ok(result)) = files.join_next() => result,
            report = judge.next() => match report {
                Report::Progress(step, searched) => JobResult::Judging(step, searched),
                Report::Done(step, value) => JobResult::Judged(step, value),
            },
            report = learn.next() => match report {
                Report::Progress(question, searched) => JobResult::Learning(question, searched),
                Report::Done(question, found) => JobResult::Learnt(question, found),
            },
        }
    }
}

/// The stack of a search in bytes: far more than the deepest one needs, in any build.
const STACK: usize = 64 << 20;

/// The time between two reports of progress.
const REPORT: Duration = Duration::from_millis(100);

/// A worker for questions of one type, with answers of one type.
#[derive(Debug)]
struct Worker<Q, A>(Option<Search<Q, A>>);

/// What a worker reports.
#[derive(Debug)]
enum Report<Q, A> {
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
    fn start(&mut self, question: Q, find: impl FnOnce(&Stop) -> Option<A> + Send + 'static) {
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
    fn stop(&mut self) {
        self.0 = None;
    }

    /// Waits for the next report; forever without a search. Cancel safe.
    async fn next(&mut self) -> Report<Q, A> {
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
