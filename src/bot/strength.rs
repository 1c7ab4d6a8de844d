//! The strength of each level: how often it makes mistakes, how large they are, and how far it looks ahead.
//! The exact values of all moves determine which mistakes are possible in a position.
//!
//! A *blunder* changes the result: a draw or a loss instead of a win, a loss instead of a draw. An
//! *inaccuracy* keeps the result, but a perfect player would not make it: it wins later, loses sooner, or
//! makes the game easier for the opponent. A frequency is the share of the positions in which such a mistake
//! is possible beyond the look-ahead.
//!
//! | level | blunders | inaccuracies | size of a blunder | look-ahead |
//! |---|---|---|---|---|
//! | perfect | never | never | – | everything |
//! | strong | 300 ‰ | never | the smallest | 5 plies |
//! | fair | 450 ‰ | 200 ‰ | the smallest | 4 plies |
//! | easy | 650 ‰ | 500 ‰ | any | 3 plies |
//! | beginner | 850 ‰ | always | any | 2 plies |
//!
//! The numbers were tuned with the table of `nim-client study levels`: in java-tech and nim:3-4-5 each level
//! scores more than half of the points against the level below, even from the seat that loses in theory.
//! There are exceptions. In one-two-ten and even-or-odd a strong first player has only one or two chances to
//! go wrong, so a perfect second player only scores more than a strong one would in the same seat. The same
//! holds for some second players in tic-tac-toe and mu-torere, which are theoretical draws. In
//! pong-hau-ki no level makes mistakes, since every level sees every end.

use crate::game::Game;
use crate::game::any::{Move, Position};
use crate::lobby::Level;
use crate::search::{Best, Known, Solution, Verdict};

/// How often a level makes mistakes, and which, measured by the exact values of the moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strength {
    /// Blunders, in thousandths of the positions in which one is possible.
    pub blunders: u16,
    /// Inaccuracies, in thousandths of the other positions in which one is possible.
    pub inaccuracies: u16,
    /// The size of a blunder.
    pub size: Blunder,
    /// The look-ahead in plies, in positions that a search solves: within it the bot misses no win and makes
    /// no avoidable losing move.
    pub look_ahead: u32,
}

/// The size of a blunder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blunder {
    /// The smallest: a draw instead of a win if possible, otherwise the slowest loss.
    Least,
    /// Any: all worse moves are equally likely.
    Any,
}

/// The strength of a level; `None` for perfect play.
pub const fn of(level: Level) -> Option<Strength> {
    let strength = match level {
        Level::Perfect => return None,
        Level::Strong => Strength { blunders: 300, inaccuracies: 0, size: Blunder::Least, look_ahead: 5 },
        Level::Fair => Strength { blunders: 450, inaccuracies: 200, size: Blunder::Least, look_ahead: 4 },
        Level::Easy => Strength { blunders: 650, inaccuracies: 500, size: Blunder::Any, look_ahead: 3 },
        Level::Beginner => Strength { blunders: 850, inaccuracies: 1000, size: Blunder::Any, look_ahead: 2 },
    };
    Some(strength)
}

/// The maximum number of moves that are rated, more than in any position that a search solves. In larger
/// positions, which only Nim has, later moves are never chosen as mistakes.
const MAX_RATED: usize = 1_000;

/// The possible mistakes in a position.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Mistakes {
    /// Moves with a worse result, of the size that the level allows.
    pub(super) blunders: Vec<Move>,
    /// Moves with the best result that a perfect player would not make.
    pub(super) inaccuracies: Vec<Move>,
}

impl Strength {
    /// The mistakes that this level can make in a position. There are none if the result is unknown, or if a
    /// win is within the look-ahead. None of them loses within the look-ahead.
    pub(super) fn mistakes(self, position: &Position, solution: &Solution, best: &Best<Move>) -> Mistakes {
        let is_near = |known: Known| known.plies().is_some_and(|plies| plies <= self.look_ahead);
        let is_near_win =
            best.grounds.known().is_some_and(|known| known.verdict() == Verdict::Win && is_near(known));
        let Some(result) = best.grounds.verdict().filter(|_| !is_near_win) else {
            return Mistakes::default();
        };
        let known = |mv| Some((mv, solution.known(&position.play(mv).ok()?)?.for_mover()));
        let worse = position.moves().take(MAX_RATED).filter(|mv| !best.moves.contains(mv)).filter_map(known);
        let kept = worse.filter(|&(_, known)| known.verdict() != Verdict::Loss || !is_near(known));
        let (mut blunders, inaccuracies): (Vec<_>, Vec<_>) =
            kept.partition(|(_, known)| known.verdict() < result);
        if self.size == Blunder::Least {
            let least = blunders.iter().map(|(_, known)| known.rank()).max();
            blunders.retain(|(_, known)| Some(known.rank()) == least);
        }
        let moves = |rated: Vec<(Move, Known)>| rated.into_iter().map(|(mv, _)| mv).collect();
        Mistakes { blunders: moves(blunders), inaccuracies: moves(inaccuracies) }
    }
}
