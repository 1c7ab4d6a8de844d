//! Names that nodes claim, take and release, while replies are lost and nodes die.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio::time::timeout;

use super::Names;
use super::pending::LATER;
use crate::cluster::engine::memory::{DEADLINE, Fate, MemoryClient, MemoryEtcd};
use crate::cluster::engine::{Engine, Range};
use crate::cluster::node::{LEASE, Node};
use crate::lobby::Name;

struct Member {
    client: Arc<MemoryClient>,
    node: Node,
    names: Names,
}

impl Member {
    /// Whether it gets this name.
    async fn gets(&self, name: &Name) -> bool {
        self.names.claim(name).await
    }
}

async fn join(etcd: &MemoryEtcd, name: &str) -> Member {
    let client = etcd.client();
    let node =
        Node::join(client.clone(), &name.parse().unwrap(), &crate::cluster::sample::about(), LEASE * 3)
            .await
            .unwrap();
    let names = Names::default();
    tokio::spawn(names.clone().run(client.clone(), node.membership().clone()));
    Member { client, node, names }
}

fn name(text: &str) -> Name {
    Name::clean(text).unwrap()
}

async fn a_while() {
    tokio::time::sleep(LEASE * 8).await;
}

/// All names in use, each with the epoch of its owner.
async fn in_use(etcd: &MemoryEtcd) -> Vec<(String, u64)> {
    let page = etcd.client().range(Range::prefix(&"n/".into(), 10_000)).await.unwrap();
    let owner = |value: &[u8]| u64::from_be_bytes(value.try_into().unwrap());
    page.found.iter().map(|key| (key.key.after("n/").unwrap().to_owned(), owner(&key.value))).collect()
}

fn epoch(member: &Member) -> u64 {
    member.node.membership().epoch().0.0
}

