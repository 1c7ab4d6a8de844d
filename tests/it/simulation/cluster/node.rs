//! The program of a simulated node: it joins, serves, and joins anew if others have taken over from it, as `nim-server`
//! does.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use nim::cluster::about::About;
use nim::cluster::archive::ArchiveStore;
use nim::cluster::engine::etcd::SeenHealth;
use nim::cluster::node::LEASE;
use nim::cluster::runtime::{ClusterNode, NodeOptions};
use nim::server::{Config, Ended, History, Server};
use tokio::sync::Notify;

use crate::simulation::network::{PORT, SimListener};
use crate::simulation::observer::Shared;

use super::etcd::Way;
use super::network::{NODE_PORT, SimNodeListener, SimNodes};

/// As in `nim-server`.
const GIVE_WITHIN: Duration = Duration::from_secs(5);
const REJOIN_PAUSE: Duration = Duration::from_secs(1);

/// What a node needs to start, again and again.
#[derive(Debug, Clone)]
pub(super) struct NodeProgram {
    pub(super) name: &'static str,
    pub(super) way: Way,
    pub(super) network: SimNodes,
    /// Where its archive lies.
    pub(super) folder: PathBuf,
    pub(super) seats_kept: Duration,
    pub(super) chance: Shared<Rng>,
    /// Notified when it is to stop in order.
    pub(super) stop: Arc<Notify>,
}

impl NodeProgram {
    /// Serves until it is stopped.
    pub(super) async fn run(self) -> Result<(), Box<dyn Error>> {
        let archive = ArchiveStore::open_inline(&self.folder, History::default())?;
        while self.lives(&archive).await? == Ended::FencedOff {}
        Ok(())
    }

    /// One life, from joining to its end.
    async fn lives(&self, archive: &ArchiveStore) -> Result<Ended, Box<dyn Error>> {
        let tunnels = SimNodeListener::open().await?;
        let mut node = self.joins(archive).await?;
        let storage = Box::new(node.storage(archive.clone())?);
        let listener = SimListener::open().await?;
        let (server, _) = Server::on_with_peers(listener, self.config(), storage, node.peers())?;
        node.start((server.member(), server.shared_rules()), archive.clone(), Box::new(tunnels));
        let (membership, mut is_stopped) = (node.membership().clone(), false);
        let stop = async {
            tokio::select! {
                biased;
                () = self.stop.notified() => is_stopped = true,
                () = membership.fenced_off() => return,
            }
            // Otherwise the others take over.
            let _ = tokio::time::timeout(GIVE_WITHIN, node.give_all()).await;
        };
        server.run(stop).await;
        // Otherwise the lease ends by itself.
        let _ = node.leave().await;
        Ok(if is_stopped { Ended::Stopped } else { Ended::FencedOff })
    }

    async fn joins(&self, archive: &ArchiveStore) -> Result<ClusterNode, Box<dyn Error>> {
        let (address, clients) = (turmoil::lookup(self.name), format!("{}:{PORT}", self.name));
        let options = NodeOptions {
            name: self.name.parse()?,
            about: About::new((address, NODE_PORT).into(), Some(clients), self.name),
            network: Arc::new(self.network.clone()),
            tls: None,
            lease: LEASE,
            first_number: archive.next_number()?,
            health: SeenHealth::default(),
        };
        loop {
            match ClusterNode::join(self.way.maker(), options.clone()).await {
                Ok(node) => return Ok(node),
                Err(error) => tracing::debug!(%error, "it cannot join yet"),
            }
            tokio::time::sleep(REJOIN_PAUSE).await;
        }
    }

    /// The configuration. Each life has its own seed, as in reality.
    fn config(&self) -> Config {
        Config {
            seats_kept: self.seats_kept,
            bot_pace: Duration::from_millis(100),
            thinkers: Some(0),
            shortest_away: Duration::ZERO,
            seed: self.chance.lock().u64(..),
            ping_after: Duration::from_secs(2),
            gone_after: Duration::from_secs(6),
            ..Config::default()
        }
    }
}
