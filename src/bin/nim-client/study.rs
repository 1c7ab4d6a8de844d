//! `nim-client study …`: prints the analyses of `nim::study`.

mod book;
mod levels;
mod root;
mod score;
mod solve;
mod trace;
mod tree;
mod worksheet;

use std::io::{stdin, stdout};

use clap::{Args, Subcommand};
use nim::cli::after_help;
use nim::study::{self, Stop};
use root::{PositionFlags, TREE_FILE};

use crate::examples;
use crate::failure::{CliError, print};
use crate::work::on_large_stack;

pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  the result was shown or written
  1  it would be too large, a line of input was wrong, or the output could not be
     written or exists already
  2  the command line is wrong, or the position or the tree that it names";

#[derive(Debug, Subcommand)]
pub(crate) enum Study {
    /// Show the game tree with the value of every position
    #[command(after_help = after_help(&[EXIT_CODES, TREE_FILE], examples::TREE))]
    Tree(tree::TreeFlags),
    /// Count the nodes, the distinct positions, the games and their results
    #[command(after_help = after_help(&[EXIT_CODES], examples::COUNT))]
    Count(AnswerFlags),
    /// Show every move with its exact value and the reason.
    ///
    /// Each line has a move, its result (win, loss or draw) for the side that makes it, and the number of
    /// moves (of both sides) until the end, including the move itself.
    #[command(after_help = after_help(&[EXIT_CODES], examples::MOVES))]
    Moves(AnswerFlags),
    /// Show the rule behind a position of Nim: the nim-sum in binary, or the ladder of the lost piles.
    ///
    /// With several piles, a row has the binary digits of each pile, and ^ marks each column with an odd
    /// number of ones. With one pile and a limit on what a move takes, the ladder has the lost piles. Even or Odd
    /// has a row of losing numbers for an even heap and one for an odd heap.
    #[command(after_help = after_help(&[EXIT_CODES], examples::NIM))]
    Nim(AnswerFlags),
    /// Trace a search step by step, and count the positions that each kind of search enters
    #[command(after_help = after_help(&[EXIT_CODES, TREE_FILE], examples::TRACE))]
    Trace(trace::TraceFlags),
    /// Show the result with perfect play, how soon, and the best line
    #[command(after_help = after_help(&[EXIT_CODES], examples::SOLVE))]
    Solve(AnswerFlags),
    /// Write a page of positions to solve, and a page of answers.
    ///
    /// The positions come from random games, and have moves that keep the best result and moves that do not. Those with few right moves, none
    /// of which wins at once, are preferred.
    #[command(after_help = after_help(&[EXIT_CODES], examples::WORKSHEET))]
    Worksheet(worksheet::WorksheetFlags),
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
    /// SCORE is win:N or loss:N for the side to move, N being the moves of both sides until the end with perfect play;
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

/// A game and a position in it, and the format of the answer.
#[derive(Debug, Args)]
pub(crate) struct AnswerFlags {
    #[command(flatten)]
    at: PositionFlags,

    /// Write one line of JSON
    #[arg(long)]
    json: bool,
}

/// Runs a command; the exit code is one of [`EXIT_CODES`].
pub(crate) fn run(study: Study) -> Result<(), CliError> {
    on_large_stack(move || show(study))?.join().map_err(|_| CliError::no_answer())?
}

fn show(study: Study) -> Result<(), CliError> {
    let stop = Stop::new();
    match study {
        Study::Tree(flags) => tree::write(&flags, &stop),
        Study::Count(flags) => {
            let size = study::solve::count(&flags.at.board()?, &stop)?;
            print(&if flags.json { size.json() } else { size.text() })
        }
        Study::Moves(flags) => {
            let moves = if flags.json { study::branches::moves_json } else { study::branches::moves };
            print(&moves(&flags.at.board()?, &stop)?)
        }
        Study::Nim(flags) => {
            let pattern = if flags.json { study::nim_pattern::json } else { study::nim_pattern::text };
            print(&pattern(&flags.at.board()?)?)
        }
        Study::Trace(flags) => trace::write(&flags, &stop),
        Study::Solve(flags) => {
            let solved = solve::solved(flags.at.board()?)?;
            print(&if flags.json { solved.json() } else { solved.text() })
        }
        Study::Worksheet(flags) => worksheet::write(&flags, &stop),
        Study::Levels(flags) => print(&levels::levels(flags)?),
        Study::Book(flags) => print(&book::make(&flags)?),
        Study::Score(flags) => score::score(flags, stdin().lock(), stdout().lock()),
    }
}
