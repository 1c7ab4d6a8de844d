//! What all connections of one server share.

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use super::clock::Clock;
use super::config::Config;
use super::connection::Connection;
use super::connections::Connections;
use super::journal::Journal;
use super::limits::{Holder, RateLimits, who_makes_room};
use super::lobby::LobbyHandle;
use super::lobby_list::LobbyList;
use super::metrics::{Levels, Metrics};
use super::names::Names;
use super::record_service::RecordService;
use super::registry::{LobbyLimits, LobbyRegistry};
use super::storage::{LobbyId, StorageError};
use super::think_pool::ThinkPool;
use crate::lobby::{Code, Text};
use crate::wire::{Farewell, HallRefusal};

/// The server as its sessions and lobbies see it.
#[derive(Debug)]
pub(super) struct App {
    pub(super) config: Config,
    pub(super) registry: LobbyRegistry,
    pub(super) lobby_list: LobbyList,
    pub(super) names: Names,
    pub(super) limits: RateLimits,
    pub(super) think_pool: ThinkPool,
    pub(super) journal: Journal,
    pub(super) records: RecordService,
    pub(super) clock: Arc<Clock>,
    pub(super) connections: Arc<Connections>,
    pub(super) metrics: Arc<Metrics>,
    /// Held from the look for an open lobby until one is entered or opened, so that two people who ask
    /// for a quick match at the same moment meet.
    matching: Mutex<()>,
}

/// What there is in a server before its first lobby.
#[derive(Debug)]
pub(super) struct Services {
    pub(super) names: Names,
    pub(super) clock: Arc<Clock>,
    pub(super) metrics: Arc<Metrics>,
}

impl Services {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            names: Names::default(),
            clock: Arc::new(Clock::new(config.forgives_stops && !config.is_simulated())),
            metrics: Arc::default(),
        }
    }
}

impl App {
    /// A server of which nothing is recorded.
    pub(super) fn of_memory(config: Config) -> Self {
        let services = Services::new(&config);
        let keeping = (Journal::nowhere(&services.metrics), RecordService::of_nothing());
        Self::new(config, keeping, services)
    }

    pub(super) fn new(
        config: Config,
        (journal, records): (Journal, RecordService),
        Services { names, clock, metrics }: Services,
    ) -> Self {
        Self {
            registry: LobbyRegistry::new(config.seed),
            lobby_list: LobbyList::default(),
            names,
            limits: RateLimits::new(&config),
            think_pool: ThinkPool::start(config.thinkers),
            journal,
            records,
            clock,
            connections: Arc::new(Connections::new(&config)),
            metrics,
            matching: Mutex::new(()),
            config,
        }
    }

    /// The right to be the one who is matched now. It is taken before any other lock.
    pub(super) fn matching(&self) -> MutexGuard<'_, ()> {
        self.matching.lock()
    }

    /// Opens the lobby that `make` makes, for somebody at this connection. Where there are too many lobbies in all, one
    /// that everybody has left makes room.
    pub(super) fn open(
        self: &Arc<Self>,
        connection: &Connection,
        make: impl FnOnce((Code, LobbyId)) -> LobbyHandle,
    ) -> Result<Arc<LobbyHandle>, HallRefusal> {
        let limits = LobbyLimits { most: self.config.max_lobbies, each: self.config.max_lobbies_each };
        if self.registry.count() >= limits.most {
            let holders = self.registry.all().into_iter().map(|lobby| Holder {
                address: lobby.opener(),
                idle_since: lobby.left_since(),
                what: lobby,
            });
            if let Some(lobby) = who_makes_room(connection.address(), holders) {
                lobby.give_up(self);
            }
        }
        self.registry.open(connection.address(), limits, make)
    }

    /// Random bytes.
    pub(super) fn random() -> [u8; 16] {
        let mut bytes = [0; 16];
        #[expect(
            clippy::expect_used,
            reason = "every system that this runs on has random bytes once it has started"
        )]
        getrandom::fill(&mut bytes).expect("the system has random bytes");
        bytes
    }

    /// What there is at this moment.
    pub(super) fn levels(&self) -> Levels {
        let (thoughts_waiting, thoughts_running) = self.think_pool.load();
        Levels {
            connections: self.connections.count(),
            lobbies: self.registry.count(),
            thoughts_waiting,
            thoughts_running,
            notes_waiting: self.journal.waiting(),
            halted: self.journal.error().is_some(),
        }
    }

    /// What those who play are told of a trouble.
    pub(super) fn told_of<const MAX: usize>(&self, trouble: &StorageError) -> Text<MAX> {
        Text::cut(if self.config.plays_at_home { &trouble.cause } else { trouble.told })
    }

    /// Has all connections end, with a word on what becomes of the games: that they are kept is said only if it is so.
    pub(super) async fn say_goodbye(self: &Arc<Self>) {
        let word = if self.journal.records() && self.are_games_kept().await {
            Farewell::Kept
        } else {
            Farewell::Stopping
        };
        self.connections.end(&word);
    }

    async fn are_games_kept(self: &Arc<Self>) -> bool {
        let proof = if self.config.is_simulated() {
            self.journal.prove()
        } else {
            let app = Arc::clone(self);
            // The journal may wait for the disk, which is for no task to do.
            let proof = tokio::task::spawn_blocking(move || app.journal.prove()).await;
            proof.unwrap_or_else(|error| Err(StorageError::of_host(error.to_string())))
        };
        if let Err(trouble) = &proof {
            tracing::error!(%trouble, "nobody is told that their games are kept");
        }
        proof.is_ok()
    }
}
