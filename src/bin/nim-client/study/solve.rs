//! `nim-client study solve`: solves a position, or as far as possible until Ctrl-C.

use nim::game::any::{Board, Position};
use nim::study::PATIENT;
use nim::study::solve::solve as solve_board;

use super::work::{Bar, wait_for};
use crate::failure::Failure;

const SEARCHING: &str = "Ctrl-C ends the search with what is known";
const TEMPLATE: &str = "{bar:30} {human_pos} of at most {human_len} positions, {elapsed}. {msg}";
const ENDLESS: &str = "{spinner} {human_pos} positions, {elapsed}. {msg}";

/// The solution as text, or what is known of it at Ctrl-C.
pub(super) fn solve(board: Board) -> Result<String, Failure> {
    let mut bar = None;
    // Its solver counts nodes differently, and their number is not known beforehand.
    let endless = matches!(board.position(), Position::ConnectFour(_));
    let solved = wait_for(
        move |stop| solve_board(&board, stop),
        |stop| {
            let bar = bar.get_or_insert_with(|| Bar::begin(PATIENT.nodes, SEARCHING, TEMPLATE));
            show(bar, stop.nodes(), endless);
        },
    )?;
    Ok(solved?)
}

fn show(bar: &Bar, nodes: u64, endless: bool) {
    if endless || nodes > PATIENT.nodes {
        // It is too large to be solved: the search goes deeper until it is stopped.
        bar.be_endless(ENDLESS);
    }
    bar.show(nodes);
}
