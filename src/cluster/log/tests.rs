//! A log under faults: lost replies, in any order, and the end of the membership.

use std::sync::Arc;

use super::{Batch, Log, LogReader, MAX_SEGMENT, Outcome, ReadError, Recorded};
use crate::cluster::engine::memory::{DEADLINE, Fate, MemoryClient, MemoryEtcd};
use crate::cluster::engine::{Engine, Operation, Revision, Txn};
use crate::cluster::format::Format;
use crate::cluster::keys::{self, Epoch, Seq};
use crate::cluster::node::{FencedOff, LEASE, Living, Node};
use crate::cluster::sample::event;
use crate::server::storage::{Entry, Note};

struct World {
    etcd: MemoryEtcd,
    client: Arc<MemoryClient>,
    node: Node,
}

impl World {
    async fn new() -> Self {
        let etcd = MemoryEtcd::default();
        let client = etcd.client();
        let node = Node::join(client.clone(), &"a".parse().unwrap(), &crate::cluster::sample::about(), LEASE)
            .await
            .unwrap();
        Self { etcd, client, node }
    }

    fn log(&self) -> Log {
        Log::new(self.client.clone(), self.node.membership().clone())
    }

    fn epoch(&self) -> Epoch {
        self.node.membership().epoch()
    }

    /// Ends the membership and reads the log.
    async fn read(self) -> Result<Vec<(Revision, Vec<u32>)>, ReadError> {
        let (epoch, other) = (self.epoch(), self.etcd.client());
        self.client.heal();
        self.node.leave().await.unwrap();
        let sealed = Living::read(&*other).await.unwrap().sealed(epoch).unwrap();
        let mut reader = LogReader::open(&*other, sealed).await?;
        let mut batches = Vec::new();
        while let Some(batch) = reader.next().await? {
            batches.push((batch.revision, numbers(&batch.entries)));
        }
        Ok(batches)
    }
}

fn numbers(entries: &[Entry]) -> Vec<u32> {
    let number = |entry: &Entry| match entry.note {
        Note::Happened { number, .. } => number,
        _ => 0,
    };
    entries.iter().map(number).collect()
}

fn batch(numbers: impl IntoIterator<Item = u32>) -> Batch {
    Batch::of(Format::FIRST, &numbers.into_iter().map(|number| event(1, number, 0)).collect::<Vec<_>>())
}

