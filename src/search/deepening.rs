//! Looking ahead in a game that is too large to solve: alpha-beta to one ply, then to two, and so on until the
//! budget is spent. Beyond its horizon it has no opinion: what lies there counts as even.
//!
//! Source: D. E. Knuth and R. W. Moore, "An analysis of alpha-beta pruning" (1975), in the negamax form.

use super::budget::{Budget, GaveUp, Purse};
use super::{Best, Grounds, Merit, Stop, Value, Verdict, children};
use crate::game::Game;

/// What a win at ply 0 would score; at ply p a win scores p less and a loss p more than its negative, so that quick
/// wins and slow losses score higher. Everything that is not decided scores 0.
const CERTAIN: i64 = 1 << 40;

/// The best moves as far as the budget lets it see; `None` if the game is over or it was stopped at once.
///
/// A win or a loss that it sees is certain, and so is a draw if it saw every end. Anything else is estimated.
pub fn best<G: Game>(position: &G, budget: Budget, stop: &Stop) -> Option<Best<G::Move>> {
    let mut search = Search { purse: Purse::new(budget, stop), met_horizon: false };
    let mut found: Option<Round<G::Move>> = None;
    for depth in 1..=budget.plies {
        let round = search.round(position, depth);
        if round.value().is_some() {
            found = Some(round);
            break;
        }
        if !round.complete {
            // It has not seen all moves: better than nothing, but not than a whole round to a lesser depth.
            found = found.or(Some(round));
            break;
        }
        found = Some(round);
    }
    found.filter(|round| !round.moves.is_empty()).map(|round| round.answer(position.move_count()))
}

/// What one search to a fixed depth came to.
struct Round<M> {
    score: i64,
    moves: Vec<M>,
    /// Whether all moves were searched to that depth.
    complete: bool,
    met_horizon: bool,
}

impl<M> Round<M> {
    /// The value of the root, where it is certain.
    fn value(&self) -> Option<Value> {
        let plies = u32::try_from(CERTAIN - self.score.abs()).ok();
        match self.score {
            0 => (self.complete && !self.met_horizon).then_some(Value::Draw),
            1.. => plies.map(Value::Win),
            _ => plies.filter(|_| self.complete).map(Value::Loss),
        }
    }

    fn answer(self, move_count: u64) -> Best<M> {
        let all = self.moves.len() as u64 == move_count;
        let merit = match self.value().map(Value::verdict) {
            _ if all => Merit::Nothing,
            Some(Verdict::Draw) => Merit::Result,
            _ => Merit::Length,
        };
        let grounds = self.value().map_or(Grounds::Estimated, |value| Grounds::Searched { value, merit });
        Best { moves: self.moves, grounds }
    }
}

struct Search<'a> {
    purse: Purse<'a>,
    met_horizon: bool,
}

impl Search<'_> {
    fn round<G: Game>(&mut self, root: &G, depth: u32) -> Round<G::Move> {
        self.met_horizon = false;
        let (mut best, mut moves, mut complete) = (-CERTAIN, Vec::new(), true);
        for (mv, child) in children(root) {
            // The window is open one below the best, so that a move that is just as good shows as such.
            let Ok(score) = self.score(&child, depth - 1, 1, (-CERTAIN, 1 - best)).map(|score| -score) else {
                complete = false;
                break;
            };
            if score > best {
                (best, moves) = (score, vec![mv]);
            } else if score == best {
                moves.push(mv);
            }
        }
        Round { score: best, moves, complete, met_horizon: self.met_horizon }
    }

    /// The score of `position`, `ply` plies below the root, for the side that is to move there: exact inside the
    /// window `(alpha, beta)`; at or below `alpha` an upper bound, at or above `beta` a lower bound.
    fn score<G: Game>(
        &mut self,
        position: &G,
        depth: u32,
        ply: u32,
        (mut alpha, beta): (i64, i64),
    ) -> Result<i64, GaveUp> {
        self.purse.spend(1)?;
        if let Some(outcome) = position.outcome() {
            return Ok(match Value::of(outcome, position.turn()).verdict() {
                Verdict::Win => CERTAIN - i64::from(ply),
                Verdict::Draw => 0,
                Verdict::Loss => i64::from(ply) - CERTAIN,
            });
        }
        if depth == 0 {
            self.met_horizon = true;
            return Ok(0);
        }
        let mut best = -CERTAIN;
        for (_, child) in children(position) {
            best = best.max(-self.score(&child, depth - 1, ply + 1, (-beta, -alpha))?);
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        Ok(best)
    }
}
