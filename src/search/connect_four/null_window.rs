//! The recursive null-window search: is the score of a position at least the target?

use arrayvec::ArrayVec;

use super::bounds::ScoreBounds;
use super::key::{Key, Prospects};
use super::node::SolverNode;
use super::table::SolverTable;
use super::{fork, zugzwang};
use crate::game::connect_four::board::{COLUMN_BITS, COLUMNS, mirror};
use crate::search::Stop;

/// The nodes between two checks of the stop flag: about 0.2 ms.
const NODES_BETWEEN_CHECKS: u64 = 1 << 10;

/// Up to this number of stones, a position and its mirror image are merged where both can arise.
const MOST_STONES_MIRRORED: i32 = 20;

/// Below every score.
const NOTHING_YET: i32 = -99;

/// A null-window search.
pub(super) struct NullWindowSearch<'a> {
    table: &'a mut SolverTable,
    /// Stops the search, and counts its nodes.
    stop: &'a Stop,
    /// Whether a position and its mirror image can both arise.
    mirrored: bool,
    /// Calls of [`NullWindowSearch::search`].
    nodes: u64,
    most_nodes: u64,
    /// The nodes that are in the count of `stop`.
    reported: u64,
    /// The number of nodes at the next check of the flag.
    next_check: u64,
    halted: bool,
}

/// A position with at least two safe moves, seen from its parent.
struct Child {
    node: SolverNode,
    key: Key,
    /// Whether the side to move differs from that of the parent.
    turned: bool,
    /// What is known of its score, for the mover of the parent.
    known: ScoreBounds,
    /// Greater is searched earlier.
    rank: u32,
}

/// The result of playing forced moves.
enum Forced {
    /// A bound that decides whether the score reaches the target.
    Answered(i32),
    /// The next position with a choice; `turned` if the side to move differs.
    Open { node: SolverNode, key: Key, turned: bool, known: ScoreBounds },
}

impl<'a> NullWindowSearch<'a> {
    pub(super) fn new(table: &'a mut SolverTable, stop: &'a Stop, most_nodes: u64) -> Self {
        Self {
            table,
            stop,
            mirrored: false,
            nodes: 0,
            most_nodes,
            reported: 0,
            next_check: most_nodes.min(NODES_BETWEEN_CHECKS),
            halted: false,
        }
    }

    /// The number of nodes: calls of the recursive function.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// A bound that decides whether the score of `root` is at least `target`: a lower bound if it is
    /// `target` or more, else an upper bound. `None` if the search was halted.
    pub(super) fn ask(&mut self, root: &SolverNode, target: i32) -> Option<i32> {
        self.mirrored = root.mover & mirror(root.other) == 0;
        let mut child = match play_forced_moves(*root, target) {
            Forced::Answered(bound) => return Some(bound),
            Forced::Open { node, key, turned, known } => {
                Child { node, key: self.merged(key, &node), turned, known, rank: 0 }
            }
        };
        self.probe(&mut child);
        let bound = child.known.answer(target).unwrap_or_else(|| self.search_child(&child, target));
        self.report_nodes();
        (!self.halted).then_some(bound)
    }

    /// As [`NullWindowSearch::ask`], for a node with at least two safe moves that the table does not
    /// decide. Once `halted` is set, the result is meaningless.
    fn search(&mut self, node: &SolverNode, key: Key, known: ScoreBounds, target: i32) -> i32 {
        self.nodes += 1;
        if self.nodes >= self.next_check {
            self.check_limits();
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
            best = best.max(self.probe_all(&mut children, target));
        }
        if best < target {
            best = best.max(self.search_children(&mut children, target));
        }
        if !self.halted {
            let effort = (self.nodes - before + 1).ilog2();
            self.table.store(key, known.narrowed(best, target), effort);
        }
        best
    }

    /// Inserts the position after a move into the children by rank, or returns the bound that decides it.
    #[inline]
    fn expand(&self, node: &SolverNode, cell: u64, target: i32, children: &mut ArrayVec<Child, 7>) -> i32 {
        let after = node.after(cell);
        match play_forced_moves(after, 1 - target) {
            Forced::Answered(bound) => -bound,
            Forced::Open { node, key, turned, known } => {
                let known = known.negated();
                let key = self.merged(key, &node);
                let rank = rank(&after, cell);
                let place = children.iter().take_while(|child| child.rank >= rank).count();
                children.insert(place, Child { node, key, turned: !turned, known, rank });
                NOTHING_YET
            }
        }
    }