#[tokio::test(start_paused = true)]
async fn a_name_belongs_to_one_node_until_that_gives_it_up_or_dies() {
    let etcd = MemoryEtcd::default();
    let (one, other) = (join(&etcd, "a").await, join(&etcd, "b").await);
    assert!(one.gets(&name("Anna")).await);
    assert!(one.gets(&name("anna")).await, "it has it");
    assert!(!other.gets(&name("ANNA")).await);
    one.names.release(&name("Anna"));
    a_while().await;
    assert!(other.gets(&name("anna")).await);
    assert!(!one.gets(&name("Anna")).await);
    assert!(one.gets(&name("Bert")).await);
    drop(one.node);
    a_while().await;
    assert_eq!(in_use(&etcd).await, [("anna".into(), epoch(&other))]);
    other.names.take(&name("Bert"));
    a_while().await;
    assert_eq!(in_use(&etcd).await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_name_that_a_node_never_had_is_given_up_without_a_word_to_etcd() {
    let etcd = MemoryEtcd::default();
    let (one, other) = (join(&etcd, "a").await, join(&etcd, "b").await);
    assert!(one.gets(&name("Anna")).await);
    let before = etcd.revision();
    for name in [name("Anna"), name("Bert")] {
        other.names.release(&name);
    }
    a_while().await;
    assert_eq!(etcd.revision(), before);
}

#[tokio::test(start_paused = true)]
async fn names_that_look_alike_are_claimed_by_one_node() {
    let etcd = MemoryEtcd::default();
    let (one, other) = (join(&etcd, "a").await, join(&etcd, "b").await);
    assert!(one.gets(&name("coco")).await);
    assert!(!other.gets(&name("сосо")).await);
    for text in ["a/b", "/", "李", "Zoë", "n/"] {
        assert!(one.gets(&name(text)).await && !other.gets(&name(text)).await, "{text}");
        one.names.release(&name(text));
    }
    one.names.release(&name("coco"));
    a_while().await;
    assert_eq!(in_use(&etcd).await, []);
    assert!(other.gets(&name("сосо")).await);
}

#[tokio::test(start_paused = true)]
async fn the_last_wish_counts() {
    let etcd = MemoryEtcd::default();
    let (one, other) = (join(&etcd, "a").await, join(&etcd, "b").await);
    let (anna, bert) = (name("Anna"), name("Bert"));
    assert!(one.gets(&anna).await);
    one.names.release(&anna);
    one.names.take(&anna);
    one.names.take(&bert);
    one.names.release(&bert);
    a_while().await;
    assert_eq!(in_use(&etcd).await, [("anna".into(), epoch(&one))]);
    // Its owner is at the other node now, and the first one is told late that it has left.
    other.names.take(&anna);
    a_while().await;
    one.names.release(&anna);
    a_while().await;
    assert_eq!(in_use(&etcd).await, [("anna".into(), epoch(&other))]);
    assert!(!one.gets(&anna).await);
}

#[tokio::test(start_paused = true)]
async fn names_that_are_taken_later_are_not_taken_if_they_are_released_before() {
    let etcd = MemoryEtcd::default();
    let one = join(&etcd, "a").await;
    let before = etcd.revision();
    for text in ["Eva", "Hans", "Vera"] {
        one.names.take_later(&name(text));
    }
    one.names.release(&name("Hans"));
    tokio::time::sleep(LATER * 9 / 10).await;
    assert_eq!(etcd.revision(), before);
    tokio::time::sleep(DEADLINE).await;
    assert_eq!(in_use(&etcd).await, [("eva".into(), epoch(&one)), ("vera".into(), epoch(&one))]);
    // What is to be taken at once does not wait for what is taken later, and what is given up is.
    one.names.take_later(&name("Hans"));
    one.names.take(&name("Hans"));
    one.names.release(&name("Eva"));
    one.names.take_later(&name("Eva"));
    tokio::time::sleep(LATER / 2).await;
    assert_eq!(in_use(&etcd).await, [("hans".into(), epoch(&one)), ("vera".into(), epoch(&one))]);
    one.names.release(&name("Eva"));
    assert!(one.gets(&name("Gustav")).await);
    a_while().await;
    assert_eq!(in_use(&etcd).await.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_name_that_nobody_waits_for_is_claimed_once_etcd_is_back() {
    let etcd = MemoryEtcd::default();
    let (one, other) = (join(&etcd, "a").await, join(&etcd, "b").await);
    assert!(one.gets(&name("Anna")).await);
    a_while().await;
    other.client.cut_off();
    for name in [name("Anna"), name("Bert")] {
        assert!(timeout(LEASE, other.names.claim(&name)).await.is_err());
    }
    other.client.heal();
    a_while().await;
    assert_eq!(in_use(&etcd).await, [("anna".into(), epoch(&one)), ("bert".into(), epoch(&other))]);
}

#[tokio::test(start_paused = true)]
async fn very_many_are_named_and_released_by_few_transactions() {
    let etcd = MemoryEtcd::default();
    let one = join(&etcd, "a").await;
    // Most of them have two keys: a 0 and a 1 look like letters.
    let names: Vec<Name> = (0..800).map(|number| name(&format!("a-{number:b}"))).collect();
    let keys: BTreeSet<String> = names.iter().flat_map(|name| [name.folded(), name.look()]).collect();
    let before = etcd.revision().0;
    let claims: Vec<_> = names.iter().map(|name| one.names.claim(name)).collect();
    for claim in claims {
        assert!(claim.await);
    }
    let few = |since: u64| {
        let transactions = usize::try_from(etcd.revision().0 - since).unwrap();
        assert!(transactions <= keys.len() / 90 + 1, "{transactions} for {} keys", keys.len());
    };
    few(before);
    assert_eq!(in_use(&etcd).await.len(), keys.len());
    let before = etcd.revision().0;
    for name in &names {
        one.names.release(name);
    }
    a_while().await;
    few(before);
    assert_eq!(in_use(&etcd).await, []);
}

#[tokio::test(start_paused = true)]
async fn whatever_replies_are_lost_a_name_belongs_to_whoever_got_it_last_and_has_not_released_it() {
    for seed in 0..30 {
        let (etcd, mut rng) = (MemoryEtcd::default(), fastrand::Rng::with_seed(seed));
        let members = [join(&etcd, "a").await, join(&etcd, "b").await];
        let mut owners = BTreeMap::new();
        for step in 0..40 {
            let member = &members[rng.usize(..2)];
            let epoch = epoch(member);
            if rng.u8(..3) > 0 {
                let late = Fate::RunLater(DEADLINE * rng.u32(1..4));
                member.client.lose_reply(rng.choice([Fate::Run, Fate::Lost, late]).unwrap());
            }
            // The same keys in different names: an o that is a zero, and one that is not.
            let names = || ["coco", "c0c0", "anna", "Anna"].map(name);
            if rng.bool() {
                let claimed = rng.choice(names()).unwrap();
                let keys = [claimed.folded(), claimed.look()];
                let has_other = keys.iter().any(|key| owners.get(key).is_some_and(|owner| *owner != epoch));
                // Where the reply is lost it is unknown.
                if let Ok(has_it) = timeout(LEASE, member.names.claim(&claimed)).await {
                    assert_eq!(has_it, !has_other, "seed {seed}, step {step}");
                }
                if !has_other {
                    owners.extend(keys.map(|key| (key, epoch)));
                }
            }
            // Only the last wish for a key counts: what was taken and is released again is not taken from anybody.
            let mut last = BTreeMap::new();
            for _ in 0..rng.u8(..4) {
                let (changed, is_taken) = (rng.choice(names()).unwrap(), rng.bool());
                if is_taken {
                    member.names.take(&changed);
                } else {
                    member.names.release(&changed);
                }
                last.extend([changed.folded(), changed.look()].map(|key| (key, is_taken)));
            }
            for (key, is_taken) in last {
                if is_taken {
                    owners.insert(key, epoch);
                } else if owners.get(&key) == Some(&epoch) {
                    owners.remove(&key);
                }
            }
            a_while().await;
            let expected: Vec<_> = owners.clone().into_iter().collect();
            assert_eq!(in_use(&etcd).await, expected, "seed {seed}, step {step}");
        }
    }
}
