//! The text form of a tree: a line for each node, with its children indented below it.
//!
//! ```text
//! # The first side moves at the root and prefers large numbers.
//! A
//!   B = 6        the number of an inner node is an estimate
//!     D = 10     a leaf has a number
//!     E = 14
//!   C = 2
//! ```
//!
//! Empty lines, and everything after a `#`, are ignored. A name has up to 20 characters and is unique.

use std::collections::HashSet;
use std::str::FromStr;

use super::{AbstractTree, MAX_DEPTH, MAX_NODES, MAX_NUMBER, TreeNode};
use crate::game::Side;
use crate::game::notation::{BadText, shown};

/// The maximum length of a name in characters, which has to fit into a drawn node.
const MAX_NAME: usize = 20;

impl FromStr for AbstractTree {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        let mut reader = TreeParser::default();
        for (number, line) in (1..).zip(text.lines()) {
            let content = line.split('#').next().unwrap_or_default().trim_end();
            if !content.trim_start().is_empty() {
                reader
                    .line(content)
                    .map_err(|complaint| BadText(format!("line {number} of the tree: {complaint}")))?;
            }
        }
        reader.finish()
    }
}

/// The nodes read so far, and the path from the root to the last one.
#[derive(Default)]
struct TreeParser {
    nodes: Vec<TreeNode>,
    names: HashSet<String>,
    /// The nodes on the path with their indentation, the root first.
    path: Vec<(usize, usize)>,
}

impl TreeParser {
    fn line(&mut self, content: &str) -> Result<(), String> {
        let text = content.trim_start_matches(' ');
        if text.starts_with(char::is_whitespace) {
            return Err("indent with spaces only".into());
        }
        let parent = self.parent(content.len() - text.len())?;
        let (name, number) = node(text)?;
        if !self.names.insert(name.clone()) {
            return Err(format!("the name {} is used twice", shown(&name)));
        }
        if self.nodes.len() == MAX_NODES {
            return Err(format!("a tree has at most {MAX_NODES} nodes"));
        }
        self.add(parent, name, number);
        Ok(())
    }

    /// The parent of a node with this indentation. Removes nodes from the path that are not its ancestors.
    fn parent(&mut self, indent: usize) -> Result<Option<usize>, String> {
        let mut sibling = None;
        while let Some(&(_, above)) = self.path.last()
            && above >= indent
        {
            sibling = Some(above);
            self.path.pop();
        }
        if let Some(expected) = sibling.filter(|&before| before != indent && !self.path.is_empty()) {
            return Err(format!(
                "it is indented by {indent} spaces, and the nodes beside it by {expected}: indent them alike"
            ));
        }
        if self.path.is_empty() && !self.nodes.is_empty() {
            return Err("a tree has one root: indent the nodes below it".into());
        }
        if self.path.len() > MAX_DEPTH {
            return Err(format!("a tree is at most {MAX_DEPTH} moves deep"));
        }
        let parent = self.path.last().map(|&(node, _)| node);
        self.path.push((self.nodes.len(), indent));
        Ok(parent)
    }

    fn add(&mut self, parent: Option<usize>, name: String, number: Option<i64>) {
        let turn = match parent {
            None => Side::First,
            Some(parent) => !self.nodes[parent].turn,
        };
        if let Some(parent) = parent {
            let child = self.nodes.len();
            self.nodes[parent].children.push(child);
        }
        self.nodes.push(TreeNode { name, turn, number, children: Vec::new() });
    }

    fn finish(self) -> Result<AbstractTree, BadText> {
        if self.nodes.is_empty() {
            return Err(BadText(
                "the tree is empty: write its root on the first line, and the other nodes below it".into(),
            ));
        }
        match self.nodes.iter().find(|node| node.children.is_empty() && node.number.is_none()) {
            Some(end) => Err(BadText(format!(
                "{} is a leaf of the tree and needs a number, as in {} = 10",
                shown(&end.name),
                shown(&end.name)
            ))),
            None => Ok(AbstractTree { nodes: self.nodes.into(), at: 0 }),
        }
    }
}

/// Parses `D = 10` or `D`.
fn node(text: &str) -> Result<(String, Option<i64>), String> {
    let (name, number) = match text.split_once('=') {
        None => (text, None),
        Some((name, number)) => (name, Some(read_number(number.trim())?)),
    };
    let name = name.trim();
    let fits = (1..=MAX_NAME).contains(&name.chars().count());
    if !fits || name.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(format!(
            "\"{}\" is not a name: write one word of up to {MAX_NAME} characters",
            shown(name)
        ));
    }
    Ok((name.to_owned(), number))
}

fn read_number(text: &str) -> Result<i64, String> {
    let number = text.parse().ok().filter(|number| (-MAX_NUMBER..=MAX_NUMBER).contains(number));
    number.ok_or_else(|| {
        format!("\"{}\" is not a number: write a whole one from -{MAX_NUMBER} to {MAX_NUMBER}", shown(text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::children;

    fn complaint(text: &str) -> String {
        text.parse::<AbstractTree>().unwrap_err().to_string()
    }

    #[test]
    fn nodes_side_by_side_that_are_not_indented_alike_are_refused_with_their_line() {
        let refused =
            "line 3 of the tree: it is indented by 2 spaces, and the nodes beside it by 3: indent them alike";
        assert_eq!(complaint("A\n   B = 1\n  C = 2\n"), refused);
        assert!("A\n   B\n    D = 1\n   C = 2\n".parse::<AbstractTree>().is_ok());
    }

    #[test]
    fn indentation_of_any_width_says_what_stands_below_what() {
        let tree: AbstractTree =
            "# a comment\n\nA\n    B=1 # here too\n    C\n     D = -2\n".parse().unwrap();
        let names: Vec<String> = children(&tree).map(|(_, child)| child.name().to_owned()).collect();
        assert_eq!((tree.size(), names), (4, vec!["B".into(), "C".into()]));
    }

    #[test]
    fn a_tree_that_is_too_deep_or_too_large_is_refused() {
        let lines: Vec<String> =
            (0..=MAX_DEPTH + 1).map(|depth| format!("{}n{depth} = 1\n", " ".repeat(depth))).collect();
        let deep = lines.concat();
        assert!(complaint(&deep).contains("at most 200 moves deep"));
        let as_deep_as_can_be: AbstractTree = lines[..=MAX_DEPTH].concat().parse().unwrap();
        assert_eq!(as_deep_as_can_be.size(), MAX_DEPTH + 1);
        let lines: Vec<String> = (0..MAX_NODES).map(|node| format!(" n{node} = 1\n")).collect();
        let large = format!("A\n{}", lines.concat());
        assert!(complaint(&large).contains("at most 10000 nodes"));
    }
}
