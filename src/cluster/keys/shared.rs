//! The keys of what all nodes share: who is a node, what all have agreed on, names, lists, bans, and what hosts ask.

use super::parts::{Epoch, NodeName, digits};
use crate::cluster::engine::{Key, Revision};
use crate::server::storage::LobbyId;

/// The prefix of the keys of nodes.
pub const NODES: &str = "o/";

/// The key of the format that is written.
pub const FORMAT: &str = "format";

/// The key of the map of slots.
pub const MAP: &str = "map";

/// The key of the secret that all nodes share.
pub const SECRET: &str = "secret";

/// The key of the counter of lobbies.
pub const IDS: &str = "ids";

/// The prefix of bans and mutes.
pub const BANS: &str = "ban/";

/// The prefix of the keys of nodes that drain.
pub const DRAINS: &str = "drains/";

/// The prefix of what nodes say for hosts.
pub const STATS: &str = "stat/";

/// The prefix of what hosts ask of all nodes.
pub const ORDERS: &str = "order/";

/// The prefix of the lists of all nodes.
pub const DIRECTORY: &str = "dir/";

/// The key of a node.
pub fn node(name: &NodeName) -> Key {
    format!("{NODES}{name}").into()
}

/// The node with this key.
pub fn node_of(key: &Key) -> Option<NodeName> {
    key.after(NODES)?.parse().ok()
}

/// The key of a name, by one of the texts by which names are compared. That may have any character: all that
/// follows the prefix is the text.
pub fn name(text: &str) -> Key {
    format!("n/{text}").into()
}

/// The key that every change of names by this node sets.
pub fn named(epoch: Epoch) -> Key {
    format!("named/{epoch}").into()
}

/// The key that every change of a node's list sets.
pub fn directory(epoch: Epoch) -> Key {
    format!("{DIRECTORY}{epoch}").into()
}

/// The key of a lobby in the list of a node.
pub fn listing(epoch: Epoch, lobby: LobbyId) -> Key {
    format!("{DIRECTORY}{epoch}/{:016x}", lobby.0).into()
}

/// In whose list a key has which lobby.
pub fn listing_of(key: &Key) -> Option<(Epoch, LobbyId)> {
    let (epoch, lobby) = key.after(DIRECTORY)?.split_once('/')?;
    Some((Epoch(Revision(digits(epoch, 16)?)), LobbyId(digits(lobby, 16)?)))
}

/// The key that every change of bans and mutes by this node sets.
pub fn acts(epoch: Epoch) -> Key {
    format!("acts/{epoch}").into()
}

/// The key that is there while this node drains.
pub fn drains(epoch: Epoch) -> Key {
    format!("{DRAINS}{epoch}").into()
}

/// The key that every change of that sets.
pub fn drain(epoch: Epoch) -> Key {
    format!("drain/{epoch}").into()
}

/// The key with the numbers of a node.
pub fn stat(epoch: Epoch) -> Key {
    format!("{STATS}{epoch}").into()
}

/// Whose numbers such a key has.
pub fn stat_of(key: &Key) -> Option<Epoch> {
    digits(key.after(STATS)?, 16).map(|epoch| Epoch(Revision(epoch)))
}

/// The key of what the host of a node asks of all others.
pub fn order(epoch: Epoch, number: u64) -> Key {
    format!("{ORDERS}{epoch}/{number:016x}").into()
}

/// The key of what became of an order at a node.
pub fn answer(order: &Key, by: Epoch) -> Key {
    Key::of([order.bytes(), b"/", by.to_string().as_bytes()].concat())
}

/// Whose host asks, if this is the key of an order.
pub fn order_of(key: &Key) -> Option<Epoch> {
    let (epoch, number) = key.after(ORDERS)?.split_once('/')?;
    digits(number, 16)?;
    digits(epoch, 16).map(|epoch| Epoch(Revision(epoch)))
}

/// Who has answered, if this is the key of an answer.
pub fn answer_of(key: &Key) -> Option<Epoch> {
    let mut parts = key.after(ORDERS)?.split('/').skip(2);
    let by = digits(parts.next()?, 16).map(|epoch| Epoch(Revision(epoch)));
    by.filter(|_| parts.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_nodes_read_back() {
        let name: NodeName = "node-1.example_x".parse().unwrap();
        assert_eq!(node_of(&node(&name)), Some(name));
        let (epoch, lobby) = (Epoch(Revision(0x1f)), LobbyId(0x10));
        assert_eq!(listing_of(&listing(epoch, lobby)), Some((epoch, lobby)));
        assert_eq!(listing_of(&directory(epoch)), None);
        assert_eq!(stat_of(&stat(epoch)), Some(epoch));
        let (order, by) = (order(epoch, 7), Epoch(Revision(9)));
        assert_eq!((order_of(&order), answer_of(&order)), (Some(epoch), None));
        assert_eq!((order_of(&answer(&order, by)), answer_of(&answer(&order, by))), (None, Some(by)));
    }
}
