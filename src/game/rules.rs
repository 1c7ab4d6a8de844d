//! The two traits of a game: [`Game`] is what a search needs, [`Rules`] adds what people need.

use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::Hash;

use super::notation::BadText;
use super::side::{Outcome, Side};

/// The most moves of a game, including those taken back: the last one ends it as a draw. Without a limit two
/// attackers could fill the host's disk with one game; no game that people finish is half as long.
pub const MAX_MOVES: u32 = 20_000;

/// Why such a game is a draw, as a clause.
pub const MOVE_LIMIT: &str = "the game had 20,000 moves";

/// The sentence about [`MAX_MOVES`] that ends the rules of a game that can have this number of moves; empty if
/// it cannot reach the limit unless moves are taken back.
pub(super) fn move_limit(most: u64) -> &'static str {
    if most > u64::from(MAX_MOVES) { " A game of 20,000 moves is a draw." } else { "" }
}

/// The reason for a result, in the words of the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// A statement about one side.
    Side {
        /// The side.
        side: Side,
        /// The predicate after "you" (`cannot move`, `hold an even number`).
        you: &'static str,
        /// The predicate after a name (`cannot move`, `holds an even number`).
        name: &'static str,
    },
    /// The state of the board, as a clause (`the board is full`).
    Board(&'static str),
}

impl Why {
    /// A statement about `side` whose predicate fits after "you" and after a name (`took the last stick`).
    pub const fn by(side: Side, predicate: &'static str) -> Self {
        Self::Side { side, you: predicate, name: predicate }
    }
}

/// An illegal move: a clause for the player that says what is wrong and, where possible, what is legal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Illegal(pub String);

/// A position of a two-player game of perfect information: a value that knows whose turn it is.
///
/// This is all that a search needs, so an abstract tree can be a `Game` too.
pub trait Game: Clone + Eq + Hash + Debug {
    /// One move. Whether it is legal depends on the position.
    type Move: Copy + Eq + Hash + Debug;

    /// The side to move. In a finished game, the side that would move next.
    fn turn(&self) -> Side;

    /// The outcome of the game, or `None` while it goes on.
    fn outcome(&self) -> Option<Outcome>;

    /// All legal moves, in the order in which a person would list them. Empty if the game is over.
    ///
    /// There may be 10^18 of them. The iterator is lazy, and callers limit how many they take.
    fn moves(&self) -> impl Iterator<Item = Self::Move> + '_;

    /// The number of moves that [`Game::moves`] yields, without listing them.
    fn move_count(&self) -> u64;

    /// The position after `mv`, or the reason why `mv` is illegal.
    fn play(&self, mv: Self::Move) -> Result<Self, Illegal>;

    /// Whether moves can lead back to an earlier position, so that a game may never end.
    fn repeats(&self) -> bool {
        false
    }

    /// The representative of all positions that are equivalent for the side to move: mirror images, piles in
    /// another order, or the other side to move where both have the same moves. Tables of solved positions
    /// use it as the key.
    #[must_use]
    fn canonical(&self) -> Self {
        self.clone()
    }
}

/// What people need in addition to the moves: names, rules in words, notation. The implementor is a
/// *variant*: the rules with one choice of their parameters.
pub trait Rules: Sized + Clone + Eq + Hash + Debug {
    /// The positions of this game.
    type Position: Game;

    /// The part of this variant's text before the first colon (`java-tech`).
    fn name(&self) -> &'static str;

    /// Parses a variant from its name and the parameters after it, which were separated by colons.
    ///
    /// `None` if the name belongs to another game.
    fn parse(name: &str, parameters: &[&str]) -> Option<Result<Self, BadText>>;

    /// Each form in which a variant of this game can be typed, with a short description.
    fn forms() -> &'static [(&'static str, &'static str)];

    /// The variant as it is typed, with all defaults filled in. Parses back to the same value.
    fn text(&self) -> String {
        self.name().into()
    }

    /// The rules in two sentences, or three.
    fn rules(&self) -> String;

    /// What a move does, in one short sentence.
    fn summary(&self) -> String;

    /// Who wins, in one short sentence.
    fn goal(&self) -> &'static str;

    /// The position in which every game of this variant starts. The first side is to move.
    fn start(&self) -> Self::Position;

    /// The default side of the player who opens a lobby.
    fn opener(&self) -> Side {
        Side::First
    }

    /// The position as one line of text that [`Rules::read_position`] reads back.
    fn write_position(&self, position: &Self::Position) -> String;

    /// Parses a position of this variant. The error says what is wrong with the text.
    fn read_position(&self, text: &str) -> Result<Self::Position, BadText>;

    /// The position as people see it: one or more lines of plain text, without a line end after the last.
    fn draw(&self, position: &Self::Position) -> String;

    /// The move as a person would type it. It need not be legal in the position.
    fn write_move(&self, position: &Self::Position, mv: <Self::Position as Game>::Move) -> String;

    /// Parses a move as a person types it. It need not be legal in the position.
    fn read_move(
        &self,
        position: &Self::Position,
        text: &str,
    ) -> Result<<Self::Position as Game>::Move, BadText>;

    /// The error for a text that is not a move.
    fn not_a_move(&self, position: &Self::Position, text: &str) -> BadText {
        BadText::about(text, format!("not a move; type {}", self.prompt(position)))
    }

    /// Rewords the reason why a move is illegal, for a variant that does not show the position as it is.
    /// `illegal` is the error of [`Game::play`].
    fn reword_illegal(
        &self,
        position: &Self::Position,
        mv: <Self::Position as Game>::Move,
        illegal: Illegal,
    ) -> Illegal {
        let _ = (position, mv);
        illegal
    }

    /// What can be typed in this position, in a few words for a prompt (`1 to 3`).
    fn prompt(&self, position: &Self::Position) -> String;

    /// The reason for the result of a finished game. Meaningless while the game goes on.
    fn why(&self, position: &Self::Position) -> Why;
}

/// Every legal move with the position that it leads to. Lazy.
pub fn children<G: Game>(position: &G) -> impl Iterator<Item = (G::Move, G)> + '_ {
    // `moves` yields legal moves only, so no move is dropped.
    position.moves().filter_map(|mv| Some((mv, position.play(mv).ok()?)))
}

/// Calls `f` once for each position that can be reached from `start`, beginning with `start`.
///
/// Stops after `limit` positions and returns `false` if there are more. Keeps all positions in memory.
pub fn for_each_reachable<G: Game>(start: &G, limit: usize, mut f: impl FnMut(&G)) -> bool {
    let mut seen = HashSet::from([start.clone()]);
    let mut stack = vec![start.clone()];
    while let Some(position) = stack.pop() {
        f(&position);
        // Among `limit + 1` moves at least one leads to a new position, or the limit is exceeded.
        for mv in position.moves().take(limit.saturating_add(1)) {
            // `moves` yields legal moves only.
            let Ok(next) = position.play(mv) else { continue };
            if !seen.contains(&next) {
                if seen.len() >= limit {
                    return false;
                }
                seen.insert(next.clone());
                stack.push(next);
            }
        }
    }
    true
}
