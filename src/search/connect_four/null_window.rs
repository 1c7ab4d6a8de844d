//! The recursive null-window search: is the score of a position at least the target?

use std::cmp::Reverse;

use arrayvec::ArrayVec;

use super::bounds::ScoreBounds;
use super::key::{Key, Prospects};
use super::node::SolverNode;
use super::table::SolverTable;
use super::{fork, zugzwang};
use crate::game::connect_four::board::{COLUMN_BITS, COLUMNS, mirror};
use crate::search::Stop;

/// The nodes between two checks of the stop flag: about 0.3 ms.
const NODES_BETWEEN_CHECKS: u64 = 1 << 9;

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
    /// Of the position in the table, once it has been looked up.
    key: Key,
    /// Whether the side to move differs from that of the parent.
    turned: bool,
    /// What is known of its score, for the mover of the parent.
    known: ScoreBounds,
    /// Greater is searched earlier.
    rank: u32,
}

impl Child {
    /// A position with a choice, seen from the side to move, or from the other side if `turned`.
    #[inline]
    fn new(node: SolverNode, turned: bool, rank: u32) -> Self {
        let known = node.bounds();
        let known = if turned { known.negated() } else { known };
        Self { node, key: Key::default(), turned, known, rank }
    }

    /// Narrows the bounds by some for the side to move.
    fn narrow(&mut self, bounds: ScoreBounds) {
        self.known = self.known.intersection(if self.turned { bounds.negated() } else { bounds });
    }
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
        let mut node = *root;
        let mut only = match play_forced_moves(&mut node, target) {
            Forced::Answered(bound) => return Some(bound),
            Forced::Open { turned } => [Child::new(node, turned, 0)],
        };
        let mut bound = prove_all(&mut only, target);
        if bound == NOTHING_YET {
            bound = self.look_up_all(&mut only, target);
        }
        let [child] = only;
        if bound == NOTHING_YET {
            bound = self.search_child(&child, target);
        }
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
            best = best.max(expand(node, cell, target, &mut children));
            if best >= target {
                break;
            }
        }
        if best < target {
            children.sort_by_key(|child| Reverse(child.rank));
            best = best.max(prove_all(&mut children, target));
        }
        if best < target {
            best = best.max(self.look_up_all(&mut children, target));
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

    /// Looks up the undecided children in the table, until one reaches the target. Returns the best bound of
    /// those that this decides.
    fn look_up_all(&self, children: &mut [Child], target: i32) -> i32 {
        let mut best = NOTHING_YET;
        for child in children.iter_mut().filter(|child| child.known.high >= target) {
            let prospects = Prospects::of(&child.node);
            child.key = self.merged(prospects.key, &child.node);
            child.narrow(prospects.bounds());
            self.probe(child);
            best = best.max(child.known.answer(target).unwrap_or(NOTHING_YET));
            if best >= target {
                break;
            }
        }
        best
    }

    /// Searches the undecided children in order, until one reaches the target.
    fn search_children(&mut self, children: &mut [Child], target: i32) -> i32 {
        let mut best = NOTHING_YET;
        let before = self.nodes;
        for child in children {
            // The search of its siblings may have stored this child since the first look-up.
            if child.known.high >= target && self.nodes != before {
                self.probe(child);
            }
            best = best.max(child.known.answer(target).unwrap_or_else(|| self.search_child(child, target)));
            if best >= target || self.halted {
                break;
            }
        }
        best
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
            child.narrow(stored);
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

/// The result of playing forced moves.
enum Forced {
    /// A bound that decides whether the score reaches the target.
    Answered(i32),
    /// There is a choice; `turned` if the side to move differs from that at the start.
    Open { turned: bool },
}

/// Adds the position after a move to the children, or returns the bound that decides it.
#[inline]
fn expand(node: &SolverNode, cell: u64, target: i32, children: &mut ArrayVec<Child, 7>) -> i32 {
    let mut after = node.after(cell);
    let threats = after.other_threats;
    match play_forced_moves(&mut after, 1 - target) {
        Forced::Answered(bound) => -bound,
        Forced::Open { turned } => {
            let rank = rank(threats, cell);
            children.push(Child::new(after, !turned, rank));
            NOTHING_YET
        }
    }
}

/// Plays forced moves until there is a choice, or until a bound decides the target.
#[inline]
fn play_forced_moves(node: &mut SolverNode, mut target: i32) -> Forced {
    let mut turned = false;
    loop {
        let replies = node.safe_moves();
        let known =
            if replies == 0 { ScoreBounds::exactly(node.score_without_safe_moves()) } else { node.bounds() };
        let bound = known.answer(target).or_else(|| zugzwang::refute(node, target));
        if let Some(bound) = bound {
            return Forced::Answered(if turned { -bound } else { bound });
        }
        if replies & (replies - 1) != 0 {
            return Forced::Open { turned };
        }
        *node = node.after(replies);
        (turned, target) = (!turned, 1 - target);
    }
}

/// Looks for forks in the children, until one reaches the target. Returns the best bound of those that this
/// decides.
fn prove_all(children: &mut [Child], target: i32) -> i32 {
    let mut best = NOTHING_YET;
    for child in children {
        child.narrow(fork::bounds(&child.node, child.node.safe_moves()));
        best = best.max(child.known.answer(target).unwrap_or(NOTHING_YET));
        if best >= target {
            break;
        }
    }
    best
}

/// The rank of a move into `cell`: the number of threats that the side that moves has after it, then the
/// distance from the centre, then the height.
fn rank(threats: u64, cell: u64) -> u32 {
    let (index, row) = (cell.trailing_zeros() / COLUMN_BITS, cell.trailing_zeros() % COLUMN_BITS);
    let middle = u32::from(COLUMNS) / 2;
    (threats.count_ones() * (middle + 1) + middle - index.abs_diff(middle)) * COLUMN_BITS + row
}
