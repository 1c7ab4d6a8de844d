//! `nim-client study book`: makes or continues the opening book of Connect Four. Several threads solve
//! positions: first those whose scores are in the book, then layer by layer those that a perfect bot can meet
//! later. The book is written at intervals, so that little is lost if the program ends early.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use nim::file::atomic;
use nim::game::connect_four::board::Bitboard;
use nim::game::connect_four::{Column, ConnectFour};
use nim::search::connect_four::book::{Draft, STONES};
use nim::search::connect_four::{Analysis, Book, Limits, Solver, TABLE_BYTES};
use nim::search::solution::CONNECT_FOUR_NODES;
use nim::search::{Best, Grounds};
use nim::study::Stop;

use crate::failure::CliError;
use crate::work::wait_for;

/// The maximum number of bytes that are read: more than any book has.
const MAX_BYTES: u64 = 1 << 24;

/// How often the file is written.
const WRITE_EVERY: Duration = Duration::from_secs(20);

const SOLVING: &str = "Ctrl-C stops the work and keeps what is solved; the same command continues it";
const TEMPLATE: &str =
    "{prefix}: {bar:30} {human_pos} of {human_len} positions, {elapsed}, {eta} to go. {msg}";

#[derive(Debug, Clone, Args)]
pub(crate) struct BookFlags {
    /// The file of the book: a new one, or one to continue
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The number of positions to solve at the same time [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: Option<u32>,
}

/// How far the work is: the present layer of positions.
#[derive(Debug, Default)]
struct Progress {
    stones: AtomicU32,
    positions: AtomicU64,
    solved: AtomicU64,
}

impl Progress {
    fn begin(&self, stones: u32, positions: usize, unsolved: usize) {
        self.stones.store(stones, Ordering::Relaxed);
        self.positions.store(positions as u64, Ordering::Relaxed);
        self.solved.store((positions - unsolved) as u64, Ordering::Relaxed);
    }

    fn show(&self, bar: &indicatif::ProgressBar) {
        let stones = self.stones.load(Ordering::Relaxed);
        bar.set_prefix(format!("{stones} stones"));
        bar.set_length(self.positions.load(Ordering::Relaxed));
        bar.set_position(self.solved.load(Ordering::Relaxed));
    }

