//! A server that goes on with the lobbies that were recorded before it stopped, and what it does while nothing can be.

use std::sync::Arc;
use std::time::Duration;

use super::app::{App, Services};
use super::config::Config;
use super::journal::{Journal, TRY_AGAIN};
use super::lobby::LobbyHandle;
use super::record_service::RecordService;
use super::storage::{Damage, Storage, StorageError, StoredLobby};

/// What was found in storage.
#[derive(Debug, Default)]
pub struct Found {
    /// How many lobbies go on.
    pub lobbies: usize,
    /// Those that cannot, which are set aside.
    pub damaged: Vec<Damage>,
    /// Why nothing can be recorded now, if so: until something can be, all games wait.
    pub error: Option<StorageError>,
}

impl App {
    /// A server with all the lobbies of this storage, in which it goes on recording. Nobody is there yet.
    pub(super) fn of_storage(
        config: Config,
        mut storage: Box<dyn Storage>,
    ) -> Result<(Self, Found), StorageError> {
        let services = Services::new(&config);
        let (mut lobbies, mut found) = (Vec::new(), Found::default());
        let next = storage.load(&mut |kept| match kept.and_then(|kept| restore(&services, &kept)) {
            Ok(restored) => lobbies.push(restored),
            Err(damage) => found.damaged.push(damage),
        })?;
        for damage in &found.damaged {
            storage.set_aside(damage)?;
        }
        let aside = storage.aside()?;
        found.lobbies = lobbies.len();
        found.error = storage.try_out().err();
        let (simulated, history) = (config.is_simulated(), config.history);
        let archive = storage.archive()?;
        let keeping = if simulated {
            (Journal::on_the_spot(storage, &services.metrics), RecordService::on_the_spot(archive))
        } else {
            (Journal::on_a_thread(storage, history, &services.metrics), RecordService::on_a_thread(archive))
        };
        let app = Self::new(config, keeping, services);
        app.registry.go_on_from(next);
        for damage in &aside {
            app.registry.note_aside(damage);
        }
        for (kept, lobby) in lobbies {
            let code = kept.opening.code;
            if !app.registry.restore(kept.opening.opener, lobby) {
                tracing::error!(%code, "two lobbies have the same code");
                continue;
            }
            kept.owners.iter().for_each(|owner| app.registry.note_seat(code, owner.seat));
        }
        Ok((app, found))
    }

    /// Lets everybody know that the server is back, as soon as they are.
    pub(super) fn restart(self: &Arc<Self>) {
        self.registry.all().iter().for_each(|lobby| lobby.restart(self));
    }

    /// Has all lobbies stand still while nothing can be recorded, for ever.
    pub(super) async fn mind_the_journal(self: &Arc<Self>) {
        let mut changes = self.journal.watch();
        let mut told = None;
        loop {
            let trouble = changes.borrow_and_update().clone();
            if trouble != told {
                self.tell_of(trouble.as_ref());
                told = trouble;
            }
            let wait = if told.is_some() { TRY_AGAIN } else { Duration::MAX };
            tokio::select! {
                // The journal lives as long as the server.
                _ = changes.changed() => {}
                () = tokio::time::sleep(wait) => self.journal.try_again(),
            }
        }
    }

    fn tell_of(self: &Arc<Self>, trouble: Option<&StorageError>) {
        if let Some(trouble) = trouble {
            self.clock.stop();
            tracing::error!(%trouble, "nothing can be recorded; all games wait");
        } else {
            self.clock.go_on();
            tracing::info!("everything is recorded again");
        }
        self.registry.all().iter().for_each(|lobby| lobby.halt(self, trouble));
    }
}

fn restore(services: &Services, kept: &StoredLobby) -> Result<(StoredLobby, Arc<LobbyHandle>), Damage> {
    LobbyHandle::kept(services, kept).map(|lobby| (kept.clone(), Arc::new(lobby)))
}
