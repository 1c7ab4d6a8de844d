//! A figure as lines of text that can be read aloud: the level first, then the move, the position and its
//! value.

use std::fmt::Write;

use super::{Figure, FigureNode};
use crate::game::any::{Board, Variant};
use crate::study::StudyError;
use crate::study::words::{bare, count_moves, participle};

/// The order of the nodes of a tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum TextOrder {
    /// A position, then everything below it.
    #[default]
    Pre,
    /// Everything below the first move, the position, everything below the second move: for positions with
    /// at most two moves.
    In,
}

impl Figure {
    /// The figure as text, a line for each node.
    ///
    /// Refused if a position has too many moves for the order.
    pub fn text(&self, order: TextOrder) -> Result<String, StudyError> {
        let mut text = self.heading();
        if self.merged {
            let mut nodes: Vec<&FigureNode> = self.nodes.iter().collect();
            nodes.sort_by_key(|node| node.level);
            for node in nodes {
                let moves: Vec<String> = node.moves.iter().map(|arrow| self.move_text(arrow)).collect();
                line(&mut text, &format!("{}: {}", node.level, named(node)), node, &moves.join("; "));
            }
            return Ok(text);
        }
        for (at, by) in self.in_order(order)? {
            let node = &self.nodes[at];
            let indent = "  ".repeat(node.level);
            line(&mut text, &format!("{indent}{}: {}", node.level, place(node, by)), node, &self.best(node));
        }
        Ok(text)
    }

    fn heading(&self) -> String {
        let start = self.nodes.first().map_or("", |node| &node.name);
        let size = self.nodes.len();
        let what = match (self.merged, self.has_numbers()) {
            (true, _) => format!("{} from {start}: {size} distinct positions", self.title),
            (false, true) => format!("{}: {size} nodes", self.title),
            (false, false) => format!("{} from {start}: {size} nodes", self.title),
        };
        let numbers = if self.has_numbers() {
            "Max moves first and wants large numbers, min wants small ones."
        } else {
            "The number is for the side that moves first in the game: +1 it wins, 0 a draw, -1 it loses.\n\
             Won, drawn and lost are for the side to move. Moves of both sides are counted."
        };
        let levels = match self.depth() {
            1 => "1 level".into(),
            levels => format!("{levels} levels"),
        };
        format!("{what}, {levels} below the start.\n{numbers}\nEvery line begins with its level.\n\n")
    }

    /// All nodes in this order, each with the move that leads to it.
    fn in_order(&self, order: TextOrder) -> Result<Vec<(usize, Option<&str>)>, StudyError> {
        let mut visited = Vec::with_capacity(self.nodes.len());
        // Each item of the stack is a node with everything below it, or the node alone.
        let mut stack = vec![(0, None, false)];
        while let Some((at, by, alone)) = stack.pop() {
            let node = &self.nodes[at];
            if alone || node.moves.is_empty() {
                visited.push((at, by));
                continue;
            }
            let mut below: Vec<_> =
                node.moves.iter().map(|arrow| (arrow.to, Some(arrow.name.as_str()), false)).collect();
            match order {
                TextOrder::Pre => below.insert(0, (at, by, true)),
                TextOrder::In if below.len() > 2 => return Err(too_many(node)),
                TextOrder::In => below.insert(1, (at, by, true)),
            }
            stack.extend(below.into_iter().rev());
        }
        Ok(visited)
    }

    /// `take 3 leaves 1, second to move`, and whether it is best.
    fn move_text(&self, arrow: &super::Arrow) -> String {
        let best = if arrow.best { " (best)" } else { "" };
        format!("{}{best}", place(self.target(arrow), Some(&arrow.name)))
    }

    /// The best moves in words.
    fn best(&self, node: &FigureNode) -> String {
        let best: Vec<&str> =
            node.moves.iter().filter(|arrow| arrow.best).map(|arrow| self.arrow_name(arrow)).collect();
        match (best.as_slice(), node.moves.len()) {
            ([], 0 | 1) => String::new(),
            ([], _) => "all moves are equally good".into(),
            (best, _) => format!("best {}", best.join(", ")),
        }
    }
}

/// `take 3 leaves 1, second to move`, or the position alone.
fn place(node: &FigureNode, by: Option<&str>) -> String {
    match by {
        Some(mv) if !mv.is_empty() => format!("{} {} {}", bare(mv), leads(node), named(node)),
        _ => named(node),
    }
}

/// `1, second to move`: the position and, if its name has it, the side to move.
fn named(node: &FigureNode) -> String {
    match node.name.strip_suffix(node.side).and_then(|place| place.strip_suffix(' ')) {
        Some(place) => format!("{place}, {} to move", node.side),
        None => node.name.clone(),
    }
}

/// What a move does that leads to this position.
fn leads(node: &FigureNode) -> &'static str {
    match node.board.as_ref().map(Board::variant) {
        Some(Variant::Nim(variant)) if variant.counts_to().is_some() => "makes",
        Some(Variant::Nim(_) | Variant::EvenOrOdd(_)) => "leaves",
        _ => "leads to",
    }
}

fn too_many(node: &FigureNode) -> StudyError {
    StudyError(format!(
        "in-order needs at most two moves in every position, and {} has {}: try --order pre",
        node.name,
        node.moves.len()
    ))
}

fn line(text: &mut String, place: &str, node: &FigureNode, moves: &str) {
    let mut parts = vec![node.value_text()];
    if !moves.is_empty() {
        parts.push(moves.to_owned());
    }
    if node.hidden > 0 {
        parts.push(format!("{} {} not shown", node.hidden, if node.hidden == 1 { "move" } else { "moves" }));
    }
    // Writing to a string does not fail.
    let _ = writeln!(text, "{place}: {}", parts.join("; "));
}

impl FigureNode {
    /// The value in words: `+1, won in 5 moves`; for a tree of numbers `10, max to move`.
    pub fn value_text(&self) -> String {
        let about = if self.label.certain { "" } else { "about " };
        let number = format!("{about}{}", self.label.number_text());
        match (self.label.verdict(), self.label.plies(), self.over) {
            (None, _, true) => number,
            (None, _, false) => format!("{number}, {} to move", self.side),
            (Some(_), ..) if !self.label.certain => format!("{number}, not searched to the end"),
            (Some(verdict), _, true) => format!("{number}, {}, the game is over", participle(verdict)),
            (Some(verdict), Some(plies), _) => {
                format!("{number}, {} in {}", participle(verdict), count_moves(plies))
            }
            (Some(verdict), None, _) => format!("{number}, {}", participle(verdict)),
        }
    }
}
