//! A figure as one JSON object, for programs. Nodes are numbered by their place in the list; the first is the start.

use serde::Serialize;

use super::{Figure, Node};
use crate::study::label::participle;

#[derive(Serialize)]
struct Entry<'a> {
    id: usize,
    position: &'a str,
    to_move: &'static str,
    over: bool,
    level: usize,
    /// For the first side.
    value: i64,
    certain: bool,
    /// For the side to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plies: Option<u32>,
    moves: Vec<Way<'a>>,
    hidden_moves: u64,
}

#[derive(Serialize)]
struct Way<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'a str,
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
    // Strings, numbers and truths can always be written.
    serde_json::to_string(value).unwrap_or_default()
}

fn entry(id: usize, node: &Node) -> Entry<'_> {
    Entry {
        id,
        position: &node.name,
        to_move: node.side,
        over: node.over,
        level: node.level,
        value: node.label.number(),
        certain: node.label.certain,
        result: node.label.verdict().map(participle),
        plies: node.label.plies(),
        moves: node
            .moves
            .iter()
            .map(|arrow| Way { name: &arrow.name, to: arrow.to, best: arrow.best })
            .collect(),
        hidden_moves: node.hidden,
    }
}
