//! Bans and mutes that the hosts of several nodes add and lift.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tokio_util::task::AbortOnDropHandle;

use super::share_bans;
use crate::cluster::engine::memory::{DEADLINE, Fate, MemoryClient, MemoryEtcd};
use crate::cluster::node::{FencedOff, LEASE, Node};
use crate::server::storage::WallTime;
use crate::server::{Config, Restriction, Rule, RuleChange, Server};

/// One life of a node whose server keeps its bans in a folder.
struct Member {
    client: Arc<MemoryClient>,
    node: Node,
    server: Server,
    sharing: AbortOnDropHandle<FencedOff>,
}

impl Member {
    async fn join(etcd: &MemoryEtcd, name: &str, folder: &Path) -> Self {
        let client = etcd.client();
        let (name, about) = (name.parse().unwrap(), crate::cluster::sample::about());
        let node = Node::join(client.clone(), &name, &about, LEASE * 5).await.unwrap();
        let server = Server::bind(Config { bind: ([127, 0, 0, 1], 0).into(), ..Config::default() }).unwrap();
        server.keep_acts_in(folder).unwrap();
        let sharing = share_bans(client.clone(), node.membership().clone(), server.shared_rules());
        let sharing = AbortOnDropHandle::new(tokio::spawn(sharing));
        Self { client, node, server, sharing }
    }

    fn act(&self, change: &RuleChange) {
        self.server.shared_rules().act(change);
    }

    fn rules(&self) -> Vec<Rule> {
        self.server.shared_rules().all()
    }
}

/// Nodes of these names.
async fn members<const COUNT: usize>(etcd: &MemoryEtcd, names: [&str; COUNT]) -> [(Member, TempDir); COUNT] {
    let mut all = Vec::new();
    for name in names {
        let folder = tempfile::tempdir().unwrap();
        all.push((Member::join(etcd, name, folder.path()).await, folder));
    }
    all.try_into().ok().unwrap()
}

fn ban(last: u8, until: Option<u64>) -> Rule {
    Rule { what: Restriction::Ban, address: [10, 0, 0, last].into(), until }
}

fn lifted(last: u8) -> RuleChange {
    RuleChange::Lifted(Restriction::Ban, [10, 0, 0, last].into())
}

fn set(last: u8) -> RuleChange {
    RuleChange::Set(ban(last, None))
}

async fn a_while() {
    tokio::time::sleep(DEADLINE * 6).await;
}

#[tokio::test(start_paused = true)]
async fn what_one_host_does_holds_at_all_nodes_also_those_that_come_later() {
    let etcd = MemoryEtcd::default();
    let [(one, _one), (other, _other)] = members(&etcd, ["a", "b"]).await;
    one.act(&set(1));
    one.act(&set(2));
    a_while().await;
    other.act(&lifted(1));
    a_while().await;
    let [(third, _third)] = members(&etcd, ["c"]).await;
    a_while().await;
    for member in [&one, &other, &third] {
        assert_eq!(member.rules(), [ban(2, None)]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_rule_with_an_end_is_gone_after_it() {
    let etcd = MemoryEtcd::default();
    let [(one, _one), (other, _other)] = members(&etcd, ["a", "b"]).await;
    let rule = ban(1, Some(WallTime::now().0 + 60_000));
    one.act(&RuleChange::Set(rule.clone()));
    a_while().await;
    assert_eq!(other.rules(), [rule]);
    tokio::time::sleep(Duration::from_mins(2)).await;
    assert_eq!(other.rules(), []);
}

#[tokio::test(start_paused = true)]
async fn whatever_replies_are_lost_what_was_lifted_last_stays_lifted() {
    for fate in [Fate::Run, Fate::Lost, Fate::RunLater(DEADLINE * 2)] {
        let etcd = MemoryEtcd::default();
        let [(one, _one), (other, _other)] = members(&etcd, ["a", "b"]).await;
        a_while().await;
        one.client.lose_reply(fate);
        one.act(&set(1));
        // Its reply is lost.
        tokio::time::sleep(DEADLINE / 2).await;
        one.act(&set(2));
        one.act(&lifted(1));
        a_while().await;
        for member in [&one, &other] {
            assert_eq!(member.rules(), [ban(2, None)], "{fate:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_act_that_is_not_written_before_others_take_over_is_written_in_the_next_life() {
    let etcd = MemoryEtcd::default();
    let [(one, folder), (other, _other)] = members(&etcd, ["a", "b"]).await;
    one.act(&set(1));
    a_while().await;
    one.client.cut_off();
    one.act(&set(2));
    one.act(&lifted(1));
    a_while().await;
    assert_eq!(other.rules(), [ban(1, None)]);
    etcd.expire(one.node.membership().lease());
    one.client.heal();
    assert_eq!(one.sharing.await.unwrap(), FencedOff);
    drop((one.node, one.server));
    let next = Member::join(&etcd, "a", folder.path()).await;
    a_while().await;
    for member in [&next, &other] {
        assert_eq!(member.rules(), [ban(2, None)]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_machine_brings_its_bans_when_it_joins_but_not_those_that_were_lifted_while_it_was_down() {
    let etcd = MemoryEtcd::default();
    let [(other, _other)] = members(&etcd, ["b"]).await;
    let folder = tempfile::tempdir().unwrap();
    // As a server that is alone writes it.
    let file = folder.path().join("restrictions.json");
    std::fs::write(file, r#"[{"what":"ban","address":"10.0.0.1","until":null}]"#).unwrap();
    let first = Member::join(&etcd, "a", folder.path()).await;
    first.act(&set(2));
    a_while().await;
    assert_eq!(other.rules(), [ban(1, None), ban(2, None)]);
    first.node.leave().await.unwrap();
    drop((first.sharing, first.server));
    for last in [1, 2] {
        other.act(&lifted(last));
    }
    a_while().await;
    let again = Member::join(&etcd, "a", folder.path()).await;
    a_while().await;
    for member in [&again, &other] {
        assert_eq!(member.rules(), []);
    }
}

#[tokio::test(start_paused = true)]
async fn bans_are_shared_until_the_node_is_no_member_any_more() {
    let etcd = MemoryEtcd::default();
    let [(one, _folder)] = members(&etcd, ["a"]).await;
    a_while().await;
    assert!(!one.sharing.is_finished());
    one.node.leave().await.unwrap();
    one.sharing.await.unwrap();
}
