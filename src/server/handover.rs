//! What one of several servers does while it runs, as its lobbies and the other servers come and go.

#[cfg(test)]
mod tests;

use std::future::pending;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::app::App;
use super::reach::may_be_told;
use super::storage::StorageError;
use crate::lobby::{Code, List, Text};
use crate::wire::{Farewell, ToClient};

/// How long clients wait until they are told that a server has gone. Just after one has died, its clients and lobbies come to
/// the others, which have no time for all the rest.
const TELL_AFTER: Duration = Duration::from_secs(2);

impl App {
    /// Stops the lobbies with these codes: see [`Member::give_away`](super::Member::give_away).
    ///
    /// # Errors
    ///
    /// Why something cannot be recorded. The lobbies are stopped then, and a later call removes them.
    pub(super) async fn give_away(&self, codes: impl Fn(Code) -> bool + Send) -> Result<(), StorageError> {
        let mut lobbies = self.registry.all();
        lobbies.retain(|lobby| codes(lobby.code));
        self.registry.forget_damaged(codes);
        for lobby in &lobbies {
            lobby.give_away();
        }
        self.services.journal.all_recorded().await?;
        for lobby in &lobbies {
            self.registry.remove(lobby);
        }
        Ok(())
    }

    /// Ends all connections: their clients are to come back at once.
    pub(super) fn send_all_away(&self) {
        self.connections.all().into_iter().for_each(|(_, connection)| connection.end(Farewell::Moved));
    }

    /// The message that lists the servers for a client at this address; `None` if this one is alone, or clients reach all
    /// of them at one address.
    pub(super) fn servers(&self, client: IpAddr) -> Option<ToClient> {
        let addresses = Arc::clone(&self.services.peers.as_ref()?.addresses().borrow());
        (!addresses.is_empty()).then(|| servers(&addresses, client))
    }

    /// Tells everybody who was welcomed whenever the servers change. Of a new one they learn at once: should this one die in a
    /// moment, they know where else to go. Never returns.
    pub(super) async fn tell_servers(&self) {
        let Some(peers) = &self.services.peers else { return pending().await };
        let mut addresses = peers.addresses();
        let mut told = Arc::clone(&addresses.borrow_and_update());
        while addresses.changed().await.is_ok() {
            let has_new = |all: &Arc<Vec<String>>| all.iter().any(|address| !told.contains(address));
            let _ = timeout(TELL_AFTER, addresses.wait_for(has_new)).await;
            told = Arc::clone(&addresses.borrow_and_update());
            let welcomed = self.connections.all().into_iter().filter(|(_, one)| one.name().is_some());
            welcomed.for_each(|(_, one)| one.send_out_of_band(&servers(&told, one.address())));
        }
        // Their sender is gone: they do not change any more.
        pending::<()>().await;
    }
}

fn servers(addresses: &[String], client: IpAddr) -> ToClient {
    let told = addresses.iter().filter(|address| may_be_told(address, client));
    ToClient::Servers { addresses: List::first_of(told.map(|address| Text::cut(address))) }
}
