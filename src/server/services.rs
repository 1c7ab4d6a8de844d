//! The services that all lobbies share. It knows no lobby.

use std::sync::Arc;

use super::clock::PausableClock;
use super::config::Config;
use super::journal::Journal;
use super::lobby_list::LobbyList;
use super::metrics::Metrics;
use super::names::Names;
use super::storage::StorageError;
use super::think_pool::ThinkPool;
use crate::lobby::Text;

/// What all lobbies share.
#[derive(Debug)]
pub(super) struct Services {
    pub(super) config: Arc<Config>,
    pub(super) names: Names,
    pub(super) clock: Arc<PausableClock>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) journal: Arc<Journal>,
    pub(super) think_pool: ThinkPool,
    pub(super) lobby_list: LobbyList,
}

impl Services {
    pub(super) fn new(config: Config, names: Names, metrics: Arc<Metrics>, journal: Arc<Journal>) -> Self {
        Self {
            names,
            clock: Arc::new(PausableClock::new(config.forgives_stops && !config.is_simulated())),
            metrics,
            journal,
            think_pool: ThinkPool::start(config.thinkers),
            lobby_list: LobbyList::default(),
            config: Arc::new(config),
        }
    }

    /// The text of a storage error for players.
    pub(super) fn player_text<const MAX: usize>(&self, error: &StorageError) -> Text<MAX> {
        Text::cut(if self.config.plays_at_home { &error.cause } else { error.for_players })
    }
}
