//! The player in a bot's seat. A perfect bot chooses at random among the best moves that `search` finds.
//! Lower levels make mistakes: [`strength`] says how often, and how large by the exact values of the moves.
//! A bot knows no clock and no thread; a [`Stop`] flag interrupts it.

pub mod duel;
pub mod strength;

pub use crate::lobby::Level;
pub use crate::search::Stop;

use crate::game::{Game, Side, any};
use crate::search::{Best, LOOKAHEAD, Solution, Verdict, WHOLE_GAME};
use strength::{Mistakes, Strength};

/// A bot of some level. A perfect bot never loses a won position that its search can solve.
#[derive(Debug)]
pub struct Bot {
    random: fastrand::Rng,
    level: Level,
}

impl Bot {
    /// Creates a bot. `seed` determines its mistakes and its choices among equally good moves.
    pub fn new(seed: u64, level: Level) -> Self {
        Self { random: fastrand::Rng::with_seed(seed), level }
    }

    /// Chooses a move. `None` if the game is over, or if the bot was stopped before it found a move.
    pub fn choose(&mut self, position: &any::Position, stop: &Stop) -> Option<any::Move> {
        self.choose_by(&Solution::of(position, WHOLE_GAME, stop), position, stop)
    }

    /// Chooses a move in a position of a game that is already solved.
    pub fn choose_by(
        &mut self,
        solution: &Solution,
        position: &any::Position,
        stop: &Stop,
    ) -> Option<any::Move> {
        let best = solution.best_or_estimate(position, LOOKAHEAD, stop)?;
        let moves = match strength::of(self.level) {
            None => best.moves,
            Some(strength) => self.candidates(strength, solution, position, best),
        };
        self.random.choice(moves)
    }

    /// The moves among which a bot below the perfect level chooses: mistakes at random, otherwise the best
    /// moves.
    fn candidates(
        &mut self,
        strength: Strength,
        solution: &Solution,
        position: &any::Position,
        best: Best<any::Move>,
    ) -> Vec<any::Move> {
        let Mistakes { blunders, inaccuracies } = strength.mistakes(position, solution, &best);
        for (moves, per_mille) in [(blunders, strength.blunders), (inaccuracies, strength.inaccuracies)] {
            if !moves.is_empty() && self.random.u16(0..1_000) < per_mille {
                return moves;
            }
        }
        best.moves
    }
}

/// Whether a bot on `side` accepts a draw: it does if the position is known not to be a win for it.
pub fn accepts_draw(position: &any::Position, side: Side, stop: &Stop) -> bool {
    let known = Solution::of(position, WHOLE_GAME, stop).known(position);
    known.is_some_and(|known| {
        let mine = if position.turn() == side { known.verdict() } else { !known.verdict() };
        mine != Verdict::Win
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::game::any::{Move, Position};
    use crate::game::nim::Take;
    use crate::game::{Outcome, for_each_reachable};
    use crate::search::test_games::{sample, start};
    use crate::search::{Budget, Value, retrograde};

    fn choose(bot: &mut Bot, position: &Position) -> Move {
        bot.choose(position, &Stop::new()).unwrap()
    }

    #[test]
    fn each_of_its_moves_keeps_the_result_of_the_position_and_its_distance() {
        let takes =
            (1..=5).flat_map(|max| ["normal", "misere"].map(|ending| format!("take:30:{max}:{ending}")));
        let piles = ["nim:7-7-7", "nim:7-7-7:misere", "nim:5-5-5:max=2:misere", "nim:5-5-5:max=3"];
        let boards = ["tic-tac-toe", "even-or-odd:9", "even-or-odd:10", "pong-hau-ki", "mu-torere"];
        for text in takes.chain(piles.into_iter().chain(boards).map(str::to_owned)) {
            let (root, budget) = (start(&text), Budget { nodes: 1_000_000, plies: 500 });
            let table = retrograde::solve(&root, budget, &Stop::new()).unwrap();
            let (solution, stop) = (Solution::of(&root, WHOLE_GAME, &Stop::new()), Stop::new());
            let (mut bot, mut number) = (Bot::new(7, Level::Perfect), 0);
            assert!(for_each_reachable(&root, 100_000, |position| {
                if position.outcome().is_some() {
                    return;
                }
                number += 1;
                let mv = match number % sample(20, 1) {
                    0 => choose(&mut bot, position),
                    _ => bot.choose_by(&solution, position, &stop).unwrap(),
                };
                let kept = table.value(&position.play(mv).unwrap()).map(Value::for_mover);
                assert_eq!(kept, table.value(position), "{position:?}");
            }));
        }
    }

    /// A random legal move, without listing all.
    fn random_move(rng: &mut fastrand::Rng, position: &Position) -> Move {
        let Position::Nim(nim) = position else { panic!("{position:?} is not Nim") };
        let piles: Vec<usize> = (0..nim.piles().len()).filter(|&pile| nim.takeable(pile) > 0).collect();
        let pile = rng.choice(piles).unwrap();
        Move::Nim(Take { pile: u8::try_from(pile).unwrap(), count: rng.u64(1..=nim.takeable(pile)) })
    }

    #[test]
    fn it_beats_a_random_opponent_from_won_piles_beyond_any_search() {
        for (text, seed) in [
            "nim:1000000000000000000-999999999999999999-5",
            "nim:1000000000000000000-77-3-1:misere",
            "nim:900-1000:max=300:misere",
            "take:30000:1000:misere",
        ]
        .iter()
        .zip(0..)
        .step_by(sample(2, 1))
        {
            let (mut bot, mut rng) = (Bot::new(seed, Level::Perfect), fastrand::Rng::with_seed(seed));
            let mut position = start(text);
            while position.outcome().is_none() {
                let mv = match position.turn() {
                    Side::First => choose(&mut bot, &position),
                    Side::Second => random_move(&mut rng, &position),
                };
                position = position.play(mv).unwrap();
            }
            assert_eq!(position.outcome(), Some(Outcome::Win(Side::First)), "{text}");
        }
    }

    /// The first moves of bots with fifty different seeds.
    fn first_moves(position: &Position) -> HashSet<Move> {
        (0..50).map(|seed| choose(&mut Bot::new(seed, Level::Perfect), position)).collect()
    }

    #[test]
    fn different_seeds_vary_among_all_equally_good_moves() {
        assert_eq!(first_moves(&start("java-tech:5")).len(), 3);
        assert_eq!(first_moves(&start("java-tech:6")).len(), 1);
    }

    #[test]
    fn a_lost_bot_beyond_any_search_takes_one_from_a_largest_pile() {
        let firsts = first_moves(&start("nim:1000000000000000000-1000000000000000000"));
        assert_eq!(firsts, HashSet::from([0, 1].map(|pile| Move::Nim(Take { pile, count: 1 }))));
    }
}
