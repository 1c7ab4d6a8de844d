//! Words for the positions and moves of anything that can be shown, be it a game or a textbook's tree. What they are
//! worth is not known here.

use crate::game::abstract_tree::{AbstractTree, Branch};
use crate::game::any::{Move, Position, Variant};
use crate::game::{Game, Side};

/// A game whose positions and moves have names.
pub trait Named<G: Game> {
    /// What is shown.
    fn title(&self) -> String;

    /// The position on one line.
    fn position(&self, position: &G) -> String;

    /// The move as it is typed; empty if the position that it leads to says it all.
    fn mv(&self, position: &G, mv: G::Move) -> String;

    /// What the sides are called.
    fn side(&self, side: Side) -> &'static str;

    /// What is said of a position from which no move leads on.
    fn end(&self) -> &'static str;
}

impl Named<Position> for Variant {
    fn title(&self) -> String {
        self.text()
    }

    fn position(&self, position: &Position) -> String {
        self.board(position.clone()).map_or_else(String::new, |board| board.write_position())
    }

    fn mv(&self, position: &Position, mv: Move) -> String {
        self.board(position.clone()).map_or_else(String::new, |board| board.write_move(mv))
    }

    fn side(&self, side: Side) -> &'static str {
        match side {
            Side::First => "first",
            Side::Second => "second",
        }
    }

    fn end(&self) -> &'static str {
        "the game is over"
    }
}

/// An abstract tree is shown by the names of its nodes.
impl Named<AbstractTree> for AbstractTree {
    fn title(&self) -> String {
        format!("the tree of {}", self.name())
    }

    fn position(&self, position: &AbstractTree) -> String {
        position.name().to_owned()
    }

    fn mv(&self, _: &AbstractTree, _: Branch) -> String {
        String::new()
    }

    fn side(&self, side: Side) -> &'static str {
        match side {
            Side::First => "max",
            Side::Second => "min",
        }
    }

    fn end(&self) -> &'static str {
        "an end"
    }
}
