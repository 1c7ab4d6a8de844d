//! A tree or a graph for display: every position with its name and its label, every move with its name and
//! whether it is best. It does not depend on the game. Its formats are [`text`], [`svg`], Graphviz'
//! language and JSON.

mod data;
mod fold;
pub mod layout;
pub mod svg;
pub mod text;

use super::label::Named;
use super::label::{DisplayValue, Label};
use crate::game::Game;
use crate::game::any::Board;
use crate::search::graph::Graph;

/// A tree or a graph.
#[derive(Debug, Clone)]
pub struct Figure {
    /// The game as it is typed, or another title.
    pub title: String,
    /// Whether equal positions are merged.
    pub merged: bool,
    /// The positions; the first is the start.
    pub nodes: Vec<FigureNode>,
}

/// A position in a figure.
#[derive(Debug, Clone)]
pub struct FigureNode {
    /// The position on one line.
    pub name: String,
    /// Its board; `None` in an abstract tree.
    pub board: Option<Board>,
    /// The name of the side to move.
    pub side: &'static str,
    /// Its value.
    pub label: Label,
    /// Whether the game is over here.
    pub over: bool,
    /// Its level, 0 at the top. Moves lead further down, unless the figure has cycles.
    pub level: usize,
    /// Its moves, in their listed order.
    pub moves: Vec<Arrow>,
    /// The number of moves to positions that are not shown.
    pub hidden: u64,
}

/// A move in a figure.
#[derive(Debug, Clone)]
pub struct Arrow {
    /// The move as it is typed; empty if the name of the next position is enough.
    pub name: String,
    /// The index of the node that it leads to.
    pub to: usize,
    /// Whether it is one of the best moves; false if all moves are equally good.
    pub best: bool,
}

impl Figure {
    pub(super) fn new<G: Game>(
        names: &impl Named<G>,
        merged: bool,
        graph: &Graph<G>,
        labels: &[Label],
    ) -> Self {
        let levels = levels(graph);
        let nodes = graph.nodes().iter().zip(labels).zip(levels).map(|((place, &label), level)| {
            let moves = place.moves.iter().map(|&(mv, to)| (names.mv(&place.position, mv), to));
            let moves = mark(moves.collect(), labels);
            FigureNode {
                name: names.position(&place.position),
                board: names.board(&place.position),
                side: names.side(place.position.turn()),
                label,
                over: place.position.outcome().is_some(),
                level,
                hidden: place.position.move_count() - moves.len() as u64,
                moves,
            }
        });
        Self { title: names.title(), merged, nodes: nodes.collect() }
    }

    /// The greatest level.
    pub fn depth(&self) -> usize {
        self.nodes.iter().map(|node| node.level).max().unwrap_or(0)
    }

    /// Whether it is an abstract tree, whose values are numbers.
    pub fn has_numbers(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.label.value, DisplayValue::Number(_)))
    }

    /// The node that a move leads to.
    pub fn target(&self, arrow: &Arrow) -> &FigureNode {
        &self.nodes[arrow.to]
    }

    /// The name of the move, or else of the position that it leads to.
    pub fn arrow_name<'a>(&'a self, arrow: &'a Arrow) -> &'a str {
        if arrow.name.is_empty() { &self.target(arrow).name } else { &arrow.name }
    }
}

/// Marks the best moves of one position, unless all are equally good.
fn mark(moves: Vec<(String, usize)>, labels: &[Label]) -> Vec<Arrow> {
    let worth = |to: usize| labels[to].for_mover();
    let best = moves.iter().map(|&(_, to)| worth(to)).max();
    let all = moves.len() > 1 && moves.iter().all(|&(_, to)| Some(worth(to)) == best);
    let arrow = |(name, to)| Arrow { name, to, best: !all && Some(worth(to)) == best };
    moves.into_iter().map(arrow).collect()
}

/// The level of each position: one below its lowest parent, or, if the graph has cycles, the distance from
/// the start.
fn levels<G: Game>(graph: &Graph<G>) -> Vec<usize> {
    let Some(order) = graph.topological_order() else {
        return graph.nodes().iter().map(|place| place.depth as usize).collect();
    };
    let mut levels = vec![0; graph.nodes().len()];
    for at in order {
        for &(_, to) in &graph.nodes()[at].moves {
            levels[to] = levels[to].max(levels[at] + 1);
        }
    }
    levels
}
