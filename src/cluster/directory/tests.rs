//! Lists that nodes share, while watches are behind, replies are lost and nodes die.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::value::{MOST_BYTES, read, write};
use super::{MOST, Shown, share, share_lists};
use crate::cluster::engine::memory::{DEADLINE, Fate, MemoryClient, MemoryEtcd};
use crate::cluster::engine::{Engine, Operation, Range, Txn};
use crate::cluster::format::Format;
use crate::cluster::keys;
use crate::cluster::node::{LEASE, Node};
use crate::cluster::sample::code;
use crate::game::BySide;
use crate::lobby::{ClockRule, Level, Text};
use crate::server::storage::LobbyId;
use crate::server::{Config, Server, SharedListing};
use crate::wire::{Listing, LobbyState};

fn listing(lobby: u64, watchers: u32) -> SharedListing {
    let listing = Listing {
        code: code(lobby),
        variant: Text::cut("tic-tac-toe"),
        position: None,
        seats: BySide::default(),
        state: LobbyState::Open,
        level: Level::Perfect,
        clock: ClockRule::None,
        best_of: 0,
        watchers,
        watched: true,
        locked: false,
    };
    SharedListing { lobby: LobbyId(lobby), opener: [10, 0, 0, 1].into(), listing }
}

/// A node with its own list, and what it shows of the others.
struct Member {
    client: Arc<MemoryClient>,
    node: Node,
    own: Arc<Mutex<Vec<SharedListing>>>,
    shown: Arc<Mutex<BTreeMap<u64, u32>>>,
}

async fn join(etcd: &MemoryEtcd, name: &str) -> Member {
    let client = etcd.client();
    let node =
        Node::join(client.clone(), &name.parse().unwrap(), &crate::cluster::sample::about(), LEASE * 5)
            .await
            .unwrap();
    let (own, shown) = (Arc::<Mutex<Vec<_>>>::default(), Arc::<Mutex<BTreeMap<_, _>>>::default());
    let (listings, showing) = (Arc::clone(&own), Arc::clone(&shown));
    let show = move |news| match news {
        Shown::Listed(SharedListing { lobby, listing, .. }) => {
            showing.lock().insert(lobby.0, listing.watchers);
        }
        Shown::Unlisted(lobby) => assert!(showing.lock().remove(&lobby.0).is_some(), "it was shown"),
    };
    tokio::spawn(share(client.clone(), node.membership().clone(), move || listings.lock().clone(), show));
    Member { client, node, own, shown }
}

impl Member {
    fn list(&self, own: impl IntoIterator<Item = (u64, u32)>) {
        *self.own.lock() = own.into_iter().map(|(lobby, watchers)| listing(lobby, watchers)).collect();
    }

    fn shows(&self, expected: impl IntoIterator<Item = (u64, u32)>, what: &str) {
        assert_eq!(*self.shown.lock(), expected.into_iter().collect(), "{what}");
    }
}

async fn a_while() {
    tokio::time::sleep(Duration::from_millis(300)).await;
}

#[test]
fn an_entry_reads_back_and_damage_is_found() {
    let listing = listing(5, 7);
    let value = write(Format::FIRST, &listing);
    assert!(value.len() < MOST_BYTES / 4);
    assert_eq!(read(LobbyId(5), &value), Ok(listing));
    for place in 0..value.len() * 8 {
        let mut damaged = value.to_vec();
        damaged[place / 8] ^= 1 << (place % 8);
        assert!(read(LobbyId(5), &damaged).is_err());
    }
}

