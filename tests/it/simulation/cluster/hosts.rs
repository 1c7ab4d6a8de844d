//! The hosts of a simulated world beside that which plays etcd: nodes and people.

use nim::client::Address;

use crate::simulation::network::PORT;
use crate::simulation::person::Part;

/// The names of the nodes.
pub(super) const NODES: [&str; 3] = ["node-a", "node-b", "node-c"];

/// A person, the part that they play, and the node to which they connect first.
pub(super) type Knows = (&'static str, Part, usize);

/// Who meets in the same lobby.
pub(super) const GROUPS: [&[Knows]; 2] = [
    &[
        ("anna", Part::Opener, 0),
        ("ben", Part::Player, 1),
        ("cara", Part::Player, 2),
        ("dora", Part::Watcher, 1),
    ],
    &[("emil", Part::Opener, 1), ("fred", Part::Player, 2), ("gina", Part::Watcher, 0)],
];

/// The names of all people.
pub(super) fn people() -> impl Iterator<Item = &'static str> {
    GROUPS.into_iter().flatten().map(|(name, ..)| *name)
}

/// Where clients reach a node.
pub(super) fn address(node: &str) -> Address {
    Address { host: node.into(), port: Some(PORT) }
}

/// Whom a failure concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Person(&'static str),
    Node(usize),
    /// Nobody reaches etcd.
    Etcd,
}
