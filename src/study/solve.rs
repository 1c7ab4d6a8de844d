//! A whole game in words: its result with perfect play, the length, the principal variation, and whether
//! they are exact. Also the size of a game.

use super::explainer::SOLVE_BUDGET;
use super::label::Named;
use super::words::{length, thousands, verdict};
use super::{Stop, StudyError};
use crate::game::Game;
use crate::game::any::{Board, Move};
use crate::search::count::{self, Count, MAX_SIZE};
use crate::search::limits::GaveUp;
use crate::search::{Best, Budget, Grounds, Solution, Verdict};

/// The heuristic search runs until it is stopped.
const LOOKAHEAD: Budget = Budget { nodes: u64::MAX, plies: 500 };

/// The limit of moves in the principal variation.
const MAX_LINE: usize = 100;
/// The same for a result of unknown length.
const MAX_PROVED: usize = 10;
/// The limit of best moves in the list.
const MAX_NAMED: usize = 10;

/// The result, the length and the principal variation of a position, as far as the search finds them before
/// it is stopped.
///
/// Refused if the game is over, or if the search was stopped before it found anything.
pub fn solve(board: &Board, stop: &Stop) -> Result<String, StudyError> {
    let position = board.position();
    if position.outcome().is_some() {
        return Err(StudyError::over(board));
    }
    let solution = Solution::of(&position, SOLVE_BUDGET, stop);
    let best = solution.best_or_estimate(&position, LOOKAHEAD, stop).ok_or_else(StudyError::stopped)?;
    Ok(text(board, &solution, &best))
}

fn text(board: &Board, solution: &Solution, best: &Best<Move>) -> String {
    let named: Vec<String> = best.moves.iter().take(MAX_NAMED).map(|&mv| board.write_move(mv)).collect();
    let more = if best.moves.len() > MAX_NAMED { ", …" } else { "" };
    format!(
        "{} from {}\nresult: {}\ncertainty: {}\nbest moves: {}{more}\nbest line: {}\n",
        board.variant(),
        board.write_position(),
        result(board, best.grounds),
        certainty(best.grounds),
        named.join(", "),
        line(board, solution, best),
    )
}

fn result(board: &Board, grounds: Grounds) -> String {
    let side = board.variant().side(board.turn());
    match grounds.known() {
        None => "not known".into(),
        Some(known) if known.verdict() == Verdict::Draw => "draw".into(),
        Some(known) => format!("{} for {side}{}", verdict(known.verdict()), length(known)),
    }
}

fn certainty(grounds: Grounds) -> &'static str {
    match grounds {
        Grounds::Searched { .. } => "exact, searched to the end",
        Grounds::Proved(_) => "exact, but how soon is not known",
        Grounds::Estimated => "an estimate: the search found no certain result",
    }
}

/// The principal variation. It ends with `…` if the game is not over there.
fn line(board: &Board, solution: &Solution, best: &Best<Move>) -> String {
    let most = if matches!(best.grounds, Grounds::Searched { .. }) { MAX_LINE } else { MAX_PROVED };
    let names = board.variant();
    let (mut position, mut next) = (board.position(), best.moves.first().copied());
    let (mut before, mut line) = (Vec::new(), Vec::new());
    while let Some(mv) = next
        && line.len() < most
        // A line that returns to an earlier position would repeat forever.
        && !before.contains(&position)
        && let Ok(after) = position.play(mv)
    {
        line.push(names.mv(&position, mv));
        before.push(std::mem::replace(&mut position, after));
        next = solution.best(&position).and_then(|best| best.moves.first().copied());
    }
    if position.outcome().is_none() {
        line.push("…".into());
    }
    line.join(", ")
}

/// The nodes of the tree, the distinct positions, the games that can be played and their results, with all
/// digits.
///
/// Refused if the game is endless, or too large to count.
pub fn count(board: &Board, stop: &Stop) -> Result<String, StudyError> {
    match count::count(&board.position(), MAX_SIZE, stop) {
        Ok(count) => Ok(size(board, &count)),
        Err(why) => Err(not_counted(board, why)),
    }
}

fn size(board: &Board, count: &Count) -> String {
    let tally = &count.tally;
    let lines = [
        ("nodes of the tree", tally.nodes.to_string()),
        ("distinct positions", count.positions.to_string()),
        ("games that can be played", tally.games().to_string()),
        ("won by the first side", tally.wins.first.to_string()),
        ("won by the second side", tally.wins.second.to_string()),
        ("drawn", tally.draws.to_string()),
    ];
    let lines = lines.map(|(what, number)| format!("{what}: {}\n", thousands(&number)));
    format!("{} from {}\n{}", board.variant(), board.write_position(), lines.concat())
}

fn not_counted(board: &Board, why: GaveUp) -> StudyError {
    let game = board.variant();
    StudyError(match why {
        GaveUp::Endless => format!(
            "{game} is endless: moves can lead back to an earlier position, so its tree is infinite; \
             try nim-client study tree {game} --graph"
        ),
        GaveUp::TooLarge => format!(
            "{game} has more than {} distinct positions and moves, too many to count: try a later position with --at, \
             or a smaller game",
            thousands(&MAX_SIZE.to_string())
        ),
        GaveUp::Stopped => return StudyError::stopped(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::any::Variant;

    #[test]
    fn a_search_that_is_stopped_says_what_is_known() {
        let stop = Stop::new();
        stop.raise();
        let board = "nim:3-4-5".parse::<Variant>().unwrap().start();
        assert!(solve(&board, &stop).unwrap().contains("result: win for first\n"));
    }
}
