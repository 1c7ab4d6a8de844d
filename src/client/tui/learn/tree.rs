//! The tree that somebody opens piece by piece: its positions, and which of them are open. It knows no game that is played,
//! and finds nothing out itself.

use crate::game::Game;
use crate::game::any::Board;
use crate::study::Known;
use crate::study::branches::{Branch, Branches, Window};

/// The most positions that are kept: more than anybody opens by hand.
const MOST: usize = 3_000;

/// What is known of what comes below a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Below {
    /// Nobody has asked.
    Unknown,
    /// The game is over there.
    End,
    /// It was stopped, or cannot be found out.
    Given,
    /// These, the first of them and how many; how many more there are; and what that makes of the position.
    Known { first: usize, count: usize, hidden: u64, known: Option<Known> },
}

/// A position in the tree.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// The one above it; `None` for the root.
    pub(super) above: Option<usize>,
    /// How far down it is.
    pub(super) depth: u16,
    /// The board.
    pub(super) board: Board,
    /// The move that leads here; `None` for the root.
    pub(super) branch: Option<Branch>,
    /// What alpha-beta would still want to know here; `None` where it would not look.
    pub(super) window: Option<Window>,
    /// What comes below it.
    pub(super) below: Below,
    /// Whether that is shown.
    pub(super) open: bool,
}

/// The positions; the root is number 0.
#[derive(Debug, Clone)]
pub(super) struct Tree(Vec<Node>);

impl Tree {
    /// One that is open at its root, of which nothing is known.
    pub(super) fn new(board: Board) -> Self {
        let (below, window) = (below(&board), Some(Window::WHOLE));
        Self(vec![Node { above: None, depth: 0, board, branch: None, window, below, open: true }])
    }

    /// A position by its number.
    pub(super) fn node(&self, number: usize) -> &Node {
        &self.0[number]
    }

    /// Whether it is open, and more may be shown below it than itself.
    pub(super) fn is_open(&self, number: usize) -> bool {
        self.0[number].open && self.0[number].below != Below::Given
    }

    /// The numbers of what comes below a position, as far as that is known.
    pub(super) fn children(&self, number: usize) -> std::ops::Range<usize> {
        match self.0[number].below {
            Below::Known { first, count, .. } => first..first + count,
            _ => 0..0,
        }
    }

    /// The moves that lead on from a position, as far as they are known.
    pub(super) fn branches(&self, number: usize) -> impl Iterator<Item = &Branch> {
        self.children(number).filter_map(|child| self.0[child].branch.as_ref())
    }

    /// The numbers of all positions that are shown, each above those that follow from it.
    pub(super) fn shown(&self) -> Vec<usize> {
        let mut shown = Vec::new();
        let mut waiting = vec![0];
        while let Some(number) = waiting.pop() {
            shown.push(number);
            if self.0[number].open {
                waiting.extend(self.children(number).rev());
            }
        }
        shown
    }

    /// Closes a position; the root stays open.
    pub(super) fn fold(&mut self, number: usize) {
        self.0[number].open = number == 0;
    }

    /// Opens a position. Returns whether there was room.
    pub(super) fn unfold(&mut self, number: usize) -> bool {
        let full = self.0.len() >= MOST;
        let node = &mut self.0[number];
        match node.below {
            Below::End => return true,
            Below::Unknown | Below::Given if full => return false,
            Below::Given => node.below = Below::Unknown,
            _ => {}
        }
        node.open = true;
        true
    }

    /// A position that is open and of which nothing is known: this one, or else the first.
    pub(super) fn wanted(&self, first: usize) -> Option<usize> {
        let waits = |node: &Node| node.open && node.below == Below::Unknown;
        if waits(&self.0[first]) { Some(first) } else { self.0.iter().position(waits) }
    }

    /// Gives a position up of which nothing is known.
    pub(super) fn give_up(&mut self, number: usize) {
        if self.0[number].below == Below::Unknown {
            self.0[number].below = Below::Given;
        }
    }

    /// Takes in what comes below a position of which nothing is known.
    pub(super) fn grow(&mut self, above: usize, found: Branches) {
        let parent = &self.0[above];
        if parent.below != Below::Unknown {
            return;
        }
        let windows = match parent.window {
            Some(window) => window.below(&found),
            None => vec![None; found.all.len()],
        };
        let (depth, first) = (parent.depth.saturating_add(1), self.0.len());
        let Branches { known, all, hidden } = found;
        self.0[above].below = Below::Known { first, count: all.len(), hidden, known };
        self.0.extend(all.into_iter().zip(windows).map(|(branch, window)| Node {
            above: Some(above),
            depth,
            board: branch.board.clone(),
            below: below(&branch.board),
            branch: Some(branch),
            window,
            open: false,
        }));
    }
}

/// What is known of a position without any thought.
fn below(board: &Board) -> Below {
    if board.position().outcome().is_some() { Below::End } else { Below::Unknown }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Stop;
    use crate::study::branches::branches;

    #[test]
    fn a_tree_grows_no_further_than_there_is_room() {
        let start = "nim:9-9-9".parse::<crate::game::any::Variant>().unwrap().start();
        let found = branches(&start, &Stop::new()).unwrap();
        let mut tree = Tree::new(start);
        let mut next = 0;
        while tree.unfold(next) {
            let number = tree.wanted(next).expect("what was opened is to be found out");
            tree.grow(number, found.clone());
            next = number + 1;
        }
        assert!(tree.0.len() >= MOST && tree.0.len() < MOST + found.all.len());
    }
}
