//! The names of everyone who is connected to any node, so that no two are alike in the whole cluster.
//!
//! A name has up to two keys, `n/` and the text by which it is compared: [folded](Name::folded), and by its
//! [look](Name::look). The value is the epoch of the node to which its owner is connected, as 8 bytes, the high one
//! first. All keys are under the lease of that node, and end with it. Any character may follow the prefix, also `/`:
//! keys are only ever read whole.
//!
//! The node itself makes sure that no two of its own clients have names that are alike.

mod batch;
mod pending;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use self::batch::OwnNames;
use self::pending::{NameKeys, Pending};
use super::engine::Engine;
use super::following::RETRY_PAUSE;
use super::node::{FencedOff, Membership, WriteError};
use crate::lobby::Name;
use crate::server::Claimed;

/// How long etcd may be silent while a client waits for its name. Then it gets one that nobody has.
pub const CLAIM_WITHIN: Duration = Duration::from_millis(600);

/// How long a client waits for its name at most, where very many come at once.
const CROWD_WITHIN: Duration = Duration::from_secs(3);

/// The names of this node's clients, and those that they ask for. Clones are the same.
#[derive(Debug, Clone)]
pub struct Names {
    pending: Arc<Pending>,
    /// How many batches etcd has answered.
    answered: watch::Sender<u64>,
}

impl Default for Names {
    fn default() -> Self {
        Self { pending: Arc::default(), answered: watch::Sender::new(0) }
    }
}

impl Names {
    /// Claims a name for this node, unless another node has it. Where etcd does not answer within [`CLAIM_WITHIN`], that
    /// is unknown, and the claim is repeated in the background until the name is released. The claim is made by the
    /// call, not by the future, and stands if the future is dropped.
    pub fn claim(&self, name: &Name) -> impl Future<Output = Claimed> + Send + 'static + use<> {
        let (answer, mut answered) = (self.pending.claim(NameKeys::of(name)), self.answered.subscribe());
        let silence = async move {
            // It ends once `answered` is dropped, or nothing comes in time.
            while let Ok(Ok(())) = timeout(CLAIM_WITHIN, answered.changed()).await {}
        };
        async move {
            tokio::select! {
                biased;
                answer = answer => match answer {
                    Ok(true) => Claimed::Here,
                    Ok(false) => Claimed::Elsewhere,
                    // It was replaced by a later call for the same name.
                    Err(_) => Claimed::Unknown,
                },
                _ = timeout(CROWD_WITHIN, silence) => Claimed::Unknown,
            }
        }
    }

    /// Claims a name for this node in the background, even from another node.
    pub fn take(&self, name: &Name) {
        self.pending.change(&NameKeys::of(name), true);
    }

    /// Gives a name up in the background, if this node has it. Calls count in their order: a name that is released
    /// and then taken is taken. What follows at once replaces what was asked before: a name that is taken and released
    /// before etcd was told of either stays with the node that had it.
    pub fn release(&self, name: &Name) {
        self.pending.change(&NameKeys::of(name), false);
    }

    /// Carries all that out, until this node is no member any more.
    pub async fn run(self, engine: Arc<dyn Engine>, membership: Membership) -> FencedOff {
        let mut own = OwnNames::new(engine, membership.clone());
        loop {
            let mut batch = tokio::select! {
                () = membership.fenced_off() => return FencedOff,
                batch = self.pending.next() => batch,
            };
            while let Err(error) = own.carry_out(&mut batch).await {
                match error {
                    WriteError::FencedOff(off) => return off,
                    WriteError::Engine(error) => {
                        tracing::debug!(%error, "names were not claimed or released");
                        tokio::time::sleep(RETRY_PAUSE).await;
                    }
                }
            }
            self.answered.send_modify(|count| *count += 1);
        }
    }
}
