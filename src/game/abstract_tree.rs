//! A game tree as textbooks draw it: nodes with names, and leaves with numbers. It is a [`Game`], so that the
//! same code searches it. Its text form is in [`text`].

mod text;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::{Game, Illegal, Outcome, Side};

/// The maximum number of nodes: more than anybody draws by hand.
pub const MAX_NODES: usize = 10_000;
/// The maximum depth in moves, so that recursion over a tree fits on the stack.
pub const MAX_DEPTH: usize = 200;
/// The largest number of a node; the smallest is its negative.
pub const MAX_NUMBER: i64 = 1_000_000_000;

/// A position: a node of a tree. The first side moves at the root and prefers large numbers.
#[derive(Clone)]
pub struct AbstractTree {
    nodes: Arc<[TreeNode]>,
    at: usize,
}

/// A node. The root is node 0.
#[derive(Debug)]
struct TreeNode {
    name: String,
    turn: Side,
    /// The value of a leaf to the first side. On an inner node, an estimate of its value.
    number: Option<i64>,
    children: Vec<usize>,
}

/// A move: to this child, counted from 0 at the left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChildIndex(pub usize);

impl AbstractTree {
    fn node(&self) -> &TreeNode {
        &self.nodes[self.at]
    }

    /// The node's name.
    pub fn name(&self) -> &str {
        &self.node().name
    }

    /// The number at the node: the value of a leaf to the first side, or an estimate at an inner node.
    pub fn number(&self) -> Option<i64> {
        self.node().number
    }

    /// The number of nodes in the whole tree.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }
}

impl Game for AbstractTree {
    type Move = ChildIndex;

    fn turn(&self) -> Side {
        self.node().turn
    }

    /// The sign of a leaf's number, for searches that compute only the winner.
    fn outcome(&self) -> Option<Outcome> {
        let node = self.node();
        let number = node.number.filter(|_| node.children.is_empty())?;
        Some(match number {
            0 => Outcome::Draw,
            1.. => Outcome::Win(Side::First),
            _ => Outcome::Win(Side::Second),
        })
    }

    fn moves(&self) -> impl Iterator<Item = ChildIndex> + '_ {
        (0..self.node().children.len()).map(ChildIndex)
    }

    fn move_count(&self) -> u64 {
        self.node().children.len() as u64
    }

    fn play(&self, mv: ChildIndex) -> Result<Self, Illegal> {
        match self.node().children.get(mv.0) {
            Some(&at) => Ok(Self { nodes: Arc::clone(&self.nodes), at }),
            None => Err(Illegal(format!("{} has {} children", self.name(), self.move_count()))),
        }
    }
}

impl PartialEq for AbstractTree {
    /// Two positions are equal only if they are the same node of the same tree.
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at && Arc::ptr_eq(&self.nodes, &other.nodes)
    }
}

impl Eq for AbstractTree {}

impl Hash for AbstractTree {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.at.hash(state);
    }
}

impl fmt::Debug for AbstractTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AbstractTree({} of {} nodes)", self.name(), self.size())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> AbstractTree {
        text.parse().unwrap()
    }

    #[test]
    fn the_sides_take_turns_and_the_sign_of_a_leaf_says_who_wins() {
        let root = tree("A\n B\n  C = 3\n  D = -3\n  E = 0\n");
        assert_eq!((root.turn(), root.outcome()), (Side::First, None));
        let b = root.play(ChildIndex(0)).unwrap();
        assert_eq!(b.turn(), Side::Second);
        let outcomes: Vec<_> = b.moves().map(|mv| b.play(mv).unwrap().outcome().unwrap()).collect();
        assert_eq!(outcomes, [Outcome::Win(Side::First), Outcome::Win(Side::Second), Outcome::Draw]);
    }

    #[test]
    fn a_node_is_equal_to_itself_alone() {
        let root = tree("A\n B = 1\n C = 1\n");
        let [b, c] = [0, 1].map(|at| root.play(ChildIndex(at)).unwrap());
        assert_eq!(b, root.play(ChildIndex(0)).unwrap());
        assert_ne!(b, c);
        assert_ne!(root, tree("A\n B = 1\n C = 1\n"));
    }

    #[test]
    fn a_branch_that_is_not_there_is_refused() {
        let root = tree("A\n B = 1\n");
        assert_eq!(root.play(ChildIndex(1)), Err(Illegal("A has 1 children".into())));
    }

    #[test]
    fn a_number_on_an_inner_node_is_an_estimate_and_not_an_outcome() {
        let root = tree("A = 7\n B = 1\n");
        assert_eq!((root.number(), root.outcome(), root.move_count()), (Some(7), None, 1));
    }
}
