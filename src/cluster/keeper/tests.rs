//! Nodes that join, move slots, leave and die on one etcd in memory, each with a server that only counts events.

mod member;
mod simulation;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use self::member::{Member, is_settled, settle};
use super::following::MOVED_AT_ONCE;
use crate::cluster::engine::memory::{DEADLINE, Fate, MemoryEtcd};
use crate::cluster::engine::{Engine, Operation, Range, Txn};
use crate::cluster::keys::{self, Seq, Slot};
use crate::cluster::log::logs;
use crate::cluster::node::LEASE;
use crate::server::{PeerId, Place};

/// All lobbies of these nodes, none of them twice, each where its slot is.
fn lobbies(members: &[&Member]) -> BTreeMap<u64, u32> {
    let mut all = BTreeMap::new();
    for member in members {
        for (lobby, events) in member.server.lobbies() {
            assert!(member.has(lobby), "lobby {lobby} is where its slot is not");
            assert_eq!(all.insert(lobby, events), None, "lobby {lobby} is at two nodes");
        }
    }
    all
}

const LOBBIES: u64 = 60;

/// Every lobby has one more event.
async fn play_all(members: &mut [&mut Member]) {
    for lobby in 1..=LOBBIES {
        let member = members.iter_mut().find(|member| member.has(lobby)).unwrap();
        member.play(lobby).await;
    }
}

fn all_with(events: u32) -> BTreeMap<u64, u32> {
    (1..=LOBBIES).map(|lobby| (lobby, events)).collect()
}

#[tokio::test(start_paused = true)]
async fn slots_move_to_a_node_that_joins_with_all_that_happened_and_all_play_on() {
    let etcd = MemoryEtcd::default();
    let mut a = Member::join(&etcd, "a").await;
    settle(&[&a]).await;
    for _ in 0..3 {
        play_all(&mut [&mut a]).await;
    }
    let mut b = Member::join(&etcd, "b").await;
    let took = settle(&[&a, &b]).await;
    assert!(took > Duration::from_secs(1), "they move a few at a time: {took:?}");
    assert_eq!(lobbies(&[&a, &b]), all_with(2));
    assert!(b.server.lobbies().len() > 10);
    play_all(&mut [&mut a, &mut b]).await;
    let mut c = Member::join(&etcd, "c").await;
    settle(&[&a, &b, &c]).await;
    play_all(&mut [&mut a, &mut b, &mut c]).await;
    assert_eq!(lobbies(&[&a, &b, &c]), all_with(4));
    assert_eq!(**c.places.addresses().borrow(), ["a:1", "b:1", "c:1"]);
}

#[tokio::test(start_paused = true)]
async fn a_lobby_on_its_way_is_moving_and_never_unknown() {
    let etcd = MemoryEtcd::default();
    let a = Member::join(&etcd, "a").await;
    settle(&[&a]).await;
    let b = Member::join(&etcd, "b").await;
    let joined = PeerId(b.epoch().0.0);
    let (mut changes, mut seen) = (a.places.changes(), BTreeSet::new());
    while !is_settled(&[&a, &b]) || b.count() < Slot::COUNT / 2 {
        changes.changed().await.unwrap();
        for slot in Slot::all() {
            let place = a.places.place(slot);
            assert!([Place::Here, Place::Moving, Place::At(joined)].contains(&place), "{place:?}");
            // Never at both.
            assert!(place != Place::Here || b.places.place(slot) != Place::Here);
            seen.extend((place == Place::Moving).then_some(slot));
        }
        if a.count() == Slot::COUNT / 2 {
            break;
        }
    }
    assert_eq!(seen.len(), Slot::COUNT / 2);
}

#[tokio::test(start_paused = true)]
async fn survivors_go_on_with_the_lobbies_of_nodes_that_died_together() {
    let etcd = MemoryEtcd::default();
    let (mut a, mut b, mut c) =
        (Member::join(&etcd, "a").await, Member::join(&etcd, "b").await, Member::join(&etcd, "c").await);
    settle(&[&a, &b, &c]).await;
    for _ in 0..4 {
        play_all(&mut [&mut a, &mut b, &mut c]).await;
    }
    drop((a, b));
    let took = settle(&[&c]).await;
    assert!(took < LEASE * 2, "{took:?}");
    assert_eq!(lobbies(&[&c]), all_with(3));
    play_all(&mut [&mut c]).await;
    // One with the name of a dead one gets its part.
    let mut a = Member::join(&etcd, "a").await;
    settle(&[&a, &c]).await;
    play_all(&mut [&mut a, &mut c]).await;
    assert_eq!(lobbies(&[&a, &c]), all_with(5));
    // All of it gets into pages, and the logs of the dead are deleted.
    tokio::time::sleep(Duration::from_mins(5)).await;
    let logs = logs(&*c.client).await.unwrap();
    assert!(logs.iter().all(|epoch| [a.epoch(), c.epoch()].contains(epoch)), "{logs:?}");
    drop(a);
    settle(&[&c]).await;
    assert_eq!(lobbies(&[&c]), all_with(5));
}

