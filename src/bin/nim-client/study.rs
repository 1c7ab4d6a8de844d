//! `nim-client study …`: prints the analyses of `nim::study`.

mod book;
mod levels;
mod score;

use std::io::{self, Write, stdin, stdout};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use nim::cli::after_help;
use nim::client::input::read_line;
use nim::game::abstract_tree::AbstractTree;
use nim::game::any::{Board, Position, Variant};
use nim::study::figure::Figure;
use nim::study::figure::text::TextOrder;
use nim::study::solve::Solved;
use nim::study::trace::SearchKind;
use nim::study::tree::FigureOptions;
use nim::study::worksheet::Worksheet;
use nim::study::{self, SOLVE_BUDGET, Stop, StudyError};

use crate::examples;
use crate::failure::{CliError, print, read_file};
use crate::flags;
use crate::work::{on_large_stack, style, wait_for};

pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  the result was shown
  1  it would be too large, a line of input was wrong, or the output could not be written
  2  the command line is wrong, or the position or the tree that it names";

/// The maximum depth of a tree or a search; it bounds the stack of the recursion.
const MAX_DEPTH: i64 = 500;
/// The maximum number of nodes in a drawing: a larger one is slow in a browser and hard to read.
const MAX_DRAWN: usize = 2_000;
/// The maximum number of nodes in a text for people or programs.
const MAX_WRITTEN: usize = 20_000;
/// The maximum size of a file with a tree, in bytes.
const MAX_FILE: u64 = 1 << 20;

const SOLVING: &str = "Ctrl-C ends the search with what is known";
const TEMPLATE: &str = "{bar:30} {human_pos} of at most {human_len} positions, {elapsed}. {msg}";
const UNBOUNDED_TEMPLATE: &str = "{spinner} {human_pos} positions, {elapsed}. {msg}";

#[derive(Debug, Subcommand)]
pub(crate) enum Study {
    /// Show the game tree with the value of every position
    #[command(after_help = after_help(&[EXIT_CODES], examples::TREE))]
    Tree(TreeFlags),
    /// Count the nodes, the distinct positions, the games and their results
    #[command(after_help = after_help(&[EXIT_CODES], examples::COUNT))]
    Count(AnswerFlags),
    /// Show every move with its exact value and the reason.
    ///
    /// Each line has a move, its result (win, loss or draw) for the side that makes it, and the number of
    /// plies (single moves of either side) until the end, including the move itself.
    #[command(after_help = after_help(&[EXIT_CODES], examples::MOVES))]
    Moves(AnswerFlags),
    /// Show the rule behind a position of Nim: the nim-sum in binary, or the ladder of the lost piles.
    ///
    /// With several piles, a row has the binary digits of each pile, and ^ marks each column with an odd
    /// number of ones. With one pile and a limit on what a move takes, the ladder has the lost piles.
    #[command(after_help = after_help(&[EXIT_CODES], examples::NIM))]
    Nim(PositionFlags),
    /// Trace a search step by step, and count the positions that each kind of search enters
    #[command(after_help = after_help(&[EXIT_CODES], examples::TRACE))]
    Trace(TraceFlags),
    /// Show the result with perfect play, how soon, and the best line
    #[command(after_help = after_help(&[EXIT_CODES], examples::SOLVE))]
    Solve(AnswerFlags),
    /// Write a page of positions to solve, and a page of answers.
    ///
    /// The positions come from random games, and have moves that keep the best result and moves that do not.
    #[command(after_help = after_help(&[EXIT_CODES], examples::WORKSHEET))]
    Worksheet(WorksheetFlags),
    /// Play the bot's levels against each other, and show the cross-table.
    ///
    /// Each pair plays the same number of games from either seat. The table has the points of the first mover
    /// in per cent: 100.0 if it won them all, half a point for a draw. Below the table, each level is
    /// compared with the next weaker one: it beats it (more than half the points from that seat), does better
    /// (more points than the other from the same seat), or is not better.
    #[command(after_help = after_help(&[EXIT_CODES], examples::LEVELS))]
    Levels(levels::LevelFlags),
    /// Make the opening book of Connect Four.
    ///
    /// It has the exact scores of all positions with 8 stones, from which those with fewer follow. It takes
    /// one processor some hours. Ctrl-C stops the work, and the same command continues it: solved positions
    /// are written to the file every 20 seconds and at the end.
    #[command(after_help = after_help(&[EXIT_CODES], examples::BOOK))]
    Book(book::BookFlags),
    /// Read one position per line and print POSITION SCORE NODES.
    ///
    /// Positions come from the standard input. Each search starts with empty tables.
    ///
    /// SCORE is win:N or loss:N for the side to move, N being the plies until the end with perfect play;
    /// draw; or win or loss if a closed form gives the result but not how soon. NODES counts the positions
    /// that were visited and the moves made there.
    ///
    /// In Connect Four a position is the columns played, such as 4453, or - for the empty board. SCORE is 0
    /// for a draw. If the side to move wins, SCORE is 22 minus the number of its stones at the end; if it
    /// loses, SCORE is the negative of that for the other side. NODES counts the calls of the recursive
    /// search function.
    ///
    /// A wrong line gets the answer error: and the reason.
    #[command(after_help = after_help(&[EXIT_CODES], examples::SCORE))]
    Score(score::ScoreFlags),
}

