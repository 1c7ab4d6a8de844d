//! What a cluster does with a server that is one of its members: lobbies come and go while it runs.

use std::sync::{Arc, Weak};

use tokio::sync::watch;

use super::admin::carry_out_order;
use super::app::App;
use super::listener;
use super::lobby_list::SharedListing;
use super::socket::Arrival;
use super::storage::{Damage, LobbyId, StorageError, StoredLobby};
use crate::lobby::Code;

/// How much there is in a server, and how much was done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// How many clients are connected to this server itself, rather than carried here by another one.
    pub clients: usize,
    /// How many lobbies it has.
    pub lobbies: usize,
    /// In how many of them a game is being played.
    pub games: usize,
    /// How many moves were made in it since the start.
    pub moves: u64,
}

/// A running server, as the cluster sees it. Where the server has stopped, nothing happens.
#[derive(Debug, Clone)]
pub struct Member(Weak<App>);

impl Member {
    pub(super) fn new(app: &Arc<App>) -> Self {
        Self(Arc::downgrade(app))
    }

    /// Serves a client with this address that has said hello to another server, which passes all bytes on. All limits
    /// apply to the client's own address, except that of how many connect in a second, which the other server has kept.
    /// Where this server has stopped, the connection is closed at once.
    pub fn take_in(&self, client: Arrival) {
        self.0.upgrade().inspect(|app| listener::take_in_carried(client, app));
    }

    /// Goes on with lobbies that other servers have left, as after a restart. Returns those that cannot be trusted,
    /// which are set aside. It is called inside the runtime of the server and blocks while it replays their events, so
    /// that thousands of lobbies are to be restored in several calls.
    pub fn restore(&self, lobbies: Vec<StoredLobby>) -> Vec<Damage> {
        self.0.upgrade().map_or_else(Vec::new, |app| app.go_on_with(lobbies))
    }

    /// Stops the lobbies with these codes, since another server is to go on with them: everybody in them is told to
    /// come back, and nothing happens in them any more. Returns once all that happened is recorded. They are no lobbies
    /// of this server any more then. [`Peers::place_of`](super::Peers::place_of) says so already when this is called,
    /// or new lobbies with these codes may be opened meanwhile.
    ///
    /// # Errors
    ///
    /// Why something cannot be recorded. The lobbies are stopped all the same; call it again to wait for the rest.
    pub async fn give_away(&self, codes: impl Fn(Code) -> bool + Send) -> Result<(), StorageError> {
        match self.0.upgrade() {
            Some(app) => app.give_away(codes).await,
            None => Ok(()),
        }
    }

    /// The first `most` entries of this server's own lobbies in the list, in its order.
    pub fn listings(&self, most: usize) -> Vec<SharedListing> {
        self.0.upgrade().map_or_else(Vec::new, |app| app.services.lobby_list.own(most))
    }

    /// Adds a lobby of another server to the list, or changes its entry. Nothing happens if the lobby is here by now.
    pub fn list(&self, listing: SharedListing) {
        self.0.upgrade().inspect(|app| app.services.lobby_list.list(listing));
    }

    /// Removes a lobby of another server from the list. Nothing happens if the lobby is here by now.
    pub fn unlist(&self, lobby: LobbyId) {
        self.0.upgrade().inspect(|app| app.services.lobby_list.unlist(lobby));
    }

    /// How much there is in this server; `None` where it has stopped.
    pub fn counts(&self) -> Option<Counts> {
        let app = self.0.upgrade()?;
        Some(Counts {
            clients: app.connections.clients(),
            lobbies: app.registry.count(),
            games: app.registry.games(),
            moves: app.services.metrics.moves(),
        })
    }

    /// Carries out what the host of another server asks, which that one has [passed on](super::Peers::pass_on). Returns
    /// what became of it; `None` where this server has stopped. It may take some milliseconds, so it is not called on a
    /// task that moves frames.
    pub fn carry_out(&self, order: &str) -> Option<String> {
        self.0.upgrade().map(|app| carry_out_order(&app, order))
    }

    /// Has this server begin no new games, and stop once no game is being played here: all servers drain.
    pub fn drain(&self) {
        self.0.upgrade().inspect(|app| app.services.drain.set(true));
    }

    /// Watches whether this server drains.
    pub fn drains(&self) -> watch::Receiver<bool> {
        self.0.upgrade().map_or_else(|| watch::channel(false).1, |app| app.services.drain.watch())
    }

    /// Ends all connections: their clients are to come back at once, to this server or to another one.
    pub fn send_all_away(&self) {
        self.0.upgrade().inspect(|app| app.send_all_away());
    }
}
