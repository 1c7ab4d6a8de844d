//! Work in the background while the screen goes on answering: records are fetched, files are written, and
//! positions are searched.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::task::JoinSet;

use super::learn::Question;
use super::worker::{Report, Worker};
use crate::client::atomic_file;
use crate::client::record_source::{Library, Listed};
use crate::game::any::{Board, Move};
use crate::record::Record;
use crate::study::annotation;
use crate::study::branches::Branches;

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
