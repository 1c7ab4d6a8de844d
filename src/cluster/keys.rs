//! Where everything lies in etcd, and the parts of which the keys are made. Numbers in keys have a fixed
//! number of hexadecimal digits, so that the order of keys is that of the numbers.
//!
//! | key | value |
//! |---|---|
//! | `o/<node>` | what a node says of itself, under its lease; its create revision is the node's [`Epoch`] |
//! | `format` | the [format](super::format) that all nodes write |
//! | `map` | which node owns which slots |
//! | `secret` | the key of 256 random bits that all nodes share |
//! | `log/<epoch>/<seq>` | a segment of a node's log |
//! | `start/<epoch>` | the first segment of a log that is still kept, once earlier ones were deleted |
//! | `p/<slot>/<lobby>` | the head of a lobby |
//! | `p/<slot>/<lobby>/<first number>` | a page of its events |
//! | `covered/<slot>` | the revision up to which all that was recorded of a slot is in its heads and pages |
//! | `d/<lobby>` | a closed lobby that is to be archived: its slot |
//! | `e/<lobby>` | a lobby in which a game has ended: where its last events are in its pages |
//! | `a/<node>` | up to which revision a node has archived the closed lobbies, and when it said so |
//! | `ids` | the first number that no lobby ever had |
//! | `n/<text>` | whose name this is, folded or by its look: an epoch, under the node's lease |
//! | `named/<epoch>` | is set by every change that a node makes of names, under its lease |
//! | `dir/<epoch>/<lobby>` | a lobby's entry in the list of a node, under the node's lease |
//! | `dir/<epoch>` | is set by every change of these, under the lease |
//! | `ban/banned/<address>`, `ban/muted/<address>` | until when, under a lease of its own if it ends |
//! | `acts/<epoch>` | is set by every change that a node makes of bans, under its lease |
//! | `stat/<epoch>` | how a node is, as numbers for hosts, under its lease |
//! | `order/<epoch>/<number>` | what the host of a node asks of all others, under a short lease |
//! | `order/<epoch>/<number>/<epoch>` | what became of that at one of them, under the same lease |

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use super::engine::{Key, Revision};
use crate::lobby::Code;
use crate::server::storage::LobbyId;

/// The prefix of the keys of nodes.
pub const NODES: &str = "o/";

/// The key of the format that is written.
pub const FORMAT: &str = "format";

/// The key of the map of slots.
pub const MAP: &str = "map";

/// The key of the secret that all nodes share.
pub const SECRET: &str = "secret";

/// The prefix of the revisions up to which slots are covered.
pub const COVERED: &str = "covered/";

/// The prefix of the keys of closed lobbies.
pub const CLOSED: &str = "d/";

/// The prefix of the keys of lobbies in which games have ended.
pub const ENDED: &str = "e/";

/// The prefix of the keys that say how far nodes have archived.
pub const ARCHIVERS: &str = "a/";

/// The key of the counter of lobbies.
pub const IDS: &str = "ids";

/// The prefix of bans and mutes.
pub const BANS: &str = "ban/";

/// The prefix of what nodes say for hosts.
pub const STATS: &str = "stat/";

/// The prefix of what hosts ask of all nodes.
pub const ORDERS: &str = "order/";

/// The prefix of the lists of all nodes.
pub const DIRECTORY: &str = "dir/";

/// A node's name, which its host chooses: 1 to 32 ASCII letters, digits, `-`, `_` and `.`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeName(String);

/// A text that is no name of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a node's name has 1 to 32 letters, digits, and - _ .")]
pub struct BadNodeName;

impl NodeName {
    /// The most bytes of a name.
    pub const MAX: usize = 32;
}

impl FromStr for NodeName {
    type Err = BadNodeName;

    fn from_str(text: &str) -> Result<Self, BadNodeName> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let is_name = (1..=Self::MAX).contains(&text.len()) && text.bytes().all(fits);
        if is_name { Ok(Self(text.into())) } else { Err(BadNodeName) }
    }
}

impl fmt::Display for NodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// One life of a node, from joining to the end of its lease: the create revision of its key. No two lives have
/// the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(pub Revision);

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0.0)
    }
}

/// The number of a segment in its log, from 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seq(pub u64);

