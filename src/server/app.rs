//! The state that all connections of one server share.

use std::future::pending;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use super::audit::Audit;
use super::config::Config;
use super::connections::Connections;
use super::http::WebSite;
use super::journal::Journal;
use super::metrics::{Gauges, Metrics};
use super::names::Names;
use super::peers::{PeerMetric, Peers};
use super::record_service::RecordService;
use super::registry::LobbyRegistry;
use super::restrictions::Restrictions;
use super::services::Services;
use crate::wire::Farewell;

/// How often a server that drains looks whether the last game has ended.
const LOOK: Duration = Duration::from_secs(1);

/// The state of the server, as its sessions see it.
#[derive(Debug)]
pub(super) struct App {
    pub(super) config: Arc<Config>,
    pub(super) services: Arc<Services>,
    pub(super) registry: Arc<LobbyRegistry>,
    pub(super) records: RecordService,
    pub(super) connections: Arc<Connections>,
    /// Held from the search for an open lobby until one is joined or opened, so that two people who ask for a
    /// quick match at the same moment meet. Only a ticket's lock is taken before it.
    pub(super) matching: Mutex<()>,
    pub(super) restrictions: Restrictions,
    /// The tasks of all connections, and of an answer to the host.
    pub(super) sessions: TaskTracker,
    /// Serves connections that open with HTTP.
    pub(super) web: OnceLock<Arc<dyn WebSite>>,
    pub(super) audit: Audit,
    /// When the server was started.
    pub(super) started: Instant,
}

/// How busy a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Load {
    /// How many people and programs are connected.
    pub connections: usize,
    /// How many games are being played.
    pub games: usize,
    /// Why nothing can be recorded; `None` if it can, or need not be.
    pub error: Option<String>,
}

impl App {
    /// A server that records nothing.
    pub(super) fn in_memory(config: Config) -> Self {
        Self::without_journal(config, None)
    }

    /// One of several servers, which records nothing.
    #[cfg(test)]
    pub(super) fn one_of_several(peers: Arc<dyn Peers>) -> Arc<Self> {
        Arc::new(Self::without_journal(Config::default(), Some(peers)))
    }

    fn without_journal(config: Config, peers: Option<Arc<dyn Peers>>) -> Self {
        let metrics = Arc::<Metrics>::default();
        let journal = Journal::disabled(&config, &metrics);
        let services = Services::new(config, Names::new(None), metrics, journal, peers);
        Self::new(services, RecordService::new(None, false))
    }

    pub(super) fn new(services: Services, records: RecordService) -> Self {
        let services = Arc::new(services);
        let config = Arc::clone(&services.config);
        Self {
            registry: Arc::new(LobbyRegistry::new(&config, &services)),
            connections: Arc::new(Connections::new(&config)),
            matching: Mutex::new(()),
            restrictions: Restrictions::default(),
            sessions: TaskTracker::new(),
            web: OnceLock::new(),
            audit: Audit::default(),
            started: Instant::now(),
            records,
            services,
            config,
        }
    }

    /// Waits until the server is to stop by itself: it drains and no game is being played, or it leaves the others.
    pub(super) async fn drained(&self) {
        let drain = &self.services.drain;
        loop {
            drain.begun().await;
            if drain.leaves() {
                return;
            }
            // Meanwhile the host is answered.
            tokio::time::sleep(LOOK).await;
            if drain.is_on() && self.registry.games() == 0 {
                return tracing::info!("the last game has ended");
            }
        }
    }

    /// The same for a server that is alone. One of several gives its lobbies to the others before it stops.
    pub(super) async fn drained_alone(&self) {
        match &self.services.peers {
            Some(_) => pending().await,
            None => self.drained().await,
        }
    }

    /// The values of the metrics that are gauges.
    pub(super) fn gauges(&self) -> Gauges {
        let (jobs_waiting, jobs_running) = self.services.think_pool.load();
        Gauges {
            connections: self.connections.count(),
            lobbies: self.registry.count(),
            jobs_waiting,
            jobs_running,
            notes_waiting: self.services.journal.waiting(),
            halted: self.services.journal.error().is_some(),
        }
    }

    /// What its metrics say of it as one of several.
    pub(super) fn peer_metrics(&self) -> Vec<PeerMetric> {
        self.services.peers.as_ref().map_or_else(Vec::new, |peers| peers.metrics())
    }

    /// How busy the server is.
    pub(super) fn load(&self) -> Load {
        Load {
            connections: self.connections.count(),
            games: self.registry.games(),
            error: self.services.journal.error().map(|error| error.to_string()),
        }
    }

    /// Ends all connections with a goodbye, which promises that the games are kept only if everything is
    /// recorded. Where there are other servers, everybody is to come back to one of them.
    pub(super) async fn say_goodbye(&self) {
        let journal = &self.services.journal;
        let is_kept = journal.records() && journal.is_complete().await;
        self.connections.end(&match (&self.services.peers, is_kept) {
            (Some(_), _) => Farewell::Moved,
            (None, true) => Farewell::Kept,
            (None, false) => Farewell::Stopping,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_server_whose_drain_is_taken_back_does_not_stop() {
        let app = Arc::new(App::in_memory(Config::default()));
        let drained = tokio::spawn({
            let app = Arc::clone(&app);
            async move { app.drained().await }
        });
        let later = || tokio::time::sleep(10 * LOOK);
        app.services.drain.set(true);
        tokio::task::yield_now().await;
        app.services.drain.set(false);
        later().await;
        assert!(!drained.is_finished());
        app.services.drain.set(true);
        later().await;
        assert!(drained.is_finished());
    }
}