/// A game and a position in it.
#[derive(Debug, Args)]
pub(crate) struct PositionFlags {
    /// The game
    #[arg(value_name = "GAME", value_parser = flags::game(), hide_possible_values = true)]
    variant: Variant,

    /// The position to start from, such as "13 first" [default: the start of the game]
    #[arg(long, value_name = "POSITION")]
    at: Option<String>,
}

/// A game and a position in it, and the format of the answer.
#[derive(Debug, Args)]
pub(crate) struct AnswerFlags {
    #[command(flatten)]
    at: PositionFlags,

    /// Write one line of JSON
    #[arg(long)]
    json: bool,
}

/// A game, or a tree from a file.
#[derive(Debug, Args)]
pub(crate) struct RootFlags {
    /// The game
    #[arg(value_name = "GAME", value_parser = flags::game(), hide_possible_values = true, required_unless_present = "tree")]
    variant: Option<Variant>,

    /// The position to start from, such as "13 first" [default: the start of the game]
    #[arg(long, value_name = "POSITION", conflicts_with = "tree")]
    at: Option<String>,

    /// A file with a tree that has numbers at its leaves, instead of a game
    #[arg(long, value_name = "FILE", conflicts_with = "variant")]
    tree: Option<PathBuf>,

    /// How many moves to look ahead [default: to the end]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MAX_DEPTH))]
    depth: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct TreeFlags {
    #[command(flatten)]
    subject: RootFlags,

    /// Show equal positions as one
    #[arg(long, conflicts_with = "tree")]
    graph: bool,

    /// The format of the tree
    #[arg(long, value_enum, default_value = "text")]
    format: Format,

    /// The order in which the text visits the tree; "in" needs positions with at most two moves
    #[arg(long, value_enum, conflicts_with = "graph")]
    order: Option<TextOrder>,

    /// Write to this file instead of the standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct WorksheetFlags {
    /// The game
    #[arg(value_name = "GAME", value_parser = flags::game(), hide_possible_values = true)]
    variant: Variant,

    /// The seed of all random choices; the same seed gives the same page
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,

    /// The format of the page
    #[arg(long, value_enum, default_value = "text")]
    format: PageFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PageFormat {
    /// Plain lines
    Text,
    /// A page for a browser, which prints the answers on a sheet of their own
    Html,
}

#[derive(Debug, Args)]
pub(crate) struct TraceFlags {
    #[command(flatten)]
    subject: RootFlags,

    /// The search to trace
    #[arg(long, value_enum, default_value = "plain")]
    with: SearchKind,

    /// Wait for Enter after every line
    #[arg(long)]
    step: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Plain lines, for people
    Text,
    /// For Graphviz
    Dot,
    /// A drawing for a browser
    Svg,
    /// For programs
    Json,
}

/// Runs a command; the exit code is one of [`EXIT_CODES`].
pub(crate) fn run(study: Study) -> Result<(), CliError> {
    on_large_stack(move || show(study))?.join().map_err(|_| CliError::no_answer())?
}

fn show(study: Study) -> Result<(), CliError> {
    let stop = Stop::new();
    match study {
        Study::Tree(flags) => tree(&flags, &stop),
        Study::Count(flags) => {
            let size = study::solve::count(&flags.at.board()?, &stop)?;
            print(&if flags.json { size.json() } else { size.text() })
        }
        Study::Moves(flags) => {
            let moves = if flags.json { study::branches::moves_json } else { study::branches::moves };
            print(&moves(&flags.at.board()?, &stop)?)
        }
        Study::Nim(at) => print(&study::nim_pattern::text(&at.board()?)?),
        Study::Trace(flags) => trace(&flags, &stop),
        Study::Solve(flags) => {
            let solved = solve(flags.at.board()?)?;
            print(&if flags.json { solved.json() } else { solved.text() })
        }
        Study::Worksheet(flags) => print(&worksheet(&flags, &stop)?),
        Study::Levels(flags) => print(&levels::levels(flags)?),
        Study::Book(flags) => print(&book::make(&flags)?),
        Study::Score(flags) => score::score(flags, stdin().lock(), stdout().lock()),
    }
}

impl PositionFlags {
    fn board(&self) -> Result<Board, CliError> {
        board(&self.variant, self.at.as_deref())
    }
}

fn board(variant: &Variant, at: Option<&str>) -> Result<Board, CliError> {
    match at {
        None => Ok(variant.start()),
        Some(text) => variant.read_position(text).map_err(|bad| CliError::Usage(bad.to_string())),
    }
}

impl RootFlags {
    /// Returns the tree from a file, or else the board.
    fn read(&self) -> Result<Root, CliError> {
        match (&self.tree, &self.variant) {
            (Some(file), _) => read_tree(file).map(Root::Tree),
            (None, Some(variant)) => {
                board(variant, self.at.as_deref()).map(|board| Root::Board(Box::new(board)))
            }
            (None, None) => Err(CliError::Usage("name a game, or a file with --tree".into())),
        }
    }
}

enum Root {
    Board(Box<Board>),
    Tree(AbstractTree),
}

fn read_tree(path: &Path) -> Result<AbstractTree, CliError> {
    let wrong = |why: String| CliError::Usage(format!("{}: {why}", path.display()));
    let bytes = read_file(path, MAX_FILE)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(wrong(format!("a tree has at most {MAX_FILE} bytes")));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        CliError::Unreadable(
            path.to_owned(),
            io::Error::new(io::ErrorKind::InvalidData, "it is not valid UTF-8"),
        )
    })?;
    text.parse().map_err(|bad: nim::game::notation::BadText| wrong(bad.to_string()))
}

