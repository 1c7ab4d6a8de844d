//! The rules of the games, and nothing else: no sockets, clocks, files or chance, and no opinion on
//! which move is good.
//!
//! Reading order: [`Game`] is what a search needs to know; [`Rules`] is what people need beside it
//! (names, words, notation); [`any`] is the closed list of the games there are; each game has a file, and
//! [`sliding`] is what two of them share. [`abstract_tree`] is a tree that stands for no game, to learn and to test on.

pub mod abstract_tree;
pub mod any;
pub mod connect_four;
pub mod even_or_odd;
pub mod mu_torere;
pub mod nim;
pub mod notation;
pub mod pong_hau_ki;
pub mod sliding;
pub mod tic_tac_toe;

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{Index, IndexMut, Not};

use serde::{Deserialize, Serialize};

/// Who moves, in the rules' eyes: `First` makes the first move of the game. `!side` is the other one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Moves at turns 0, 2, 4, …
    First,
    /// Moves at turns 1, 3, 5, …
    Second,
}

impl Side {
    /// Both sides, the first mover first.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];
}

impl Not for Side {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// One value for each side, so that nobody has to index with a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BySide<T> {
    /// What belongs to [`Side::First`].
    pub first: T,
    /// What belongs to [`Side::Second`].
    pub second: T,
}

impl<T> BySide<T> {
    /// Asks `make` for each side's value, the first side first.
    pub fn from_fn(mut make: impl FnMut(Side) -> T) -> Self {
        Self { first: make(Side::First), second: make(Side::Second) }
    }

    /// Both sides with their values, the first side first.
    pub fn iter(&self) -> impl Iterator<Item = (Side, &T)> {
        Side::BOTH.into_iter().zip([&self.first, &self.second])
    }

    /// What `change` makes of each side's value.
    #[must_use]
    pub fn map<U>(&self, mut change: impl FnMut(&T) -> U) -> BySide<U> {
        BySide { first: change(&self.first), second: change(&self.second) }
    }

    /// The same two values with the sides exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { first: self.second, second: self.first }
    }

    /// The side whose value satisfies `wanted`; the first one where both do.
    pub fn find(&self, wanted: impl Fn(&T) -> bool) -> Option<Side> {
        Side::BOTH.into_iter().find(|&side| wanted(&self[side]))
    }
}

impl<T> Index<Side> for BySide<T> {
    type Output = T;

    fn index(&self, side: Side) -> &T {
        match side {
            Side::First => &self.first,
            Side::Second => &self.second,
        }
    }
}

impl<T> IndexMut<Side> for BySide<T> {
    fn index_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::First => &mut self.first,
            Side::Second => &mut self.second,
        }
    }
}

/// How a game came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Outcome {
    /// This side won, the other one lost.
    Win(Side),
    /// Nobody won.
    Draw,
}

impl Outcome {
    /// The side that won, if one did.
    pub fn winner(self) -> Option<Side> {
        match self {
            Self::Win(side) => Some(side),
            Self::Draw => None,
        }
    }
}

/// Why a finished game came out as it did, in the words of that game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// By what one side did, has or is, whichever of the two is worth telling.
    Side {
        /// The side.
        side: Side,
        /// The words behind "you" (`cannot move`, `hold an even number`).
        you: &'static str,
        /// The words behind a name (`cannot move`, `holds an even number`).
        name: &'static str,
    },
    /// By how the board is: a clause of its own (`the board is full`).
    Board(&'static str),
}

impl Why {
    /// By what `side` did, in words that fit behind "you" and behind a name alike (`took the last stick`).
    pub const fn by(side: Side, deed: &'static str) -> Self {
        Self::Side { side, you: deed, name: deed }
    }
}

/// Why a move cannot be made, as a sentence for the one who tried: what is wrong and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Illegal(pub String);

/// A position of a two-player game of perfect information: a value that knows whose turn it is.
///
/// This is all that a search needs, so an abstract tree can be a `Game` as well as a board can.
pub trait Game: Clone + Eq + Hash + Debug {
    /// One move. Whether it is legal depends on the position.
    type Move: Copy + Eq + Hash + Debug;

    /// The side that is to move; once the game is over, the side that would be.
    fn turn(&self) -> Side;

    /// How the game came out, or `None` while it goes on.
    fn outcome(&self) -> Option<Outcome>;

    /// All legal moves, in the order in which a person would list them; none once the game is over.
    ///
    /// There may be 10^18 of them: they are made one by one, and callers take no more than they can afford.
    fn moves(&self) -> impl Iterator<Item = Self::Move> + '_;

