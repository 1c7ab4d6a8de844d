//! A figure in the language of Graphviz, for whoever wants to lay it out with `dot`.

use std::fmt::Write;

use super::{Figure, Node};
use crate::game::Side;
use crate::search::Verdict;

impl Figure {
    /// The figure as a digraph: shapes and texts say what the worths are, thick arrows which moves are best.
    pub fn dot(&self) -> String {
        let mut dot = format!("digraph {} {{\n", quoted(&self.title));
        dot.push_str("  node [fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\"];\n");
        for (at, node) in self.nodes.iter().enumerate() {
            let label = quoted(&format!("{}\n{}", node.name, node.worth()));
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

fn shape(node: &Node) -> &'static str {
    match (node.label.verdict(), node.label.turn) {
        (Some(Verdict::Win), _) => "ellipse",
        (Some(Verdict::Draw), _) => "hexagon",
        (Some(Verdict::Loss), _) => "box",
        (None, Side::First) => "house",
        (None, Side::Second) => "invhouse",
    }
}

/// A text as Graphviz reads it: `\n` ends a line.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_ends_its_text() {
        assert_eq!(quoted("a\"b\\\nc"), r#""a\"b\\\nc""#);
    }
}
