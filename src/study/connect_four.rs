//! Reasons for good and bad moves in Connect Four, by the fours and threats on the board.

use crate::game::connect_four::board::{Bitboard, COLUMN_BITS, EVEN_ROWS, ODD_ROWS, completing};
use crate::game::connect_four::{Column, ConnectFour};
use crate::game::{Game, Outcome, Side};
use crate::search::{Known, Value, Verdict};

/// Why a move that does not lose is good, as a clause after the move; `None` if the board shows no reason.
/// `known` is the value of the move.
pub(super) fn reason(before: &ConnectFour, mv: Column, known: Option<Known>) -> Option<String> {
    let after = before.play(mv).ok()?;
    if after.outcome() == Some(Outcome::Win(before.turn())) {
        return Some("it makes four in a row".into());
    }
    let board = before.board();
    // A side that can win at once need not block.
    let must_block = completing(board.mover()) & board.landings() == 0;
    let blocks = must_block && completing(board.other()) & board.landings() == board.landing(mv.0);
    let fork = fork(after.board()).filter(|_| known.map(Known::verdict) == Some(Verdict::Win));
    match (blocks, fork) {
        (true, Some(fork)) => Some(format!("it blocks, and makes {fork}")),
        (true, None) => Some("it is the only column that stops four in a row".into()),
        (false, Some(fork)) => Some(format!("it makes {fork}")),
        (false, None) => {
            squeeze(&after).or_else(|| lasting(before, &after, known)).or_else(|| forcing(&after))
        }
    }
}

/// Every reply lets the side that has just moved make four.
fn squeeze(after: &ConnectFour) -> Option<String> {
    let wins = |next: &ConnectFour| {
        let board = next.board();
        next.outcome().is_none() && completing(board.mover()) & board.landings() != 0
    };
    let loses = after.moves().all(|reply| after.play(reply).is_ok_and(|next| wins(&next)));
    let any = after.moves().next().is_some();
    (any && loses).then(|| "whatever the other side plays, you make four in a row next".into())
}

/// The only threat after a move, which the other side has to answer, as it cannot make four itself.
fn forcing(after: &ConnectFour) -> Option<String> {
    let board = after.board();
    let threat = completing(board.other()) & board.landings();
    let can_win = completing(board.mover()) & board.landings() != 0;
    let column = threat.trailing_zeros() / COLUMN_BITS + 1;
    (threat.is_power_of_two() && !can_win).then(|| {
        format!("it threatens four in a row, so that the other side has to answer in column {column}")
    })
}

/// Why a move loses to the reply of the other side; `None` if the board does not show it.
pub(super) fn refutation(before: &ConnectFour, mv: Column, reply: Column) -> Option<String> {
    let (board, after) = (before.board(), before.play(mv).ok()?);
    if after.play(reply).ok()?.outcome().and_then(Outcome::winner) != Some(after.turn()) {
        return None;
    }
    let threats = completing(board.other()) & board.landings();
    let column = reply.0 + 1;
    Some(if threats == 0 {
        format!("it lets the other side play on top of it in column {column} and make four in a row")
    } else if threats & board.landing(mv.0) == 0 {
        format!("it does not stop the other side from making four in a row in column {column}")
    } else {
        format!("it stops one four in a row, but the other side makes another in column {column}")
    })
}

/// The threats after a move, if the other side can stop only one of them.
fn fork(after: Bitboard) -> Option<&'static str> {
    let threats = completing(after.other()) & !after.taken();
    let now = threats & after.landings();
    match now.count_ones() {
        0 => None,
        1 if threats & (now << 1) == 0 => None,
        1 => Some("two threats, one on top of the other"),
        _ => Some("two threats at once (a fork)"),
    }
}

/// The threat that a move which does not lose makes in a row that its side gets in the end.
fn lasting(before: &ConnectFour, after: &ConnectFour, known: Option<Known>) -> Option<String> {
    let board = after.board();
    let old = completing(before.board().mover());
    let (rows, suits) = match before.turn() {
        Side::First => (ODD_ROWS, "an odd row, which suits the first player"),
        Side::Second => (EVEN_ROWS, "an even row, which suits the second player"),
    };
    let new = completing(board.other()) & rows & !old & !board.taken() & !board.landings();
    let lowest = (new != 0).then(|| new.trailing_zeros())?;
    let (column, row) = (lowest / COLUMN_BITS + 1, lowest % COLUMN_BITS + 1);
    known.filter(|known| matches!(known, Known::Value(Value::Win(_) | Value::Draw)))?;
    Some(format!("it threatens the cell in column {column} and row {row}, {suits}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::connect_four::Analysis;
    use crate::search::{Stop, children};

    fn can_win_now(position: &ConnectFour) -> bool {
        children(position).any(|(_, next)| next.outcome() == Some(Outcome::Win(position.turn())))
    }

    /// Whether the reason for a good move is true, by playing out the move.
    fn is_true(words: &str, before: &ConnectFour, mv: Column) -> bool {
        let after = before.play(mv).unwrap();
        let wins = |next: &ConnectFour| next.outcome() == Some(Outcome::Win(before.turn()));
        let stops = |next: &ConnectFour| wins(next) || (next.outcome().is_none() && !can_win_now(next));
        let blocks = children(before).all(|(other, next)| stops(&next) == (other == mv));
        let wins_next = children(&after).all(|(_, next)| can_win_now(&next));
        match words.split([',', ';']).next().unwrap() {
            "it makes four in a row" => after.outcome() == Some(Outcome::Win(before.turn())),
            "it is the only column that stops four in a row" | "it blocks" => blocks,
            "it makes two threats at once (a fork)"
            | "it makes two threats"
            | "whatever the other side plays" => wins_next,
            "it threatens four in a row" => {
                let answer = words.rsplit(' ').next().unwrap().parse::<u8>().unwrap() - 1;
                let loses = |next: &ConnectFour| next.outcome().is_none() && can_win_now(next);
                children(&after).all(|(reply, next)| loses(&next) == (reply.0 != answer))
            }
            words => words.starts_with("it threatens the cell in column"),
        }
    }

    #[test]
    fn the_reason_for_a_move_is_true() {
        let mut rng = fastrand::Rng::with_seed(4);
        let mut seen = Vec::new();
        for _ in 0..20_000 {
            let mut position = ConnectFour::default();
            let stones = rng.u32(24..40);
            while let Some(mv) = rng.choice(position.moves().collect::<Vec<_>>())
                && position.stones() < stones
            {
                position = position.play(mv).unwrap();
            }
            let analysis = Analysis::new(1_000_000, &Stop::new());
            for (mv, next) in children(&position) {
                let Some(Known::Value(value)) = analysis.known(&next).map(Known::for_mover) else { continue };
                let words = reason(&position, mv, Some(Known::Value(value)));
                let words = words.filter(|_| value.verdict() > Verdict::Loss);
                let is_true = words.as_ref().is_none_or(|words| is_true(words, &position, mv));
                assert!(is_true, "{words:?} {position:?} {mv:?}");
                seen.extend(words);
            }
        }
        for kind in [
            "it makes four in a row",
            "it is the only column that stops",
            "it makes two threats",
            "whatever the other side plays",
            "it threatens four in a row",
            "it threatens the cell",
        ] {
            assert!(seen.iter().any(|words| words.starts_with(kind)), "{kind}");
        }
    }
}
