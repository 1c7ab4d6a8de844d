//! How a node is, in numbers for hosts: each node writes them at `stat/<epoch>` under its lease, as JSON. Programs of
//! another release ignore the fields that they do not know.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::engine::{Engine, Operation, Txn};
use super::keys;
use super::node::{FencedOff, Membership, WriteError};
use super::places::Places;
use crate::server::Counts;
use crate::server::storage::WallTime;

/// How often a node writes its numbers.
pub const PERIOD: Duration = Duration::from_secs(5);

/// The pause before it writes them sooner, since slots have come or gone: many do at once.
const PAUSE: Duration = Duration::from_secs(1);

/// The most bytes of the numbers of a node.
pub const MAX_STAT: usize = 1_024;

/// The format that this release writes.
const VERSION: u16 = 1;

/// How a node is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stat {
    /// The format.
    version: u16,
    /// When the node said so by its clock, in ms since 1970.
    pub said: u64,
    /// The slots whose lobbies are in its server.
    pub slots: usize,
    /// The clients that are connected to it, rather than carried there by another node.
    pub clients: usize,
    /// Its lobbies.
    pub lobbies: usize,
    /// In how many of them a game is being played.
    pub games: usize,
    /// The moves that are made in it in a second, of late.
    pub moves_a_second: f64,
}

impl Stat {
    /// The value in etcd.
    pub fn value(&self) -> Bytes {
        // Numbers can always be written.
        serde_json::to_vec(self).unwrap_or_default().into()
    }

    /// Reads the value of a node.
    ///
    /// # Errors
    ///
    /// What is wrong, as the end of a sentence.
    pub fn read(value: &[u8]) -> Result<Self, String> {
        if value.len() > MAX_STAT {
            return Err(format!("they have {} bytes", value.len()));
        }
        let stat: Self = serde_json::from_slice(value).map_err(|error| error.to_string())?;
        if stat.version != VERSION {
            return Err(format!("they have format {}, which this release does not know", stat.version));
        }
        if !stat.moves_a_second.is_finite() || stat.moves_a_second < 0.0 {
            return Err("the moves in them make no sense".into());
        }
        Ok(stat)
    }

    /// How long ago the node said so, as far as both clocks agree.
    pub fn age(&self) -> Duration {
        Duration::from_millis(WallTime::now().0.saturating_sub(self.said))
    }
}

/// Writes the numbers of this node until it is no member any more, or `counts` gives none since its server has stopped.
pub async fn keep_stat(
    engine: Arc<dyn Engine>,
    membership: Membership,
    places: Arc<Places>,
    counts: impl Fn() -> Option<Counts>,
) {
    let (mut moved, mut pace) = (places.changes(), Pace::default());
    while let Some(counts) = counts() {
        moved.mark_unchanged();
        let stat = Stat {
            version: VERSION,
            said: WallTime::now().0,
            slots: places.here(),
            clients: counts.clients,
            lobbies: counts.lobbies,
            games: counts.games,
            moves_a_second: pace.of(counts.moves),
        };
        match write(&*engine, &membership, &stat).await {
            Ok(()) => {}
            Err(WriteError::FencedOff(FencedOff)) => return,
            Err(WriteError::Engine(error)) => {
                tracing::debug!(%error, "the numbers for hosts are not written");
            }
        }
        let slots_have = async {
            // The sender lives as long as `places`.
            let _ = moved.changed().await;
            tokio::time::sleep(PAUSE).await;
        };
        tokio::select! {
            () = membership.fenced_off() => return,
            () = tokio::time::sleep(PERIOD) => {}
            () = slots_have => {}
        }
    }
}

async fn write(engine: &dyn Engine, membership: &Membership, stat: &Stat) -> Result<(), WriteError> {
    let (key, lease) = (keys::stat(membership.epoch()), Some(membership.lease()));
    let then = vec![Operation::Put { key, value: stat.value(), lease }];
    membership.write(engine, Txn { then, ..Txn::default() }).await.map(drop)
}

/// How many moves are made in a second, each time over [`PERIOD`] at least.
#[derive(Debug, Default)]
struct Pace {
    since: Option<(Instant, u64)>,
    moves_a_second: f64,
}

impl Pace {
    fn of(&mut self, moves: u64) -> f64 {
        let now = Instant::now();
        let (since, before) = *self.since.get_or_insert((now, moves));
        let elapsed = now.duration_since(since);
        if elapsed >= PERIOD {
            let made = u32::try_from(moves.saturating_sub(before)).unwrap_or(u32::MAX);
            self.moves_a_second = f64::from(made) / elapsed.as_secs_f64();
            self.since = Some((now, moves));
        }
        self.moves_a_second
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use proptest::prelude::proptest;

    use super::*;
    use crate::cluster::engine::Range;
    use crate::cluster::engine::memory::MemoryEtcd;
    use crate::cluster::keys::Slot;
    use crate::cluster::node::{LEASE, Node};
    use crate::server::Place;

    #[test]
    fn numbers_read_back_and_their_format_stays() {
        let stat =
            Stat { version: 1, said: 7, slots: 256, clients: 40, lobbies: 12, games: 3, moves_a_second: 1.5 };
        let text =
            r#"{"version":1,"said":7,"slots":256,"clients":40,"lobbies":12,"games":3,"moves_a_second":1.5}"#;
        assert_eq!(stat.value(), text);
        assert_eq!(Stat::read(text.replace('}', ",\"colour\":7}").as_bytes()), Ok(stat));
        for (good, bad) in
            [("\"version\":1", "\"version\":2"), ("1.5", "-1.5"), ("1.5", "1e999"), ("12", "-1")]
        {
            assert!(Stat::read(text.replace(good, bad).as_bytes()).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_refused(bytes: Vec<u8>) {
            assert!(Stat::read(&bytes).is_err());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_says_how_it_is_while_it_lives() {
        let etcd = MemoryEtcd::default();
        let client = etcd.client();
        let node = Node::join(client.clone(), &"a".parse().unwrap(), &crate::cluster::sample::about(), LEASE)
            .await
            .unwrap();
        let (places, moves) = (Arc::<Places>::default(), Arc::<AtomicU64>::default());
        let made = Arc::clone(&moves);
        let counts = move || {
            let moves = made.load(Ordering::Relaxed);
            Some(Counts { clients: 4, lobbies: 2, games: 1, moves })
        };
        let key = keys::stat(node.membership().epoch());
        let read = async || {
            let page = client.range(Range::key(key.clone())).await.unwrap();
            page.found.first().map(|found| Stat::read(&found.value).unwrap())
        };
        let keeping = keep_stat(client.clone(), node.membership().clone(), Arc::clone(&places), counts);
        let keeping = tokio::spawn(keeping);
        tokio::time::sleep(PAUSE).await;
        let first = read().await.unwrap();
        assert_eq!((first.slots, first.clients, first.lobbies, first.games), (0, 4, 2, 1));
        places.set([(Slot(3), Place::Here)]);
        tokio::time::sleep(PAUSE * 2).await;
        assert_eq!(read().await.unwrap().slots, 1, "a slot that comes is told sooner");
        moves.store(70, Ordering::Relaxed);
        tokio::time::sleep(PERIOD).await;
        let pace = read().await.unwrap().moves_a_second;
        assert!((7.0..=14.0).contains(&pace), "{pace}");
        tokio::time::sleep(PERIOD * 2).await;
        assert!(read().await.unwrap().moves_a_second.abs() < 0.01);
        node.leave().await.unwrap();
        keeping.await.unwrap();
        assert_eq!(read().await, None);
    }
}