/// Appends until it is certain what became of the batch. Returns how often that was in doubt.
async fn append(log: Log, batch: Batch) -> (Result<(Log, Recorded), FencedOff>, usize) {
    let (mut appending, mut waits) = (log.append(batch), 0);
    loop {
        match appending.go_on().await {
            Outcome::Recorded(log, recorded) => return (Ok((log, recorded)), waits),
            Outcome::Waiting(same, error) => {
                assert!(error.is_in_doubt(), "{error}");
                (appending, waits) = (same, waits + 1);
            }
            Outcome::FencedOff(off) => return (Err(off), waits),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn batches_are_recorded_one_after_the_other_and_read_back() {
    let world = World::new().await;
    let mut log = world.log();
    let mut revisions = Vec::new();
    for numbers in [1..2, 2..5, 5..5, 5..6] {
        let (appended, waits) = append(log, batch(numbers)).await;
        let (next, recorded) = appended.unwrap();
        assert_eq!((waits, recorded.first, recorded.last), (0, Seq(revisions.len() as u64), recorded.first));
        revisions.push(recorded.revision);
        log = next;
    }
    assert!(revisions.is_sorted());
    let expected = [vec![1], vec![2, 3, 4], vec![], vec![5]];
    assert_eq!(world.read().await.unwrap(), revisions.into_iter().zip(expected).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_batch_in_doubt_is_recorded_once_whatever_became_of_the_first_attempt() {
    for fate in [Fate::Run, Fate::Lost, Fate::RunLater(DEADLINE / 2), Fate::RunLater(DEADLINE * 3)] {
        let world = World::new().await;
        world.client.lose_reply(fate);
        let (appended, waits) = append(world.log(), batch([1])).await;
        let (log, first) = appended.unwrap();
        let (appended, _) = append(log, batch([2])).await;
        let (_, second) = appended.unwrap();
        tokio::time::sleep(DEADLINE * 4).await;
        assert_eq!(waits, 1, "{fate:?}");
        let batches = world.read().await.unwrap();
        assert_eq!(batches, [(first.revision, vec![1]), (second.revision, vec![2])], "{fate:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_is_no_member_any_more_records_nothing_ever_again() {
    let world = World::new().await;
    let membership = world.node.membership().clone();
    let (log, other) = (world.log(), world.log());
    world.client.cut_off();
    tokio::time::sleep(LEASE * 2).await;
    // It wakes, and does not know yet.
    world.client.heal();
    assert_eq!(membership.check(), Ok(()));
    assert!(matches!(append(log, batch([1])).await, (Err(FencedOff), 0)));
    assert_eq!(membership.check(), Err(FencedOff));
    assert!(matches!(append(other, batch([1])).await, (Err(FencedOff), 0)));
    assert_eq!(world.log().confirm().await, Ok(None));
    assert_eq!(world.read().await.unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn what_was_recorded_before_the_end_of_the_membership_may_be_told_after_it() {
    let world = World::new().await;
    world.client.lose_reply(Fate::Run);
    let Outcome::Waiting(appending, _) = world.log().append(batch([1])).go_on().await else {
        panic!("no doubt")
    };
    world.client.cut_off();
    tokio::time::sleep(LEASE * 2).await;
    world.client.heal();
    let Outcome::Recorded(log, _) = appending.go_on().await else { panic!("it is recorded") };
    assert!(matches!(append(log, batch([2])).await, (Err(FencedOff), 0)));
    assert_eq!(world.read().await.unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_late_attempt_of_a_dead_node_is_fenced_off() {
    let world = World::new().await;
    world.client.lose_reply(Fate::RunLater(LEASE * 3));
    let Outcome::Waiting(appending, _) = world.log().append(batch([1])).go_on().await else {
        panic!("no doubt")
    };
    world.client.cut_off();
    tokio::time::sleep(LEASE * 5).await;
    world.client.heal();
    assert!(matches!(appending.go_on().await, Outcome::FencedOff(_)));
    assert_eq!(world.read().await.unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn a_living_node_is_confirmed() {
    let world = World::new().await;
    let log = world.log();
    assert_eq!(log.confirm().await, Ok(Some(world.etcd.revision())));
    world.client.cut_off();
    assert!(log.confirm().await.unwrap_err().is_in_doubt());
}

#[tokio::test(start_paused = true)]
async fn a_large_batch_counts_once_all_of_it_is_recorded() {
    let world = World::new().await;
    let large = batch(1..20_000);
    assert!(large.segments().count() >= 2 && large.segments().all(|bytes| bytes.len() <= MAX_SEGMENT));
    let (appended, _) = append(world.log(), large.clone()).await;
    let (log, recorded) = appended.unwrap();
    assert_eq!(recorded.last.0 - recorded.first.0 + 1, large.segments().count() as u64);
    let (appended, _) = append(log, batch([20_000])).await;
    assert_eq!(appended.unwrap().1.first, recorded.last.next());
    let batches = world.read().await.unwrap();
    assert_eq!(batches.iter().map(|(_, numbers)| numbers.len()).collect::<Vec<_>>(), [19_999, 1]);

    let world = World::new().await;
    // The node dies after the first of them.
    let first = large.segments().next().unwrap().clone();
    let put = Operation::put(keys::segment(world.epoch(), Seq(0)), first);
    world.client.txn(Txn { then: vec![put], ..Txn::default() }).await.unwrap();
    assert_eq!(world.read().await.unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn damage_is_named_with_its_place() {
    for (why, damage) in [
        (
            "its checksum does not fit",
            (|epoch| Operation::put(keys::segment(epoch, Seq(5)), "\x01nonsense")) as fn(Epoch) -> Operation,
        ),
        ("format 9", |epoch| Operation::put(keys::segment(epoch, Seq(5)), vec![9; 9])),
        ("it was overwritten", |epoch| Operation::put(keys::segment(epoch, Seq(4)), vec![9; 9])),
        ("it is missing, and log/", |epoch| Operation::Delete(keys::segment(epoch, Seq(3)))),
        ("it is missing, and log/", |epoch| Operation::put(format!("log/{epoch}/other").into(), "")),
        ("does not say where it begins", |epoch| Operation::put(keys::start(epoch), "soon")),
    ] {
        let world = World::new().await;
        let mut log = world.log();
        for number in 0..5 {
            log = append(log, batch([number])).await.0.unwrap().0;
        }
        let damage = damage(world.epoch());
        world.client.txn(Txn { then: vec![damage.clone()], ..Txn::default() }).await.unwrap();
        let error = world.read().await.unwrap_err().to_string();
        assert!(error.contains(why) && error.contains("is damaged at segment"), "{damage:?}: {error}");
    }
}

#[tokio::test(start_paused = true)]
async fn long_logs_are_read_in_pages() {
    let world = World::new().await;
    let mut log = world.log();
    let size = 9_000;
    for number in 0..40 {
        log = append(log, batch(number * size..(number + 1) * size)).await.0.unwrap().0;
    }
    let batches = world.read().await.unwrap();
    assert!(batches.iter().flat_map(|(_, numbers)| numbers).copied().eq(0..40 * size));
}
