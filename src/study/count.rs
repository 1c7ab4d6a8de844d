//! The size of a game in words and digits.

use super::words::thousands;
use super::{Refusal, Stop};
use crate::game::any::Board;
use crate::search::count::{self, Count, MAX_SIZE};
use crate::search::limits::GaveUp;

/// The nodes of the tree, the distinct positions, the games that can be played and how they end, all digits
/// of them.
///
/// Refused if the game is endless, or too large to be counted.
pub fn count(board: &Board, stop: &Stop) -> Result<String, Refusal> {
    match count::count(&board.position(), MAX_SIZE, stop) {
        Ok(count) => Ok(text(board, &count)),
        Err(why) => Err(refusal(board, why)),
    }
}

fn text(board: &Board, count: &Count) -> String {
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

fn refusal(board: &Board, why: GaveUp) -> Refusal {
    let game = board.variant();
    Refusal(match why {
        GaveUp::Endless => format!(
            "{game} is endless: moves can lead back to a position that was there before, so its tree has no size; \
             try nim-client study tree {game} --graph"
        ),
        GaveUp::TooLarge => format!(
            "{game} has more than {} distinct positions and moves, too many to count: try a later position with --at, \
             or a smaller game",
            thousands(&MAX_SIZE.to_string())
        ),
        GaveUp::Stopped => return Refusal::stopped(),
    })
}
