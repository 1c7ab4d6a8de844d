//! The services that all lobbies share. It knows no lobby.

use std::sync::Arc;
use std::thread;

use super::clock::PausableClock;
use super::config::Config;
use super::drain::Drain;
use super::job_pool::JobPool;
use super::journal::Journal;
use super::limits::RateLimits;
use super::lobby_list::LobbyList;
use super::metrics::Metrics;
use super::names::Names;
use super::peers::Peers;
use super::storage::StorageError;
use crate::lobby::Text;

/// The default number of threads that think: one per core except one, which is left to the connections.
fn thinkers() -> usize {
    thread::available_parallelism().map_or(1, |cores| cores.get().saturating_sub(1).max(1))
}

/// What all lobbies share.
#[derive(Debug)]
pub(super) struct Services {
    pub(super) config: Arc<Config>,
    pub(super) limits: RateLimits,
    pub(super) names: Names,
    pub(super) clock: Arc<PausableClock>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) journal: Arc<Journal>,
    pub(super) think_pool: JobPool,
    pub(super) lobby_list: LobbyList,
    pub(super) drain: Drain,
    /// The other servers, if this is one of several.
    pub(super) peers: Option<Arc<dyn Peers>>,
}

impl Services {
    pub(super) fn new(
        config: Config,
        names: Names,
        metrics: Arc<Metrics>,
        journal: Arc<Journal>,
        peers: Option<Arc<dyn Peers>>,
    ) -> Self {
        let config = Arc::new(config);
        Self {
            limits: RateLimits::new(&config),
            names,
            clock: Arc::new(PausableClock::new(config.forgives_stops && !config.is_simulated())),
            metrics,
            journal,
            think_pool: JobPool::start("thinker", config.thinkers.unwrap_or_else(thinkers)),
            lobby_list: LobbyList::default(),
            drain: Drain::default(),
            peers,
            config,
        }
    }

    /// The text of a storage error for players.
    pub(super) fn player_text<const MAX: usize>(&self, error: &StorageError) -> Text<MAX> {
        Text::cut(if self.config.plays_at_home { &error.cause } else { error.for_players })
    }
}