#[tokio::test(start_paused = true)]
async fn nodes_show_the_lists_of_the_others_and_not_their_own() {
    let etcd = MemoryEtcd::default();
    let (one, other) = (join(&etcd, "a").await, join(&etcd, "b").await);
    one.list([(1, 0), (2, 0)]);
    other.list([(3, 0)]);
    a_while().await;
    one.shows([(3, 0)], "the other's");
    other.shows([(1, 0), (2, 0)], "the first one's");
    one.list([(2, 5)]);
    a_while().await;
    other.shows([(2, 5)], "one has changed, and one is gone");
    let late = join(&etcd, "c").await;
    a_while().await;
    late.shows([(2, 5), (3, 0)], "what was there before");
    drop(one.node);
    tokio::time::sleep(LEASE * 10).await;
    other.shows([], "the lists of the dead");
    late.shows([(3, 0)], "the lists of the dead");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_written_while_nothing_changes_and_only_the_first_entries_are() {
    let etcd = MemoryEtcd::default();
    let member = join(&etcd, "a").await;
    for offset in [0, 100] {
        member.list((1..200).map(|lobby| (lobby + offset, 0)));
        a_while().await;
        a_while().await;
        let revision = etcd.revision();
        tokio::time::sleep(LEASE).await;
        assert_eq!(etcd.revision(), revision);
        let page = member.client.range(Range::prefix(&keys::DIRECTORY.into(), 1_000)).await.unwrap();
        let lobbies: Vec<u64> =
            page.found.iter().filter_map(|key| Some(keys::listing_of(&key.key)?.1.0)).collect();
        assert_eq!(lobbies, (1 + offset..=MOST as u64 + offset).collect::<Vec<_>>());
    }
}

#[tokio::test(start_paused = true)]
async fn a_lobby_that_goes_to_another_node_stays_listed() {
    let etcd = MemoryEtcd::default();
    let (one, other, third) = (join(&etcd, "a").await, join(&etcd, "b").await, join(&etcd, "c").await);
    one.list([(1, 1)]);
    a_while().await;
    other.list([(1, 2)]);
    a_while().await;
    third.shows([(1, 2)], "both have it");
    one.list([]);
    a_while().await;
    third.shows([(1, 2)], "its new owner has it");
    other.shows([], "it is its own");
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_is_not_shown() {
    let etcd = MemoryEtcd::default();
    let (one, other) = (join(&etcd, "a").await, join(&etcd, "b").await);
    one.list([(1, 1)]);
    a_while().await;
    let epoch = one.node.membership().epoch();
    for key in [keys::listing(epoch, LobbyId(1)), keys::listing(epoch, LobbyId(2)), "dir/x/y".into()] {
        let then = vec![Operation::put(key, "?")];
        one.client.txn(Txn { then, ..Txn::default() }).await.unwrap();
    }
    a_while().await;
    other.shows([], "it is damaged");
    one.list([(1, 2)]);
    a_while().await;
    other.shows([(1, 2)], "it is written again");
}

#[tokio::test(start_paused = true)]
async fn whatever_replies_are_lost_and_changes_missed_the_list_is_right_in_the_end() {
    for seed in 0..20 {
        let (etcd, mut rng) = (MemoryEtcd::default(), fastrand::Rng::with_seed(seed));
        let (one, other) = (join(&etcd, "a").await, join(&etcd, "b").await);
        let mut present = Vec::new();
        for _ in 0..40 {
            present = (0..rng.u64(..9)).map(|_| (rng.u64(..20), rng.u32(..3))).collect();
            present.sort_unstable();
            present.dedup_by_key(|(lobby, _)| *lobby);
            one.list(present.clone());
            match rng.u8(..8) {
                0 => one.client.lose_reply(Fate::Run),
                1 => one.client.lose_reply(Fate::Lost),
                2 => one.client.lose_reply(Fate::RunLater(DEADLINE * 2)),
                3 => other.client.cut_off(),
                4 => etcd.compact(etcd.revision()),
                _ => other.client.heal(),
            }
            tokio::time::sleep(Duration::from_millis(rng.u64(..400))).await;
        }
        other.client.heal();
        tokio::time::sleep(DEADLINE * 4).await;
        other.shows(present, &format!("seed {seed}"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_has_stopped_lists_nothing() {
    let etcd = MemoryEtcd::default();
    let other = join(&etcd, "b").await;
    let client = etcd.client();
    let node = Node::join(client.clone(), &"a".parse().unwrap(), &crate::cluster::sample::about(), LEASE)
        .await
        .unwrap();
    let server = Server::bind(Config { bind: ([127, 0, 0, 1], 0).into(), ..Config::default() }).unwrap();
    let sharing = tokio::spawn(share_lists(client, node.membership().clone(), server.member()));
    drop(server);
    other.list([(1, 0)]);
    a_while().await;
    other.shows([], "nothing is there");
    node.leave().await.unwrap();
    sharing.await.unwrap();
}
