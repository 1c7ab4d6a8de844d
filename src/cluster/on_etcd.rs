//! The whole base against a real etcd: nodes join, record, die and take over.

use std::sync::Arc;
use std::time::Duration;

use super::engine::Engine;
use super::engine::real::RealEtcd;
use super::format::Format;
use super::keys::Slot;
use super::log::{Batch, Log, Outcome};
use super::map::{SlotMap, StoredMap, change_map, read_map, share_out};
use super::node::{LEASE, Living, Node};
use super::pages::{PageWriter, restore};
use super::sample::{event, opened};
use crate::server::storage::Entry;

/// A lease of a real etcd ends in its own time.
const PATIENCE: Duration = Duration::from_secs(15);

struct Member {
    engine: Arc<dyn Engine>,
    node: Node,
    log: Log,
    writer: PageWriter,
}

impl Member {
    async fn join(etcd: &RealEtcd, name: &str) -> Self {
        let engine: Arc<dyn Engine> = Arc::new(etcd.engine("nim"));
        let node =
            Node::join(Arc::clone(&engine), &name.parse().unwrap(), &crate::cluster::sample::about(), LEASE)
                .await
                .unwrap();
        let (log, writer) = (
            Log::new(Arc::clone(&engine), node.membership().clone()),
            PageWriter::new(Arc::clone(&engine), node.membership().clone()),
        );
        Self { engine, node, log, writer }
    }

    /// Records these entries, or says that the node is fenced off.
    async fn record(mut self, entries: &[Entry]) -> Option<Self> {
        let mut appending = self.log.append(Batch::of(Format::FIRST, entries));
        loop {
            match appending.go_on().await {
                Outcome::Recorded(log, recorded) => {
                    self.log = log;
                    self.writer.take(entries, recorded).unwrap();
                    return Some(self);
                }
                Outcome::Waiting(same, error) => {
                    assert!(error.is_in_doubt(), "{error}");
                    appending = same;
                }
                Outcome::FencedOff(_) => return None,
            }
        }
    }
}

#[tokio::test]
async fn a_survivor_goes_on_with_the_lobbies_of_a_dead_node_and_the_zombie_records_nothing() {
    let Some(mut etcd) = RealEtcd::start("taking over on a real etcd").await else { return };
    let mut one = Member::join(&etcd, "a").await;
    let mut other = Member::join(&etcd, "b").await;
    let (dead, since) = (one.node.membership().epoch(), Living::read(&*other.engine).await.unwrap().revision);
    let map = share_out(&SlotMap::default(), &[dead].into());
    let map =
        change_map(&*one.engine, one.node.membership(), &StoredMap::default(), map).await.unwrap().unwrap();
    for lobby in 1..=30 {
        one = one.record(&[opened(lobby), event(lobby, 1, 0)]).await.unwrap();
        if lobby == 20 {
            one.writer.write().await.unwrap();
        }
    }
    // A batch of several segments.
    let many: Vec<Entry> = (2..20_000).map(|number| event(1, number, 0)).collect();
    one = one.record(&many).await.unwrap();
    etcd.crash_and_restart().await;
    one = one.record(&[event(2, 2, 0)]).await.unwrap();

    // Its lease is revoked, as if it had not been heard of.
    let mut watch = other.engine.watch("o/a".into(), since.next()).await.unwrap();
    let Member { engine, node, log, writer } = one;
    let membership = node.membership().clone();
    node.leave().await.unwrap();
    tokio::time::timeout(PATIENCE, watch.next()).await.unwrap().unwrap();
    let living = Living::read(&*other.engine).await.unwrap();
    assert!(living.sealed(dead).is_some());
    let taken = share_out(&map.map, &living.nodes.keys().copied().collect());
    change_map(&*other.engine, other.node.membership(), &map, taken.clone()).await.unwrap();
    assert_eq!(read_map(&*other.engine).await.unwrap().map, taken);
    let zombie = Log::new(Arc::clone(&engine), membership);
    assert!(matches!(zombie.append(Batch::of(Format::FIRST, &[])).go_on().await, Outcome::FencedOff(_)));
    drop((log, writer));

    let restored = restore(&*other.engine, &living, Slot::all()).await.unwrap();
    assert_eq!(restored.damaged, []);
    let last = |lobby: u64| match lobby {
        1 => 19_999,
        2 => 2,
        _ => 1,
    };
    let found: Vec<(u64, u32)> =
        restored.lobbies.iter().map(|lobby| (lobby.kept.lobby.0, lobby.kept.last)).collect();
    assert_eq!(found, (1..=30).map(|lobby| (lobby, last(lobby))).collect::<Vec<_>>());
    other.writer.adopt(&restored);
    let mut other = other.record(&[event(1, 20_000, 0)]).await.unwrap();
    other.writer.write().await.unwrap();
    let again = restore(&*other.engine, &living, Slot::all()).await.unwrap();
    assert_eq!((again.lobbies.len(), again.lobbies[0].kept.last), (30, 20_000));
    assert!(again.lobbies.iter().all(|lobby| !lobby.is_behind));
}
