//! What a node does when etcd forgets, is wiped, is full, or has something damaged.

use std::sync::Arc;
use std::time::Duration;

use super::engine::memory::{MemoryClient, MemoryEtcd, Snapshot};
use super::engine::real::RealEtcd;
use super::engine::{Engine, EngineError, EngineMaker, Operation, Txn, only_forward};
use super::format::Format;
use super::keys::{self, Slot};
use super::log::{Batch, Log, Outcome};
use super::map::read_map;
use super::node::{FencedOff, LEASE, Living, Node};
use super::pages::{PageWriter, restore};
use super::sample::{about, event, opened};
use crate::server::storage::Entry;

struct Member {
    client: Arc<MemoryClient>,
    node: Node,
    log: Option<Log>,
    writer: PageWriter,
}

impl Member {
    async fn join(etcd: &MemoryEtcd, name: &str) -> Self {
        let client = etcd.client();
        let node = Node::join(client.clone(), &name.parse().unwrap(), &about(), LEASE).await.unwrap();
        let log = Some(Log::new(client.clone(), node.membership().clone()));
        let writer = PageWriter::new(client.clone(), node.membership().clone());
        Self { client, node, log, writer }
    }

    /// Records these entries. Returns whether that succeeded, or else the node is fenced off.
    async fn record(&mut self, entries: &[Entry]) -> bool {
        match self.log.take().unwrap().append(Batch::of(Format::FIRST, entries)).go_on().await {
            Outcome::Recorded(log, recorded) => {
                self.log = Some(log);
                self.writer.take(entries, recorded).unwrap();
                true
            }
            Outcome::FencedOff(_) => false,
            Outcome::Waiting(_, error) => panic!("{error}"),
        }
    }

    async fn confirm(&self) -> bool {
        self.log.as_ref().unwrap().confirm().await.unwrap().is_some()
    }
}

async fn change_something(etcd: &MemoryEtcd) {
    let then = vec![Operation::put("x".into(), "")];
    etcd.client().txn(Txn { then, ..Txn::default() }).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_node_goes_on_after_what_it_recorded_last_is_in_pages() {
    let etcd = MemoryEtcd::default();
    let mut member = Member::join(&etcd, "a").await;
    assert!(member.confirm().await);
    assert!(member.record(&[opened(1), event(1, 1, 0)]).await && member.confirm().await);
    for number in 2..6 {
        member.writer.write().await.unwrap();
        assert!(member.confirm().await);
        assert!(member.record(&[event(1, number, 0)]).await && member.confirm().await);
    }
    member.writer.write().await.unwrap();
    member.node.leave().await.unwrap();
    let living = Living::read(&*member.client).await.unwrap();
    let restored = restore(&*member.client, &living, Slot::all()).await.unwrap();
    assert_eq!((restored.damaged.len(), restored.lobbies[0].kept.last), (0, 5));
}

#[tokio::test(start_paused = true)]
async fn where_etcd_has_forgotten_what_a_node_recorded_it_records_and_tells_nothing_more() {
    for are_pages_written in [false, true] {
        for confirms in [false, true] {
            let etcd = MemoryEtcd::default();
            let mut member = Member::join(&etcd, "a").await;
            assert!(member.record(&[opened(1), event(1, 1, 0)]).await);
            let snapshot = etcd.snapshot();
            assert!(member.record(&[event(1, 2, 0)]).await);
            if are_pages_written {
                member.writer.write().await.unwrap();
                assert!(member.confirm().await);
            }
            etcd.restore(snapshot);
            // The revisions are soon as high as before.
            for _ in 0..20 {
                change_something(&etcd).await;
            }
            if confirms {
                assert!(!member.confirm().await);
            } else {
                assert!(!member.record(&[event(1, 3, 0)]).await);
            }
            assert_eq!(member.node.membership().check(), Err(FencedOff));
            member.node.leave().await.unwrap();
            let living = Living::read(&*member.client).await.unwrap();
            let restored = restore(&*member.client, &living, Slot::all()).await.unwrap();
            assert_eq!((restored.damaged.len(), restored.lobbies[0].kept.last), (0, 1));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_node_to_which_nothing_happens_is_fenced_off_by_an_etcd_that_went_back_or_was_wiped() {
    for is_wiped in [false, true] {
        let etcd = MemoryEtcd::default();
        let client = etcd.client();
        let for_engines = client.clone();
        let maker: EngineMaker = only_forward(Arc::new(move || for_engines.clone()));
        let node = Node::join(maker(), &"a".parse().unwrap(), &about(), LEASE).await.unwrap();
        let snapshot = if is_wiped { Snapshot::default() } else { etcd.snapshot() };
        change_something(&etcd).await;
        assert!(Living::read(&*maker()).await.is_ok());
        client.cut_off();
        tokio::time::sleep(LEASE / 4).await;
        etcd.restore(snapshot);
        client.heal();
        tokio::time::timeout(LEASE * 3, node.membership().fenced_off()).await.unwrap();
        if !is_wiped {
            let error = maker().txn(Txn::default()).await.unwrap_err();
            assert_eq!(error, EngineError::WentBack);
            assert!(error.to_string().contains("Before etcd is restored, stop all nodes"), "{error}");
        }
        // The next life begins with what is there.
        Node::join(etcd.client(), &"a".parse().unwrap(), &about(), LEASE).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_damaged_map_or_format_is_named_with_what_to_do() {
    let client = MemoryEtcd::default().client();
    for (key, damage) in [(keys::MAP, "?"), (keys::FORMAT, "?")] {
        let then = vec![Operation::put(key.into(), damage)];
        client.txn(Txn { then, ..Txn::default() }).await.unwrap();
    }
    let error = read_map(&*client).await.unwrap_err().to_string();
    assert!(error.contains("`etcdctl del nim/map`"), "{error}");
    let error = Node::join(client, &"a".parse().unwrap(), &about(), LEASE).await.unwrap_err().to_string();
    assert!(error.contains("the key `nim/format` in etcd, is damaged"), "{error}");
    assert!(error.contains("`etcdctl put nim/format 1`"), "{error}");
}

#[tokio::test]
async fn a_full_etcd_is_named_with_what_to_do_and_nothing_is_lost_by_it() {
    let flags = ["--quota-backend-bytes", "1000000"];
    let Some(etcd) = RealEtcd::start_with_flags("a full etcd", &flags).await else { return };
    let engine: Arc<dyn Engine> = Arc::new(etcd.engine("a"));
    let name = "a".parse().unwrap();
    let node = Node::join(Arc::clone(&engine), &name, &about(), Duration::from_mins(1)).await.unwrap();
    let fill = || Txn { then: vec![Operation::put("x".into(), vec![7; 100_000])], ..Txn::default() };
    let error = loop {
        if let Err(error) = engine.txn(fill()).await {
            break error;
        }
    };
    assert_eq!(error, EngineError::Full);
    assert!(error.to_string().contains("--quota-backend-bytes"), "{error}");
    let log = Log::new(Arc::clone(&engine), node.membership().clone());
    let batch = Batch::of(Format::FIRST, &[opened(1)]);
    let Outcome::Waiting(appending, error) = log.append(batch).go_on().await else { panic!("it is full") };
    assert_eq!(error, EngineError::Full);
    assert!(node.membership().check().is_ok(), "it stays a member");
    etcd.make_room().await;
    assert!(matches!(appending.go_on().await, Outcome::Recorded(..)));
}