    /// Looks up all children in the table. Returns the best bound of those that it decides.
    fn probe_all(&self, children: &mut [Child], target: i32) -> i32 {
        let mut best = NOTHING_YET;
        for child in children {
            self.probe(child);
            best = best.max(child.known.answer(target).unwrap_or(NOTHING_YET));
        }
        best
    }

    /// Searches the undecided children in order, until one reaches the target.
    fn search_children(&mut self, children: &mut [Child], target: i32) -> i32 {
        let mut best = NOTHING_YET;
        for child in children {
            best = best.max(self.probe_or_search(child, target));
            if best >= target || self.halted {
                break;
            }
        }
        best
    }

    /// The bound of a child for this target, from the table or by a search.
    fn probe_or_search(&mut self, child: &mut Child, target: i32) -> i32 {
        if child.known.high < target {
            return child.known.high;
        }
        // The search of its siblings may have stored this child since the first look-up.
        self.probe(child);
        child.known.answer(target).unwrap_or_else(|| self.search_child(child, target))
    }

    fn search_child(&mut self, child: &Child, target: i32) -> i32 {
        if child.turned {
            -self.search(&child.node, child.key, child.known.negated(), 1 - target)
        } else {
            self.search(&child.node, child.key, child.known, target)
        }
    }

    /// Narrows the bounds of a child by those in the table.
    fn probe(&self, child: &mut Child) {
        if let Some(stored) = self.table.look_up(child.key) {
            child.known = child.known.intersection(if child.turned { stored.negated() } else { stored });
        }
    }

    /// The key of a node, or the common one of the node and its mirror image where both can arise.
    fn merged(&self, key: Key, node: &SolverNode) -> Key {
        if self.mirrored && node.stones <= MOST_STONES_MIRRORED { key.of_either_image() } else { key }
    }

    /// Adds the new nodes to the count of `stop`.
    fn report_nodes(&mut self) {
        self.stop.add_nodes(self.nodes - self.reported);
        self.reported = self.nodes;
    }

    /// Reports the nodes, and halts the search if it has reached its limit or was stopped.
    #[cold]
    fn check_limits(&mut self) {
        self.report_nodes();
        self.halted |= self.nodes >= self.most_nodes || self.stop.is_raised();
        self.next_check = self.most_nodes.min(self.nodes + NODES_BETWEEN_CHECKS);
    }
}

/// Plays forced moves until there is a choice, or until a bound decides the target.
#[inline]
fn play_forced_moves(root: SolverNode, mut target: i32) -> Forced {
    let mut node = root;
    let mut turned = false;
    loop {
        let replies = node.safe_moves();
        let known =
            if replies == 0 { ScoreBounds::exactly(node.score_without_safe_moves()) } else { node.bounds() };
        let bound = known.answer(target).or_else(|| zugzwang::refute(&node, target));
        if let Some(bound) = bound {
            return Forced::Answered(if turned { -bound } else { bound });
        }
        if replies & (replies - 1) != 0 {
            return with_choice(node, replies, turned, target);
        }
        node = node.after(replies);
        (turned, target) = (!turned, 1 - target);
    }
}

/// The result at a node with several safe moves, `replies`, for its mover's `target`.
#[inline]
fn with_choice(node: SolverNode, replies: u64, turned: bool, target: i32) -> Forced {
    let for_root = |bounds: ScoreBounds| if turned { bounds.negated() } else { bounds };
    let bounds = fork::bounds(&node, replies);
    if let Some(bound) = bounds.answer(target) {
        return Forced::Answered(if turned { -bound } else { bound });
    }
    let prospects = Prospects::of(&node);
    let known = bounds.intersection(prospects.bounds());
    match known.answer(target) {
        Some(bound) => Forced::Answered(if turned { -bound } else { bound }),
        None => Forced::Open { node, key: prospects.key, turned, known: for_root(known) },
    }
}

/// The rank of a move into `cell`, which leads to `after`: the number of threats of the side that moves,
/// then the distance from the centre, then the height.
fn rank(after: &SolverNode, cell: u64) -> u32 {
    let (index, row) = (cell.trailing_zeros() / COLUMN_BITS, cell.trailing_zeros() % COLUMN_BITS);
    let middle = u32::from(COLUMNS) / 2;
    (after.other_threats.count_ones() * (middle + 1) + middle - index.abs_diff(middle)) * COLUMN_BITS + row
}
