//! Clusters that are sound, and such with one thing wrong.

use std::sync::Arc;

use bytes::Bytes;

use super::check;
use crate::cluster::about::About;
use crate::cluster::engine::memory::{MemoryClient, MemoryEtcd};
use crate::cluster::engine::{Engine, Key, Operation, Range, Txn};
use crate::cluster::keys::{self, Seq, Slot};
use crate::cluster::log::{Batch, Log, Outcome};
use crate::cluster::map::{SlotMap, StoredMap, change_map, share_out};
use crate::cluster::node::{LEASE, Node};
use crate::cluster::numbers::{BLOCK, Numbers};
use crate::cluster::pages::PageWriter;
use crate::cluster::sample::{closing, code, opened, seated};
use crate::cluster::tunnel::SharedSecret;
use crate::game::Side;
use crate::lobby::{Event, Kind, Moment, Name, Player, PlayerId};
use crate::server::storage::{Entry, LobbyId, Note, WallTime};
use crate::wire::{ToClient, encode};

/// A node that owns all slots.
struct Member {
    client: Arc<MemoryClient>,
    node: Node,
    log: Option<Log>,
    writer: PageWriter,
}

impl Member {
    async fn join(etcd: &MemoryEtcd) -> Self {
        let client = etcd.client();
        SharedSecret::read_or_create(&*client).await.unwrap();
        let about = About::new("10.0.0.1:7650".parse().unwrap(), None, "attic");
        let node = Node::join(client.clone(), &"a".parse().unwrap(), &about, LEASE).await.unwrap();
        let membership = node.membership().clone();
        Numbers::default().take_block(&*client, &membership).await.unwrap();
        let map = share_out(&SlotMap::default(), &[membership.epoch()].into());
        change_map(&*client, &membership, &StoredMap::default(), map).await.unwrap();
        let log = Some(Log::new(client.clone(), membership.clone()));
        let writer = PageWriter::new(client.clone(), membership);
        Self { client, node, log, writer }
    }

    async fn record(&mut self, entries: &[Entry]) {
        match self
            .log
            .take()
            .unwrap()
            .append(Batch::of(crate::cluster::format::Format::FIRST, entries))
            .go_on()
            .await
        {
            Outcome::Recorded(log, recorded) => {
                self.log = Some(log);
                self.writer.take(entries, recorded).unwrap();
            }
            other => panic!("{other:?}"),
        }
    }

    async fn put(&self, key: Key, value: impl Into<Bytes>) {
        let then = vec![Operation::put(key, value)];
        self.client.txn(Txn { then, ..Txn::default() }).await.unwrap();
    }

    async fn delete(&self, key: Key) {
        let then = vec![Operation::Delete(key)];
        self.client.txn(Txn { then, ..Txn::default() }).await.unwrap();
    }

    /// Changes a bit in the middle of the value of this key.
    async fn damage(&self, key: Key) {
        let found = self.client.range(Range::key(key.clone())).await.unwrap().found.remove(0);
        let mut value = found.value.to_vec();
        let middle = value.len() / 2;
        value[middle] ^= 1;
        self.put(key, value).await;
    }

    /// What a check says.
    async fn said(&self) -> String {
        check(&*self.client, |_| {}).await.unwrap().unwrap().to_string()
    }
}

/// Somebody sits down in a lobby, and this is its first event.
fn sat(lobby: u64) -> Entry {
    let player = Player { id: PlayerId(1), name: Name::clean("anna").unwrap(), kind: Kind::Person };
    let (number, at, event) = (1, Moment(1), Event::Sat { side: Side::First, player });
    let frame = encode(&ToClient::Lobby { number, at, event: event.clone() });
    let note = Note::Happened { number, at, event, frame, players: None };
    Entry { lobby: LobbyId(lobby), wall: WallTime(1_000), note }
}

fn head(lobby: u64) -> Key {
    keys::head(Slot::of(code(lobby)), LobbyId(lobby))
}

/// Three lobbies: one in pages, one closed there, and one in the log alone.
async fn three_lobbies(etcd: &MemoryEtcd) -> Member {
    let mut member = Member::join(etcd).await;
    for lobby in [1, 2] {
        member.record(&[opened(lobby), seated(lobby, 1, 7), sat(lobby)]).await;
    }
    member.record(&[closing(2, 2)]).await;
    member.writer.write().await.unwrap();
    member.record(&[opened(3), seated(3, 1, 7), sat(3)]).await;
    member
}

