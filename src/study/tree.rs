//! The tree of a game with the worth of every position: what a figure shows, put together from what the search knows.
//! A tree that is too large is refused, with its size and with what to try.

use super::figure::Figure;
use super::label::{Label, of_known, of_points, of_value};
use super::named::Named;
use super::{Refusal, Stop};
use crate::game::Game;
use crate::game::abstract_tree::AbstractTree;
use crate::game::any::{Board, Position};
use crate::search::budget::GaveUp;
use crate::search::evaluation::{Even, Written};
use crate::search::graph::{self, Graph};
use crate::search::tree::{self, TooLarge, Tree};
use crate::search::{self, Solution, Value, count};
use crate::study::count::thousands;

/// What is to be shown of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// The most plies below the start; `None` for all there are.
    pub depth: Option<u32>,
    /// Whether equal positions are to be one.
    pub merged: bool,
    /// The most nodes; in a graph the most positions and moves together.
    pub most: usize,
}

/// The tree or the graph of a game from a board on.
pub fn figure(board: &Board, wanted: Wanted, stop: &Stop) -> Result<Figure, Refusal> {
    let (variant, position) = (board.variant(), board.position());
    let solution = Solution::of(&position, search::WHOLE_GAME, stop);
    let label = |position: &Position, (value, estimated): (Value, bool)| match solution.known(position) {
        Some(known) => of_known(position.turn(), known),
        None => of_value(position.turn(), (value, estimated)),
    };
    if wanted.merged {
        let graph = build_graph(&variant, &position, wanted, stop)?;
        let found = graph.worths::<Value>(&Even);
        let found = found.unwrap_or_else(|| vec![(Value::Draw, true); graph.places().len()]);
        let places = graph.places().iter().map(|place| &place.position);
        let labels: Vec<Label> = places.zip(found).map(|(position, found)| label(position, found)).collect();
        return Ok(Figure::of_graph(&variant, &graph, &labels));
    }
    let tree = build_tree(&variant, &position, wanted, stop, || size(&position, stop))?;
    let nodes = tree.nodes().iter().map(|node| &node.position).zip(tree.worths::<Value>(&Even));
    let labels: Vec<Label> = nodes.map(|(position, found)| label(position, found)).collect();
    Ok(Figure::of_tree(&variant, &tree, &labels))
}

/// The figure of an abstract tree; one that is cut off is estimated by the numbers at its inner nodes.
pub fn abstract_figure(root: &AbstractTree, wanted: Wanted, stop: &Stop) -> Result<Figure, Refusal> {
    let size = || Some(root.size().to_string());
    let tree = build_tree(root, root, wanted, stop, size)?;
    let nodes = tree.nodes().iter().map(|node| node.position.turn()).zip(tree.worths(&Written));
    let labels: Vec<Label> = nodes.map(|(turn, found)| of_points(turn, found)).collect();
    Ok(Figure::of_tree(root, &tree, &labels))
}

fn build_tree<G: Game>(
    names: &impl Named<G>,
    root: &G,
    wanted: Wanted,
    stop: &Stop,
    size: impl Fn() -> Option<String>,
) -> Result<Tree<G>, Refusal> {
    let bounds = tree::Bounds { nodes: wanted.most, depth: wanted.depth.unwrap_or(u32::MAX) };
    Tree::build(root, bounds, stop).map_err(|why| match why {
        TooLarge::Stopped => Refusal::stopped(),
        TooLarge::Fits(depth) => {
            let whole = if wanted.depth.is_none() { size() } else { None };
            too_large(&names.title(), whole, wanted, depth)
        }
    })
}

/// The size of the whole tree in digits, if it can be counted.
fn size(position: &Position, stop: &Stop) -> Option<String> {
    let count = count::count(position, stop).ok()?;
    Some(thousands(&count.tally.nodes.to_string())).filter(|digits| digits.len() <= MAX_DIGITS)
}

/// The most digits of a size that are told in a sentence.
const MAX_DIGITS: usize = 60;

fn too_large(title: &str, size: Option<String>, wanted: Wanted, fits: u32) -> Refusal {
    let most = thousands(&wanted.most.to_string());
    let size = match (size, wanted.depth) {
        (Some(size), _) => format!("has a tree of {size} nodes, and {most} is the most that is shown"),
        (None, Some(depth)) => {
            format!(
                "has a tree of more than {most} nodes down to depth {depth}, which is the most that is shown"
            )
        }
        (None, None) => format!("has a tree of more than {most} nodes, which is the most that is shown"),
    };
    let depth = if fits > 0 { format!("--depth {fits}, ") } else { String::new() };
    Refusal(format!("{title} {size}: try {depth}--graph, or a later position with --at"))
}

fn build_graph(
    names: &impl Named<Position>,
    start: &Position,
    wanted: Wanted,
    stop: &Stop,
) -> Result<Graph<Position>, Refusal> {
    let bounds = graph::Bounds { size: wanted.most, depth: wanted.depth.unwrap_or(u32::MAX) };
    Graph::build(start, bounds, stop).map_err(|why| match why {
        GaveUp::Stopped => Refusal::stopped(),
        GaveUp::TooLarge => Refusal(format!(
            "{} has more than {} distinct positions and moves, which is the most that is shown: try a smaller --depth, \
             or a later position with --at",
            names.title(),
            thousands(&wanted.most.to_string())
        )),
    })
}
