//! What all connections of one server share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::clock::Clock;
use super::config::Config;
use super::connection::Connection;
use super::connections::Connections;
use super::guesses::Guesses;
use super::journal::Journal;
use super::lobby::LobbyHandle;
use super::lobby_list::LobbyList;
use super::metrics::{Levels, Metrics};
use super::names::Names;
use super::pool::Pool;
use super::record_service::RecordService;
use super::registry::{LobbyLimits, LobbyRegistry};
use super::storage::{LobbyId, StorageError};
use super::tally::Tally;
use super::think_pool::ThinkPool;
use crate::lobby::{Code, Text};
use crate::wire::{Farewell, HallRefusal};

const SECOND: Duration = Duration::from_secs(1);

/// The server as its sessions and lobbies see it.
#[derive(Debug)]
pub(super) struct App {
    pub(super) config: Config,
    pub(super) registry: LobbyRegistry,
    pub(super) lobby_list: LobbyList,
    pub(super) names: Names,
    pub(super) guesses: Guesses,
    /// Those who say hello.
    pub(super) hellos: Tally,
    /// Requests of those who ask much.
    pub(super) requests: Tally,
    /// The same of all of them together.
    pub(super) crowd: Pool,
    /// Requests that are refused.
    pub(super) refusals: Tally,
    pub(super) think_pool: ThinkPool,
    pub(super) journal: Journal,
    pub(super) records: RecordService,
    pub(super) clock: Arc<Clock>,
    pub(super) connections: Connections,
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
            guesses: Guesses::new(config.max_guesses),
            hellos: Tally::new(config.max_hellos_each, SECOND),
            requests: Tally::new(config.max_requests_each, SECOND),
            crowd: Pool::new(config.max_requests_all, SECOND),
            refusals: Tally::new(config.max_refusals_each, SECOND),
            think_pool: ThinkPool::start(config.thinkers),
            journal,
            records,
            clock,
            connections: Connections::new(),
            metrics,
            matching: Mutex::new(()),
            config,
        }
    }

    /// The right to be the one who is matched now. It is taken before any other lock.
    pub(super) fn matching(&self) -> MutexGuard<'_, ()> {
        self.matching.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the lobby that `make` makes, for somebody at this connection, if there is room for one more, or makes some: a lobby
    /// that somebody opened and left alone has to go, else the game of those to which nobody has come back in which least has happened.
    pub(super) fn open(
        self: &Arc<Self>,
        connection: &Connection,
        make: impl FnOnce((Code, LobbyId)) -> LobbyHandle,
    ) -> Result<Arc<LobbyHandle>, HallRefusal> {
        let limits = LobbyLimits { most: self.config.max_lobbies, each: self.config.max_lobbies_each };
        let in_the_way = self.registry.in_the_way(connection.address(), limits);
        // One is enough.
        let _ = self.make_room(&in_the_way)
            || (self.registry.is_full(limits) && self.make_room(&self.registry.all()));
        self.registry.open(connection.address(), limits, make)
    }

    /// Has one of these lobbies make room: one that somebody opened and left alone, else the one in which least has happened of those to
    /// which nobody has come back; `false` if there is none.
    fn make_room(self: &Arc<Self>, lobbies: &[Arc<LobbyHandle>]) -> bool {
        if lobbies.iter().any(|lobby| lobby.vacate(self)) {
            return true;
        }
        let mut left: Vec<_> =
            lobbies.iter().filter_map(|lobby| Some((lobby.left_behind()?, lobby))).collect();
        left.sort_by_key(|(happened, lobby)| (*happened, lobby.id()));
        left.into_iter().any(|(_, lobby)| lobby.give_up(self))
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
