//! Numbers of lobbies and names of people, which all nodes share. Plain stand-ins with the calls that the real ones
//! have: names are not compared across nodes yet.

use std::ops::Range as Numbered;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;

use super::engine::{Compare, Engine, EngineError, Key, Operation, Range, Txn};
use super::node::{FencedOff, Membership};
use crate::lobby::Name;
use crate::server::storage::LobbyId;

/// How many numbers are taken at once.
const BLOCK: u64 = 1_024;

/// The pause after an error of etcd.
const RETRY_PAUSE: Duration = Duration::from_millis(100);

const NUMBERS: &str = "ids";

/// The numbers that this node has taken. Clones are the same.
#[derive(Debug, Clone, Default)]
pub struct Numbers(Arc<State>);

#[derive(Debug, Default)]
struct State {
    block: Mutex<Numbered<u64>>,
    is_used_up: Notify,
}

impl Numbers {
    /// A number that no lobby ever had; `None` if none is left for the moment.
    pub fn next(&self) -> Option<LobbyId> {
        let number = self.0.block.lock().next();
        if number.is_none() {
            self.0.is_used_up.notify_one();
        }
        number.map(LobbyId)
    }

    /// Takes the next block. A node does that once before it serves.
    ///
    /// # Errors
    ///
    /// In doubt the block is lost.
    pub async fn take_block(&self, engine: &dyn Engine, membership: &Membership) -> Result<(), EngineError> {
        loop {
            let key = || Key::from(NUMBERS);
            let page = engine.range(Range::key(key())).await?;
            let found = page.found.first();
            let first = found.and_then(|found| Some(u64::from_be_bytes(found.value[..].try_into().ok()?)));
            let first = first.unwrap_or(1);
            let unchanged = match found {
                Some(found) => Compare::ChangedAt(key(), found.changed),
                None => Compare::Absent(key()),
            };
            let then = vec![Operation::put(key(), (first + BLOCK).to_be_bytes().to_vec())];
            let compares = vec![membership.fence(), unchanged];
            if engine.txn(Txn { compares, then, ..Txn::default() }).await?.held {
                *self.0.block.lock() = first..first + BLOCK;
                return Ok(());
            }
            if membership.check().is_err() {
                return Err(EngineError::NoSuchLease);
            }
        }
    }

    /// Takes blocks whenever none is left, until this node is no member any more.
    pub async fn run(self, engine: Arc<dyn Engine>, membership: Membership) -> FencedOff {
        let taking = async {
            loop {
                self.0.is_used_up.notified().await;
                while let Err(error) = self.take_block(&*engine, &membership).await {
                    tracing::debug!(%error, "no numbers for lobbies were taken");
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
            }
        };
        tokio::select! {
            () = membership.fenced_off() => FencedOff,
            () = taking => FencedOff,
        }
    }
}

/// The names of people. Clones are the same.
#[derive(Debug, Clone, Default)]
pub struct Names {
    _same: Arc<()>,
}

#[expect(clippy::unused_self, reason = "the real ones need it")]
impl Names {
    /// Claims a name for this node. Returns whether this node has it now.
    pub fn claim(&self, _: &Name) -> impl Future<Output = bool> + Send + 'static + use<> {
        std::future::ready(true)
    }

    /// Claims a name for this node, whoever had it.
    pub fn take(&self, _: &Name) {}

    /// Gives a name up.
    pub fn release(&self, _: &Name) {}

    /// Carries that out, until this node is no member any more.
    pub async fn run(self, _: Arc<dyn Engine>, membership: Membership) -> FencedOff {
        membership.fenced_off().await;
        FencedOff
    }
}
