//! A lobby's state while somebody changes it: what they wrote down goes out when they let go.

use std::ops::{Deref, DerefMut};
use std::sync::MutexGuard;

use super::LiveLobby;
use crate::server::journal::Journal;
use crate::server::storage::LobbyId;

/// The lock on a lobby, and where its [outgoing](super::OutgoingBatch) goes.
pub(super) struct LobbyGuard<'a> {
    live: MutexGuard<'a, LiveLobby>,
    journal: &'a Journal,
    lobby: LobbyId,
}

impl<'a> LobbyGuard<'a> {
    pub(super) fn new(live: MutexGuard<'a, LiveLobby>, journal: &'a Journal, lobby: LobbyId) -> Self {
        Self { live, journal, lobby }
    }
}

impl Deref for LobbyGuard<'_> {
    type Target = LiveLobby;

    fn deref(&self) -> &LiveLobby {
        &self.live
    }
}

impl DerefMut for LobbyGuard<'_> {
    fn deref_mut(&mut self) -> &mut LiveLobby {
        &mut self.live
    }
}

impl Drop for LobbyGuard<'_> {
    fn drop(&mut self) {
        // Still under the lock, so that all that happens at a lobby goes out in its order.
        self.live.go_out(self.journal, self.lobby);
    }
}
