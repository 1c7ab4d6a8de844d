//! Listing the lobbies of slots. All slots are read together, in as few requests as possible: when a node has died, etcd has
//! the least time for each.

use futures_util::{StreamExt, TryStreamExt, stream};

use crate::cluster::engine::{
    Engine, EngineError, Key, KeyValue, Operation, Range, RangeReader, Revision, Txn, TxnReply,
};
use crate::cluster::keys::{self, Slot};
use crate::server::storage::LobbyId;

/// How many slots are listed together, and how many lobbies each of them may have in that: etcd reads all heads for it.
const SLOTS_TOGETHER: usize = 64;
const LOBBIES_TOGETHER: usize = 128;

/// How many requests of a kind are made at the same time.
pub(super) const AT_ONCE: usize = 16;

/// How often they are made where a server of etcd does not answer: one after the other is asked.
const TRIES: usize = 3;

/// Which lobbies there are.
pub(super) struct Listed {
    /// Each with its slot.
    pub(super) lobbies: Vec<(Slot, LobbyId)>,
    /// As of when.
    pub(super) at: Revision,
}

impl Listed {
    fn add(&mut self, slot: Slot, heads: Vec<KeyValue>) {
        for head in heads {
            if let Some(lobby) = keys::headed(slot, &head.key) {
                self.lobbies.push((slot, lobby));
            } else {
                tracing::warn!(key = %head.key, "something in etcd is not ours");
            }
        }
    }
}

/// Lists the lobbies of these slots.
///
/// # Errors
///
/// If etcd does not answer.
pub(super) async fn list(
    engine: &dyn Engine,
    slots: impl Iterator<Item = Slot>,
) -> Result<Listed, EngineError> {
    let (all, mut longer): (Vec<Slot>, _) = (slots.collect(), Vec::new());
    let mut listed = Listed { lobbies: Vec::new(), at: Revision::default() };
    for some in all.chunks(SLOTS_TOGETHER) {
        let at = Some(listed.at).filter(|at| *at != Revision::default());
        let of = |slot: &Slot| Range {
            at,
            keys_only: true,
            ..Range::prefix(&keys::heads(*slot), LOBBIES_TOGETHER)
        };
        let reply = read(engine, some.iter().map(of).collect()).await?;
        listed.at = at.unwrap_or(reply.revision);
        for (slot, found) in some.iter().zip(reply.found) {
            let last = found.last().filter(|_| found.len() == LOBBIES_TOGETHER);
            longer.extend(last.map(|last| (*slot, last.key.next())));
            listed.add(*slot, found);
        }
    }
    let rest: Vec<_> =
        longer.into_iter().map(|(slot, from)| list_rest(engine, slot, from, listed.at)).collect();
    let rest: Vec<_> = stream::iter(rest).buffer_unordered(AT_ONCE).try_collect().await?;
    for (slot, found) in rest {
        listed.add(slot, found);
    }
    Ok(listed)
}

/// The heads of a slot from this one on.
async fn list_rest(
    engine: &dyn Engine,
    slot: Slot,
    from: Key,
    at: Revision,
) -> Result<(Slot, Vec<KeyValue>), EngineError> {
    let mut reader =
        RangeReader::new(engine, (from, keys::heads(slot).behind_prefix()), 1).at(at).keys_only();
    let mut all = Vec::new();
    while let Some(page) = reader.next().await? {
        all.extend(page);
    }
    Ok((slot, all))
}

/// Reads these ranges together.
pub(super) async fn read(engine: &dyn Engine, ranges: Vec<Range>) -> Result<TxnReply, EngineError> {
    let then = ranges.into_iter().map(Operation::Get).collect();
    let txn = Txn { then, ..Txn::default() };
    for _ in 1..TRIES {
        match engine.txn(txn.clone()).await {
            Err(error) if error.is_in_doubt() => {}
            answer => return answer,
        }
    }
    engine.txn(txn).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::engine::memory::MemoryEtcd;

    #[tokio::test(start_paused = true)]
    async fn slots_with_more_lobbies_than_are_listed_together_are_listed_whole() {
        let etcd = MemoryEtcd::default();
        let client = etcd.client();
        let sizes = [0, LOBBIES_TOGETHER - 1, LOBBIES_TOGETHER, LOBBIES_TOGETHER + 1, 2_500];
        let slots: Vec<Slot> = (0..5).map(Slot).collect();
        for (slot, size) in slots.iter().zip(sizes) {
            for lobby in 0..size {
                let put = Operation::put(keys::head(*slot, LobbyId(lobby as u64)), "head");
                client.txn(Txn { then: vec![put], ..Txn::default() }).await.unwrap();
            }
        }
        // In several requests.
        for slots in [slots.clone(), Slot::all().collect()] {
            let listed = list(&*client, slots.into_iter()).await.unwrap();
            let found =
                (0..5).map(Slot).map(|slot| listed.lobbies.iter().filter(|(own, _)| *own == slot).count());
            assert_eq!(found.collect::<Vec<_>>(), sizes);
        }
    }
}
