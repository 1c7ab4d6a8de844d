//! Two releases in one cluster: one that knows only the first format, and one that knows a second one. Here are their
//! memberships, logs and pages; `runtime/tests/releases.rs` has whole nodes.

use std::sync::Arc;

use super::about::About;
use super::engine::memory::{MemoryClient, MemoryEtcd};
use super::engine::{Compare, Engine, Key, Operation, RangeReader, Txn};
use super::format::{Format, Formats};
use super::keys::{self, Slot};
use super::log::{Batch, Log, Outcome};
use super::node::{JoinError, LEASE, Living, Node};
use super::pages::{PageWriter, restore};
use super::sample::{about, event, opened};
use crate::server::storage::Entry;

const OLD: Formats = (Format::FIRST, Format::FIRST);
const NEW: Formats = (Format::FIRST, Format::TRIAL);

struct Member {
    client: Arc<MemoryClient>,
    node: Node,
    log: Option<Log>,
    writer: PageWriter,
}

impl Member {
    async fn join(etcd: &MemoryEtcd, name: &str, formats: Formats) -> Result<Self, JoinError> {
        let client = etcd.client();
        let about = About { formats, ..about() };
        let node = Node::join(client.clone(), &name.parse().unwrap(), &about, LEASE).await?;
        let log = Some(Log::new(client.clone(), node.membership().clone()));
        let writer = PageWriter::new(client.clone(), node.membership().clone());
        Ok(Self { client, node, log, writer })
    }

    async fn record(&mut self, entries: &[Entry]) {
        let batch = Batch::of(self.node.membership().format(), entries);
        match self.log.take().unwrap().append(batch).go_on().await {
            Outcome::Recorded(log, recorded) => {
                self.log = Some(log);
                self.writer.take(entries, recorded).unwrap();
            }
            other => panic!("{other:?}"),
        }
    }

    /// Takes over from all that are dead. Returns the last number of each lobby.
    async fn take_over(&mut self) -> Vec<(u64, u32)> {
        self.node.membership().raise_format(&*self.client).await.unwrap();
        let living = Living::read(&*self.client).await.unwrap();
        let restored = restore(&*self.client, &living, Slot::all()).await.unwrap();
        assert_eq!(restored.damaged, []);
        self.writer.adopt(&restored);
        restored.lobbies.iter().map(|lobby| (lobby.kept.lobby.0, lobby.kept.last)).collect()
    }
}

/// The formats of all values with this prefix.
async fn formats(etcd: &MemoryEtcd, prefix: &'static str) -> Vec<u8> {
    let client = etcd.client();
    let mut reader = RangeReader::of_prefix(&*client, &Key::from(prefix), 1 << 20);
    let mut formats = Vec::new();
    while let Some(page) = reader.next().await.unwrap() {
        formats.extend(page.iter().map(|found| found.value[0]));
    }
    formats
}

#[tokio::test(start_paused = true)]
async fn two_releases_record_die_and_take_over_from_each_other_until_the_old_one_is_gone_for_good() {
    let etcd = MemoryEtcd::default();
    let mut old = Member::join(&etcd, "old", OLD).await.unwrap();
    let mut new = Member::join(&etcd, "new", NEW).await.unwrap();
    assert_eq!(new.node.membership().format(), Format::FIRST, "the old one can read no more");
    old.record(&[opened(1), event(1, 1, 0)]).await;
    new.record(&[opened(2), event(2, 1, 0)]).await;
    new.writer.write().await.unwrap();
    new.record(&[event(2, 2, 0)]).await;
    new.node.leave().await.unwrap();
    assert_eq!(old.take_over().await, [(2, 2)]);
    old.record(&[event(2, 3, 0)]).await;

    // The new one comes back, and the old one dies.
    let mut new = Member::join(&etcd, "new", NEW).await.unwrap();
    new.node.membership().raise_format(&*new.client).await.unwrap();
    new.record(&[opened(3)]).await;
    for prefix in [keys::LOGS, "p/"] {
        assert!(formats(&etcd, prefix).await.iter().all(|format| *format == 1), "{prefix}");
    }
    old.node.leave().await.unwrap();
    assert_eq!(new.take_over().await, [(1, 1), (2, 3)]);
    assert_eq!(new.node.membership().format(), Format::TRIAL);
    new.record(&[event(1, 2, 0), event(2, 4, 0)]).await;
    assert!(formats(&etcd, keys::LOGS).await.contains(&2));
    new.writer.write().await.unwrap();
    assert!(formats(&etcd, "p/").await.contains(&2));
    new.record(&[event(3, 1, 0)]).await;

    // The old one has missed the last time at which it could come back.
    let error = Member::join(&etcd, "old", OLD).await.err().unwrap();
    assert_eq!(error, JoinError::TooOld { written: Format::TRIAL, newest: Format::FIRST });
    assert!(error.to_string().contains("install the release that the other nodes have"), "{error}");
    new.node.leave().await.unwrap();
    let error = Member::join(&etcd, "old", OLD).await.err().unwrap();
    assert!(matches!(error, JoinError::TooOld { .. }), "{error}");
    let mut next = Member::join(&etcd, "next", NEW).await.unwrap();
    assert_eq!(next.take_over().await, [(1, 2), (2, 4), (3, 1)]);
}

