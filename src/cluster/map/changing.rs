//! Reading the map, and changing it in a transaction.

use futures_util::TryFutureExt;

use super::slots::SlotMap;
use crate::cluster::engine::{Compare, Engine, EngineError, KeyValue, Operation, Range, Revision, Txn};
use crate::cluster::keys;
use crate::cluster::node::{FencedOff, Living, Membership};

/// Why the map cannot be read or changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MapError {
    /// etcd does not do what was asked. In doubt, read the map again.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// This node is no member any more.
    #[error(transparent)]
    FencedOff(#[from] FencedOff),
    /// The map is no map.
    #[error(
        "the map of slots in etcd, the key `{key}`, is damaged: {why}; stop all nodes, type `etcdctl del {key}`, and start \
         them: they make a new one"
    )]
    Damaged {
        /// The key with the namespace before it.
        key: String,
        /// What is wrong, as the end of a sentence.
        why: String,
    },
}

/// The map as it is in etcd.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredMap {
    /// The map.
    pub map: SlotMap,
    /// The revision of its last change; `None` if there never was a map.
    pub changed: Option<Revision>,
}

impl StoredMap {
    /// The map of this key.
    fn of(engine: &dyn Engine, found: Option<&KeyValue>) -> Result<Self, MapError> {
        let Some(found) = found else { return Ok(Self::default()) };
        let damaged = |why| MapError::Damaged { key: engine.whole_key(&found.key), why };
        let map = SlotMap::read(&found.value).map_err(damaged)?;
        Ok(Self { map, changed: Some(found.changed) })
    }
}

/// Reads the map.
pub async fn read_map(engine: &dyn Engine) -> Result<StoredMap, MapError> {
    let page = engine.range(Range::key(keys::MAP.into())).await?;
    StoredMap::of(engine, page.found.first())
}

/// Reads the map, and who was living when it was so: every node that has slots by it joined before.
pub async fn read_map_and_living(engine: &dyn Engine) -> Result<(StoredMap, Living), MapError> {
    loop {
        let (stored, living) =
            tokio::try_join!(read_map(engine), Living::read(engine).err_into::<MapError>())?;
        // If the map was changed after that, one that has joined in between would be taken for dead.
        if stored.changed <= Some(living.revision) {
            return Ok((stored, living));
        }
    }
}

/// Replaces the map, if it is still the one that was read and this node is a member. Returns what is stored then;
/// `None` if somebody else has changed the map.
pub async fn change_map(
    engine: &dyn Engine,
    membership: &Membership,
    from: &StoredMap,
    to: SlotMap,
) -> Result<Option<StoredMap>, MapError> {
    let key = keys::MAP.into();
    let unchanged = match from.changed {
        Some(changed) => Compare::ChangedAt(key, changed),
        None => Compare::Absent(key),
    };
    let txn = Txn {
        compares: vec![membership.fence(), unchanged],
        then: vec![Operation::put(keys::MAP.into(), to.value())],
        otherwise: vec![Operation::get(membership.key().clone())],
    };
    let reply = engine.txn(txn).await?;
    if reply.held {
        return Ok(Some(StoredMap { map: to, changed: Some(reply.revision) }));
    }
    if reply.found_key(0).is_none_or(|node| node.created != membership.epoch().0) {
        membership.fence_off();
        return Err(FencedOff.into());
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::cluster::engine::memory::{Fate, MemoryEtcd};
    use crate::cluster::keys::Slot;
    use crate::cluster::map::share_out;
    use crate::cluster::node::{LEASE, Node};

    #[tokio::test(start_paused = true)]
    async fn of_two_that_take_over_at_once_one_does_and_the_other_sees_it() {
        let etcd = MemoryEtcd::default();
        let join = async |name: &str| {
            let client = etcd.client();
            let node =
                Node::join(client.clone(), &name.parse().unwrap(), &crate::cluster::sample::about(), LEASE)
                    .await
                    .unwrap();
            (client, node)
        };
        let (one, other) = (join("a").await, join("b").await);
        let epochs = [&one, &other].map(|(_, node)| node.membership().epoch());
        let plan = share_out(&SlotMap::default(), &BTreeSet::from(epochs));
        let none = read_map(&*one.0).await.unwrap();
        assert_eq!(none, StoredMap::default());
        let made = change_map(&*one.0, one.1.membership(), &none, plan.clone()).await.unwrap().unwrap();
        let mut greedy = plan.clone();
        Slot::all().for_each(|slot| greedy.give(slot, epochs[1]));
        assert_eq!(change_map(&*other.0, other.1.membership(), &none, greedy.clone()).await, Ok(None));
        let seen = read_map(&*other.0).await.unwrap();
        assert_eq!((seen.map.slots_of(epochs[0]).len(), &seen), (128, &made));

        // The first one dies, and the reply to the other is lost.
        drop(one);
        tokio::time::sleep(LEASE * 3).await;
        let living: BTreeSet<_> = Living::read(&*other.0).await.unwrap().nodes.into_keys().collect();
        assert_eq!(share_out(&seen.map, &living), greedy);
        other.0.lose_reply(Fate::Run);
        let doubt = change_map(&*other.0, other.1.membership(), &seen, greedy.clone()).await;
        assert!(matches!(doubt, Err(MapError::Engine(error)) if error.is_in_doubt()));
        assert_eq!(read_map(&*other.0).await.unwrap().map, greedy);
    }

    #[tokio::test(start_paused = true)]
    async fn who_joins_and_gets_slots_while_others_look_is_living() {
        let (etcd, mut nodes) = (MemoryEtcd::default(), Vec::new());
        let looks = etcd.client();
        looks.is_late(50);
        for number in 0..200 {
            let (client, name) = (etcd.client(), format!("n{number}").parse().unwrap());
            let joins = async {
                let about = crate::cluster::sample::about();
                let node = Node::join(client.clone(), &name, &about, LEASE).await.unwrap();
                let (from, mut to) = (read_map(&*client).await.unwrap(), SlotMap::default());
                Slot::all().for_each(|slot| to.give(slot, node.membership().epoch()));
                change_map(&*client, node.membership(), &from, to).await.unwrap().unwrap();
                node
            };
            let (read, node) = tokio::join!(read_map_and_living(&*looks), joins);
            nodes.push(node);
            let (stored, living) = read.unwrap();
            let owner = stored.map.owner(Slot(0));
            let is_living = owner.is_none_or(|owner| living.nodes.contains_key(&owner));
            assert!(is_living, "{owner:?} at {:?}", living.revision);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_no_member_any_more_changes_no_map() {
        let etcd = MemoryEtcd::default();
        let client = etcd.client();
        let node = Node::join(client.clone(), &"a".parse().unwrap(), &crate::cluster::sample::about(), LEASE)
            .await
            .unwrap();
        let membership = node.membership().clone();
        client.cut_off();
        tokio::time::sleep(LEASE * 3).await;
        client.heal();
        let changed = change_map(&*client, &membership, &StoredMap::default(), SlotMap::default()).await;
        assert_eq!(changed, Err(MapError::FencedOff(FencedOff)));
        assert_eq!(membership.check(), Err(FencedOff));
    }
}
