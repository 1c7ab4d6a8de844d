//! What a game is: [`Game`] is what a search needs to know of it, [`Rules`] what people need besides.

use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::Hash;

use super::notation::BadText;
use super::side::{Outcome, Side};

/// The reason of a result, in the words of the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// What one side did, has or is.
    Side {
        /// The side.
        side: Side,
        /// The words after "you" (`cannot move`, `hold an even number`).
        you: &'static str,
        /// The words after a name (`cannot move`, `holds an even number`).
        name: &'static str,
    },
    /// The state of the board, as a clause (`the board is full`).
    Board(&'static str),
}

impl Why {
    /// What `side` did, in words that fit after "you" and after a name (`took the last stick`).
    pub const fn by(side: Side, deed: &'static str) -> Self {
        Self::Side { side, you: deed, name: deed }
    }
}

/// Why a move is illegal, as a sentence for the player: what is wrong and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Illegal(pub String);

/// A position of a two-player game of perfect information: a value that knows whose turn it is.
///
/// This is all that a search needs, so an abstract tree can be a `Game` as well as a board can.
pub trait Game: Clone + Eq + Hash + Debug {
    /// One move. Whether it is legal depends on the position.
    type Move: Copy + Eq + Hash + Debug;

    /// The side to move; in a finished game, the side that would be to move.
    fn turn(&self) -> Side;

    /// How the game came out, or `None` while it goes on.
    fn outcome(&self) -> Option<Outcome>;

    /// All legal moves, in the order in which a person would list them; none if the game is over.
    ///
    /// There may be 10^18 of them: the iterator is lazy, and callers limit how many they take.
    fn moves(&self) -> impl Iterator<Item = Self::Move> + '_;

    /// The number of moves that [`Game::moves`] yields, without listing them.
    fn move_count(&self) -> u64;

    /// The position after `mv`; or why `mv` is illegal.
    fn play(&self, mv: Self::Move) -> Result<Self, Illegal>;

    /// Whether moves can lead back to an earlier position, so that play need not end.
    fn repeats(&self) -> bool {
        false
    }

    /// The representative of all positions that are equivalent for the side to move: mirror images, piles in
    /// another order, or the other side to move where both have the same moves. Solved positions are stored
    /// by it.
    #[must_use]
    fn canonical(&self) -> Self {
        self.clone()
    }
}

/// What people need to know of a game besides its moves. The implementor is a *variant*: the rules with one
/// choice of their parameters, and how they are shown.
pub trait Rules: Sized + Clone + Eq + Hash + Debug {
    /// The game that is played.
    type Position: Game;

    /// The word before the first colon, by which this variant is chosen (`java-tech`).
    fn name(&self) -> &'static str;

    /// Reads a variant from its name and the parts after it, which were separated by colons.
    ///
    /// `None` if the name belongs to another game.
    fn parse(name: &str, parameters: &[&str]) -> Option<Result<Self, BadText>>;

    /// One line for each form in which a variant of this game can be typed: the form, and what it is.
    fn forms() -> &'static [(&'static str, &'static str)];

    /// The variant as it is typed, with all defaults filled in. Parses back to the same value.
    fn text(&self) -> String {
        self.name().into()
    }

    /// The rules in two sentences.
    fn rules(&self) -> String;

    /// The position in which every game of this variant starts. The first side is to move.
    fn start(&self) -> Self::Position;

    /// The default side of the player who opens a lobby.
    fn opener(&self) -> Side {
        Side::First
    }

    /// The position as one line of text that [`Rules::read_position`] reads back.
    fn write_position(&self, position: &Self::Position) -> String;

    /// A position of this variant from its text, or what is wrong with the text.
    fn read_position(&self, text: &str) -> Result<Self::Position, BadText>;

    /// The position as people see it: one or more lines of plain text, without a line end after the last.
    fn draw(&self, position: &Self::Position) -> String;

    /// The move as a person would type it. It need not be legal in the position.
    fn write_move(&self, position: &Self::Position, mv: <Self::Position as Game>::Move) -> String;

    /// The move that a person typed, or what is wrong with the text. It need not be legal in the position.
    fn read_move(
        &self,
        position: &Self::Position,
        text: &str,
    ) -> Result<<Self::Position as Game>::Move, BadText>;

    /// What is wrong with a text that is not a move.
    fn not_a_move(&self, position: &Self::Position, text: &str) -> BadText {
        BadText::about(text, format!("not a move; type {}", self.prompt(position)))
    }

    /// Why a move is illegal in the position, in the words of this variant. `said` is the sentence of the
    /// position.
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

    /// The reason of the result of a finished game; meaningless for a game that goes on.
    fn why(&self, position: &Self::Position) -> Why;
}

/// Every legal move with the position that it leads to, one by one.
pub fn children<G: Game>(position: &G) -> impl Iterator<Item = (G::Move, G)> + '_ {
    // `moves` yields legal moves only, so nothing is left out.
    position.moves().filter_map(|mv| Some((mv, position.play(mv).ok()?)))
}

/// Calls `f` once for each position that can be reached from `start`, `start` first.
///
/// Stops after `limit` positions, and returns `false` if there were more. It is for small games, since it
/// keeps all positions.
pub fn for_each_reachable<G: Game>(start: &G, limit: usize, mut f: impl FnMut(&G)) -> bool {
    let mut seen = HashSet::from([start.clone()]);
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
