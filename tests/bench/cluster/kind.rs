//! The kinds of servers that are compared, and where their players sit.

use std::net::SocketAddr;

use crate::load::seating::Way;

/// A kind of server: a row of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// How many nodes there are, each with as many lobbies; none for a single machine.
    pub(super) nodes: usize,
    /// How many of the two players of each game are connected to another node than that of their lobby.
    tunnels: usize,
}

/// All of them. The first is what the others are compared with.
pub(super) const KINDS: [Kind; 7] = [
    Kind { name: "one machine", nodes: 0, tunnels: 0 },
    Kind { name: "one node", nodes: 1, tunnels: 0 },
    Kind { name: "two nodes, no player by tunnel", nodes: 2, tunnels: 0 },
    Kind { name: "two nodes, one player by tunnel", nodes: 2, tunnels: 1 },
    Kind { name: "two nodes, both players by tunnel", nodes: 2, tunnels: 2 },
    Kind { name: "three nodes, no player by tunnel", nodes: 3, tunnels: 0 },
    Kind { name: "three nodes, one player by tunnel", nodes: 3, tunnels: 1 },
];

impl Kind {
    /// Whether this row is wanted: `NIM_ROWS` is a part of its name, or is not set.
    pub(super) fn is_wanted(&self) -> bool {
        std::env::var("NIM_ROWS").map_or(true, |part| self.name.contains(&part))
    }

    /// The way of both players to the lobby of this number, where the servers are at these addresses.
    pub(super) fn way(&self, lobby: usize, servers: &[SocketAddr]) -> Way {
        let [own, other] = [0, 1].map(|next| servers[(lobby + next) % servers.len()]);
        let players = match self.tunnels {
            0 => [own, own],
            1 => [own, other],
            _ => [other, other],
        };
        Way { lobby: own, players }
    }
}
