//! Several threads at one question: they share the table, and each keeps away from what another one is at.
//! It knows when a question is answered, and not which one to ask.
//!
//! Every thread walks the whole tree, as in ABDADA (Jean-Christophe Weill, 1996), with the current moves in a list
//! of their own (Tom Kerrigan's simplified form): a thread that comes to a position where another one
//! is at work takes its siblings first, and finds the result in the table when it comes back.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;

use super::node::Node;
use super::table::{Hash, Table};
use super::tree::Tree;
use crate::search::Stop;

/// How many positions can be marked at a time; a few threads have at most some dozen each.
const MARKS: usize = 1 << 10;

/// Positions with more stones are not worth a mark: another thread would be done with them at once.
const MOST_STONES_MARKED: i32 = 26;

/// What the threads tell each other: which positions are being searched, and whether one of them is done.
///
/// A mark can be lost where two positions share a place, and then both threads do the same work: that costs time, and
/// no result depends on it.
#[derive(Debug)]
pub(super) struct Busy {
    marks: Box<[AtomicU64]>,
    answered: AtomicBool,
}

/// Takes its mark away when it is dropped.
pub(super) struct Mark<'a>(&'a AtomicU64);

impl Drop for Mark<'_> {
    fn drop(&mut self) {
        self.0.store(Hash::NONE, Relaxed);
    }
}

impl Busy {
    fn new() -> Self {
        let marks = (0..MARKS).map(|_| AtomicU64::new(Hash::NONE)).collect();
        Self { marks, answered: AtomicBool::new(false) }
    }

    fn place(&self, hash: Hash) -> &AtomicU64 {
        &self.marks[hash.index(MARKS)]
    }

    /// Whether a thread has ended its search, so that the others need not go on.
    pub(super) fn is_done(&self) -> bool {
        self.answered.load(Relaxed)
    }

    pub(super) fn is_being_searched(&self, node: &Node, hash: Hash) -> bool {
        node.stones <= MOST_STONES_MARKED && self.place(hash).load(Relaxed) == hash.number()
    }

    /// Marks a position for as long as the returned value lives, if it is worth that.
    pub(super) fn mark(&self, node: &Node, hash: Hash) -> Option<Mark<'_>> {
        (node.stones <= MOST_STONES_MARKED).then(|| {
            let place = self.place(hash);
            place.store(hash.number(), Relaxed);
            Mark(place)
        })
    }
}

/// As [`Tree::ask`], by so many threads together, and how many nodes they searched.
pub(super) fn ask(
    table: &Table,
    stop: &Stop,
    most_nodes: u64,
    threads: u64,
    root: &Node,
    target: i32,
) -> (Option<i32>, u64) {
    let busy = Busy::new();
    let work = || {
        let mut tree = Tree::new(table, stop, most_nodes / threads).beside(&busy);
        let answer = tree.ask(root, target);
        busy.answered.store(true, Relaxed);
        (answer, tree.nodes())
    };
    let results: Vec<(Option<i32>, u64)> = thread::scope(|scope| {
        // A thread that the system refuses to start is done without.
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let others: Vec<_> = (1..threads).filter_map(start).collect();
        let own = work();
        others.into_iter().filter_map(|other| other.join().ok()).chain([own]).collect()
    });
    (results.iter().find_map(|(answer, _)| *answer), results.iter().map(|(_, nodes)| nodes).sum())
}
