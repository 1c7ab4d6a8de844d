//! What all addresses together may still do of something: those that do the same from many places at once.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::allowance::{Allowance, Rate};

/// An allowance for everybody together.
#[derive(Debug)]
pub(super) struct Pool {
    rate: Rate,
    /// The lock is held for a look.
    left: Mutex<Allowance>,
}

impl Pool {
    /// `most` at once, and as many again within that time.
    pub(super) fn new(most: u32, within: Duration) -> Self {
        Self { rate: Rate::new(most, within), left: Mutex::new(Allowance::whole()) }
    }

    fn left(&self) -> MutexGuard<'_, Allowance> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there is none now.
    pub(super) fn is_spent(&self) -> bool {
        self.left().is_spent(self.rate, Instant::now())
    }

    /// Takes so many; `false` if there was not one left.
    pub(super) fn take_some(&self, count: u32) -> bool {
        self.left().take_some(self.rate, Instant::now(), count)
    }
}
