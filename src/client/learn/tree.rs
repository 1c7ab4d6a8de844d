//! The tree of the learn panel: its positions, and which of them are open.

use crate::game::Game;
use crate::game::any::{Board, Move};
use crate::study::Known;
use crate::study::branches::{Branch, Branches, Window};

/// The largest number of positions: more than anybody opens by hand.
const MOST: usize = 10_000;

/// What is known below a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Below {
    /// It was not searched yet.
    Unknown,
    /// The game is over there.
    End,
    /// The search was stopped, or has failed.
    GivenUp,
    /// The listed children in the order of their moves.
    Known {
        /// The listed children.
        children: Vec<usize>,
        /// The number of all moves.
        count: u64,
        /// The value of the position.
        known: Option<Known>,
    },
}

/// A position in the tree.
#[derive(Debug, Clone)]
pub struct LearnNode {
    /// Its parent; `None` for the root.
    pub above: Option<usize>,
    /// Its depth.
    pub depth: u16,
    /// The board.
    pub board: Board,
    /// The move that leads here; `None` for the root.
    pub branch: Option<Branch>,
    /// The window of alpha-beta; `None` where it would not search.
    pub window: Option<Window>,
    /// What is known below it.
    pub below: Below,
    /// Whether its children are shown.
    pub open: bool,
}

impl LearnNode {
    /// The value for the side to move, where it is known.
    pub fn known(&self) -> Option<Known> {
        match self.below {
            Below::Known { known, .. } => known,
            _ => None,
        }
    }

    /// Whether it is open, and its search was not given up; `None` where the game is over.
    pub fn is_open(&self) -> Option<bool> {
        (self.below != Below::End).then_some(self.open && self.below != Below::GivenUp)
    }
}

/// The positions; the root has number 0.
#[derive(Debug, Clone)]
pub struct Tree {
    nodes: Vec<LearnNode>,
    /// There was no room for more positions.
    pub full: bool,
}

impl Tree {
    /// A tree with this root, which is open.
    pub fn new(board: Board) -> Self {
        let (below, window) = (below(&board), Some(Window::WHOLE));
        let root = LearnNode { above: None, depth: 0, board, branch: None, window, below, open: true };
        Self { nodes: vec![root], full: false }
    }

    /// A position by its number.
    pub fn node(&self, number: usize) -> &LearnNode {
        &self.nodes[number]
    }

    /// The children that are listed.
    pub fn children(&self, number: usize) -> &[usize] {
        match &self.nodes[number].below {
            Below::Known { children, .. } => children,
            _ => &[],
        }
    }

    /// The child after this move, if it is listed.
    pub fn child(&self, number: usize, mv: Move) -> Option<usize> {
        let leads =
            |child: &&usize| self.nodes[**child].branch.as_ref().is_some_and(|branch| branch.mv == mv);
        self.children(number).iter().find(leads).copied()
    }

    /// The moves that are listed.
    pub fn branches(&self, number: usize) -> impl Iterator<Item = &Branch> {
        self.children(number).iter().filter_map(|&child| self.nodes[child].branch.as_ref())
    }

    /// The number of positions.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// All positions that are shown, each before its children.
    pub fn shown(&self) -> Vec<usize> {
        let mut shown = Vec::new();
        let mut waiting = vec![0];
        while let Some(number) = waiting.pop() {
            shown.push(number);
            if self.nodes[number].open {
                waiting.extend(self.children(number).iter().rev());
            }
        }
        shown
    }

    /// Closes a position; the root stays open.
    pub fn fold(&mut self, number: usize) {
        self.nodes[number].open = number == 0;
    }

    /// Opens a position, if there is room for its moves.
    pub fn unfold(&mut self, number: usize) {
        let has_room = self.nodes.len() < MOST;
        let node = &mut self.nodes[number];
        match node.below {
            Below::End => return,
            Below::Unknown | Below::GivenUp if !has_room => {
                self.full = true;
                return;
            }
            Below::GivenUp => node.below = Below::Unknown,
            _ => {}
        }
        node.open = true;
    }

    /// An open position that has to be searched: this one, or else the first.
    pub fn wanted(&self, first: usize) -> Option<usize> {
        let waits = |node: &LearnNode| node.open && node.below == Below::Unknown;
        if waits(&self.nodes[first]) { Some(first) } else { self.nodes.iter().position(waits) }
    }

    /// Gives up all searches. Returns whether there were any.
    pub fn give_up(&mut self) -> bool {
        let waiting = self.nodes.iter_mut().filter(|node| node.open && node.below == Below::Unknown);
        waiting.map(|node| node.below = Below::GivenUp).count() > 0
    }

    /// Takes the moves of a position, or `None` if the search was stopped. Without room all searches are
    /// given up.
    pub fn grow(&mut self, above: usize, found: Option<Branches>) {
        if self.nodes[above].below != Below::Unknown {
            return;
        }
        let Some(Branches { known, all, count }) = found else {
            self.nodes[above].below = Below::GivenUp;
            return;
        };
        if self.nodes.len() + all.len() > MOST {
            self.full = true;
            self.give_up();
            return;
        }
        let (depth, first) = (self.nodes[above].depth.saturating_add(1), self.nodes.len());
        self.nodes.extend(all.into_iter().map(|branch| LearnNode {
            above: Some(above),
            depth,
            board: branch.board.clone(),
            below: below(&branch.board),
            branch: Some(branch),
            window: None,
            open: false,
        }));
        let children = (first..self.nodes.len()).collect();
        self.nodes[above].below = Below::Known { children, count, known };
        self.judge(above);
    }

    /// Gives the children of a position their windows.
    fn judge(&mut self, above: usize) {
        let Some(window) = self.nodes[above].window else { return };
        let windows = window.below(self.branches(above));
        for (child, window) in self.children(above).to_vec().into_iter().zip(windows) {
            self.nodes[child].window = window;
        }
    }
}

/// What is known without a search.
fn below(board: &Board) -> Below {
    if board.position().outcome().is_some() { Below::End } else { Below::Unknown }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Stop;
    use crate::study::branches::branches;

    #[test]
    fn a_tree_stops_growing_at_its_limit() {
        let start = "nim:9-9-9".parse::<crate::game::any::Variant>().unwrap().start();
        let found = branches(&start, &Stop::new()).unwrap();
        let mut tree = Tree::new(start);
        let mut next = 0;
        while !tree.full {
            tree.unfold(next);
            next = tree.wanted(next).expect("an opened position has to be searched");
            tree.grow(next, Some(found.clone()));
            next += 1;
        }
        assert!(
            tree.nodes.len() <= MOST && tree.nodes.len() > MOST - found.all.len(),
            "{}",
            tree.nodes.len()
        );
        assert!(tree.wanted(0).is_none());
    }
}
