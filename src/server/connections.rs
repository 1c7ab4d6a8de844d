//! Who is connected, so that all can be told goodbye. It knows no names and no places.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::OwnedSemaphorePermit;

use super::house::House;
use super::link::Link;
use crate::wire::Farewell;

/// All connections, by the numbers that they have in the logs.
///
/// A token that everybody waits for would do as well, and each would take its lock for every request.
#[derive(Default)]
pub(super) struct Connections {
    last: AtomicU64,
    links: Mutex<BTreeMap<u64, Arc<Link>>>,
}

impl Connections {
    fn links(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Link>>> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number for the next one.
    pub(super) fn number(&self) -> u64 {
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.links().len()
    }

    /// Ends all of them with this word.
    pub(super) fn end(&self, word: &Farewell) {
        self.links().values().for_each(|link| link.end(word.clone()));
    }
}

impl fmt::Debug for Connections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connections").field("here", &self.links().len()).finish_non_exhaustive()
    }
}

/// A connection that is here, and takes up some of the room there is, until this is dropped.
#[derive(Debug)]
pub(super) struct Connected {
    house: Arc<House>,
    number: u64,
    _room: OwnedSemaphorePermit,
}

impl Connected {
    pub(super) fn new(house: &Arc<House>, number: u64, link: &Arc<Link>, room: OwnedSemaphorePermit) -> Self {
        house.connections.links().insert(number, Arc::clone(link));
        Self { house: Arc::clone(house), number, _room: room }
    }

    pub(super) fn house(&self) -> &Arc<House> {
        &self.house
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.house.connections.links().remove(&self.number);
    }
}
