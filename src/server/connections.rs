//! Who is connected, and from where: so that there is room for whoever comes, and all can be told goodbye. It knows no names,
//! and of places only who has a seat. Who has to [make room](here) where there is none is found out there.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use super::app::App;
use super::connection::Connection;
use crate::wire::{Farewell, HelloRefusal};

mod here;

use here::{Entry, Here, Now, Room};

/// For how many quarters of a second whoever asks is let be at most.
const MOST_EARNED: u32 = 120;

/// What a connection has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It has not said hello.
    Stranger,
    /// It is in the hall, watches, or sits in a lobby where nobody has played.
    Loose,
    /// It has a seat where games are played.
    Seated,
}

/// All connections, by the numbers that they have in the logs.
///
/// A token that everybody waits for would do as well, and each would take its lock for every request.
pub(super) struct Connections {
    start: Instant,
    last: AtomicU64,
    here: Mutex<Here>,
}

impl Connections {
    pub(super) fn new() -> Self {
        Self { start: Instant::now(), last: AtomicU64::default(), here: Mutex::default() }
    }

    /// For how many quarters of a second it has been there at this instant.
    fn quarter(&self, now: Instant) -> u32 {
        u32::try_from(now.saturating_duration_since(self.start).as_millis() / 250).unwrap_or(u32::MAX)
    }

    fn here(&self) -> MutexGuard<'_, Here> {
        self.here.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number for the next one.
    pub(super) fn number(&self) -> u64 {
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.here().all.len()
    }

    /// Ends all of them with this word, and whoever is still to come.
    pub(super) fn end(&self, word: &Farewell) {
        let mut here = self.here();
        here.all.values().for_each(|entry| entry.connection.end(word.clone()));
        here.ended = Some(word.clone());
    }
}

impl fmt::Debug for Connections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connections").field("here", &self.here().all.len()).finish_non_exhaustive()
    }
}

/// A connection that is here, and takes up some of the room there is, until this is dropped.
#[derive(Debug)]
pub(super) struct Connected {
    app: Arc<App>,
    number: u64,
    waited: bool,
}

impl Connected {
    /// A connection of this number, for which there is room or somebody makes some.
    pub(super) fn new(
        app: &Arc<App>,
        number: u64,
        connection: &Arc<Connection>,
    ) -> Result<Self, HelloRefusal> {
        let room = Room { most: app.config.max_connections, each: app.config.max_connections_each };
        let (mut here, since) = (app.connections.here(), Instant::now());
        let now = Now { instant: since, quarter: app.connections.quarter(since) };
        here.make_room(connection.address(), room, now)?;
        here.insert(
            number,
            Entry { connection: Arc::clone(connection), standing: Standing::Stranger, since, let_be: 0 },
        );
        Ok(Self { app: Arc::clone(app), number, waited: false })
    }

    /// The same, of somebody who had to wait before they were let in.
    pub(super) fn having_waited(mut self) -> Self {
        self.waited = true;
        self
    }

    /// Whether they had to.
    pub(super) fn has_waited(&self) -> bool {
        self.waited
    }

    pub(super) fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// Of which of so many groups of the same size it is.
    pub(super) fn group(&self, of: u32) -> u32 {
        u32::try_from(self.number % u64::from(of)).unwrap_or(0)
    }

    /// It has come to this.
    pub(super) fn stands(&self, standing: Standing) {
        let mut here = self.app.connections.here();
        // Whoever has to go is not here any more.
        if let Some(Entry { connection, standing: before, .. }) = here.remove(self.number) {
            let since = Instant::now();
            if before == Standing::Stranger {
                connection.let_be_until(self.app.connections.quarter(since) + 1);
            }
            let let_be = connection.let_be();
            here.insert(self.number, Entry { connection, standing, since, let_be });
        }
    }

    /// So many requests that came over it have been granted by now, which earn it as many quarters of a second as that number squared: a
    /// quarter with the first, a second with two, half a minute with eleven.
    pub(super) fn has_been_granted(&self, connection: &Connection, requests: u32, now: Instant) {
        let earned = requests.saturating_mul(requests).min(MOST_EARNED);
        connection.let_be_until(self.app.connections.quarter(now) + earned);
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.app.connections.here().remove(self.number);
    }
}
