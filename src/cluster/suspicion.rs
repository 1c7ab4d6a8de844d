//! Nodes that are taken for dead before their leases end: a node whose machine answers that nobody listens there has
//! died. Its lease is revoked, so that others take over at once.
//!
//! To be wrong costs little: a living node is fenced off and joins anew, and nobody is told anything false.

use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::about::About;
use super::engine::{Engine, EngineError, Range};
use super::keys::{self, Epoch, NodeName};
use super::network::NodeNetwork;
use super::places::Places;

/// How long a machine may take to answer.
const PROBE_WITHIN: Duration = Duration::from_millis(300);

/// Revokes the leases of nodes that have died. Clones are the same.
#[derive(Debug, Clone)]
pub struct Suspicion(Arc<State>);

#[derive(Debug)]
struct State {
    engine: Arc<dyn Engine>,
    network: Arc<dyn NodeNetwork>,
    places: Arc<Places>,
    /// The name of this machine.
    machine: String,
    /// The nodes that are being examined.
    examined: Mutex<BTreeSet<Epoch>>,
}

impl Suspicion {
    /// Of a node on this machine.
    pub fn new(
        engine: Arc<dyn Engine>,
        network: Arc<dyn NodeNetwork>,
        places: Arc<Places>,
        machine: &str,
    ) -> Self {
        let (machine, examined) = (machine.into(), Mutex::default());
        Self(Arc::new(State { engine, network, places, machine, examined }))
    }

    /// Whether this error says that nobody listens at a port of a machine that is running.
    pub fn is_refusal(error: &io::Error) -> bool {
        error.kind() == io::ErrorKind::ConnectionRefused
    }

    /// Something went wrong with a connection to this node: finds out in the background whether it has died, unless
    /// that is under way.
    pub fn examine(&self, epoch: Epoch) {
        let Some((name, about)) = self.0.places.nodes().get(&epoch).cloned() else { return };
        if !self.0.examined.lock().insert(epoch) {
            return;
        }
        let this = self.clone();
        tokio::spawn(async move {
            if let Err(error) = this.end_if_dead(epoch, &name, &about).await {
                tracing::debug!(%error, "the lease of a dead node was not revoked");
            }
            this.0.examined.lock().remove(&epoch);
        });
    }

    async fn end_if_dead(&self, epoch: Epoch, name: &NodeName, about: &About) -> Result<(), EngineError> {
        // Another machine has a loopback of its own.
        if !about.is_reachable_from(&self.0.machine) || !is_refused(&*self.0.network, about.tunnel).await {
            return Ok(());
        }
        let page = self.0.engine.range(Range::key(keys::node(name))).await?;
        let found = page.found.first().filter(|found| found.created == epoch.0);
        let Some(lease) = found.and_then(|found| found.lease) else { return Ok(()) };
        tracing::info!(
            %name,
            at = %about.tunnel,
            "nobody listens there any more: the node is taken for dead; if it is running, it needs an address at --cluster-bind \
             that this machine reaches"
        );
        match self.0.engine.revoke(lease).await {
            Err(EngineError::NoSuchLease) => Ok(()),
            revoked => revoked,
        }
    }
}

/// Whether a machine says that nobody listens at this address.
async fn is_refused(network: &dyn NodeNetwork, address: SocketAddr) -> bool {
    let connected = tokio::time::timeout(PROBE_WITHIN, network.connect(address)).await;
    connected.is_ok_and(|connected| connected.is_err_and(|error| Suspicion::is_refusal(&error)))
}
