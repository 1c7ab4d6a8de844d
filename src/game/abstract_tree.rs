//! A tree without a game: nodes with names, and numbers at the ends, as textbooks draw them. It is a
//! [`Game`], so that the same code searches it. Its text form is in [`text`].

mod text;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::{Game, Illegal, Outcome, Side};

/// The limit of nodes: more than are drawn by hand.
pub const MAX_NODES: usize = 10_000;
/// The limit of moves from the root to an end, so that recursion over a tree fits on the stack.
pub const MAX_DEPTH: usize = 200;
/// The largest number; the least is its negative.
pub const MAX_NUMBER: i64 = 1_000_000_000;

/// A node of a tree, as the position that it stands for. The first side moves at the root and wants large
/// numbers.
#[derive(Clone)]
pub struct AbstractTree {
    nodes: Arc<[Node]>,
    at: usize,
}

/// One node. The root is node 0.
#[derive(Debug)]
struct Node {
    name: String,
    turn: Side,
    /// What an end is worth to the first side; on a node that has children, an estimate of that.
    number: Option<i64>,
    children: Vec<usize>,
}

/// A move: down to this child, counted from 0 on the left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Branch(pub usize);

impl AbstractTree {
    fn node(&self) -> &Node {
        &self.nodes[self.at]
    }

    /// The node's name.
    pub fn name(&self) -> &str {
        &self.node().name
    }

    /// The number that is written at the node: at an end what it is worth to the first side, elsewhere an
    /// estimate.
    pub fn number(&self) -> Option<i64> {
        self.node().number
    }

    /// How many nodes the whole tree has.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }
}

impl Game for AbstractTree {
    type Move = Branch;

    fn turn(&self) -> Side {
        self.node().turn
    }

    /// The sign of the number, for searches that ask only who wins.
    fn outcome(&self) -> Option<Outcome> {
        let node = self.node();
        let number = node.number.filter(|_| node.children.is_empty())?;
        Some(match number {
            0 => Outcome::Draw,
            1.. => Outcome::Win(Side::First),
            _ => Outcome::Win(Side::Second),
        })
    }

    fn moves(&self) -> impl Iterator<Item = Branch> + '_ {
        (0..self.node().children.len()).map(Branch)
    }

    fn move_count(&self) -> u64 {
        self.node().children.len() as u64
    }

    fn play(&self, mv: Branch) -> Result<Self, Illegal> {
        match self.node().children.get(mv.0) {
            Some(&at) => Ok(Self { nodes: Arc::clone(&self.nodes), at }),
            None => Err(Illegal(format!("{} has {} children", self.name(), self.move_count()))),
        }
    }
}

impl PartialEq for AbstractTree {
    /// Two nodes are the same position only if they are the same node of the same tree.
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
    fn the_sides_take_turns_and_the_sign_of_an_end_says_who_wins() {
        let root = tree("A\n B\n  C = 3\n  D = -3\n  E = 0\n");
        assert_eq!((root.turn(), root.outcome()), (Side::First, None));
        let b = root.play(Branch(0)).unwrap();
        assert_eq!(b.turn(), Side::Second);
        let outcomes: Vec<_> = b.moves().map(|mv| b.play(mv).unwrap().outcome().unwrap()).collect();
        assert_eq!(outcomes, [Outcome::Win(Side::First), Outcome::Win(Side::Second), Outcome::Draw]);
    }

    #[test]
    fn a_node_is_equal_to_itself_alone() {
        let root = tree("A\n B = 1\n C = 1\n");
        let [b, c] = [0, 1].map(|at| root.play(Branch(at)).unwrap());
        assert_eq!(b, root.play(Branch(0)).unwrap());
        assert_ne!(b, c);
        assert_ne!(root, tree("A\n B = 1\n C = 1\n"));
    }

    #[test]
    fn a_branch_that_is_not_there_is_refused() {
        let root = tree("A\n B = 1\n");
        assert_eq!(root.play(Branch(1)), Err(Illegal("A has 1 children".into())));
    }

    #[test]
    fn a_number_on_an_inner_node_is_an_estimate_and_no_end() {
        let root = tree("A = 7\n B = 1\n");
        assert_eq!((root.number(), root.outcome(), root.move_count()), (Some(7), None, 1));
    }
}
