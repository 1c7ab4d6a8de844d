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

/// The pauses before each look whether anybody listens, in milliseconds: a process that is killed may close its connections
/// some time before its port.
const PROBE_PAUSES_MS: [u64; 5] = [0, 10, 30, 60, 100];

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
        if !about.is_reachable_from(&self.0.machine) || !is_refused_soon(&*self.0.network, about.tunnel).await
        {
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

/// Whether a machine says that nobody listens at this address, now or in a moment.
async fn is_refused_soon(network: &dyn NodeNetwork, address: SocketAddr) -> bool {
    for pause in PROBE_PAUSES_MS.map(Duration::from_millis) {
        tokio::time::sleep(pause).await;
        if is_refused(network, address).await {
            return true;
        }
    }
    false
}

/// Whether a machine says that nobody listens at this address.
async fn is_refused(network: &dyn NodeNetwork, address: SocketAddr) -> bool {
    let connected = tokio::time::timeout(PROBE_WITHIN, network.connect(address)).await;
    connected.is_ok_and(|connected| connected.is_err_and(|error| Suspicion::is_refusal(&error)))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::cluster::network::NodeSocket;
    use crate::server::Later;

    /// The machine of a process that is killed: its port is closed after so many looks.
    #[derive(Debug)]
    struct Closing(AtomicUsize);

    impl NodeNetwork for Closing {
        fn connect(&self, _: SocketAddr) -> Later<'_, io::Result<NodeSocket>> {
            let looks_left = self.0.load(Ordering::Relaxed);
            self.0.store(looks_left.saturating_sub(1), Ordering::Relaxed);
            Box::pin(async move {
                if looks_left > 0 {
                    return Ok(Box::new(tokio::io::duplex(1).0) as NodeSocket);
                }
                Err(io::ErrorKind::ConnectionRefused.into())
            })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_port_that_is_closed_a_moment_after_the_connections_is_found_closed() {
        let address = SocketAddr::from(([127, 0, 0, 1], 7_647));
        for (looks, is_found) in [(0, true), (1, true), (4, true), (5, false)] {
            let machine = Closing(AtomicUsize::new(looks));
            assert_eq!(is_refused_soon(&machine, address).await, is_found, "{looks}");
        }
    }
}
