//! Bans and mutes that the hosts of several nodes add and lift.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::mpsc;

use super::{Applied, share, share_bans};
use crate::cluster::engine::memory::{DEADLINE, Fate, MemoryClient, MemoryEtcd};
use crate::cluster::node::{LEASE, Node};
use crate::server::storage::WallTime;
use crate::server::{Config, Restriction, Rule, RuleChange, Server};

struct Member {
    client: Arc<MemoryClient>,
    _node: Node,
    acts: mpsc::UnboundedSender<RuleChange>,
    rules: Arc<Mutex<Vec<Rule>>>,
}

async fn join(etcd: &MemoryEtcd, name: &str) -> Member {
    let client = etcd.client();
    let node =
        Node::join(client.clone(), &name.parse().unwrap(), &crate::cluster::sample::about(), LEASE * 5)
            .await
            .unwrap();
    let (acts, receiver) = mpsc::unbounded_channel();
    let rules = Arc::<Mutex<Vec<Rule>>>::default();
    let held = Arc::clone(&rules);
    let apply = move |applied| match applied {
        Applied::All(all) => *held.lock() = all,
        Applied::One(change) => {
            let (what, address) = match &change {
                RuleChange::Set(rule) => (rule.what, rule.address),
                RuleChange::Lifted(what, address) => (*what, *address),
            };
            let mut held = held.lock();
            held.retain(|rule| (rule.what, rule.address) != (what, address));
            if let RuleChange::Set(rule) = change {
                held.push(rule);
            }
        }
    };
    tokio::spawn(share(client.clone(), node.membership().clone(), receiver, apply));
    Member { client, _node: node, acts, rules }
}

impl Member {
    fn act(&self, change: RuleChange) {
        self.acts.send(change).unwrap();
    }
}

fn ban(last: u8, until: Option<u64>) -> Rule {
    Rule { what: Restriction::Ban, address: [10, 0, 0, last].into(), until }
}

fn lifted(last: u8) -> RuleChange {
    RuleChange::Lifted(Restriction::Ban, [10, 0, 0, last].into())
}

async fn a_while() {
    tokio::time::sleep(DEADLINE * 6).await;
}

#[tokio::test(start_paused = true)]
async fn what_one_host_does_holds_at_all_nodes_also_those_that_come_later() {
    let etcd = MemoryEtcd::default();
    let (one, other) = (join(&etcd, "a").await, join(&etcd, "b").await);
    one.act(RuleChange::Set(ban(1, None)));
    one.act(RuleChange::Set(ban(2, None)));
    a_while().await;
    other.act(lifted(1));
    a_while().await;
    let third = join(&etcd, "c").await;
    a_while().await;
    for member in [&one, &other, &third] {
        assert_eq!(*member.rules.lock(), [ban(2, None)]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_rule_with_an_end_is_gone_after_it() {
    let etcd = MemoryEtcd::default();
    let (one, other) = (join(&etcd, "a").await, join(&etcd, "b").await);
    let rule = ban(1, Some(WallTime::now().0 + 60_000));
    one.act(RuleChange::Set(rule.clone()));
    a_while().await;
    assert_eq!(*other.rules.lock(), [rule]);
    tokio::time::sleep(Duration::from_mins(2)).await;
    assert_eq!(*other.rules.lock(), []);
}

#[tokio::test(start_paused = true)]
async fn whatever_replies_are_lost_what_was_lifted_last_stays_lifted() {
    for fate in [Fate::Run, Fate::Lost, Fate::RunLater(DEADLINE * 2)] {
        let etcd = MemoryEtcd::default();
        let (one, other) = (join(&etcd, "a").await, join(&etcd, "b").await);
        a_while().await;
        one.client.lose_reply(fate);
        one.act(RuleChange::Set(ban(1, None)));
        one.act(RuleChange::Set(ban(2, None)));
        one.act(lifted(1));
        a_while().await;
        for member in [&one, &other] {
            assert_eq!(*member.rules.lock(), [ban(2, None)], "{fate:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn bans_are_shared_until_the_node_is_no_member_any_more() {
    let client = MemoryEtcd::default().client();
    let node = Node::join(client.clone(), &"a".parse().unwrap(), &crate::cluster::sample::about(), LEASE)
        .await
        .unwrap();
    let server = Server::bind(Config { bind: ([127, 0, 0, 1], 0).into(), ..Config::default() }).unwrap();
    let sharing = tokio::spawn(share_bans(client, node.membership().clone(), server.shared_rules()));
    a_while().await;
    assert!(!sharing.is_finished());
    node.leave().await.unwrap();
    sharing.await.unwrap();
}
