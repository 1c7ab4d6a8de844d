//! A figure for other programs: in the language of Graphviz, for `dot`, and as one JSON object.

use std::fmt::Write;

use serde::Serialize;

use super::{Figure, FigureNode};
use crate::game::Side;
use crate::study::words::verdict;

impl Figure {
    /// The figure as a digraph: shapes and texts show the values, thick arrows the best moves.
    pub fn dot(&self) -> String {
        let mut dot = format!("digraph {} {{\n", quoted(&self.title));
        dot.push_str("  node [fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\"];\n");
        for (at, node) in self.nodes.iter().enumerate() {
            let label = quoted(&format!("{}\n{}", node.name, node.value_text()));
            // Writing to a string does not fail.
            let _ = writeln!(dot, "  n{at} [shape={}, label={label}];", shape(node));
        }
        for (at, node) in self.nodes.iter().enumerate() {
            for arrow in &node.moves {
                let style = if arrow.best { ", style=bold, penwidth=3" } else { "" };
                let _ = writeln!(dot, "  n{at} -> n{} [label={}{style}];", arrow.to, quoted(&arrow.name));
            }
        }
        dot.push_str("}\n");
        dot
    }
}

/// The shape shows who wins, as the number does, or whose move it is in a tree of numbers.
fn shape(node: &FigureNode) -> &'static str {
    match (node.label.verdict(), node.label.number(), node.label.turn) {
        (None, ..) if node.over => "box",
        (None, _, Side::First) => "house",
        (None, _, Side::Second) => "invhouse",
        (_, 1.., _) => "ellipse",
        (_, 0, _) => "hexagon",
        _ => "box",
    }
}

/// Quotes a text for Graphviz, where `\n` ends a line.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[derive(Serialize)]
struct NodeEntry<'a> {
    id: usize,
    position: &'a str,
    to_move: &'static str,
    over: bool,
    level: usize,
    /// For the first side.
    value: i64,
    exact: bool,
    /// For the side to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves_to_end: Option<u32>,
    moves: Vec<MoveEntry<'a>>,
    /// A string, since a position may have more moves than JSON numbers hold exactly.
    hidden_moves: String,
}

#[derive(Serialize)]
struct MoveEntry<'a> {
    #[serde(rename = "move", skip_serializing_if = "str::is_empty")]
    mv: &'a str,
    to: usize,
    best: bool,
}

impl Figure {
    /// The figure as JSON, with a line for each of its nodes.
    pub fn json(&self) -> String {
        let nodes: Vec<String> =
            self.nodes.iter().enumerate().map(|(id, node)| line(&entry(id, node))).collect();
        let kind = if self.merged { "graph" } else { "tree" };
        let (title, nodes) = (line(&self.title), nodes.join(",\n"));
        format!("{{\"title\":{title},\"kind\":\"{kind}\",\"nodes\":[\n{nodes}\n]}}\n")
    }
}

fn line(value: &impl Serialize) -> String {
    // Strings, numbers and booleans always serialize.
    serde_json::to_string(value).unwrap_or_default()
}

fn entry(id: usize, node: &FigureNode) -> NodeEntry<'_> {
    NodeEntry {
        id,
        position: &node.name,
        to_move: node.side,
        over: node.over,
        level: node.level,
        value: node.label.number(),
        exact: node.label.certain,
        result: node.label.verdict().map(verdict),
        moves_to_end: node.label.plies(),
        moves: node
            .moves
            .iter()
            .map(|arrow| MoveEntry { mv: &arrow.name, to: arrow.to, best: arrow.best })
            .collect(),
        hidden_moves: node.hidden.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_in_names_are_escaped() {
        assert_eq!(quoted("a\"b\\\nc"), r#""a\"b\\\nc""#);
    }
}
