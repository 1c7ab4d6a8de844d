//! The tree of the learn panel: its positions, and which of them are open.

use crate::game::Game;
use crate::game::any::{Board, Move};
use crate::study::Known;
use crate::study::branches::{Branch, Branches, Window};

/// The largest number of positions: more than anybody opens by hand.
const MOST: usize = 10_000;

/// What is known below a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Below {
    /// It was not searched yet.
    Unknown,
    /// The game is over there.
    End,
    /// The search was stopped, or has failed.
    GivenUp,
    /// The listed children in the order of their moves, the number of all moves, and the value of the
    /// position.
    Known { children: Vec<usize>, count: u64, known: Option<Known> },
}

/// A position in the tree.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// Its parent; `None` for the root.
    pub(super) above: Option<usize>,
    /// Its depth.
    pub(super) depth: u16,
    /// The board.
    pub(super) board: Board,
    /// The move that leads here; `None` for the root.
    pub(super) branch: Option<Branch>,
    /// The window of alpha-beta; `None` where it would not search.
    pub(super) window: Option<Window>,
    /// What is known below it.
    pub(super) below: Below,
    /// A move that the person asked for, to be listed too.
    pub(super) sought: Option<Move>,
    /// Whether its children are shown.
    pub(super) open: bool,
}

impl Node {
    /// Whether something about it has to be searched.
    fn waits(&self) -> bool {
        self.below == Below::Unknown || self.sought.is_some()
    }
}

/// The positions; the root has number 0.
#[derive(Debug, Clone)]
pub(super) struct Tree(Vec<Node>);

impl Tree {
    /// A tree with this root, which is open.
    pub(super) fn new(board: Board) -> Self {
        let (below, window) = (below(&board), Some(Window::WHOLE));
        let root =
            Node { above: None, depth: 0, board, branch: None, window, below, sought: None, open: true };
        Self(vec![root])
    }

    /// A position by its number.
    pub(super) fn node(&self, number: usize) -> &Node {
        &self.0[number]
    }

    /// Whether it is open, and its search was not given up.
    pub(super) fn is_open(&self, number: usize) -> bool {
        self.0[number].open && self.0[number].below != Below::GivenUp
    }

    /// The children that are listed.
    pub(super) fn children(&self, number: usize) -> &[usize] {
        match &self.0[number].below {
            Below::Known { children, .. } => children,
            _ => &[],
        }
    }

    /// The child after this move, if it is listed.
    pub(super) fn child(&self, number: usize, mv: Move) -> Option<usize> {
        let leads = |child: &&usize| self.0[**child].branch.as_ref().is_some_and(|branch| branch.mv == mv);
        self.children(number).iter().find(leads).copied()
    }

    /// The moves that are listed.
    pub(super) fn branches(&self, number: usize) -> impl Iterator<Item = &Branch> {
        self.children(number).iter().filter_map(|&child| self.0[child].branch.as_ref())
    }

    /// All positions that are shown, each before its children.
    pub(super) fn shown(&self) -> Vec<usize> {
        let mut shown = Vec::new();
        let mut waiting = vec![0];
        while let Some(number) = waiting.pop() {
            shown.push(number);
            if self.0[number].open {
                waiting.extend(self.children(number).iter().rev());
            }
        }
        shown
    }

    /// Closes a position; the root stays open.
    pub(super) fn fold(&mut self, number: usize) {
        self.0[number].open = number == 0;
    }

    /// Opens a position. Returns whether there is room.
    pub(super) fn unfold(&mut self, number: usize) -> bool {
        let full = self.0.len() >= MOST;
        let node = &mut self.0[number];
        match node.below {
            Below::End => return true,
            Below::Unknown | Below::GivenUp if full => return false,
            Below::GivenUp => node.below = Below::Unknown,
            _ => {}
        }
        node.open = true;
        true
    }

    /// Asks for a move of a position to be listed. Returns whether there is room.
    pub(super) fn seek(&mut self, number: usize, mv: Move) -> bool {
        let fits = self.0.len() < MOST;
        if fits {
            self.unfold(number);
            self.0[number].sought = Some(mv);
        }
        fits
    }

    /// The move to search alone, after the others are listed.
    pub(super) fn sought(&self, number: usize) -> Option<Move> {
        let node = &self.0[number];
        node.sought.filter(|_| node.below != Below::Unknown)
    }

    /// An open position that has to be searched: this one, or else the first.
    pub(super) fn wanted(&self, first: usize) -> Option<usize> {
        let waits = |node: &Node| node.open && node.waits();
        if waits(&self.0[first]) { Some(first) } else { self.0.iter().position(waits) }
    }

    /// Gives up the search about a position.
    pub(super) fn give_up(&mut self, number: usize) {
        let node = &mut self.0[number];
        node.sought = None;
        if node.below == Below::Unknown {
            node.below = Below::GivenUp;
        }
    }

    /// Takes the moves of a position, or more of them. Returns whether there is room.
    pub(super) fn grow(&mut self, above: usize, found: Branches) -> bool {
        if !self.0[above].waits() {
            return true;
        }
        let Branches { known, all, count } = found;
        let all: Vec<Branch> =
            all.into_iter().filter(|branch| self.child(above, branch.mv).is_none()).collect();
        if self.0.len() + all.len() > MOST {
            self.give_up(above);
            return false;
        }
        let (depth, first) = (self.0[above].depth.saturating_add(1), self.0.len());
        self.0.extend(all.into_iter().map(|branch| Node {
            above: Some(above),
            depth,
            board: branch.board.clone(),
            below: below(&branch.board),
            branch: Some(branch),
            window: None,
            sought: None,
            open: false,
        }));
        let mut children: Vec<usize> =
            self.children(above).iter().copied().chain(first..self.0.len()).collect();
        children.sort_by_key(|&child| self.0[child].branch.as_ref().map(|branch| branch.place));
        self.0[above].below = Below::Known { children, count, known };
        let found = self.0[above].sought.and_then(|mv| self.child(above, mv));
        self.0[above].sought.take_if(|_| found.is_some());
        self.judge(above);
        true
    }

    /// Gives the children of a position their windows.
    fn judge(&mut self, above: usize) {
        let Some(window) = self.0[above].window else { return };
        let windows = window.below(self.branches(above));
        for (child, window) in self.children(above).to_vec().into_iter().zip(windows) {
            self.0[child].window = window;
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
        while tree.unfold(next) {
            let number = tree.wanted(next).expect("an opened position has to be searched");
            if !tree.grow(number, found.clone()) {
                break;
            }
            next = number + 1;
        }
        assert!(tree.0.len() <= MOST && tree.0.len() > MOST - found.all.len(), "{}", tree.0.len());
        assert!(tree.wanted(0).is_none());
    }
}
