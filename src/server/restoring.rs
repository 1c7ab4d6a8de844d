//! Restores the recorded lobbies at the start, and those that other servers leave later; halts all lobbies while nothing
//! can be recorded.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::app::App;
use super::config::Config;
use super::journal::{Journal, RETRY_PAUSE};
use super::lobby::{LiveLobby, LobbyHandle};
use super::metrics::Metrics;
use super::names::Names;
use super::peers::Peers;
use super::record_service::RecordService;
use super::services::Services;
use super::storage::{Damage, Storage, StorageError, StoredLobby};
use crate::number::saturating;

/// How long the disk is full before lobbies are closed. People whose connections were lost at the same time
/// are usually back sooner, and lobbies with somebody in them are closed last.
const CLOSES_AFTER: Duration = Duration::from_secs(3);

/// How many lobbies write checkpoints together, and how often. Thousands at once would hold up the moves behind them.
const CHECKPOINTS: usize = 16;
const CHECKPOINTS_EVERY: Duration = Duration::from_millis(2);

/// What was found in storage.
#[derive(Debug, Default)]
pub struct RestoreReport {
    /// How many lobbies were restored.
    pub lobbies: usize,
    /// Those that are set aside because they cannot be trusted.
    pub damaged: Vec<Damage>,
    /// Why nothing can be recorded now, if so: all games wait until recording works.
    pub error: Option<StorageError>,
}

impl App {
    /// Restores all lobbies of this storage, and records in it. Nobody is connected yet.
    pub(super) fn with_storage(
        config: Config,
        mut storage: Box<dyn Storage>,
        peers: Option<Arc<dyn Peers>>,
    ) -> Result<(Self, RestoreReport), StorageError> {
        let (names, metrics) = (Names::new(peers.clone()), Arc::<Metrics>::default());
        let (mut lobbies, mut found) = (Vec::new(), RestoreReport::default());
        let loaded = storage.load(&mut |stored| {
            let restored = stored.and_then(|stored| {
                let live = LiveLobby::restored(&stored, &names, &metrics)?;
                Ok((stored, live))
            });
            match restored {
                Ok(restored) => lobbies.push(restored),
                Err(damage) => found.damaged.push(damage),
            }
        })?;
        (found.lobbies, found.error) = (lobbies.len(), storage.check_writable().err());
        found.error = found.error.or_else(|| storage.shortage());
        let archive = storage.archive()?;
        let records = RecordService::new(Some(archive), config.is_simulated());
        let journal = if config.is_simulated() {
            Journal::simulated(storage, &config, &metrics, peers.clone())
        } else {
            Journal::on_a_thread(storage, &config, &metrics, peers.clone())
        };
        journal.checkpoints.add(saturating(loaded.events));
        let app = Self::new(Services::new(config, names, metrics, journal, peers), records);
        app.registry.go_on_from(loaded.next);
        found.damaged.iter().for_each(|damage| app.registry.note_damaged(damage));
        for (stored, live) in lobbies {
            if !app.registry.restore(&stored, live) {
                tracing::error!(code = %stored.meta.code.redacted(), "two lobbies have the same code");
            }
        }
        Ok((app, found))
    }

    /// Adds to each lobby the event that the server was restarted.
    pub(super) fn restart(&self) {
        for lobby in self.registry.all() {
            lobby.restart();
        }
    }

    /// Goes on with lobbies that other servers have left, each with the event of a restart. Returns those that cannot
    /// be trusted, which are set aside.
    pub(super) fn go_on_with(&self, lobbies: Vec<StoredLobby>) -> Vec<Damage> {
        let gone_on = lobbies.into_iter().filter_map(|stored| self.go_on_with_one(&stored).err());
        gone_on.inspect(|damage| self.registry.note_damaged(damage)).collect()
    }

    fn go_on_with_one(&self, stored: &StoredLobby) -> Result<(), Damage> {
        let Services { names, metrics, .. } = &*self.services;
        let (lobby, code) = (stored.lobby, stored.meta.code);
        let live = LiveLobby::restored(stored, names, metrics)?;
        if !self.registry.restore(stored, live) {
            return Err(Damage { lobby, code: None, why: format!("another lobby has its code, {code}") });
        }
        self.services.journal.checkpoints.add(stored.events.len());
        self.registry.find(code).inspect(LobbyHandle::restart);
        Ok(())
    }

    /// Halts all lobbies while nothing can be recorded, and has them write checkpoints now and then. Returns once
    /// nothing will ever be recorded again, with the reason: nobody is told to wait for that.
    pub(super) async fn watch_journal(&self) -> StorageError {
        let mut changes = self.services.journal.watch();
        let mut blocked = self.services.journal.watch_blocked();
        let (mut told, mut since) = (None::<StorageError>, Instant::now());
        // The lobbies that are still to write checkpoints, and whether all are to do it again after that.
        let (mut behind, mut is_due): (Vec<Arc<LobbyHandle>>, _) = (Vec::new(), false);
        loop {
            let error = changes.borrow_and_update().clone();
            if let Some(error) = error.as_ref().filter(|error| self.ends_by(error)) {
                return error.clone();
            }
            if error != told {
                since = if told.is_none() { Instant::now() } else { since };
                self.halt(error.as_ref());
                told = error;
            }
            if is_due && behind.is_empty() {
                (behind, is_due) = (self.registry.all(), false);
            }
            let wait = if told.is_some() { RETRY_PAUSE } else { Duration::MAX };
            tokio::select! {
                // The journal lives as long as the server.
                _ = changes.changed() => {}
                () = self.services.journal.checkpoints.due() => is_due = true,
                () = tokio::time::sleep(CHECKPOINTS_EVERY), if !behind.is_empty() => {
                    let rest = behind.len().saturating_sub(CHECKPOINTS);
                    behind.drain(rest..).for_each(|lobby| lobby.write_checkpoint());
                }
                _ = blocked.changed() => {
                    let address = *blocked.borrow_and_update();
                    // A new error is told first.
                    let is_told = changes.borrow().is_some() == told.is_some();
                    if is_told && (told.is_none() || since.elapsed() >= CLOSES_AFTER) {
                        address.inspect(|address| self.registry.make_room(*address));
                    }
                }
                () = tokio::time::sleep(wait) => self.services.journal.retry(),
            }
        }
    }

    /// Whether the server ends if nothing can be recorded for this reason, since another one goes on with its lobbies.
    fn ends_by(&self, error: &StorageError) -> bool {
        error.is_final() || error.is_of_program() && self.services.peers.is_some()
    }

    fn halt(&self, why: Option<&StorageError>) {
        if let Some(error) = why {
            self.services.clock.stop();
            tracing::error!(%error, "nothing can be recorded; all games wait");
        } else {
            self.services.clock.go_on();
            tracing::info!("everything is recorded again");
        }
        self.registry.all().iter().for_each(|lobby| lobby.halt(why));
    }
}
