//! How a whole cluster is, read from etcd for hosts. Nothing is changed.

use std::collections::BTreeMap;

use super::about::About;
use super::engine::{Engine, EngineError, Key, RangeReader};
use super::keys::{self, Epoch, NodeName};
use super::log::logs;
use super::map::{MapError, read_map};
use super::node::Living;
use super::stat::{MAX_STAT, PERIOD, Stat};

/// How a cluster is.
#[derive(Debug, Clone, PartialEq)]
pub struct Overview {
    /// Its living nodes, by their names.
    pub nodes: Vec<NodeRow>,
    /// How many slots have no living owner.
    pub unowned: usize,
    /// Segments of logs of living nodes.
    pub live: Logs,
    /// Segments of logs of dead nodes: they are written into pages within minutes.
    pub dead: Logs,
}

/// A living node.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeRow {
    /// Its name.
    pub name: NodeName,
    /// What it says of itself, or why that cannot be read.
    pub about: Result<About, String>,
    /// How many slots it owns by the map.
    pub slots: usize,
    /// Its numbers, or why they cannot be read; `None` if it has not said any.
    pub stat: Option<Result<Stat, String>>,
}

/// Logs that are not in pages yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Logs {
    /// How many logs.
    pub logs: usize,
    /// How many segments they have.
    pub segments: u64,
}

impl NodeRow {
    /// Its numbers, if it has said them of late.
    pub fn fresh(&self) -> Option<&Stat> {
        let stat = self.stat.as_ref()?.as_ref().ok()?;
        (stat.age() < PERIOD * 4).then_some(stat)
    }

    /// How many of its slots it is still taking over. It may have taken some since it said its numbers.
    pub fn loading(&self) -> usize {
        self.fresh().map_or(self.slots, |stat| self.slots.saturating_sub(stat.slots))
    }
}

impl Overview {
    /// Reads how the cluster is.
    ///
    /// # Errors
    ///
    /// If etcd does not answer, or the map of slots is damaged.
    pub async fn read(engine: &dyn Engine) -> Result<Self, MapError> {
        let map = read_map(engine).await?.map;
        let living = Living::read(engine).await?;
        let mut stats = read_stats(engine).await?;
        let mut nodes: Vec<NodeRow> = living
            .nodes
            .iter()
            .map(|(epoch, (name, about))| NodeRow {
                name: name.clone(),
                about: About::read(about),
                slots: map.slots_of(*epoch).len(),
                stat: stats.remove(epoch),
            })
            .collect();
        nodes.sort_by(|one, other| one.name.cmp(&other.name));
        let owned: usize = nodes.iter().map(|node| node.slots).sum();
        let (mut live, mut dead) = (Logs::default(), Logs::default());
        for epoch in logs(engine).await? {
            let log = keys::log(epoch);
            let of = if living.nodes.contains_key(&epoch) { &mut live } else { &mut dead };
            of.logs += 1;
            of.segments += engine.count(log.clone(), log.behind_prefix()).await?;
        }
        Ok(Self { nodes, unowned: keys::Slot::COUNT - owned, live, dead })
    }

    /// How many slots are being taken over by their owners.
    pub fn loading(&self) -> usize {
        self.nodes.iter().map(NodeRow::loading).sum()
    }
}

async fn read_stats(engine: &dyn Engine) -> Result<BTreeMap<Epoch, Result<Stat, String>>, EngineError> {
    let mut reader = RangeReader::of_prefix(engine, &Key::from(keys::STATS), MAX_STAT);
    let mut stats = BTreeMap::new();
    while let Some(page) = reader.next().await? {
        for found in page {
            stats.extend(keys::stat_of(&found.key).map(|epoch| (epoch, Stat::read(&found.value))));
        }
    }
    Ok(stats)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::*;
    use crate::cluster::engine::memory::MemoryEtcd;
    use crate::cluster::engine::{Operation, Txn};
    use crate::cluster::keys::Seq;
    use crate::cluster::map::{SlotMap, StoredMap, change_map, share_out};
    use crate::cluster::node::{LEASE, Node};
    use crate::cluster::places::Places;
    use crate::cluster::stat::keep_stat;
    use crate::server::Counts;

    async fn join(etcd: &MemoryEtcd, name: &str) -> Node {
        let about = About::new("10.0.0.1:7650".parse().unwrap(), None, "attic");
        Node::join(etcd.client(), &name.parse().unwrap(), &about, LEASE).await.unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn it_has_who_is_living_what_they_own_and_what_nobody_owns() {
        let etcd = MemoryEtcd::default();
        let client = etcd.client();
        let empty = Overview::read(&*client).await.unwrap();
        assert_eq!((empty.nodes.len(), empty.unowned), (0, 256));
        let (one, other) = (join(&etcd, "b").await, join(&etcd, "a").await);
        let epochs = [&one, &other].map(|node| node.membership().epoch());
        let map = share_out(&SlotMap::default(), &BTreeSet::from(epochs));
        change_map(&*client, one.membership(), &StoredMap::default(), map).await.unwrap();
        let counts = || Some(Counts { clients: 4, lobbies: 2, games: 1, moves: 0 });
        let (engine, membership) = (client.clone(), one.membership().clone());
        tokio::spawn(keep_stat(engine, membership, Arc::<Places>::default(), counts));
        for (epoch, segments) in [(epochs[0], 3), (epochs[1], 2)] {
            let put = |seq| Operation::put(keys::segment(epoch, Seq(seq)), "");
            client.txn(Txn { then: (0..segments).map(put).collect(), ..Txn::default() }).await.unwrap();
        }
        tokio::time::sleep(LEASE).await;
        let both = Overview::read(&*client).await.unwrap();
        let names: Vec<_> = both.nodes.iter().map(|node| (node.name.to_string(), node.slots)).collect();
        assert_eq!(names, [("a".into(), 128), ("b".into(), 128)]);
        assert_eq!((both.unowned, both.live), (0, Logs { logs: 2, segments: 5 }));
        assert_eq!(both.nodes[0].stat, None);
        assert_eq!(both.nodes[1].fresh().unwrap().lobbies, 2);
        assert_eq!(both.loading(), 256, "none of them has told that it has any");
        other.leave().await.unwrap();
        let left = Overview::read(&*client).await.unwrap();
        assert_eq!((left.nodes.len(), left.unowned), (1, 128));
        assert_eq!((left.live.segments, left.dead), (3, Logs { logs: 1, segments: 2 }));
        client.cut_off();
        assert!(Overview::read(&*client).await.is_err());
    }
}