#[tokio::test(start_paused = true)]
async fn who_leaves_gives_all_away_first_and_is_given_nothing_any_more() {
    let etcd = MemoryEtcd::default();
    let (mut a, mut b, mut c) =
        (Member::join(&etcd, "a").await, Member::join(&etcd, "b").await, Member::join(&etcd, "c").await);
    settle(&[&a, &b, &c]).await;
    play_all(&mut [&mut a, &mut b, &mut c]).await;
    play_all(&mut [&mut a, &mut b, &mut c]).await;
    let began = Instant::now();
    a.leaving.give_all().await;
    assert!(began.elapsed() < Duration::from_millis(500), "{:?}", began.elapsed());
    assert_eq!((a.count(), a.server.lobbies().len()), (0, 0));
    settle(&[&b, &c]).await;
    tokio::time::sleep(LEASE * 10).await;
    assert_eq!(a.count(), 0);
    assert_eq!(**b.places.addresses().borrow(), ["b:1", "c:1"]);
    let places = |member: &Member| Slot::all().map(|slot| member.places.place(slot)).collect::<Vec<_>>();
    assert!(places(&a).iter().all(|place| matches!(place, Place::At(_))), "its clients still reach all");
    a.node.leave().await.unwrap();
    assert_eq!(lobbies(&[&b, &c]), all_with(1));
    play_all(&mut [&mut b, &mut c]).await;
}

#[tokio::test(start_paused = true)]
async fn who_leaves_has_only_a_few_slots_on_their_way_at_once() {
    let etcd = MemoryEtcd::default();
    let (a, b) = (Member::join(&etcd, "a").await, Member::join(&etcd, "b").await);
    settle(&[&a, &b]).await;
    let (leaving, places) = (a.leaving.clone(), Arc::clone(&a.places));
    let leaves = tokio::spawn(async move { leaving.give_all().await });
    let (mut changes, mut most) = (places.changes(), 0);
    while a.count() > 0 {
        changes.changed().await.unwrap();
        let moving = Slot::all().filter(|slot| places.place(*slot) == Place::Moving).count();
        most = most.max(moving);
    }
    leaves.await.unwrap();
    assert_eq!(most, MOVED_AT_ONCE);
    settle(&[&b]).await;
}

#[tokio::test(start_paused = true)]
async fn where_the_log_of_a_dead_node_is_damaged_the_others_keep_and_give_what_they_have() {
    let etcd = MemoryEtcd::default();
    let (mut a, mut b, mut c) =
        (Member::join(&etcd, "a").await, Member::join(&etcd, "b").await, Member::join(&etcd, "c").await);
    settle(&[&a, &b, &c]).await;
    play_all(&mut [&mut a, &mut b, &mut c]).await;
    let (log, other) = (keys::log(a.epoch()), etcd.client());
    let damage = Operation::put(keys::segment(a.epoch(), Seq(0)), "nonsense");
    other.txn(Txn { then: vec![damage], ..Txn::default() }).await.unwrap();
    let had = lobbies(&[&b, &c]);
    drop(a);
    tokio::time::sleep(LEASE * 4).await;
    assert_eq!(lobbies(&[&b, &c]), had);
    // Who leaves does not wait until a person has seen to that.
    let began = Instant::now();
    b.leaving.give_all().await;
    assert!(began.elapsed() < LEASE, "{:?}", began.elapsed());
    b.node.leave().await.unwrap();
    tokio::time::sleep(LEASE).await;
    assert_eq!(lobbies(&[&c]), had);
    // What the sentence in the node's log says.
    let found = other.range(Range::prefix(&log, 100)).await.unwrap().found;
    let then = found.into_iter().map(|found| Operation::Delete(found.key)).collect();
    other.txn(Txn { then, ..Txn::default() }).await.unwrap();
    settle(&[&c]).await;
    assert_eq!(lobbies(&[&c]), had, "the others had nothing in pages");
}

