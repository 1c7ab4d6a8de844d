//! What every engine keeps to: one list of tests, run against the etcd in memory and against a real one.

use std::sync::Arc;
use std::time::Duration;

use super::memory::MemoryEtcd;
use super::real::RealEtcd;
use super::{
    Answer, Change, Compare, Engine, EngineError, Key, KeyValue, Operation, Range, RangeReader, Revision, Txn,
};

/// A real lease takes its time, and a watch tells of its end.
const PATIENCE: Duration = Duration::from_secs(15);

type Test = fn(Arc<dyn Engine>) -> Answer<'static, ()>;

macro_rules! contract {
    ($($name:ident),* $(,)?) => {
        /// All tests, by their names.
        const TESTS: &[(&str, Test)] = &[$((stringify!($name), |engine| Box::pin($name(engine)))),*];
    };
}

#[tokio::test(start_paused = true)]
async fn an_etcd_in_memory_keeps_to_all_of_it() {
    for (name, test) in TESTS {
        eprintln!("{name}");
        test(MemoryEtcd::default().client()).await.unwrap();
    }
}

contract! {
    a_key_remembers_when_it_was_created_and_changed,
    a_failed_comparison_changes_nothing_and_reads_instead,
    every_comparison_means_what_it_says,
    all_changes_of_a_transaction_have_one_revision,
    reads_in_a_transaction_see_what_was_done_before_them,
    a_deleted_key_is_a_new_one_when_it_is_put_again,
    a_range_is_deleted_up_to_its_end,
    pages_show_one_revision_in_the_order_of_keys,
    pages_of_large_values_are_whole,
    small_values_are_read_many_at_a_time_and_large_ones_may_follow,
    keys_that_were_created_before_are_left_out,
    a_revision_in_the_future_is_refused,
    what_etcd_refuses_is_refused,
    a_watch_tells_the_past_and_then_the_present,
    a_watch_tells_all_changes_of_a_revision_together,
    a_lease_that_is_revoked_takes_its_keys_along,
    a_lease_that_is_not_kept_alive_ends,
    a_lease_that_is_kept_alive_goes_on,
    a_put_without_the_lease_outlives_it,
    nothing_is_put_under_a_lease_that_has_ended,
}

