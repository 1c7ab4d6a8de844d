//! The closed form of Even or Odd, for any number of tokens. It gives no lengths.
//!
//! With an even total, both heaps have the same parity at the end, and every game is a draw. With an odd
//! total, the result depends on the parity of the mover's heap and on the middle modulo 8: the mover loses
//! with an even heap and a remainder of 1 or 4, and with an odd heap and a remainder of 0 or 5. From every
//! other position exactly one move leads to a lost one. The remainders repeat, so checking 8 of them proves
//! it for all sizes.

use crate::game::Game;
use crate::game::even_or_odd::{EvenOrOdd, Tokens};
use crate::search::{Best, Grounds, Verdict};

/// The results depend on the middle modulo this number.
pub const MODULUS: u64 = 8;

/// The result for the side to move.
pub fn verdict(position: &EvenOrOdd) -> Verdict {
    if position.total().is_multiple_of(2) {
        Verdict::Draw
    } else if is_lost(position.middle(), position.heaps()[position.turn()]) {
        Verdict::Loss
    } else {
        Verdict::Win
    }
}

/// Whether the side to move loses with this heap, where the total is odd.
pub fn is_lost(middle: u64, heap: u64) -> bool {
    matches!((heap % 2, middle % MODULUS), (0, 1 | 4) | (1, 0 | 5))
}

/// The best moves: the only winning one; in a draw all of them; if every move loses, a single token, which
/// leaves the most to play. `None` if the game is over.
pub(super) fn best(position: &EvenOrOdd) -> Option<Best<Tokens>> {
    let verdict = verdict(position);
    let moves: Vec<Tokens> = position
        .moves()
        .filter(|&mv| match verdict {
            Verdict::Win => position.play(mv).is_ok_and(|next| self::verdict(&next) == Verdict::Loss),
            Verdict::Draw => true,
            Verdict::Loss => mv == Tokens(1),
        })
        .collect();
    (!moves.is_empty()).then_some(Best { moves, grounds: Grounds::Proved(verdict) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::even_or_odd::EvenOrOddVariant;
    use crate::game::{Rules, for_each_reachable};
    use crate::search::{Stop, WHOLE_GAME, memo};

    fn variant(tokens: &str) -> EvenOrOddVariant {
        EvenOrOddVariant::parse("even-or-odd", &[tokens]).unwrap().unwrap()
    }

    #[test]
    fn it_agrees_with_a_search_with_memoization() {
        for tokens in 1..=60 {
            let table = memo::solve(&variant(&tokens.to_string()).start(), WHOLE_GAME, &Stop::new()).unwrap();
            for (position, value) in &table.0 {
                assert_eq!(verdict(position), value.verdict(), "{position:?}");
            }
        }
    }

    #[test]
    fn its_best_moves_keep_the_verdict() {
        for tokens in 1..=25 {
            for_each_reachable(&variant(&tokens.to_string()).start(), 10_000, |position| {
                let Some(found) = best(position) else { return assert_eq!(position.middle(), 0) };
                for mv in found.moves {
                    let next = position.play(mv).unwrap();
                    assert_eq!(found.grounds, Grounds::Proved(verdict(position)));
                    assert_eq!(verdict(&next) == Verdict::Loss, verdict(position) == Verdict::Win);
                }
            });
        }
    }

    #[test]
    fn the_most_tokens_are_answered_at_once() {
        let best_of = |tokens: &str| best(&variant(tokens).start()).unwrap();
        let all = vec![Tokens(1), Tokens(2), Tokens(3)];
        // 10^18 is a multiple of 8.
        let draw = Best { moves: all, grounds: Grounds::Proved(Verdict::Draw) };
        assert_eq!(best_of("1000000000000000000"), draw);
        let win = Best { moves: vec![Tokens(3)], grounds: Grounds::Proved(Verdict::Win) };
        assert_eq!(best_of("999999999999999999"), win);
        let loss = Best { moves: vec![Tokens(1)], grounds: Grounds::Proved(Verdict::Loss) };
        assert_eq!(best_of("999999999999999993"), loss);
    }
}
