//! The recursive search: is the score of a position at least so much? It knows the table, and not who asks.

use arrayvec::ArrayVec;

use super::Bounds;
use super::node::Node;
use super::table::{Hash, Table};
use super::team::Busy;
use super::zugzwang;
use crate::game::connect_four::board::{COLUMN_BITS, COLUMNS, mirror};
use crate::search::Stop;

/// How many nodes are searched between two looks at the stop flags: about 0.2 ms.
const NODES_BETWEEN_LOOKS: u64 = 1 << 10;

/// Up to how many stones a position and its mirror image are taken for one, where both can arise.
const MOST_STONES_MIRRORED: i32 = 20;

/// Below every score.
const NOTHING_YET: i32 = -99;

/// One thread's part of a search.
pub(super) struct Tree<'a> {
    table: &'a Table,
    /// The search ends when this is raised, and notes its nodes here.
    stop: &'a Stop,
    /// What the other threads are at, if there are any.
    others: Option<&'a Busy>,
    /// Whether positions that are mirror images of each other can arise.
    mirrored: bool,
    /// How many calls of [`Tree::search`] there have been.
    nodes: u64,
    most_nodes: u64,
    /// How many of them have been noted.
    noted: u64,
    /// The number of nodes at which to look whether to go on.
    next_look: u64,
    halted: bool,
}

/// A position with at least two safe moves, as seen from the one above it.
struct Child {
    node: Node,
    hash: Hash,
    /// Whether it is the other side's turn, compared with the position above.
    turned: bool,
    /// What is known of its score, for the mover of the position above.
    known: Bounds,
    /// The higher, the sooner it is searched.
    rank: u32,
}

/// What can be said of a position without the table and without a search.
enum Settled {
    /// A bound of the score that answers the question.
    Answered(i32),
    /// The next position with a choice, `turned` if it is the other side's turn.
    Open { node: Node, turned: bool, known: Bounds },
}

impl<'a> Tree<'a> {
    pub(super) fn new(table: &'a Table, stop: &'a Stop, most_nodes: u64) -> Self {
        Self {
            table,
            stop,
            others: None,
            mirrored: false,
            nodes: 0,
            most_nodes,
            noted: 0,
            next_look: most_nodes.min(NODES_BETWEEN_LOOKS),
            halted: false,
        }
    }

    /// The same as one of several threads that share the table and this list.
    pub(super) fn beside(self, others: &'a Busy) -> Self {
        Self { others: Some(others), ..self }
    }

    /// How many nodes were searched: calls of the recursive function.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// A bound of the score of `root` that says whether it is at least `target`: a lower bound if the number is
    /// `target` or more, else an upper bound. `None` if the search was halted before it knew.
    pub(super) fn ask(&mut self, root: &Node, target: i32) -> Option<i32> {
        self.mirrored = root.mover & mirror(root.other) == 0;
        let (node, turned, known) = match settle(*root, target) {
            Settled::Answered(bound) => return Some(bound),
            Settled::Open { node, turned, known } => (node, turned, known),
        };
        let mut child = Child { node, hash: self.hash(&node), turned, known, rank: 0 };
        self.recall(&mut child);
        let bound = child.known.answer(target).unwrap_or_else(|| self.descend(&child, target));
        self.note();
        (!self.halted).then_some(bound)
    }

    /// As [`Tree::ask`], for a node with at least two safe moves of which the table does not know enough.
    /// What it returns once `halted` is set means nothing.
    fn search(&mut self, node: &Node, hash: Hash, known: Bounds, target: i32) -> i32 {
        self.nodes += 1;
        if self.nodes >= self.next_look {
            self.look_around();
            if self.halted {
                return NOTHING_YET;
            }
        }
        let before = self.nodes;
        let mut best = NOTHING_YET;
        let mut children = ArrayVec::new();
        let mut cells = node.safe_moves();
        while cells != 0 {
            let cell = cells & cells.wrapping_neg();
            cells ^= cell;
            best = best.max(self.expand(node, cell, target, &mut children));
            if best >= target {
                break;
            }
        }
        if best < target {
            best = best.max(self.recall_all(&mut children, target));
        }
        if best < target {
            best = best.max(self.descend_in_order(&mut children, target));
        }
        if !self.halted {
            let effort = (self.nodes - before + 1).ilog2();
            self.table.store(hash, known.narrowed(best, target), effort);
        }
        best
    }

