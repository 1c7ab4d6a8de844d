//! What each level may get wrong: how often, how much, and never how near to the end. It knows no game.
//!
//! | level | spoils | dawdles | gives away at once | sight |
//! |---|---|---|---|---|
//! | perfect | never | never | nothing | everything |
//! | strong | 300 ‰ | never | the least that can be | 5 plies |
//! | fair | 450 ‰ | 200 ‰ | the least that can be | 4 plies |
//! | easy | 650 ‰ | 500 ‰ | anything | 3 plies |
//! | beginner | 850 ‰ | always | anything | 2 plies |
//!
//! The numbers were chosen by the cross-table of `nim-client study levels`, so that in java-tech and nim:3-4-5 each level
//! has more than half of the points against the one below from either seat, also from the one that loses by theory.
//! Where a game gives a strong first mover one or two chances to go wrong, as one-two-ten and even-or-odd do, it keeps most of
//! what is won from the start: there a perfect second mover only does better than a strong one in its place. So it is with
//! some second movers in tic-tac-toe and mu-torere, which are drawn. And in pong-hau-ki no level ever errs: every end is in
//! sight for all of them.

use crate::lobby::Level;

/// A level's error budget. All of it is counted against the exact values of the moves.
///
/// An error is only made where one is possible: where a worse move is there that the sight lets pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leeway {
    /// In how many of a thousand positions where it could it makes a move with a worse result than the best: a draw or
    /// a loss instead of a win, a loss instead of a draw.
    pub spoils: u16,
    /// In how many of a thousand of the other positions where it could it makes a move with the same result that a
    /// perfect player would not make: it wins later, loses sooner, or makes it easier for the other side.
    pub dawdles: u16,
    /// How much a move that spoils gives away.
    pub gift: Gift,
    /// How many plies ahead it sees everything: a win within them is never missed, and no move is made that loses within
    /// them where another does not.
    pub sight: u32,
}

/// How much is given away by a move that spoils the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gift {
    /// As little as can be: the draw instead of the win where there is one, else the loss that takes longest.
    Least,
    /// Anything: each worse move is as likely.
    Any,
}

/// What a level may get wrong; `None` for perfect play.
pub const fn of(level: Level) -> Option<Leeway> {
    let leeway = match level {
        Level::Perfect => return None,
        Level::Strong => Leeway { spoils: 300, dawdles: 0, gift: Gift::Least, sight: 5 },
        Level::Fair => Leeway { spoils: 450, dawdles: 200, gift: Gift::Least, sight: 4 },
        Level::Easy => Leeway { spoils: 650, dawdles: 500, gift: Gift::Any, sight: 3 },
        Level::Beginner => Leeway { spoils: 850, dawdles: 1000, gift: Gift::Any, sight: 2 },
    };
    Some(leeway)
}
