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

use self::batch::OwnNames;
use self::pending::{NameKeys, Pending};
use super::engine::Engine;
use super::following::RETRY_PAUSE;
use super::node::{FencedOff, Membership, WriteError};
use crate::lobby::Name;

/// The names of this node's clients, and those that they ask for. Clones are the same.
#[derive(Debug, Clone, Default)]
pub struct Names(Arc<Pending>);

impl Names {
    /// Claims a name for this node, unless another node has it. Returns whether this node has it. The claim is made by the
    /// call, not by the future: while etcd does not answer it is repeated in the background until the name is released,
    /// also if the future is dropped.
    pub fn claim(&self, name: &Name) -> impl Future<Output = bool> + Send + 'static + use<> {
        let answer = self.0.claim(NameKeys::of(name));
        async move {
            match answer.await {
                Ok(has_it) => has_it,
                // It was replaced by a later call for the same name.
                Err(_) => std::future::pending().await,
            }
        }
    }

    /// Claims a name for this node in the background, even from another node.
    pub fn take(&self, name: &Name) {
        self.0.change(&NameKeys::of(name), true);
    }

    /// The same for a name that nobody else asks for in the next moment: it is claimed a second later.
    pub fn take_later(&self, name: &Name) {
        self.0.take_later(&NameKeys::of(name));
    }

    /// Gives a name up in the background, if this node has it. Calls count in their order: a name that is released
    /// and then taken is taken. What follows at once replaces what was asked before: a name that is taken and released
    /// before etcd was told of either stays with the node that had it.
    pub fn release(&self, name: &Name) {
        self.0.change(&NameKeys::of(name), false);
    }

    /// Carries all that out, until this node is no member any more.
    pub async fn run(self, engine: Arc<dyn Engine>, membership: Membership) -> FencedOff {
        let mut own = OwnNames::new(engine, membership.clone());
        loop {
            let mut batch = tokio::select! {
                () = membership.fenced_off() => return FencedOff,
                batch = self.0.next() => batch,
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
        }
    }
}
