//! Chooses the best moves by the bounds of their scores, and among them those that are hardest to answer.

use super::bounds::{self, ScoreBounds};
use super::query::Query;
use crate::game::connect_four::{Column, ConnectFour};
use crate::game::{Game, Outcome};
use crate::search::{Best, Grounds, Merit, Value, Verdict, children};

/// The moves to choose from.
#[derive(Debug, Clone)]
pub(super) struct MoveChoice {
    /// The best moves, if they are proved.
    pub(super) certain: Option<Best<Column>>,
    /// All moves that are not known to be worse than another; none if the game is over.
    pub(super) candidates: Vec<Column>,
}

impl MoveChoice {
    /// The choice among the rated moves of a position with this score and number of stones.
    pub(super) fn of(score: ScoreBounds, rated: &[(Column, ScoreBounds)], stones: u32) -> Self {
        let mut as_good = columns(rated, |move_score| move_score.low >= score.low);
        let mut score = score;
        if as_good.is_empty() && score.low > 1 {
            // The position is won, and these moves win, but their lengths are not known.
            as_good = columns(rated, |move_score| move_score.low >= 1);
            score.low = score.low.min(1);
        }
        let possible = columns(rated, |move_score| move_score.high >= score.low);
        let grounds = grounds(score, stones, as_good.len() == rated.len(), as_good.len() == possible.len());
        // If the position is lost, so is every move.
        let shown = !as_good.is_empty() || (score.verdict() == Some(Verdict::Loss) && !possible.is_empty());
        let candidates = if as_good.is_empty() { possible } else { as_good };
        let certain = grounds.filter(|_| shown).map(|grounds| Best { moves: candidates.clone(), grounds });
        Self { certain, candidates }
    }

    /// Keeps the drawing moves after which the most replies lose, or the losing moves after which the
    /// fewest replies win, as far as the limits of the query allow.
    pub(super) fn hardest_to_answer(mut self, position: &ConnectFour, query: &mut Query) -> Self {
        if let Some(best) = &mut self.certain
            && let Grounds::Searched { value: Value::Draw | Value::Loss(_), .. } = best.grounds
            && best.moves.len() > 1
        {
            let difficulties =
                difficulties(position, best, query).unwrap_or_else(|| difficulties_at_sight(position, best));
            keep_hardest(best, &difficulties);
            self.candidates.clone_from(&best.moves);
        }
        self
    }
}

fn columns(rated: &[(Column, ScoreBounds)], wanted: impl Fn(ScoreBounds) -> bool) -> Vec<Column> {
    rated.iter().filter(|&&(_, score)| wanted(score)).map(|&(column, _)| column).collect()
}

/// Why moves are the best. `all`: every move is. `others_worse`: each of the others is known to be worse.
fn grounds(score: ScoreBounds, stones: u32, all: bool, others_worse: bool) -> Option<Grounds> {
    let verdict = score.verdict()?;
    let Some(exact) = score.score().filter(|_| others_worse) else { return Some(Grounds::Proved(verdict)) };
    let merit = match verdict {
        _ if all => Merit::Nothing,
        Verdict::Draw => Merit::Result,
        Verdict::Win | Verdict::Loss => Merit::Length,
    };
    Some(Grounds::Searched { value: bounds::value(exact, stones), merit })
}

/// How difficult the position after each of the best moves is for the other side: greater is more
/// difficult. `None` if a limit is reached.
fn difficulties(position: &ConnectFour, best: &Best<Column>, query: &mut Query) -> Option<Vec<i64>> {
    let verdict = best.grounds.verdict()?;
    let difficulty = |&mv: &Column| {
        let after = position.play(mv).ok()?;
        let mut count = 0;
        for (_, next) in children(&after) {
            // Counts replies to a drawing move that lose, and replies to a losing move that do not win.
            count += match verdict {
                Verdict::Draw => i64::from(query.ask(&next, 1)?),
                _ => i64::from(query.ask(&next, 0)?) - 1,
            };
        }
        Some(count)
    };
    best.moves.iter().map(difficulty).collect()
}

/// The same without a search, by the number of replies that make four.
fn difficulties_at_sight(position: &ConnectFour, best: &Best<Column>) -> Vec<i64> {
    let wins = |next: &ConnectFour| matches!(next.outcome(), Some(Outcome::Win(_)));
    let difficulty = |&mv: &Column| {
        let after = position.play(mv).ok();
        after.map_or(0, |after| -children(&after).map(|(_, next)| i64::from(wins(&next))).sum::<i64>())
    };
    best.moves.iter().map(difficulty).collect()
}

/// Keeps the most difficult moves, and sets their merit if others are dropped.
fn keep_hardest(best: &mut Best<Column>, difficulties: &[i64]) {
    let (all, greatest) = (best.moves.len(), difficulties.iter().max());
    let mut each = difficulties.iter();
    best.moves.retain(|_| each.next() == greatest);
    if let Grounds::Searched { value, merit } = &mut best.grounds
        && best.moves.len() < all
        && (*value == Value::Draw || *merit == Merit::Nothing)
    {
        *merit = Merit::Replies;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The choice in a position of ten stones with these bounds, among moves with these bounds.
    fn choice(score: (i32, i32), moves: &[(i32, i32)]) -> MoveChoice {
        let bounds = |(low, high)| ScoreBounds { low, high };
        let rated = |(column, &score)| (Column(column), bounds(score));
        MoveChoice::of(bounds(score), &(0..).zip(moves).map(rated).collect::<Vec<_>>(), 10)
    }

    fn certain(score: (i32, i32), moves: &[(i32, i32)]) -> Option<(Vec<u8>, Grounds)> {
        let best = choice(score, moves).certain?;
        Some((best.moves.iter().map(|mv| mv.0).collect(), best.grounds))
    }

    #[test]
    fn moves_are_best_if_every_other_move_is_known_to_be_worse() {
        let grounds = |merit| Grounds::Searched { value: Value::Draw, merit };
        assert_eq!(certain((0, 0), &[(0, 0), (-5, -1), (0, 0)]), Some((vec![0, 2], grounds(Merit::Result))));
        assert_eq!(certain((0, 0), &[(0, 0), (0, 0)]), Some((vec![0, 1], grounds(Merit::Nothing))));
    }

    #[test]
    fn if_another_move_may_be_as_good_only_the_result_is_claimed() {
        assert_eq!(certain((0, 0), &[(-5, 0), (0, 0)]), Some((vec![1], Grounds::Proved(Verdict::Draw))));
        assert_eq!(certain((1, 9), &[(-5, 9), (1, 9)]), Some((vec![1], Grounds::Proved(Verdict::Win))));
    }

    #[test]
    fn nothing_is_claimed_of_moves_that_are_not_shown_to_be_good() {
        for score in [(3, 3), (1, 9), (0, 0), (-2, 4)] {
            assert_eq!(certain(score, &[(-5, 9), (-9, -6)]), None, "{score:?}");
            assert_eq!(choice(score, &[(-5, 9), (-9, -6)]).candidates, [Column(0)]);
        }
        assert_eq!(certain((-9, -1), &[(-9, -1)]), Some((vec![0], Grounds::Proved(Verdict::Loss))));
        assert_eq!(certain((5, 5), &[]), None);
    }
}
