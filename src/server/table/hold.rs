//! A table's state while somebody changes it: what they wrote down goes out when they let go.

use std::ops::{Deref, DerefMut};
use std::sync::MutexGuard;

use super::Inner;
use crate::server::journal::Journal;
use crate::server::storage::LobbyId;

/// The lock on a table, and where its [draft](super::Draft) goes.
pub(super) struct Hold<'a> {
    inner: MutexGuard<'a, Inner>,
    journal: &'a Journal,
    lobby: LobbyId,
}

impl<'a> Hold<'a> {
    pub(super) fn new(inner: MutexGuard<'a, Inner>, journal: &'a Journal, lobby: LobbyId) -> Self {
        Self { inner, journal, lobby }
    }
}

impl Deref for Hold<'_> {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.inner
    }
}

impl DerefMut for Hold<'_> {
    fn deref_mut(&mut self) -> &mut Inner {
        &mut self.inner
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        // Still under the lock, so that all that happens at a table goes out in its order.
        self.inner.go_out(self.journal, self.lobby);
    }
}