fn tree(flags: &TreeFlags, stop: &Stop) -> Result<(), CliError> {
    if flags.order.is_some() && flags.format != Format::Text {
        return Err(CliError::Usage("--order is for --format text".into()));
    }
    let max_nodes = if matches!(flags.format, Format::Svg | Format::Dot) { MAX_DRAWN } else { MAX_WRITTEN };
    let options = FigureOptions { depth: flags.subject.depth, merged: flags.graph, max_nodes };
    let figure = match flags.subject.read()? {
        Root::Board(board) => study::tree::figure(&board, options, stop)?,
        Root::Tree(root) => study::tree::abstract_figure(&root, options, stop)?,
    };
    let text = flags.draw(&figure)?;
    match &flags.out {
        None => print(&text),
        Some(path) => std::fs::write(path, text).map_err(|error| CliError::Unwritable(path.clone(), error)),
    }
}

impl TreeFlags {
    fn draw(&self, figure: &Figure) -> Result<String, StudyError> {
        match self.format {
            Format::Text => figure.text(self.order.unwrap_or_default()),
            Format::Dot => Ok(figure.dot()),
            Format::Svg => Ok(figure.svg()),
            Format::Json => Ok(figure.json()),
        }
    }
}

fn worksheet(flags: &WorksheetFlags, stop: &Stop) -> Result<String, StudyError> {
    let worksheet = Worksheet::new(&flags.variant, flags.seed, stop)?;
    Ok(match flags.format {
        PageFormat::Text => worksheet.text(),
        PageFormat::Html => worksheet.html(),
    })
}

/// Solves the position. Returns the solution, or what the search has found at Ctrl-C.
fn solve(board: Board) -> Result<Solved, CliError> {
    // The Connect Four solver counts other nodes, and their limit is not known.
    let unbounded = matches!(board.position(), Position::ConnectFour(_));
    let solved = wait_for(
        (SOLVE_BUDGET.nodes, SOLVING, TEMPLATE),
        move |stop| study::solve::solve(&board, stop),
        |bar, stop| {
            if bar.length().is_some() && (unbounded || stop.nodes() > SOLVE_BUDGET.nodes) {
                // The game is too large to be solved: the search goes deeper until it is stopped.
                bar.unset_length();
                bar.set_style(style(UNBOUNDED_TEMPLATE));
            }
            bar.set_position(stop.nodes());
        },
    )?;
    Ok(solved?)
}

fn trace(flags: &TraceFlags, stop: &Stop) -> Result<(), CliError> {
    let mut writer = TraceWriter::new(flags.step, stop);
    let mut write_line = |line: &str| writer.write(line);
    let (with, depth) = (flags.with, flags.subject.depth);
    let traced = match flags.subject.read()? {
        Root::Board(board) => study::trace::trace(&board, with, depth, stop, &mut write_line),
        Root::Tree(root) => study::trace::abstract_trace(&root, with, depth, stop, &mut write_line),
    };
    match writer.failure {
        Some(failure) => Err(failure),
        None => Ok(traced?),
    }
}

/// Writes a trace line by line. A failure to write stops the search.
struct TraceWriter {
    step: bool,
    stop: Stop,
    /// The first failure to write.
    failure: Option<CliError>,
}

impl TraceWriter {
    fn new(step: bool, search: &Stop) -> Self {
        Self { step, stop: search.clone(), failure: None }
    }

    fn write(&mut self, line: &str) {
        if self.failure.is_some() {
            return;
        }
        if let Err(failure) = self.try_write(line) {
            self.failure = Some(failure);
            self.stop.raise();
        }
    }

    fn try_write(&mut self, line: &str) -> Result<(), CliError> {
        writeln!(stdout(), "{line}").map_err(CliError::Output)?;
        if self.step {
            // At the end of the input it stops waiting.
            self.step = read_line(&mut stdin().lock()).map_err(CliError::Input)?.is_some();
        }
        Ok(())
    }
}