impl Seq {
    /// The number after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A part of all lobbies, which one node owns: one of [`Slot::COUNT`], by the lobby's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u8);

impl Slot {
    /// How many there are.
    pub const COUNT: usize = 256;

    /// The slot of a code: the first byte of the SHA-256 of the code as text, such as `brave-otter`.
    pub fn of(code: Code) -> Self {
        Self::of_text(&code.to_string())
    }

    /// The slot of any other text, such as that of a variant.
    pub fn of_text(text: &str) -> Self {
        Self(Sha256::digest(text)[0])
    }

    /// All slots.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..=u8::MAX).map(Self)
    }
}

/// The key of a node.
pub fn node(name: &NodeName) -> Key {
    format!("{NODES}{name}").into()
}

/// The node with this key.
pub fn node_of(key: &Key) -> Option<NodeName> {
    key.after(NODES)?.parse().ok()
}

/// The prefix of the segments of a log.
pub fn log(epoch: Epoch) -> Key {
    format!("{LOGS}{epoch}/").into()
}

/// The key of a segment.
pub fn segment(epoch: Epoch, seq: Seq) -> Key {
    format!("{LOGS}{epoch}/{seq}").into()
}

/// The prefix of all logs.
pub const LOGS: &str = "log/";

/// Whose log the segment with this key belongs to.
pub fn epoch_of(key: &Key) -> Option<Epoch> {
    let (epoch, _) = key.after(LOGS)?.split_once('/')?;
    digits(epoch, 16).map(|epoch| Epoch(Revision(epoch)))
}

/// The key that says where a log begins.
pub fn start(epoch: Epoch) -> Key {
    format!("start/{epoch}").into()
}

/// The prefix of the heads and pages of a slot.
pub fn slot(slot: Slot) -> Key {
    format!("p/{:02x}/", slot.0).into()
}

/// The key of a lobby's head.
pub fn head(slot: Slot, lobby: LobbyId) -> Key {
    format!("p/{:02x}/{:016x}", slot.0, lobby.0).into()
}

/// The key of the page that begins with the event of this number.
pub fn page(slot: Slot, lobby: LobbyId, first: u32) -> Key {
    format!("p/{:02x}/{:016x}/{first:08x}", slot.0, lobby.0).into()
}

/// The key of the revision up to which a slot is covered.
pub fn covered(slot: Slot) -> Key {
    format!("{COVERED}{:02x}", slot.0).into()
}

/// The slot to which such a key belongs.
pub fn covered_slot(key: &Key) -> Option<Slot> {
    u8::try_from(digits(key.after(COVERED)?, 2)?).ok().map(Slot)
}

/// The key of a closed lobby.
pub fn closed(lobby: LobbyId) -> Key {
    format!("{CLOSED}{:016x}", lobby.0).into()
}

/// The closed lobby with this key.
pub fn closed_lobby(key: &Key) -> Option<LobbyId> {
    digits(key.after(CLOSED)?, 16).map(LobbyId)
}

/// The key that says that a game has ended in a lobby.
pub fn ended(lobby: LobbyId) -> Key {
    format!("{ENDED}{:016x}", lobby.0).into()
}

/// The lobby in which a game has ended by this key.
pub fn ended_lobby(key: &Key) -> Option<LobbyId> {
    digits(key.after(ENDED)?, 16).map(LobbyId)
}

/// The key that says how far a node has archived.
pub fn archiver(name: &NodeName) -> Key {
    format!("{ARCHIVERS}{name}").into()
}

