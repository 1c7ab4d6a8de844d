//! The tree that somebody opens piece by piece: its positions, and which of them are open. It knows no game that is played,
//! and finds nothing out itself.

use crate::game::Game;
use crate::game::any::{Board, Move};
use crate::study::Known;
use crate::study::branches::{Branch, Branches, Window};

/// The most positions that are kept: more than anybody opens by hand.
const MOST: usize = 10_000;

/// What is known of what comes below a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Below {
    /// Nobody has asked.
    Unknown,
    /// The game is over there.
    End,
    /// It was stopped, or cannot be found out.
    Given,
    /// These, by their numbers, in the order of their moves; how many there are, listed or not; and what that makes of the position.
    Known { children: Vec<usize>, count: u64, known: Option<Known> },
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
    /// A move that is to be listed too.
    pub(super) sought: Option<Move>,
    /// Whether what comes below is shown.
    pub(super) open: bool,
}

impl Node {
    /// Whether something is to be found out about it.
    fn waits(&self) -> bool {
        self.below == Below::Unknown || self.sought.is_some()
    }
}

/// The positions; the root is number 0.
#[derive(Debug, Clone)]
pub(super) struct Tree(Vec<Node>);

impl Tree {
    /// One that is open at its root, of which nothing is known.
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

    /// Whether it is open, and more may be shown below it than itself.
    pub(super) fn is_open(&self, number: usize) -> bool {
        self.0[number].open && self.0[number].below != Below::Given
    }

    /// The numbers of what comes below a position, as far as that is known.
    pub(super) fn children(&self, number: usize) -> &[usize] {
        match &self.0[number].below {
            Below::Known { children, .. } => children,
            _ => &[],
        }
    }

    /// What comes below a position by this move, where that is listed.
    pub(super) fn child(&self, number: usize, mv: Move) -> Option<usize> {
        let leads = |child: &&usize| self.0[**child].branch.as_ref().is_some_and(|branch| branch.mv == mv);
        self.children(number).iter().find(leads).copied()
    }

    /// The moves that lead on from a position, as far as they are known.
    pub(super) fn branches(&self, number: usize) -> impl Iterator<Item = &Branch> {
        self.children(number).iter().filter_map(|&child| self.0[child].branch.as_ref())
    }

    /// The numbers of all positions that are shown, each above those that follow from it.
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

    /// Has a move listed below a position. Returns whether there was room.
    pub(super) fn seek(&mut self, number: usize, mv: Move) -> bool {
        let fits = self.0.len() < MOST;
        if fits {
            self.unfold(number);
            self.0[number].sought = Some(mv);
        }
        fits
    }

    /// The move that is to be found out about a position; none as long as those that are listed are not known.
    pub(super) fn sought(&self, number: usize) -> Option<Move> {
        let node = &self.0[number];
        node.sought.filter(|_| node.below != Below::Unknown)
    }

    /// A position that is open and of which nothing is known, or not enough: this one, or else the first.
    pub(super) fn wanted(&self, first: usize) -> Option<usize> {
        let waits = |node: &Node| node.open && node.waits();
        if waits(&self.0[first]) { Some(first) } else { self.0.iter().position(waits) }
    }

    /// Finds nothing more out about a position.
    pub(super) fn give_up(&mut self, number: usize) {
        let node = &mut self.0[number];
        node.sought = None;
        if node.below == Below::Unknown {
            node.below = Below::Given;
        }
    }

    /// Takes in what comes below a position, or some more of it. Returns whether there was room.
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

    /// Says of what comes below a position whether alpha-beta would look there.
    fn judge(&mut self, above: usize) {
        let Some(window) = self.0[above].window else { return };
        let windows = window.below(self.branches(above));
        for (child, window) in self.children(above).to_vec().into_iter().zip(windows) {
            self.0[child].window = window;
        }
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
            if !tree.grow(number, found.clone()) {
                break;
            }
            next = number + 1;
        }
        assert!(tree.0.len() <= MOST && tree.0.len() > MOST - found.all.len(), "{}", tree.0.len());
        assert!(tree.wanted(0).is_none());
    }
}