    fn is_complete(&self) -> bool {
        self.solved.load(Ordering::Relaxed) == self.positions.load(Ordering::Relaxed)
    }
}

/// Makes the book. Returns a line about its progress.
pub(super) fn make(flags: &BookFlags) -> Result<String, CliError> {
    let draft = read(&flags.file)?;
    let threads = flags.threads.map_or_else(processors, |threads| threads as usize);
    let progress = Arc::new(Progress::default());
    let mut work = Work {
        draft,
        threads,
        file: flags.file.clone(),
        written: Instant::now(),
        progress: Arc::clone(&progress),
    };
    let answers = wait_for(
        (0, SOLVING, TEMPLATE),
        move |stop| work.run(stop).map(|finished| finished.then(|| work.draft.answers())),
        |bar, _| progress.show(bar),
    )??;
    let [stones, positions, solved] = [
        u64::from(progress.stones.load(Ordering::Relaxed)),
        progress.positions.load(Ordering::Relaxed),
        progress.solved.load(Ordering::Relaxed),
    ];
    let file = flags.file.display();
    Ok(match answers {
        Some(answers) => {
            format!("{file}: the book is finished, with the best moves of {answers} positions\n")
        }
        None => format!(
            "{file}: {solved} of {positions} positions with {stones} stones are solved: the same command continues it\n"
        ),
    })
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

/// The work on a book.
struct Work {
    draft: Draft,
    threads: usize,
    file: PathBuf,
    /// When the file was last written.
    written: Instant,
    progress: Arc<Progress>,
}

impl Work {
    /// Works until the book is finished, or until it is stopped. Returns whether it is finished.
    fn run(&mut self, stop: &Stop) -> Result<bool, CliError> {
        // An unwritable file is an error now, not after hours of work.
        self.write()?;
        let unsolved = self.draft.unsolved();
        self.progress.begin(STONES, self.draft.len(), unsolved.len());
        self.each(&unsolved, Scores::new, |draft, &(at, _), score| draft.set_score(at, score), stop)?;
        let book = self.progress.is_complete().then(|| Arc::new(Book::of_scores(&self.draft)));
        let mut finished = false;
        while let Some(book) = &book
            && self.progress.is_complete()
            && !finished
        {
            match self.draft.next_layer() {
                Some(layer) => {
                    self.progress.begin(layer.stones, layer.positions, layer.unanswered.len());
                    let answers = || Answers { book: Arc::clone(book) };
                    self.each(
                        &layer.unanswered,
                        answers,
                        |draft, position, (best, nodes)| {
                            draft.set_answer(position, &best, nodes);
                        },
                        stop,
                    )?;
                }
                None => finished = true,
            }
        }
        if finished {
            self.draft.finish();
        }
        self.write()?;
        Ok(finished)
    }

    /// Solves each position on one of the threads, notes the results, and writes the book at intervals.
    fn each<P: Sync, S: Solve<P>>(
        &mut self,
        positions: &[P],
        solver: impl Fn() -> S + Sync,
        note: impl Fn(&mut Draft, &P, S::Found),
        stop: &Stop,
    ) -> Result<(), CliError> {
        let next = AtomicUsize::new(0);
        let (send, found) = mpsc::channel();
        thread::scope(|scope| {
            for _ in 0..self.threads {
                let (send, next, solver) = (send.clone(), &next, &solver);
                scope.spawn(move || {
                    let mut solver = solver();
                    while let Some(position) = positions.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let Some(found) = solver.solve(position, stop) else { return };
                        if send.send((position, found)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(send);
            for (position, found) in found {
                note(&mut self.draft, position, found);
                self.progress.solved.fetch_add(1, Ordering::Relaxed);
                if self.written.elapsed() >= WRITE_EVERY {
                    self.write().inspect_err(|_| stop.raise())?;
                }
            }
            Ok(())
        })
    }

    /// Writes the whole book.
    fn write(&mut self) -> Result<(), CliError> {
        self.written = Instant::now();
        let unwritable = |error| CliError::Unwritable(self.file.clone(), error);
        atomic::write(&self.file, self.draft.bytes(), true).map_err(unwritable)
    }
}

/// Solves positions of one kind.
trait Solve<P> {
    type Found: Send;

    /// What is noted of a position; `None` if the work was stopped.
    fn solve(&mut self, position: &P, stop: &Stop) -> Option<Self::Found>;
}

/// Finds scores.
struct Scores(Solver);

impl Scores {
    fn new() -> Self {
        Self(Solver::new(TABLE_BYTES))
    }
}

impl Solve<(usize, Bitboard)> for Scores {
    type Found = i32;

    fn solve(&mut self, &(_, board): &(usize, Bitboard), stop: &Stop) -> Option<i32> {
        self.0.solve_warm(board, &Limits { stop, nodes: u64::MAX }).score.score()
    }
}

/// Finds best moves as a bot does, with an empty table for each position, so that the cost is that of a bot. A mirror
/// image may cost more: the greater cost counts.
struct Answers {
    book: Arc<Book>,
}

impl Answers {
    /// The best moves of a position, and the number of nodes; `None` if the work was stopped.
    fn search(&self, position: &ConnectFour, stop: &Stop) -> Option<(Best<Column>, u64)> {
        // A bot's search may end without an exact score.
        [CONNECT_FOUR_NODES, u64::MAX].into_iter().find_map(|nodes| {
            let analysis = Analysis::with_book(Arc::clone(&self.book), nodes, stop);
            let best = analysis.best(position).filter(|_| !stop.is_raised())?;
            matches!(best.grounds, Grounds::Searched { .. }).then(|| (best, analysis.spent()))
        })
    }
}

impl Solve<ConnectFour> for Answers {
    type Found = (Best<Column>, u64);

    fn solve(&mut self, position: &ConnectFour, stop: &Stop) -> Option<Self::Found> {
        let (best, nodes) = self.search(position, stop)?;
        let (_, mirrored) = self.search(&position.mirrored(), stop)?;
        Some((best, nodes.max(mirrored)))
    }
}