/// The node whose progress such a key says.
pub fn archiver_of(key: &Key) -> Option<NodeName> {
    key.after(ARCHIVERS)?.parse().ok()
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

/// The key that every change of bans and mutes by this node sets.
pub fn acts(epoch: Epoch) -> Key {
    format!("acts/{epoch}").into()
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

/// What lies at a key of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paged {
    /// The head of a lobby.
    Head(LobbyId),
    /// The page of a lobby that begins with the event of this number.
    Page(LobbyId, u32),
}

/// What lies at a key of this slot; `None` if that is nothing of ours.
pub fn paged(slot: Slot, key: &Key) -> Option<Paged> {
    let rest = key.after(&format!("p/{:02x}/", slot.0))?;
    let Some((lobby, first)) = rest.split_once('/') else {
        return Some(Paged::Head(LobbyId(digits(rest, 16)?)));
    };
    Some(Paged::Page(LobbyId(digits(lobby, 16)?), u32::try_from(digits(first, 8)?).ok()?))
}

/// The number of a segment of this log, by its key.
pub fn seq_of(epoch: Epoch, key: &Key) -> Option<Seq> {
    digits(key.after(&format!("{LOGS}{epoch}/"))?, 16).map(Seq)
}

/// The number with exactly so many hexadecimal digits, none of them a capital letter.
fn digits(text: &str, count: usize) -> Option<u64> {
    let is_number = text.len() == count && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_number.then(|| u64::from_str_radix(text, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slot_of_a_code_is_the_first_byte_of_its_sha_256() {
        // By `printf %s brave-otter | sha256sum`.
        for (code, slot) in [
            ("brave-otter", 0x1b),
            ("amber-badger", 0xe6),
            ("young-zebra", 0x3d),
            ("brave-otter-17", 0xa4),
            ("brave-otter-k7m2x", 0x67),
        ] {
            assert_eq!(Slot::of(code.parse().unwrap()), Slot(slot), "{code}");
        }
        let codes =
            (0..64).flat_map(|a| (0..64).map(move |b| Code::from_bits(u16::from_be_bytes([a, b]), 0)));
        let mut count = [0; Slot::COUNT];
        codes.for_each(|code| count[usize::from(Slot::of(code).0)] += 1);
        assert!(count.iter().all(|count| (2..=34).contains(count)), "{count:?}");
    }

    #[test]
    fn keys_lie_in_the_order_of_their_numbers_and_read_back() {
        let epoch = Epoch(Revision(0x1f));
        let segments = [0, 9, 10, 255, 1 << 40, u64::MAX].map(|seq| segment(epoch, Seq(seq)));
        assert!(segments.is_sorted());
        assert_eq!(seq_of(epoch, &segments[3]), Some(Seq(255)));
        assert_eq!(seq_of(Epoch(Revision(1)), &segments[3]), None);
        assert_eq!(epoch_of(&segments[3]), Some(epoch));
        let (at, lobby) = (Slot(0xa7), LobbyId(0x10));
        assert_eq!(head(at, lobby).to_string(), "p/a7/0000000000000010");
        assert_eq!(page(at, lobby, 256).to_string(), "p/a7/0000000000000010/00000100");
        assert_eq!(covered_slot(&covered(at)), Some(at));
        assert_eq!(closed_lobby(&closed(lobby)), Some(lobby));
        assert_eq!(ended_lobby(&ended(lobby)), Some(lobby));
        assert_eq!(listing_of(&listing(epoch, lobby)), Some((epoch, lobby)));
        assert_eq!(listing_of(&directory(epoch)), None);
        assert_eq!(stat_of(&stat(epoch)), Some(epoch));
        let (order, by) = (order(epoch, 7), Epoch(Revision(9)));
        assert_eq!((order_of(&order), answer_of(&order)), (Some(epoch), None));
        assert_eq!((order_of(&answer(&order, by)), answer_of(&answer(&order, by))), (None, Some(by)));
        assert_eq!(paged(at, &head(at, lobby)), Some(Paged::Head(lobby)));
        assert_eq!(paged(at, &page(at, lobby, 256)), Some(Paged::Page(lobby, 256)));
        for foreign in
            ["p/a7/", "p/a7/x", "p/a8/0000000000000010", "p/a7/0000000000000010/", "p/a7/+000000000000010"]
        {
            assert_eq!(paged(at, &Key::from(foreign)), None, "{foreign}");
        }
    }

    #[test]
    fn a_node_has_a_short_plain_name() {
        for name in ["A", "node-1.example_x", &"x".repeat(32)] {
            let parsed: NodeName = name.parse().unwrap();
            assert_eq!(node_of(&node(&parsed)), Some(parsed.clone()));
            assert_eq!(archiver_of(&archiver(&parsed)), Some(parsed));
        }
        for name in ["", "a b", "a/b", "ä", &"x".repeat(33)] {
            assert_eq!(name.parse::<NodeName>(), Err(BadNodeName));
        }
    }
}