#[tokio::test]
async fn a_real_etcd_keeps_to_all_of_it() {
    let Some(etcd) = RealEtcd::start("the contract of an engine, with a real etcd").await else { return };
    for (name, test) in TESTS {
        eprintln!("{name}");
        test(Arc::new(etcd.engine(name))).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_compacted_is_told_by_an_etcd_in_memory() {
    let etcd = MemoryEtcd::default();
    what_was_compacted_cannot_be_read(etcd.client(), async |to| etcd.compact(to)).await.unwrap();
}

#[tokio::test]
async fn what_was_compacted_is_told_by_a_real_etcd() {
    let Some(etcd) = RealEtcd::start("compaction of a real etcd").await else { return };
    what_was_compacted_cannot_be_read(Arc::new(etcd.engine("a")), async |to| etcd.compact(to).await)
        .await
        .unwrap();
}

async fn what_was_compacted_cannot_be_read(
    engine: Arc<dyn Engine>,
    compact: impl AsyncFn(Revision),
) -> Tested {
    let old = engine.txn(always([put("a", "1")])).await?.revision;
    engine.txn(always([put("a", "2")])).await?;
    let new = engine.txn(always([put("a", "3")])).await?.revision;
    compact(new).await;
    let as_of = |at| Range { at: Some(at), ..Range::key("a".into()) };
    assert_eq!(engine.range(as_of(old)).await, Err(EngineError::Compacted));
    assert_eq!(&engine.range(as_of(new)).await?.found[0].value[..], b"3");
    assert_eq!(engine.watch("a".into(), old).await?.next().await, Err(EngineError::Compacted));
    assert_eq!(engine.watch("a".into(), new).await?.next().await?.revision, new);
    Ok(())
}

type Tested = Result<(), EngineError>;

fn put(key: &'static str, value: &'static str) -> Operation {
    Operation::put(key.into(), value)
}

fn always(then: impl Into<Vec<Operation>>) -> Txn {
    Txn { then: then.into(), ..Txn::default() }
}

async fn get(engine: &Arc<dyn Engine>, key: &'static str) -> Result<Option<KeyValue>, EngineError> {
    Ok(engine.range(Range::key(key.into())).await?.found.pop())
}

async fn found(engine: &Arc<dyn Engine>, key: &'static str) -> Result<KeyValue, EngineError> {
    Ok(get(engine, key).await?.unwrap_or_else(|| panic!("there is no {key}")))
}

async fn a_key_remembers_when_it_was_created_and_changed(engine: Arc<dyn Engine>) -> Tested {
    let first = engine.txn(always([put("a", "1")])).await?;
    let second = engine.txn(always([put("a", "2")])).await?;
    let kept = found(&engine, "a").await?;
    assert!(first.held && second.revision > first.revision);
    assert_eq!((kept.created, kept.changed), (first.revision, second.revision));
    assert_eq!((kept.key, &kept.value[..], kept.lease), (Key::from("a"), &b"2"[..], None));
    Ok(())
}

async fn a_failed_comparison_changes_nothing_and_reads_instead(engine: Arc<dyn Engine>) -> Tested {
    let before = engine.txn(always([put("a", "1")])).await?.revision;
    let reply = engine
        .txn(Txn {
            compares: vec![Compare::Absent("a".into()), Compare::Absent("b".into())],
            then: vec![put("a", "2"), put("b", "2")],
            otherwise: vec![Operation::get("a".into()), Operation::get("b".into())],
        })
        .await?;
    assert!(!reply.held);
    assert_eq!(reply.found_key(0).map(|key| (&key.value[..], key.changed)), Some((&b"1"[..], before)));
    assert_eq!((reply.found_key(1), reply.found_key(2)), (None, None));
    assert_eq!(get(&engine, "b").await?, None);
    Ok(())
}

async fn every_comparison_means_what_it_says(engine: Arc<dyn Engine>) -> Tested {
    let created = engine.txn(always([put("a", "1")])).await?.revision;
    let changed = engine.txn(always([put("a", "2")])).await?.revision;
    let (a, none) = (Key::from("a"), Key::from("none"));
    for (compare, holds) in [
        (Compare::CreatedAt(a.clone(), created), true),
        (Compare::CreatedAt(a.clone(), changed), false),
        (Compare::CreatedAt(none.clone(), created), false),
        (Compare::ChangedAt(a.clone(), changed), true),
        (Compare::ChangedAt(a.clone(), created), false),
        (Compare::ChangedAt(none.clone(), changed), false),
        (Compare::Exists(a.clone()), true),
        (Compare::Exists(none.clone()), false),
        (Compare::Absent(a), false),
        (Compare::Absent(none), true),
    ] {
        let reply = engine.txn(Txn { compares: vec![compare.clone()], ..Txn::default() }).await?;
        assert_eq!(reply.held, holds, "{compare:?}");
    }
    Ok(())
}

async fn all_changes_of_a_transaction_have_one_revision(engine: Arc<dyn Engine>) -> Tested {
    let reply = engine.txn(always([put("a", "1"), put("b", "1")])).await?;
    for key in ["a", "b"] {
        assert_eq!(found(&engine, key).await?.changed, reply.revision);
    }
    Ok(())
}

async fn reads_in_a_transaction_see_what_was_done_before_them(engine: Arc<dyn Engine>) -> Tested {
    engine.txn(always([put("a", "1")])).await?;
    let read = || Operation::Get(Range::prefix(&"a".into(), 10));
    let delete = Operation::Delete("a".into());
    let reply = engine.txn(always([read(), put("ab", "1"), read(), delete, read()])).await?;
    assert_eq!(reply.found.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2, 1]);
    Ok(())
}

async fn a_deleted_key_is_a_new_one_when_it_is_put_again(engine: Arc<dyn Engine>) -> Tested {
    let first = engine.txn(always([put("a", "1")])).await?.revision;
    engine.txn(always([Operation::Delete("a".into())])).await?;
    assert_eq!(get(&engine, "a").await?, None);
    let again = engine.txn(always([put("a", "1")])).await?.revision;
    assert_eq!(found(&engine, "a").await?.created, again);
    assert!(again > first);
    Ok(())
}

async fn a_range_is_deleted_up_to_its_end(engine: Arc<dyn Engine>) -> Tested {
    engine.txn(always([put("a1", ""), put("a2", ""), put("a3", ""), put("b", "")])).await?;
    engine.txn(always([Operation::DeleteRange("a1".into(), "a3".into())])).await?;
    assert_eq!(engine.count("a".into(), "b".into()).await?, 1);
    let left = engine.range(Range::new(("a".into(), "c".into()), 10)).await?;
    let keys: Vec<Key> = left.found.into_iter().map(|found| found.key).collect();
    assert_eq!(keys, [Key::from("a3"), Key::from("b")]);
    Ok(())
}

async fn pages_show_one_revision_in_the_order_of_keys(engine: Arc<dyn Engine>) -> Tested {
    for number in [3, 1, 4, 0, 2] {
        engine.txn(always([Operation::put(format!("a/{number}").into(), "old")])).await?;
    }
    engine.txn(always([put("b", "other")])).await?;
    let mut reader = RangeReader::of_prefix(&*engine, &"a/".into(), super::MAX_PAGE / 2);
    let first = reader.next().await?.unwrap();
    assert_eq!(first.len(), 2);
    engine.txn(always([put("a/3", "new"), put("a/7", "new"), Operation::Delete("a/4".into())])).await?;
    let mut all = first;
    while let Some(page) = reader.next().await? {
        all.extend(page);
    }
    let all: Vec<String> =
        all.iter().map(|one| format!("{} {}", one.key, one.value.escape_ascii())).collect();
    assert_eq!(all, ["a/0 old", "a/1 old", "a/2 old", "a/3 old", "a/4 old"]);
    Ok(())
}

async fn pages_of_large_values_are_whole(engine: Arc<dyn Engine>) -> Tested {
    let size = 256 << 10;
    for number in 0..20 {
        let value = vec![number; size];
        engine.txn(always([Operation::put(format!("log/{number:02}").into(), value)])).await?;
    }
    let mut reader = RangeReader::of_prefix(&*engine, &"log/".into(), size);
    let mut all = Vec::new();
    while let Some(page) = reader.next().await? {
        all.extend(page);
    }
    assert_eq!(all.len(), 20);
    assert!(all.iter().zip(0_u8..).all(|(one, number)| one.value == vec![number; size]));
    Ok(())
}

async fn small_values_are_read_many_at_a_time_and_large_ones_may_follow(engine: Arc<dyn Engine>) -> Tested {
    let large = 256 << 10;
    let small = |number: usize| Operation::put(format!("log/{number:03}").into(), "small");
    for from in [0, 100, 200] {
        engine.txn(always((from..from + 100).map(small).collect::<Vec<_>>())).await?;
    }
    for number in 300..320 {
        engine.txn(always([Operation::put(format!("log/{number}").into(), vec![7; large])])).await?;
    }
    let mut reader = RangeReader::of_prefix(&*engine, &"log/".into(), large);
    let mut pages = Vec::new();
    while let Some(page) = reader.next().await? {
        pages.push(page.len());
    }
    assert_eq!(pages.iter().sum::<usize>(), 320);
    assert!(pages.len() <= 4, "{pages:?}");
    Ok(())
}

async fn keys_that_were_created_before_are_left_out(engine: Arc<dyn Engine>) -> Tested {
    let first = engine.txn(always([put("log/1", "1"), put("log/2", "2")])).await?.revision;
    engine.txn(always([put("log/1", "again")])).await?;
    engine.txn(always([put("log/3", "3"), put("log/4", "4")])).await?;
    let mut page = engine.range(Range { created_after: first, ..Range::prefix(&"log/".into(), 1) }).await?;
    assert_eq!((page.found.pop().map(|found| found.key), page.has_more), (Some("log/3".into()), true));
    let keys = engine.range(Range { keys_only: true, ..Range::prefix(&"log/".into(), 9) }).await?.found;
    assert!(keys.len() == 4 && keys.iter().all(|found| found.value.is_empty()));
    Ok(())
}

async fn a_revision_in_the_future_is_refused(engine: Arc<dyn Engine>) -> Tested {
    let now = engine.txn(always([put("a", "1")])).await?.revision;
    let at = Some(Revision(now.0 + 1_000_000));
    let answer = engine.range(Range { at, ..Range::key("a".into()) }).await;
    assert!(matches!(answer, Err(EngineError::Refused(_))), "{answer:?}");
    Ok(())
}

async fn what_etcd_refuses_is_refused(engine: Arc<dyn Engine>) -> Tested {
    let many = (0..=super::MAX_OPERATIONS).map(|number| Operation::get(format!("{number}").into()));
    for refused in [
        always([put("a", "1"), put("a", "2")]),
        always([put("a", "1"), Operation::Delete("a".into())]),
        always([put("a", "1"), Operation::DeleteRange("a".into(), "b".into())]),
        always(many.collect::<Vec<_>>()),
        always([Operation::put("a".into(), vec![0; 1_600_000])]),
    ] {
        let answer = engine.txn(refused).await;
        assert!(matches!(answer, Err(EngineError::Refused(_))), "{answer:?}");
    }
    assert_eq!(get(&engine, "a").await?, None);
    engine.txn(always([Operation::put("a".into(), vec![0; super::MAX_VALUE])])).await?;
    Ok(())
}

async fn a_watch_tells_the_past_and_then_the_present(engine: Arc<dyn Engine>) -> Tested {
    engine.txn(always([put("o/a", "0")])).await?;
    let from = engine.txn(always([put("o/a", "1")])).await?.revision;
    engine.txn(always([put("p", "other")])).await?;
    let mut watch = engine.watch("o/".into(), from).await?;
    let told = watch.next().await?;
    assert_eq!(told.revision, from);
    let gone = engine.txn(always([Operation::Delete("o/a".into())])).await?.revision;
    let told = watch.next().await?;
    assert_eq!((told.revision, told.changes), (gone, vec![Change::Deleted("o/a".into())]));
    let again = engine.txn(always([put("o/a", "2")])).await?.revision;
    let told = watch.next().await?;
    assert_eq!(told.revision, again);
    assert!(
        matches!(&told.changes[..], [Change::Put(put)] if put.created == again && &put.value[..] == b"2")
    );
    Ok(())
}

async fn a_watch_tells_all_changes_of_a_revision_together(engine: Arc<dyn Engine>) -> Tested {
    let now = engine.txn(always([put("z", "")])).await?.revision;
    let mut watch = engine.watch("o/".into(), now.next()).await?;
    for _ in 0..3 {
        engine.txn(always([put("o/b", "1"), put("p", "1"), put("o/a", "1")])).await?;
    }
    for _ in 0..3 {
        let told = watch.next().await?;
        let key_of = |change: &Change| match change {
            Change::Put(KeyValue { key, changed, .. }) if *changed == told.revision => key.clone(),
            other => panic!("{other:?}"),
        };
        let keys: Vec<_> = told.changes.iter().map(key_of).collect();
        assert_eq!(keys, [Key::from("o/b"), Key::from("o/a")]);
    }
    Ok(())
}

/// Puts `o/a` under a new lease. Returns the lease and the revision.
async fn leased(engine: &Arc<dyn Engine>) -> Result<(super::Lease, Revision), EngineError> {
    let lease = engine.grant(Duration::from_secs(1)).await?;
    let put = Operation::Put { key: "o/a".into(), value: "1".into(), lease: Some(lease.id) };
    let reply = engine.txn(always([put, self::put("o/b", "1")])).await?;
    assert_eq!(found(engine, "o/a").await?.lease, Some(lease.id));
    Ok((lease, reply.revision))
}

async fn a_lease_that_is_revoked_takes_its_keys_along(engine: Arc<dyn Engine>) -> Tested {
    let (lease, at) = leased(&engine).await?;
    let mut watch = engine.watch("o/".into(), at.next()).await?;
    engine.revoke(lease.id).await?;
    assert_eq!(watch.next().await?.changes, [Change::Deleted("o/a".into())]);
    assert_eq!(get(&engine, "o/a").await?, None);
    assert!(get(&engine, "o/b").await?.is_some());
    assert_eq!(engine.revoke(lease.id).await, Err(EngineError::NoSuchLease));
    assert_eq!(engine.keep_alive(lease.id).await, Err(EngineError::NoSuchLease));
    Ok(())
}

async fn a_lease_that_is_not_kept_alive_ends(engine: Arc<dyn Engine>) -> Tested {
    let (lease, at) = leased(&engine).await?;
    let mut watch = engine.watch("o/".into(), at.next()).await?;
    let told = tokio::time::timeout(PATIENCE, watch.next()).await.expect("the lease ends")?;
    assert_eq!(told.changes, [Change::Deleted("o/a".into())]);
    assert_eq!(engine.keep_alive(lease.id).await, Err(EngineError::NoSuchLease));
    Ok(())
}

async fn a_lease_that_is_kept_alive_goes_on(engine: Arc<dyn Engine>) -> Tested {
    let (lease, at) = leased(&engine).await?;
    let mut watch = engine.watch("o/".into(), at.next()).await?;
    let beats = async {
        for _ in 0..12 {
            tokio::time::sleep(lease.ttl / 4).await;
            engine.keep_alive(lease.id).await?;
        }
        Tested::Ok(())
    };
    tokio::select! {
        kept = beats => kept,
        told = watch.next() => panic!("the lease has ended: {told:?}"),
    }
}

async fn a_put_without_the_lease_outlives_it(engine: Arc<dyn Engine>) -> Tested {
    let (lease, _) = leased(&engine).await?;
    engine.txn(always([put("o/a", "2")])).await?;
    engine.revoke(lease.id).await?;
    assert_eq!(found(&engine, "o/a").await?.lease, None);
    Ok(())
}

async fn nothing_is_put_under_a_lease_that_has_ended(engine: Arc<dyn Engine>) -> Tested {
    let lease = engine.grant(Duration::from_secs(1)).await?;
    engine.revoke(lease.id).await?;
    let put = Operation::Put { key: "a".into(), value: "1".into(), lease: Some(lease.id) };
    let answer = engine.txn(always([self::put("b", "1"), put])).await;
    assert_eq!(answer, Err(EngineError::NoSuchLease));
    assert_eq!(get(&engine, "b").await?, None);
    Ok(())
}
