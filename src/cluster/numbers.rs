//! The numbers of lobbies: each node takes them from a counter in etcd, a block at a time, so that no two lobbies of
//! the cluster ever have the same one.
//!
//! The key `ids` has the first number that was never taken, as 8 bytes, the high one first, in a [checked] value of
//! version 1. A node that ends, or does not learn whether it got a block, leaves the rest of the block unused.

use std::collections::VecDeque;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::checked;
use super::engine::{self, Compare, Engine, EngineError, KeyValue, Operation, Txn};
use super::following::RETRY_PAUSE;
use super::format::Format;
use super::keys;
use super::node::{FencedOff, Membership, WriteError};
use crate::server::storage::LobbyId;

/// How many numbers a block has: at a hundred new lobbies a second, one transaction in ten seconds.
pub const BLOCK: u64 = 1_024;

/// The next block is taken once no more than this number of numbers is left.
const LOW: u64 = BLOCK / 2;

/// What a host may put there: more than a cluster ever had, as a rule, and no more than SQLite has numbers for.
const TYPED: RangeInclusive<u64> = 1_000_000_000..=999_999_999_999_999;

/// How long to wait if the counter is damaged, until it is read again.
const DAMAGED_PAUSE: Duration = Duration::from_secs(10);

/// Why there are no more numbers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NumbersError {
    /// The block was not taken, or is lost.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The counter is no number.
    #[error(
        "the counter of lobbies in etcd, the key `{key}`, is damaged: {why}; put a number there that no lobby has had \
         yet, as in `etcdctl put {key} 1000000000`, and start the nodes once `nim-server check --cluster` finds it high enough"
    )]
    Damaged {
        /// The key with the namespace before it.
        key: String,
        /// What is wrong, as the end of a sentence.
        why: String,
    },
}

impl From<EngineError> for NumbersError {
    fn from(error: EngineError) -> Self {
        WriteError::from(error).into()
    }
}

/// The numbers that this node has taken. Clones are the same.
#[derive(Debug, Clone, Default)]
pub struct Numbers(Arc<State>);

#[derive(Debug, Default)]
struct State {
    /// Held for a look-up.
    blocks: Mutex<VecDeque<Range<u64>>>,
    is_low: Notify,
    /// Numbers below it are left out.
    lowest: u64,
}

impl Numbers {
    /// Numbers from this one on: an etcd that was wiped or restored may count from where it was long ago, and the
    /// archives know the lobbies of that time.
    pub fn from_number(lowest: LobbyId) -> Self {
        Self(Arc::new(State { lowest: lowest.0, ..State::default() }))
    }

    /// A number that no lobby ever had; `None` if none is left for the moment. Takes no time.
    pub fn next(&self) -> Option<LobbyId> {
        let mut blocks = self.0.blocks.lock();
        let number = blocks.front_mut().and_then(Iterator::next);
        blocks.retain(|block| !block.is_empty());
        drop(blocks);
        if self.left() <= LOW {
            self.0.is_low.notify_one();
        }
        number.map(LobbyId)
    }

    fn left(&self) -> u64 {
        self.0.blocks.lock().iter().map(|block| block.end - block.start).sum()
    }

    /// Takes the next block. A node does that once before it serves.
    ///
    /// # Errors
    ///
    /// In doubt the block may be lost; the next call takes another one.
    pub async fn take_block(&self, engine: &dyn Engine, membership: &Membership) -> Result<(), NumbersError> {
        let page = engine.range(engine::Range::key(keys::IDS.into())).await?;
        let mut found = page.found.first().cloned();
        if found.is_none() && has_lobbies(engine).await? {
            return Err(damaged(engine, "it is missing, and there are lobbies".into()));
        }
        loop {
            let first = first_free(found.as_ref()).map_err(|why| damaged(engine, why))?.max(self.0.lowest);
            let block = first..first.saturating_add(BLOCK);
            let unchanged = match &found {
                Some(found) => Compare::ChangedAt(keys::IDS.into(), found.changed),
                None => Compare::Absent(keys::IDS.into()),
            };
            let txn = Txn {
                compares: vec![unchanged],
                then: vec![Operation::put(keys::IDS.into(), value(block.end))],
                otherwise: vec![Operation::get(keys::IDS.into())],
            };
            let reply = membership.write(engine, txn).await?;
            if reply.held {
                self.0.blocks.lock().push_back(block);
                return Ok(());
            }
            found = reply.found_key(0).cloned();
        }
    }

