//! Why a move in tic-tac-toe is good, by the threes and threats that can be seen on the board. It does not choose the
//! move.

use crate::game::Game;
use crate::game::tic_tac_toe::{Square, TicTacToe};
use crate::search::{Grounds, Verdict};

/// Why `square`, one of the best moves on these `grounds`, is good, as a part of a sentence that follows it; `None` if
/// the board shows no reason.
pub(super) fn reason(before: TicTacToe, square: Square, grounds: Grounds) -> Option<String> {
    let me = before.turn();
    if before.threats(me).any(|threat| threat == square) {
        return Some("it makes three in a row".into());
    }
    let verdict = grounds.verdict()?;
    // Whoever wins at once need not block.
    let must_block = before.threats(me).next().is_none();
    let blocks = must_block && before.threats(!me).eq([square]) && verdict > Verdict::Loss;
    let after = before.play(square).ok()?;
    let forks = after.threats(me).count() > 1 && verdict == Verdict::Win;
    match (blocks, forks) {
        (true, true) => Some("it blocks, and makes two threats at once (a fork)".into()),
        (true, false) => Some("it is the only square that blocks".into()),
        (false, true) => Some("it makes two threats at once (a fork)".into()),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Outcome, for_each_reachable};
    use crate::search::{Merit, Stop, WHOLE_GAME, children, memo};

    /// Whether the side to move can win with this very move.
    fn can_win_now(position: TicTacToe) -> bool {
        children(&position).any(|(_, next)| next.outcome() == Some(Outcome::Win(position.turn())))
    }

    /// Whether what is said of a move is so, by playing it out.
    fn is_true(words: &str, before: TicTacToe, square: Square) -> bool {
        let after = before.play(square).unwrap();
        let three = after.outcome() == Some(Outcome::Win(before.turn()));
        let blocks = children(&before).all(|(other, next)| can_win_now(next) == (other != square));
        let forks = children(&after).all(|(_, next)| can_win_now(next)) && !can_win_now(after);
        match words {
            "it makes three in a row" => three,
            "it is the only square that blocks" => !three && blocks,
            "it makes two threats at once (a fork)" => !three && forks,
            _ => words == "it blocks, and makes two threats at once (a fork)" && blocks && forks,
        }
    }

    #[test]
    fn what_is_said_of_a_move_is_true() {
        let start = TicTacToe::default();
        let table = memo::solve(&start, WHOLE_GAME, &Stop::new()).unwrap();
        for_each_reachable(&start, 10_000, |position| {
            for (mv, next) in children(position) {
                let value = table.value(&next).unwrap().for_mover();
                if value.verdict() > Verdict::Loss {
                    let words = reason(*position, mv, Grounds::Searched { value, merit: Merit::Nothing });
                    assert!(words.is_none_or(|words| is_true(&words, *position, mv)), "{position:?} {mv:?}");
                }
            }
        });
    }
}
