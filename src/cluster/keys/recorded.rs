//! The keys of what is recorded of lobbies: logs, heads and pages, and what is to be archived.

use super::parts::{Epoch, NodeName, Seq, Slot, digits};
use crate::cluster::engine::{Key, Revision};
use crate::server::storage::LobbyId;

/// The prefix of all logs.
pub const LOGS: &str = "log/";

/// The prefix of the revisions up to which slots are covered.
pub const COVERED: &str = "covered/";

/// The prefix of the keys of closed lobbies.
pub const CLOSED: &str = "d/";

/// The prefix of the keys of lobbies in which games have ended.
pub const ENDED: &str = "e/";

/// The prefix of the keys that say how far nodes have archived.
pub const ARCHIVERS: &str = "a/";

/// The prefix of the segments of a log.
pub fn log(epoch: Epoch) -> Key {
    format!("{LOGS}{epoch}/").into()
}

/// The key of a segment.
pub fn segment(epoch: Epoch, seq: Seq) -> Key {
    format!("{LOGS}{epoch}/{seq}").into()
}

/// Whose log the segment with this key belongs to.
pub fn epoch_of(key: &Key) -> Option<Epoch> {
    let (epoch, _) = key.after(LOGS)?.split_once('/')?;
    digits(epoch, 16).map(|epoch| Epoch(Revision(epoch)))
}

/// The number of a segment of this log, by its key.
pub fn seq_of(epoch: Epoch, key: &Key) -> Option<Seq> {
    digits(key.after(&format!("{LOGS}{epoch}/"))?, 16).map(Seq)
}

/// The key that says where a log begins.
pub fn start(epoch: Epoch) -> Key {
    format!("start/{epoch}").into()
}

/// The prefix of all heads.
pub const HEADS: &str = "h/";

/// The prefix of all pages.
pub const PAGES: &str = "p/";

/// The prefix of the heads of a slot.
pub fn heads(slot: Slot) -> Key {
    format!("{HEADS}{:02x}/", slot.0).into()
}

/// The key of a lobby's head.
pub fn head(slot: Slot, lobby: LobbyId) -> Key {
    format!("{HEADS}{:02x}/{:016x}", slot.0, lobby.0).into()
}

/// The lobby of this slot whose head has this key.
pub fn headed(slot: Slot, key: &Key) -> Option<LobbyId> {
    digits(key.after(&format!("{HEADS}{:02x}/", slot.0))?, 16).map(LobbyId)
}

/// The prefix of the pages of a slot.
pub fn pages_of_slot(slot: Slot) -> Key {
    format!("{PAGES}{:02x}/", slot.0).into()
}

/// The prefix of the pages of a lobby.
pub fn pages(slot: Slot, lobby: LobbyId) -> Key {
    format!("{PAGES}{:02x}/{:016x}/", slot.0, lobby.0).into()
}

/// The key of the page that begins with the event of this number.
pub fn page(slot: Slot, lobby: LobbyId, first: u32) -> Key {
    format!("{PAGES}{:02x}/{:016x}/{first:08x}", slot.0, lobby.0).into()
}

/// The lobby of this slot to which the page with this key belongs, and the number of the event with which it begins.
pub fn paged(slot: Slot, key: &Key) -> Option<(LobbyId, u32)> {
    let (lobby, first) = key.after(&format!("{PAGES}{:02x}/", slot.0))?.split_once('/')?;
    Some((LobbyId(digits(lobby, 16)?), u32::try_from(digits(first, 8)?).ok()?))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_a_log_lie_in_the_order_of_its_segments() {
        let epoch = Epoch(Revision(0x1f));
        let segments = [0, 9, 10, 255, 1 << 40, u64::MAX].map(|seq| segment(epoch, Seq(seq)));
        assert!(segments.is_sorted());
        assert_eq!(seq_of(epoch, &segments[3]), Some(Seq(255)));
        assert_eq!(seq_of(Epoch(Revision(1)), &segments[3]), None);
        assert_eq!(epoch_of(&segments[3]), Some(epoch));
    }

    #[test]
    fn keys_of_lobbies_read_back_and_others_do_not() {
        let (at, lobby) = (Slot(0xa7), LobbyId(0x10));
        assert_eq!(head(at, lobby).to_string(), "h/a7/0000000000000010");
        assert_eq!(page(at, lobby, 256).to_string(), "p/a7/0000000000000010/00000100");
        assert_eq!(covered_slot(&covered(at)), Some(at));
        assert_eq!(closed_lobby(&closed(lobby)), Some(lobby));
        assert_eq!(ended_lobby(&ended(lobby)), Some(lobby));
        let name: NodeName = "A".parse().unwrap();
        assert_eq!(archiver_of(&archiver(&name)), Some(name));
        assert_eq!(headed(at, &head(at, lobby)), Some(lobby));
        assert_eq!(paged(at, &page(at, lobby, 256)), Some((lobby, 256)));
        for foreign in
            ["h/a7/", "h/a7/x", "h/a8/0000000000000010", "h/a7/0000000000000010/", "h/a7/+000000000000010"]
        {
            assert_eq!(headed(at, &Key::from(foreign)), None, "{foreign}");
        }
        for foreign in
            ["p/a7/", "p/a7/0000000000000010", "p/a7/0000000000000010/", "p/a8/0000000000000010/00000100"]
        {
            assert_eq!(paged(at, &Key::from(foreign)), None, "{foreign}");
        }
    }
}