    /// Takes blocks whenever few numbers are left, until this node is no member any more.
    pub async fn run(self, engine: Arc<dyn Engine>, membership: Membership) -> FencedOff {
        loop {
            if self.left() > LOW {
                tokio::select! {
                    () = membership.fenced_off() => return FencedOff,
                    () = self.0.is_low.notified() => continue,
                }
            }
            match self.take_block(&*engine, &membership).await {
                Ok(()) => {}
                Err(NumbersError::Write(WriteError::FencedOff(off))) => return off,
                Err(NumbersError::Write(WriteError::Engine(error))) => {
                    tracing::debug!(%error, "no numbers for lobbies were taken");
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
                Err(error) => {
                    tracing::error!(%error, "no lobbies can be opened");
                    tokio::time::sleep(DAMAGED_PAUSE).await;
                }
            }
        }
    }
}

/// What is wrong with the counter, where `newest` is the highest number of a lobby in etcd: a lobby that is opened must
/// not get the number of another one. Nothing if it is sound.
pub async fn check_counter(
    engine: &dyn Engine,
    newest: Option<LobbyId>,
) -> Result<Option<NumbersError>, EngineError> {
    let page = engine.range(engine::Range::key(keys::IDS.into())).await?;
    let newest = newest.map_or(0, |lobby| lobby.0);
    let why = match first_free(page.found.first()) {
        _ if page.found.is_empty() => "it is missing".into(),
        Ok(first) if first <= newest => format!("it is at {first}, and there is a lobby {newest}"),
        Ok(_) => return Ok(None),
        Err(why) => why,
    };
    Ok(Some(damaged(engine, why)))
}

/// Whether anything is recorded of any lobby.
async fn has_lobbies(engine: &dyn Engine) -> Result<bool, EngineError> {
    for prefix in [keys::HEADS, keys::LOGS] {
        if !engine.range(engine::Range::prefix(&prefix.into(), 1)).await?.found.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn damaged(engine: &dyn Engine, why: String) -> NumbersError {
    NumbersError::Damaged { key: engine.whole_key(&keys::IDS.into()), why }
}

fn value(first_free: u64) -> Bytes {
    checked::finish(Format::FIRST, [&[0; checked::HEADER][..], &first_free.to_be_bytes()].concat())
}

fn first_free(found: Option<&KeyValue>) -> Result<u64, String> {
    let Some(found) = found else { return Ok(1) };
    if let Some(number) = typed(&found.value) {
        return Ok(number);
    }
    let content = checked::content(&found.value)?;
    let number = content.try_into().map_err(|_| "it does not have 8 bytes".to_owned())?;
    Ok(u64::from_be_bytes(number))
}

/// A number that a host has put there.
fn typed(value: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(value).ok()?;
    text.parse().ok().filter(|number| TYPED.contains(number))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::cluster::engine::memory::{DEADLINE, Fate, MemoryClient, MemoryEtcd};
    use crate::cluster::node::{LEASE, Node};

    async fn join(etcd: &MemoryEtcd, name: &str) -> (Arc<MemoryClient>, Node, Numbers) {
        let client = etcd.client();
        let node =
            Node::join(client.clone(), &name.parse().unwrap(), &crate::cluster::sample::about(), LEASE)
                .await
                .unwrap();
        let numbers = Numbers::default();
        tokio::spawn(numbers.clone().run(client.clone(), node.membership().clone()));
        (client, node, numbers)
    }

    async fn a_while() {
        tokio::time::sleep(DEADLINE * 3).await;
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_number_is_one_and_no_number_is_given_twice() {
        let etcd = MemoryEtcd::default();
        let (one, other) = (join(&etcd, "a").await, join(&etcd, "b").await);
        assert_eq!(other.2.next(), None, "there is none yet");
        a_while().await;
        let mut given = BTreeSet::new();
        for _ in 0..5_000 {
            for (_, _, numbers) in [&one, &other] {
                let number = numbers.next().unwrap();
                assert!(given.insert(number), "{number:?}");
            }
            tokio::task::yield_now().await;
            tokio::task::yield_now().await;
            tokio::task::yield_now().await;
        }
        assert_eq!(given.first(), Some(&LobbyId(1)));
        assert!(given.last().unwrap().0 < 10_000 + 4 * BLOCK);
    }

    #[tokio::test(start_paused = true)]
    async fn an_etcd_that_was_wiped_counts_on_from_what_an_archive_has() {
        let etcd = MemoryEtcd::default();
        let (client, name) = (etcd.client(), "a".parse().unwrap());
        let about = crate::cluster::sample::about();
        let node = Node::join(client.clone(), &name, &about, LEASE).await.unwrap();
        for (lowest, expected) in [(5_000, 5_000), (1, 5_000 + BLOCK)] {
            let numbers = Numbers::from_number(LobbyId(lowest));
            numbers.take_block(&*client, node.membership()).await.unwrap();
            assert_eq!(numbers.next(), Some(LobbyId(expected)));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_block_whose_reply_was_lost_is_given_at_most_once() {
        for fate in [Fate::Run, Fate::Lost, Fate::RunLater(DEADLINE / 2), Fate::RunLater(DEADLINE * 4)] {
            let etcd = MemoryEtcd::default();
            let (one, other) = (join(&etcd, "a").await, join(&etcd, "b").await);
            a_while().await;
            one.0.lose_reply(fate);
            let mut given = BTreeSet::new();
            for _ in 0..4 {
                for (_, _, numbers) in [&one, &other] {
                    let mut some = (0..BLOCK).map_while(|_| numbers.next());
                    assert!(some.all(|number| given.insert(number)), "{fate:?}");
                }
                a_while().await;
            }
            assert!(given.len() >= 7 * usize::try_from(BLOCK).unwrap(), "{fate:?}: {}", given.len());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn numbers_last_while_etcd_is_away_and_come_again_once_it_is_back() {
        let etcd = MemoryEtcd::default();
        let (client, _node, numbers) = join(&etcd, "a").await;
        a_while().await;
        client.cut_off();
        let given = std::iter::from_fn(|| numbers.next()).count();
        assert_eq!(given, usize::try_from(BLOCK).unwrap());
        tokio::time::sleep(LEASE / 2).await;
        client.heal();
        a_while().await;
        assert!(numbers.next().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_damaged_counter_gives_no_number() {
        let etcd = MemoryEtcd::default();
        let client = etcd.client();
        let then = vec![Operation::put(keys::IDS.into(), "9")];
        client.txn(Txn { then, ..Txn::default() }).await.unwrap();
        let (client, node, numbers) = join(&etcd, "a").await;
        let taken = numbers.take_block(&*client, node.membership()).await;
        assert!(matches!(taken, Err(NumbersError::Damaged { .. })));
        a_while().await;
        assert_eq!(numbers.next(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_can_put_a_new_counter_there() {
        let etcd = MemoryEtcd::default();
        let client = etcd.client();
        let put =
            |text: &'static str| Txn { then: vec![Operation::put(keys::IDS.into(), text)], ..Txn::default() };
        client.txn(put("1000000000")).await.unwrap();
        let (client, node, numbers) = join(&etcd, "a").await;
        numbers.take_block(&*client, node.membership()).await.unwrap();
        assert_eq!(numbers.next(), Some(LobbyId(1_000_000_000)));
        for text in ["", "0", "-1", "1000", "1e9", "1000000000000000", "99999999999999999999999"] {
            client.txn(put(text)).await.unwrap();
            assert!(numbers.take_block(&*client, node.membership()).await.is_err(), "{text}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_counter_that_was_lost_gives_no_number_that_a_lobby_may_have() {
        let etcd = MemoryEtcd::default();
        let (client, node, numbers) = join(&etcd, "a").await;
        a_while().await;
        assert!(numbers.next().is_some());
        let lose = |also| Txn { then: vec![Operation::Delete(keys::IDS.into()), also], ..Txn::default() };
        let head = keys::head(keys::Slot(7), LobbyId(1));
        client.txn(lose(Operation::put(head, "a lobby"))).await.unwrap();
        let error = numbers.take_block(&*client, node.membership()).await.unwrap_err();
        assert!(error.to_string().contains("it is missing, and there are lobbies"), "{error}");
    }
}