    /// How many moves [`Game::moves`] would yield, found without listing them.
    fn move_count(&self) -> u64;

    /// The position after `mv`; or why `mv` is not legal here, and then nothing has changed.
    fn play(&self, mv: Self::Move) -> Result<Self, Illegal>;

    /// Whether moves can lead back to a position that was there before, so that play, and a tree of it, need never end.
    fn repeats(&self) -> bool {
        false
    }

    /// The one that stands for all positions in which the side to move has plainly the same game: mirror images, piles
    /// in another order, the other side to move where both may do the same. A search that remembers keeps only that.
    #[must_use]
    fn twin(&self) -> Self {
        self.clone()
    }
}

/// What people need to know of a game beside its moves. The implementor is a *variant*: the rules with
/// one choice of their parameters, and the face they are shown with.
pub trait Rules: Sized + Clone + Eq + Hash + Debug {
    /// The game that is played.
    type Position: Game;

    /// The word before the first colon, by which this variant is chosen (`java-tech`).
    fn name(&self) -> &'static str;

    /// Reads a variant from its name and the parts behind it, which were separated by colons.
    ///
    /// `None` if the name is not one of this game's.
    fn parse(name: &str, parameters: &[&str]) -> Option<Result<Self, notation::BadText>>;

    /// One line for each form in which a variant of this game can be typed: the form, and what it is.
    fn forms() -> &'static [(&'static str, &'static str)];

    /// The variant as it is typed, with all defaults filled in. Parses back to the same value.
    fn text(&self) -> String;

    /// The rules in two sentences.
    fn rules(&self) -> String;

    /// The position in which every game of this variant starts. The first side is to move.
    fn start(&self) -> Self::Position;

    /// The side that whoever opens a lobby sits on, unless they say otherwise.
    fn opener(&self) -> Side {
        Side::First
    }

    /// The position as one line of text that [`Rules::read_position`] reads back.
    fn write_position(&self, position: &Self::Position) -> String;

    /// A position of this variant from its text, or what is wrong with the text.
    fn read_position(&self, text: &str) -> Result<Self::Position, notation::BadText>;

    /// The position as people look at it: one or more lines of plain text, without a line end behind the last.
    fn draw(&self, position: &Self::Position) -> String;

    /// The move as a person would type it. It need not be legal in the position.
    fn write_move(&self, position: &Self::Position, mv: <Self::Position as Game>::Move) -> String;

    /// The move that a person typed, or what is wrong with the text. Whether it is legal is the position's affair.
    fn read_move(
        &self,
        position: &Self::Position,
        text: &str,
    ) -> Result<<Self::Position as Game>::Move, notation::BadText>;

    /// Why a move that is not legal in the position is not, in the words of this variant; `said` is what the position
    /// says of it.
    fn objection(
        &self,
        position: &Self::Position,
        mv: <Self::Position as Game>::Move,
        said: Illegal,
    ) -> Illegal {
        let _ = (position, mv);
        said
    }

    /// What can be typed in this position, in a few words for a prompt (`1 to 3`).
    fn prompt(&self, position: &Self::Position) -> String;

    /// Why a finished game came out as it did. What is said of a game that goes on means nothing.
    fn why(&self, position: &Self::Position) -> Why;
}

/// Every legal move with the position that it leads to, one by one.
pub fn children<G: Game>(position: &G) -> impl Iterator<Item = (G::Move, G)> + '_ {
    // `moves` yields legal moves only, so nothing is left out.
    position.moves().filter_map(|mv| Some((mv, position.play(mv).ok()?)))
}

/// `f` once for each position that can be reached from `start` in any number of moves, `start` first.
///
/// Stops after `limit` positions and says so: `false` if there were more. Meant for small games:
/// every position is kept.
pub fn for_each_reachable<G: Game>(start: &G, limit: usize, mut f: impl FnMut(&G)) -> bool {
    let mut seen = std::collections::HashSet::from([start.clone()]);
    let mut waiting = vec![start.clone()];
    while let Some(position) = waiting.pop() {
        f(&position);
        let room = limit.saturating_sub(seen.len()).saturating_add(1);
        for mv in position.moves().take(room) {
            // `moves` yields legal moves only, so a refusal would be a bug of the game; it adds no position.
            let Ok(next) = position.play(mv) else { continue };
            if !seen.contains(&next) {
                if seen.len() >= limit {
                    return false;
                }
                seen.insert(next.clone());
                waiting.push(next);
            }
        }
    }
    true
}