#[tokio::test(start_paused = true)]
async fn a_node_that_is_alone_leaves_at_once_and_what_it_had_is_found_later() {
    let etcd = MemoryEtcd::default();
    let mut a = Member::join(&etcd, "a").await;
    settle(&[&a]).await;
    play_all(&mut [&mut a]).await;
    a.leaving.give_all().await;
    assert_eq!(a.count(), Slot::COUNT);
    a.node.leave().await.unwrap();
    let mut b = Member::join(&etcd, "b").await;
    settle(&[&b]).await;
    assert_eq!(lobbies(&[&b]), all_with(0));
    play_all(&mut [&mut b]).await;
}

#[tokio::test(start_paused = true)]
async fn a_node_that_is_cut_off_is_taken_over_from_and_learns_it() {
    let etcd = MemoryEtcd::default();
    let (mut a, mut b) = (Member::join(&etcd, "a").await, Member::join(&etcd, "b").await);
    settle(&[&a, &b]).await;
    play_all(&mut [&mut a, &mut b]).await;
    a.client.cut_off();
    let took = settle(&[&b]).await;
    assert!(took < LEASE * 2, "{took:?}");
    assert_eq!(lobbies(&[&b]), all_with(0));
    play_all(&mut [&mut b]).await;
    a.client.heal();
    a.node.membership().fenced_off().await;
    assert_eq!(lobbies(&[&b]), all_with(1));
}

#[tokio::test(start_paused = true)]
async fn whatever_replies_are_lost_all_slots_arrive_with_their_lobbies() {
    for seed in 0..12 {
        let (etcd, mut rng) = (MemoryEtcd::default(), fastrand::Rng::with_seed(seed));
        let mut a = Member::join(&etcd, "a").await;
        settle(&[&a]).await;
        play_all(&mut [&mut a]).await;
        play_all(&mut [&mut a]).await;
        let mut b = Member::join(&etcd, "b").await;
        for _ in 0..8 {
            let fate = [Fate::Lost, Fate::Run, Fate::RunLater(DEADLINE / 2), Fate::RunLater(DEADLINE * 2)];
            let unlucky = if rng.bool() { &a } else { &b };
            unlucky.client.lose_reply_after(rng.usize(0..6), fate[rng.usize(0..4)]);
            tokio::time::sleep(Duration::from_millis(rng.u64(0..300))).await;
        }
        settle(&[&a, &b]).await;
        assert_eq!(lobbies(&[&a, &b]), all_with(1), "seed {seed}");
        play_all(&mut [&mut a, &mut b]).await;
        a.leaving.give_all().await;
        settle(&[&b]).await;
        assert_eq!(lobbies(&[&b]), all_with(2), "seed {seed}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_node_whose_key_is_damaged_gets_no_slots() {
    let etcd = MemoryEtcd::default();
    let then = vec![Operation::put("o/ghost".into(), "damaged")];
    etcd.client().txn(Txn { then, ..Txn::default() }).await.unwrap();
    let members = [Member::join(&etcd, "a").await, Member::join(&etcd, "b").await];
    settle(&members.each_ref()).await;
}

#[tokio::test(start_paused = true)]
async fn a_node_that_is_not_reached_gets_no_slots_until_it_is_or_no_other_node_is_left() {
    let etcd = MemoryEtcd::default();
    let mut a = Member::join_with(&etcd, "a", false).await;
    settle(&[&a]).await;
    play_all(&mut [&mut a]).await;
    let b = Member::join(&etcd, "b").await;
    tokio::time::sleep(LEASE * 10).await;
    assert_eq!((a.count(), b.count()), (Slot::COUNT, 0));
    a.leaving.give_all().await;
    assert_eq!((a.count(), b.count()), (Slot::COUNT, 0), "also where the other one leaves");
    a.node.leave().await.unwrap();
    settle(&[&b]).await;
    assert_eq!(lobbies(&[&b]), all_with(0));
    let c = Member::join_with(&etcd, "c", false).await;
    settle(&[&b, &c]).await;
    drop(b);
    settle(&[&c]).await;
    let d = Member::join(&etcd, "d").await;
    tokio::time::sleep(LEASE * 10).await;
    assert_eq!((c.count(), d.count()), (Slot::COUNT, 0));
    c.network.0.send_replace(true);
    settle(&[&c, &d]).await;
}