#[tokio::test(start_paused = true)]
async fn a_node_that_writes_only_what_another_cannot_read_does_not_join_before_that_is_gone() {
    let etcd = MemoryEtcd::default();
    let old = Member::join(&etcd, "old", OLD).await.unwrap();
    let latest = (Format::TRIAL, Format::TRIAL);
    let error = Member::join(&etcd, "latest", latest).await.err().unwrap();
    assert!(error.to_string().contains("node old knows formats up to 1"), "{error}");
    old.node.leave().await.unwrap();
    // An earlier life of the same name is no hindrance.
    let old = Member::join(&etcd, "latest", OLD).await.unwrap();
    drop(old.node);
    let latest = Member::join(&etcd, "latest", latest).await.unwrap();
    assert_eq!(latest.node.membership().format(), Format::TRIAL);
}

#[tokio::test(start_paused = true)]
async fn of_an_old_and_a_new_node_that_start_at_once_both_join_or_the_old_one_does_not() {
    for _ in 0..20 {
        let etcd = MemoryEtcd::default();
        let nodes = ["a", "b", "c"].into_iter().zip([NEW, OLD, NEW]);
        let joining = nodes.map(|(name, formats)| Member::join(&etcd, name, formats));
        let joined = futures_util::future::join_all(joining).await;
        let written: Vec<_> =
            joined.iter().flatten().map(|member| member.node.membership().format()).collect();
        let old_is_in = joined[1].is_ok();
        assert!(joined[0].is_ok() && joined[2].is_ok());
        assert!(!old_is_in || written.iter().all(|format| *format == Format::FIRST), "{written:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_format_that_is_raised_while_an_old_node_joins_is_raised_or_the_node_joins_but_not_both() {
    let etcd = MemoryEtcd::default();
    let new = Member::join(&etcd, "new", NEW).await.unwrap();
    let client = etcd.client();
    let lower = Txn { then: vec![Operation::put(keys::FORMAT.into(), "1")], ..Txn::default() };
    client.txn(lower).await.unwrap();
    let membership = new.node.membership();
    let (raised, old) = tokio::join!(membership.raise_format(&*new.client), Member::join(&etcd, "old", OLD));
    raised.unwrap();
    let is_raised = Txn { compares: vec![Compare::Exists(keys::FORMAT.into())], ..Txn::default() };
    assert!(client.txn(is_raised).await.unwrap().held);
    let written = formats(&etcd, keys::FORMAT).await;
    assert_eq!(old.is_ok(), written == *b"1", "{written:?}");
}

#[tokio::test(start_paused = true)]
async fn a_node_without_tls_joins_no_nodes_with_tls_and_the_other_way_round() {
    for (tls, advice) in [(true, "start it with --cluster-ca"), (false, "stop all nodes, and start all with")]
    {
        let etcd = MemoryEtcd::default();
        let join = async |name: &str, tls: bool| {
            Node::join(etcd.client(), &name.parse().unwrap(), &About { tls, ..about() }, LEASE).await
        };
        let _first = join("a", tls).await.unwrap();
        let error = join("b", !tls).await.unwrap_err().to_string();
        assert!(error.contains("node a speaks") && error.contains(advice), "{error}");
        join("c", tls).await.unwrap();
    }
}
