//! How much of etcd open lobbies take. Nobody has to close a lobby, so without a bound those of one address could fill it.

use std::collections::HashMap;
use std::net::IpAddr;

use super::kept::KeptLobby;

/// The bytes of all events that the open lobbies of a slot may have, as the mean over the slots of a node. All 256 slots
/// may have 4 GiB, half of what etcd is to have.
const ROOM_OF_A_SLOT: u64 = 16 << 20;

/// The address whose open lobbies have the most bytes, if all open lobbies of a node with this number of slots have more
/// than they may.
pub(super) fn takes_too_much<'a>(
    lobbies: impl Iterator<Item = &'a KeptLobby>,
    slots: usize,
) -> Option<IpAddr> {
    let mut shares: HashMap<IpAddr, u64> = HashMap::new();
    for kept in lobbies.filter(|kept| kept.closed.is_none()) {
        *shares.entry(kept.meta.opener).or_default() += kept.bytes;
    }
    let room = ROOM_OF_A_SLOT.saturating_mul(slots.max(1) as u64);
    let is_full = shares.values().sum::<u64>() > room;
    shares.into_iter().filter(|_| is_full).max_by_key(|(_, bytes)| *bytes).map(|(opener, _)| opener)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::engine::Revision;
    use crate::cluster::sample::opened;
    use crate::server::storage::{LobbyId, Note, WallTime};

    /// A lobby of this address with this share of the room of a slot, in hundredths.
    fn lobby(opener: &str, hundredths: u64) -> KeptLobby {
        let Note::Opened(mut meta) = opened(1).note else { unreachable!("it is an opening") };
        meta.opener = opener.parse().unwrap();
        let kept = KeptLobby::opened(LobbyId(1), WallTime(1), meta, Revision(1));
        KeptLobby { bytes: ROOM_OF_A_SLOT / 100 * hundredths, ..kept }
    }

    #[test]
    fn the_address_with_the_most_bytes_is_named_once_all_open_lobbies_have_too_many() {
        let few = [lobby("10.0.0.1", 50), lobby("10.0.0.2", 80), lobby("10.0.0.1", 60)];
        assert_eq!(takes_too_much(few.iter(), 2), None);
        assert_eq!(takes_too_much(few.iter(), 1), Some("10.0.0.1".parse().unwrap()));
        let closed = few.map(|kept| KeptLobby { closed: Some(WallTime(2)), ..kept });
        assert_eq!(takes_too_much(closed.iter(), 1), None);
        assert_eq!(takes_too_much([].iter(), 0), None);
    }
}