#[tokio::test(start_paused = true)]
async fn a_sound_cluster_is_sound_while_its_nodes_live_and_when_none_does() {
    let etcd = MemoryEtcd::default();
    assert_eq!(check(&*etcd.client(), |_| {}).await.unwrap(), None, "there is none");
    let member = three_lobbies(&etcd).await;
    let mut read = Vec::new();
    let report = check(&*member.client, |slots| read.push(slots)).await.unwrap().unwrap();
    assert_eq!(report.to_string(), "sound: 3 lobbies, 2 of them open, and 4 events");
    assert_eq!(read, (1..=256).collect::<Vec<_>>());
    let Member { client, node, .. } = member;
    node.leave().await.unwrap();
    let report = check(&*client, |_| {}).await.unwrap().unwrap();
    assert_eq!(report.to_string(), "sound: 3 lobbies, 2 of them open, and 4 events");
    client.cut_off();
    assert!(check(&*client, |_| {}).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn whatever_is_damaged_is_named() {
    let page = |lobby| keys::page(Slot::of(code(lobby)), LobbyId(lobby), 1);
    for (key, said) in [
        (keys::MAP.into(), "the map of slots in etcd, the key `nim/map`, is damaged"),
        (keys::SECRET.into(), "the secret of the nodes in etcd, the key `nim/secret`, is damaged"),
        (keys::IDS.into(), "the counter of lobbies in etcd, the key `nim/ids`, is damaged"),
        (head(1), "its head is damaged"),
        (page(1), "a page of it is damaged"),
    ] {
        let member = three_lobbies(&MemoryEtcd::default()).await;
        member.damage(key.clone()).await;
        let report = member.said().await;
        assert!(report.contains(said) && report.contains("1 thing is wrong"), "{key}: {report}");
    }
    for (key, said) in [
        (keys::FORMAT.into(), "the format that nodes write, the key `nim/format` in etcd, is damaged"),
        (keys::covered(Slot(3)), "which says what the pages of a slot have, cannot be read"),
        (keys::archiver(&"b".parse().unwrap()), "how far node b has archived cannot be read"),
        (keys::ended(LobbyId(1)), "lobby 1: where its last game is cannot be read"),
    ] {
        let member = three_lobbies(&MemoryEtcd::default()).await;
        member.put(key, "?").await;
        let report = member.said().await;
        assert!(report.contains(said) && report.contains("1 thing is wrong"), "{report}");
    }
}

#[tokio::test(start_paused = true)]
async fn whatever_is_missing_is_named() {
    for (key, said) in [
        (keys::FORMAT, "the key `nim/format` in etcd, is damaged: it is missing"),
        (keys::IDS, "the key `nim/ids`, is damaged: it is missing"),
    ] {
        let member = three_lobbies(&MemoryEtcd::default()).await;
        member.delete(key.into()).await;
        let report = member.said().await;
        assert!(report.contains(said) && report.contains("1 thing is wrong"), "{report}");
    }
    let member = three_lobbies(&MemoryEtcd::default()).await;
    member.delete(keys::page(Slot::of(code(1)), LobbyId(1), 1)).await;
    assert!(member.said().await.contains("event 1 is missing"), "{}", member.said().await);
    let member = three_lobbies(&MemoryEtcd::default()).await;
    member.delete(head(2)).await;
    assert!(member.said().await.contains("lobby 2: it is to be archived, and its head is missing"));
    let mut member = three_lobbies(&MemoryEtcd::default()).await;
    member.record(&[seated(3, 2, 8)]).await;
    member.record(&[closing(3, 2)]).await;
    let epoch = member.node.membership().epoch();
    let segments = member.client.range(Range::prefix(&keys::log(epoch), 100)).await.unwrap().found;
    let seq = keys::seq_of(epoch, &segments[segments.len() - 2].key).unwrap();
    member.delete(keys::segment(epoch, Seq(seq.0))).await;
    let report = member.said().await;
    assert!(report.contains("it is missing"), "{report}");
}

#[tokio::test(start_paused = true)]
async fn a_format_that_this_release_does_not_know_is_named() {
    let member = three_lobbies(&MemoryEtcd::default()).await;
    member.put(keys::FORMAT.into(), "77").await;
    let report = member.said().await;
    let said = "the key `nim/format` in etcd says that nodes write format 77, and this release knows";
    assert!(report.contains(said) && report.contains("1 thing is wrong"), "{report}");
}

#[tokio::test(start_paused = true)]
async fn a_counter_by_which_a_new_lobby_gets_the_number_of_another_one_is_named() {
    let etcd = MemoryEtcd::default();
    let mut member = three_lobbies(&etcd).await;
    // The first node has counted one block.
    let first_free = 1 + BLOCK;
    for lobby in [first_free - 1, first_free] {
        member.record(&[opened(lobby), seated(lobby, 1, 7), sat(lobby)]).await;
        let report = member.said().await;
        let said =
            format!("the key `nim/ids`, is damaged: it is at {first_free}, and there is a lobby {lobby};");
        assert_eq!(report.contains(&said), lobby == first_free, "{report}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_slot_that_nobody_takes_over_is_named() {
    let etcd = MemoryEtcd::default();
    let member = three_lobbies(&etcd).await;
    member.put(keys::MAP.into(), SlotMap::default().value()).await;
    let report = member.said().await;
    assert!(report.contains("256 of 256 slots have no living owner, 00 is the first of them"), "{report}");
}