    /// Adds the position after a move to the children, the most promising one first, or returns the bound that
    /// settles it.
    #[inline]
    fn expand(&self, node: &Node, cell: u64, target: i32, children: &mut ArrayVec<Child, 7>) -> i32 {
        let after = node.after(cell);
        match settle(after, 1 - target) {
            Settled::Answered(bound) => -bound,
            Settled::Open { node, turned, known } => {
                let known = known.negated();
                let hash = self.hash(&node);
                let rank = rank(&after, cell);
                let place = children.iter().take_while(|child| child.rank >= rank).count();
                children.insert(place, Child { node, hash, turned: !turned, known, rank });
                NOTHING_YET
            }
        }
    }

    /// Asks the table about all children, and returns the best bound of those that it settles.
    fn recall_all(&self, children: &mut [Child], target: i32) -> i32 {
        let mut best = NOTHING_YET;
        for child in children {
            self.recall(child);
            best = best.max(child.known.answer(target).unwrap_or(NOTHING_YET));
        }
        best
    }

    /// Searches the children that are not settled, in their order, until one reaches the target. Those that
    /// another thread is at are put off, except the most promising one.
    fn descend_in_order(&mut self, children: &mut [Child], target: i32) -> i32 {
        let mut best = NOTHING_YET;
        let mut put_off = ArrayVec::<&mut Child, 7>::new();
        for (place, child) in children.iter_mut().enumerate() {
            if place > 0 && self.is_being_searched(child) {
                put_off.push(child);
                continue;
            }
            best = best.max(self.look_into(child, target));
            if best >= target || self.halted {
                return best;
            }
        }
        for child in put_off {
            best = best.max(self.look_into(child, target));
            if best >= target || self.halted {
                break;
            }
        }
        best
    }

    /// The bound of a child for this target, from the table or by a search.
    fn look_into(&mut self, child: &mut Child, target: i32) -> i32 {
        if child.known.high < target {
            return child.known.high;
        }
        // Since the table was asked, the search of the siblings may have come across this child.
        self.recall(child);
        child.known.answer(target).unwrap_or_else(|| self.descend(child, target))
    }

    fn is_being_searched(&self, child: &Child) -> bool {
        self.others.is_some_and(|others| others.is_being_searched(&child.node, child.hash))
    }

    fn descend(&mut self, child: &Child, target: i32) -> i32 {
        let _marked = self.others.and_then(|others| others.mark(&child.node, child.hash));
        if child.turned {
            -self.search(&child.node, child.hash, child.known.negated(), 1 - target)
        } else {
            self.search(&child.node, child.hash, child.known, target)
        }
    }

    /// Adds what the table knows to what is known of a child.
    fn recall(&self, child: &mut Child) {
        if let Some(stored) = self.table.look_up(child.hash) {
            child.known = child.known.both(if child.turned { stored.negated() } else { stored });
        }
    }

    fn hash(&self, node: &Node) -> Hash {
        if self.mirrored && node.stones <= MOST_STONES_MIRRORED {
            Hash::of(node.key_of_either_image())
        } else {
            Hash::of(node.key())
        }
    }

    /// Notes the nodes since the last time.
    fn note(&mut self) {
        self.stop.note(self.nodes - self.noted);
        self.noted = self.nodes;
    }

    /// Looks whether to go on, and lets whoever waits see how far it has come.
    #[cold]
    fn look_around(&mut self) {
        self.note();
        let done = self.others.is_some_and(Busy::is_done);
        self.halted |= self.nodes >= self.most_nodes || done || self.stop.is_raised();
        self.next_look = self.most_nodes.min(self.nodes + NODES_BETWEEN_LOOKS);
    }
}

/// Plays forced moves until there is a choice, or until the question is answered.
#[inline]
fn settle(root: Node, mut target: i32) -> Settled {
    let mut node = root;
    let mut turned = false;
    loop {
        let replies = node.safe_moves();
        let known =
            if replies == 0 { Bounds::exactly(node.score_without_safe_moves()) } else { node.bounds() };
        let bound = known.answer(target).or_else(|| zugzwang::refute(&node, target));
        if let Some(bound) = bound {
            return Settled::Answered(if turned { -bound } else { bound });
        }
        if replies & (replies - 1) != 0 {
            return Settled::Open { node, turned, known: if turned { known.negated() } else { known } };
        }
        node = node.after(replies);
        (turned, target) = (!turned, 1 - target);
    }
}

/// How promising a move into `cell` is, which leads to `after`: the more threats it leaves the side that makes it,
/// then the nearer to the centre, then the higher up.
fn rank(after: &Node, cell: u64) -> u32 {
    let (index, row) = (cell.trailing_zeros() / COLUMN_BITS, cell.trailing_zeros() % COLUMN_BITS);
    let middle = u32::from(COLUMNS) / 2;
    (after.other_threats.count_ones() * (middle + 1) + middle - index.abs_diff(middle)) * COLUMN_BITS + row
}
