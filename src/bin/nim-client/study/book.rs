//! `nim-client study book`: makes or continues the opening book of Connect Four. Several threads solve
//! positions. The book is written at intervals, so that little is lost if the program ends early.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use nim::file::atomic;
use nim::game::connect_four::board::Bitboard;
use nim::search::connect_four::book::Draft;
use nim::search::connect_four::{Limits, Solver, TABLE_BYTES};
use nim::study::Stop;

use crate::failure::CliError;
use crate::work::wait_for;

/// The maximum number of bytes that are read: more than any book has.
const MAX_BYTES: u64 = 1 << 20;

/// How often the file is written.
const WRITE_EVERY: Duration = Duration::from_secs(20);

const SOLVING: &str = "Ctrl-C stops the work and keeps what is solved; the same command continues it";
const TEMPLATE: &str = "{bar:30} {human_pos} of {human_len} positions, {elapsed}, {eta} to go. {msg}";

#[derive(Debug, Clone, Args)]
pub(crate) struct BookFlags {
    /// The file of the book: a new one, or one to continue
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The number of positions to solve at the same time [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: Option<u32>,
}

/// Makes the book. Returns a line about its progress.
pub(super) fn make(flags: &BookFlags) -> Result<String, CliError> {
    let mut draft = read(&flags.file)?;
    let (all, unsolved) = (draft.len() as u64, draft.unsolved());
    let solved = Arc::new(AtomicU64::new(all - unsolved.len() as u64));
    let threads = flags.threads.map_or_else(processors, |threads| threads as usize);
    let file = flags.file.clone();
    let count = Arc::clone(&solved);
    wait_for(
        (all, SOLVING, TEMPLATE),
        move |stop| solve(&mut draft, &unsolved, threads, &file, &solved, stop),
        |bar, _| bar.set_position(count.load(Ordering::Relaxed)),
    )??;
    let solved = count.load(Ordering::Relaxed);
    let rest = if solved == all { "the book is finished" } else { "the same command continues it" };
    Ok(format!("{}: {solved} of {all} positions are solved: {rest}\n", flags.file.display()))
}

/// Reads the book so far; an empty one if there is no such file.
fn read(path: &Path) -> Result<Draft, CliError> {
    match read_bytes(path) {
        Ok(bytes) => Draft::read(&bytes).map_err(|bad| CliError::Usage(format!("{}: {bad}", path.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Draft::default()),
        Err(error) => Err(CliError::Unreadable(path.to_owned(), error)),
    }
}

/// Reads a file, but at most [`MAX_BYTES`]: a longer one is not a book.
fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Solves unsolved positions until it is stopped, and writes the book at the end.
fn solve(
    draft: &mut Draft,
    unsolved: &[(usize, Bitboard)],
    threads: usize,
    file: &Path,
    solved: &AtomicU64,
    stop: &Stop,
) -> Result<(), CliError> {
    // An unwritable file is an error now, not after hours of work.
    write(draft, file)?;
    let next = AtomicUsize::new(0);
    let (send, scores) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..threads {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || work(unsolved, next, &send, stop));
        }
        drop(send);
        let mut written = Instant::now();
        for (at, score) in scores {
            draft.set_score(at, score);
            solved.fetch_add(1, Ordering::Relaxed);
            if written.elapsed() >= WRITE_EVERY {
                write(draft, file).inspect_err(|_| stop.raise())?;
                written = Instant::now();
            }
        }
        write(draft, file)
    })
}

/// Solves positions until none is left.
fn work(unsolved: &[(usize, Bitboard)], next: &AtomicUsize, send: &Sender<(usize, i32)>, stop: &Stop) {
    let mut solver = Solver::new(TABLE_BYTES);
    let limits = Limits { stop, nodes: u64::MAX };
    while let Some(&(at, board)) = unsolved.get(next.fetch_add(1, Ordering::Relaxed)) {
        let Some(score) = solver.solve_warm(board, &limits).score.score() else { return };
        if send.send((at, score)).is_err() {
            return;
        }
    }
}

/// Writes the whole book.
fn write(draft: &Draft, file: &Path) -> Result<(), CliError> {
    atomic::write(file, draft.bytes(), true).map_err(|error| CliError::Unwritable(file.to_owned(), error))
}
