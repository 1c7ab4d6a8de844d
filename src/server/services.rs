//! What every lobby is given when it is made. It knows no lobby.

use std::sync::Arc;
use std::time::Duration;

use super::clock::Clock;
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
    pub(super) bots: BotSettings,
    pub(super) max_watchers_each: u16,
    /// Whether players receive the host's message when something cannot be recorded.
    plays_at_home: bool,
    pub(super) names: Names,
    pub(super) clock: Arc<Clock>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) journal: Journal,
    pub(super) think_pool: ThinkPool,
    pub(super) lobby_list: LobbyList,
}

/// How bots behave.
#[derive(Debug)]
pub(super) struct BotSettings {
    /// Whether they sit down at all.
    pub(super) sit_down: bool,
    /// How long a move takes at least.
    pub(super) pace: Duration,
    /// What their choice among equal moves comes from.
    pub(super) seed: u64,
}

impl Services {
    pub(super) fn new(config: &Config, names: Names, metrics: Arc<Metrics>, journal: Journal) -> Self {
        Self {
            bots: BotSettings { sit_down: config.bots, pace: config.bot_pace, seed: config.seed },
            max_watchers_each: config.max_watchers_each,
            plays_at_home: config.plays_at_home,
            names,
            clock: Arc::new(Clock::new(config.forgives_stops && !config.is_simulated())),
            metrics,
            journal,
            think_pool: ThinkPool::start(config.thinkers),
            lobby_list: LobbyList::default(),
        }
    }

    /// The text of a storage error for players.
    pub(super) fn told_of<const MAX: usize>(&self, error: &StorageError) -> Text<MAX> {
        Text::cut(if self.plays_at_home { &error.cause } else { error.told })
    }
}
