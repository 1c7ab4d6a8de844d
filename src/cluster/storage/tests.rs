//! The journal of a node against an etcd in memory: batches in doubt, their order, and the end of the membership.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::runtime::{Builder, Runtime};

use super::*;
use crate::cluster::engine::memory::{DEADLINE, Fate, MemoryClient, MemoryEtcd};
use crate::cluster::keys::Slot;
use crate::cluster::node::{LEASE, Living, Node};
use crate::cluster::pages::restore;
use crate::cluster::paging::Paging;
use crate::cluster::sample::{closing, event, opened};
use crate::server::Config;
use crate::server::storage::sqlite::Durability;
use crate::server::storage::{Note, WallTime};

/// A node whose journal is a thread's, as that of a server.
struct World {
    etcd: MemoryEtcd,
    /// The journal's way to etcd.
    client: Arc<MemoryClient>,
    runtime: Runtime,
    node: Node,
    storage: ClusterStorage,
}

fn paused() -> Runtime {
    Builder::new_current_thread().enable_all().start_paused(true).build().unwrap()
}

impl World {
    fn new() -> Self {
        let (etcd, runtime) = (MemoryEtcd::default(), paused());
        let (client, other) = (etcd.client(), etcd.client());
        let name = "a".parse().unwrap();
        let about = crate::cluster::sample::about();
        let join = Node::join(other.clone(), &name, &about, LEASE);
        let node = runtime.block_on(join).unwrap();
        let (paging, _, recorded) = runtime.block_on(async { Paging::new(other, node.membership().clone()) });
        runtime.spawn(paging.run());
        let of_the_journal = client.clone();
        let engine: EngineMaker = Arc::new(move || of_the_journal.clone());
        let folder = tempfile::tempdir().unwrap();
        let history = Config::default().history;
        let (archive, _) = ArchiveStore::open(folder.path(), Durability::Process, history).unwrap();
        let storage = ClusterStorage::on(paused(), &engine, node.membership().clone(), recorded, archive);
        Self { etcd, client, runtime, node, storage }
    }

    /// Ends the membership, and reads how many events of each lobby a survivor finds.
    fn found(self) -> BTreeMap<u64, u32> {
        let other = self.etcd.client();
        self.runtime.block_on(async {
            self.node.leave().await.unwrap();
            let living = Living::read(&*other).await.unwrap();
            let restored = restore(&*other, &living, Slot::all()).await.unwrap();
            assert_eq!(restored.damaged, []);
            restored.lobbies.iter().map(|lobby| (lobby.kept.lobby.0, lobby.kept.last)).collect()
        })
    }
}

#[test]
fn a_batch_in_doubt_is_finished_first_and_nothing_is_recorded_twice() {
    for fate in [Fate::Run, Fate::Lost, Fate::RunLater(DEADLINE / 2), Fate::RunLater(DEADLINE * 3)] {
        let mut world = World::new();
        let mut entries = vec![opened(1), event(1, 1, 0)];
        world.client.lose_reply(fate);
        let error = world.storage.record(&entries).unwrap_err();
        assert!(!error.is_final() && error.for_players == UNREACHABLE, "{error:?}");
        assert!(error.cause.contains("etcd did not answer"), "{error}");
        assert!(world.storage.confirm().is_err(), "what is in doubt is not current");
        // More has happened meanwhile. What was in doubt is finished, and the rest is in doubt.
        entries.push(event(1, 2, 0));
        world.client.lose_reply_after(1, fate);
        assert!(world.storage.record(&entries).is_err());
        entries.extend([event(1, 3, 0), opened(2)]);
        world.storage.record(&entries).unwrap();
        world.storage.record(&[event(1, 4, 0)]).unwrap();
        world.storage.confirm().unwrap();
        assert_eq!(world.found(), BTreeMap::from([(1, 4), (2, 0)]), "{fate:?}");
    }
}

#[test]
fn who_is_no_member_any_more_is_told_that_nothing_will_ever_be_recorded() {
    let mut world = World::new();
    world.storage.record(&[opened(1)]).unwrap();
    let World { etcd, runtime, node, mut storage, .. } = world;
    let other = etcd.client();
    // The lease ends without a word to the node, as if it was cut off.
    let living = runtime.block_on(Living::read(&*other)).unwrap();
    let epoch = node.membership().epoch();
    assert!(living.nodes.contains_key(&epoch));
    etcd.expire(node.membership().lease());
    for _ in 0..2 {
        let error = storage.record(&[event(1, 1, 0)]).unwrap_err();
        assert!(error.is_final() && storage.confirm().unwrap_err().is_final(), "{error:?}");
    }
    assert!(node.membership().check().is_err());
    let living = runtime.block_on(Living::read(&*other)).unwrap();
    let restored = runtime.block_on(restore(&*other, &living, Slot::all())).unwrap();
    assert_eq!(restored.lobbies[0].kept.last, 0);
}

#[test]
fn what_is_recorded_is_given_to_the_writer_of_pages_in_order() {
    let mut world = World::new();
    let (etcd, runtime) = (world.etcd.clone(), paused());
    let membership = world.node.membership().clone();
    let (paging, pager, recorded) =
        runtime.block_on(async { Paging::new(etcd.client(), membership.clone()) });
    world.storage.recording.pages = recorded;
    world.client.lose_reply(Fate::Run);
    let entries = [opened(1), event(1, 1, 0), event(1, 2, 0)];
    assert!(world.storage.record(&entries[..2]).is_err());
    world.storage.record(&entries).unwrap();
    runtime.spawn(paging.run());
    runtime.block_on(pager.write()).unwrap();
    let found = runtime.block_on(async {
        let living = Living::read(&*etcd.client()).await.unwrap();
        restore(&*etcd.client(), &living, Slot::all()).await.unwrap()
    });
    assert_eq!((found.lobbies[0].kept.last, found.lobbies[0].is_behind), (2, false));
    assert!(matches!(entries[1].note, Note::Happened { .. }));
}

#[test]
fn while_open_lobbies_take_too_much_of_etcd_the_address_that_has_most_is_named() {
    let mut world = World::new();
    let named = |world: &mut World| {
        world.runtime.block_on(async { tokio::time::sleep(LEASE * 3).await });
        let bounds = Bounds { since: WallTime(0), old: WallTime(0), bytes: 0 };
        world.storage.prune(&bounds).unwrap().blocked_by
    };
    // A node that has no slots yet may have as much as one with a single slot.
    let large = |number| {
        let mut entry = event(1, number, 0);
        if let Note::Happened { frame, .. } = &mut entry.note {
            *frame = vec![0; 16 << 10].into();
        }
        entry
    };
    world.storage.record(&[opened(1)]).unwrap();
    world.storage.record(&(1..1_000).map(large).collect::<Vec<_>>()).unwrap();
    assert_eq!(named(&mut world), None);
    world.storage.record(&(1_000..2_100).map(large).collect::<Vec<_>>()).unwrap();
    assert_eq!(named(&mut world), Some([192, 168, 0, 7].into()));
    world.storage.record(&[closing(1, 2_100)]).unwrap();
    assert_eq!(named(&mut world), None);
}

#[test]
fn it_rests_longer_after_a_small_batch_and_never_long() {
    let storage = World::new().storage;
    let short = Duration::from_millis(2);
    assert_eq!(storage.rest_after(1, short), LONGEST_REST);
    assert_eq!(storage.rest_after(100, short), short);
    assert_eq!(storage.rest_after(100, Duration::from_secs(1)), LONGEST_REST);
    // Only that nothing has changed was confirmed.
    assert_eq!(storage.rest_after(0, short), short);
}
