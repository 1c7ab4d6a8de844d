//! `nim-client study solve`: the search for a solution, with its progress on the screen.

use nim::game::any::{Board, Position};
use nim::study::SOLVE_BUDGET;
use nim::study::solve::{Solved, solve};

use crate::failure::CliError;
use crate::work::{style, wait_for};

const SOLVING: &str = "Ctrl-C ends the search with what is known";
const TEMPLATE: &str = "{bar:30} {human_pos} of at most {human_len} positions, {elapsed}. {msg}";
const UNBOUNDED_TEMPLATE: &str = "{spinner} {human_pos} positions, {elapsed}. {msg}";

/// Solves the position. Returns the solution, or what the search has found at Ctrl-C.
pub(super) fn solved(board: Board) -> Result<Solved, CliError> {
    // The Connect Four solver counts other nodes, and their limit is not known.
    let unbounded = matches!(board.position(), Position::ConnectFour(_));
    let solved = wait_for(
        (SOLVE_BUDGET.nodes, SOLVING, TEMPLATE),
        move |stop| solve(&board, stop),
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
