//! The tree or the graph of a game with the value of every position, as a figure. A figure that is too
//! large is refused, with its size and what to try instead.

use super::explainer::listing_budget;
use super::figure::Figure;
use super::label::Named;
use super::label::{Label, of_known, of_points, of_value};
use super::{Stop, StudyError};
use crate::game::Game;
use crate::game::abstract_tree::AbstractTree;
use crate::game::any::{Board, Position};
use crate::search::count;
use crate::search::evaluation::{Even, NodeNumbers};
use crate::search::graph::{BuildError, Extent, Graph};
use crate::search::limits::GaveUp;
use crate::search::{Score, Solution};
use crate::study::words::thousands;

/// The options of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FigureOptions {
    /// The limit of moves below the start; `None` for no limit.
    pub depth: Option<u32>,
    /// Whether equal positions are merged.
    pub merged: bool,
    /// The limit of nodes; in a graph of positions and moves together.
    pub max_nodes: usize,
}

/// The tree or the graph of a game from a board on.
pub fn figure(board: &Board, options: FigureOptions, stop: &Stop) -> Result<Figure, StudyError> {
    let (variant, position) = (board.variant(), board.position());
    let solution = Solution::of(&position, listing_budget(&position), stop);
    let label = |position: &Position, (score, estimated): (Score, bool)| match solution.known(position) {
        Some(known) => of_known(position.turn(), known),
        None => of_value(position.turn(), (score.value(), estimated)),
    };
    let graph = Graph::build(&position, options.extent(), stop).map_err(|why| {
        let merged = FigureOptions { merged: true, ..options };
        let fits = || Graph::build(&position, merged.extent(), stop).is_ok();
        refusal(&variant.text(), why, options, |most| size(&position, most, stop), fits)
    })?;
    let found = graph.values::<Score>(&Even);
    let found = found.unwrap_or_else(|| vec![(Score::estimate(0), true); graph.nodes().len()]);
    let nodes = graph.nodes().iter().map(|node| &node.position).zip(found);
    let labels: Vec<Label> = nodes.map(|(position, found)| label(position, found)).collect();
    Ok(Figure::new(&variant, options.merged, &graph, &labels))
}

/// The figure of an abstract tree. Nodes at the limit of depth are estimated by their numbers.
pub fn abstract_figure(
    root: &AbstractTree,
    options: FigureOptions,
    stop: &Stop,
) -> Result<Figure, StudyError> {
    let options = FigureOptions { merged: false, ..options };
    let size = |most: &str| size_in_words(&root.size().to_string(), most);
    let tree = Graph::build(root, options.extent(), stop)
        .map_err(|why| refusal(&root.title(), why, options, size, || false))?;
    let turns = tree.nodes().iter().map(|node| node.position.turn());
    // A tree has no cycle.
    let found = tree.values(&NodeNumbers).into_iter().flatten();
    let labels: Vec<Label> = turns.zip(found).map(|(turn, found)| of_points(turn, found)).collect();
    Ok(Figure::new(root, false, &tree, &labels))
}

impl FigureOptions {
    fn extent(self) -> Extent {
        Extent { merged: self.merged, size: self.max_nodes, depth: self.depth.unwrap_or(u32::MAX) }
    }
}

/// Why a tree or a graph is not shown, and what to try: a smaller depth, or the graph of a tree if it
/// `fits`. `size` describes the whole tree, with the limit of nodes.
fn refusal(
    title: &str,
    why: BuildError,
    options: FigureOptions,
    size: impl Fn(&str) -> String,
    fits: impl Fn() -> bool,
) -> StudyError {
    let BuildError::TooLarge { fits: depth } = why else { return StudyError::stopped() };
    let most = thousands(&options.max_nodes.to_string());
    let size = match options.depth {
        _ if options.merged => {
            format!("more than {most} distinct positions and moves, which is the limit")
        }
        Some(depth) => {
            format!("more than {most} nodes down to depth {depth}, which is the limit")
        }
        None => size(&most),
    };
    let depth = if depth > 0 { format!("--depth {depth}, ") } else { String::new() };
    let graph = if !options.merged && fits() { "--graph, " } else { "" };
    let or = if depth.is_empty() && graph.is_empty() { "" } else { "or " };
    StudyError(format!("{title} has {size}: try {depth}{graph}{or}a later position with --at"))
}

/// The maximum number of digits in a sentence.
const MAX_DIGITS: usize = 45;

/// The size of a tree that is not shown, as far as it can be counted.
fn size(position: &Position, most: &str, stop: &Stop) -> String {
    match count::count(position, count::MAX_SIZE, stop).map(|count| count.tally.nodes.to_string()) {
        Ok(nodes) if nodes.len() <= MAX_DIGITS => size_in_words(&nodes, most),
        Err(GaveUp::Endless) => "an infinite tree, because moves can lead back to an earlier position".into(),
        _ => format!("a tree of more than {most} nodes, which is the limit"),
    }
}

fn size_in_words(nodes: &str, most: &str) -> String {
    format!("a tree of {} nodes, and the limit is {most}", thousands(nodes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::any::Variant;
    use crate::study::figure::FigureNode;

    fn shown(variant: &str, options: FigureOptions) -> Result<Figure, String> {
        let board = variant.parse::<Variant>().unwrap().start();
        figure(&board, options, &Stop::new()).map_err(|refusal| refusal.to_string())
    }

    fn values(figure: &Figure) -> Vec<String> {
        figure.nodes.iter().map(FigureNode::value_text).collect()
    }

    const WHOLE: FigureOptions = FigureOptions { depth: None, merged: false, max_nodes: 1_000 };

    #[test]
    fn the_top_of_a_large_tree_has_the_values_of_the_whole_game() {
        let top = shown("java-tech:21", FigureOptions { depth: Some(1), ..WHOLE }).unwrap();
        assert_eq!(values(&top)[0], "-1, lost in 11 moves");
        assert_eq!((top.nodes.len(), top.nodes[1].hidden), (4, 3));
    }

    #[test]
    fn a_refusal_tells_the_size_as_well_as_it_is_known() {
        for (variant, depth, part) in [
            (
                "pong-hau-ki",
                None,
                "has an infinite tree, because moves can lead back to an earlier position: try --",
            ),
            ("java-tech:1000", None, "has a tree of more than 1,000 nodes, which is the limit"),
            (
                "nim:2000",
                Some(1),
                "nodes down to depth 1, which is the limit: try a later position with --at",
            ),
        ] {
            let said = shown(variant, FigureOptions { depth, ..WHOLE }).unwrap_err();
            assert!(said.contains(part), "{said}");
        }
    }

    #[test]
    fn an_abstract_tree_that_is_cut_off_is_estimated_by_its_numbers() {
        let root: AbstractTree = "A\n B = 3\n  C = 9\n D = 4\n  E = 1\n".parse().unwrap();
        let top = abstract_figure(&root, FigureOptions { depth: Some(1), ..WHOLE }, &Stop::new()).unwrap();
        assert_eq!(values(&top), ["about 4, max to move", "about 3, min to move", "about 4, min to move"]);
        let whole = abstract_figure(&root, WHOLE, &Stop::new()).unwrap();
        assert_eq!(values(&whole)[0], "9, max to move");
    }
}
