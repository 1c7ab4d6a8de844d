//! The running server, as the life of a node needs it.

use std::collections::BTreeSet;

use crate::cluster::keys::Slot;
use crate::server::Member;
use crate::server::storage::{Damage, StorageError, StoredLobby};

/// The lobbies of this node's server.
pub trait Lobbies: Send + Sync + 'static {
    /// Goes on with lobbies of other nodes. Returns those that cannot be trusted.
    fn restore(&self, lobbies: Vec<StoredLobby>) -> Vec<Damage>;

    /// Stops the lobbies of these slots. All that happened in them is recorded when it returns.
    fn give_away(&self, slots: &BTreeSet<Slot>) -> impl Future<Output = Result<(), StorageError>> + Send;
}

impl Lobbies for Member {
    fn restore(&self, lobbies: Vec<StoredLobby>) -> Vec<Damage> {
        self.restore(lobbies)
    }

    fn give_away(&self, slots: &BTreeSet<Slot>) -> impl Future<Output = Result<(), StorageError>> + Send {
        self.give_away(|code| slots.contains(&Slot::of(code)))
    }
}
