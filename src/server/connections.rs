//! All connections: their limits, which of them is evicted for a new one, and the goodbye to all of them.

use std::collections::BTreeMap;
use std::future::pending;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::config::Config;
use super::connection::Connection;
use super::limits::{AddressLimits, TooFast, choose_evicted};
use super::metrics::MAX_METRICS_REQUESTS;
use super::proxy_signs::{MANY, ProxySigns};
use crate::number::saturating;
use crate::wire::{Farewell, HelloRefusal};

/// How many sockets there may be beside the admitted connections: those that are [told](super::listener) why
/// they are refused, and some that were evicted and are not closed yet.
const MAX_LEAVING: usize = MAX_TURNED_AWAY + 16;

/// How many refused connections receive a reason at the same time; more are just closed.
const MAX_TURNED_AWAY: usize = 32;

/// How many files the server needs beside its sockets: the journal has six, and as many again while it is
/// written anew; the rest of the program has about fifteen, and some for each network that it is announced on.
const OTHER_FILES: usize = 48;

/// How many open files are needed beside one for each admitted connection.
pub const RESERVED_FILES: usize = MAX_LEAVING + MAX_METRICS_REQUESTS + OTHER_FILES;

/// All connections, by the numbers that they have in the logs.
#[derive(Debug)]
pub(super) struct Connections {
    /// A permit for each socket that is open.
    sockets: Arc<Semaphore>,
    /// A permit for each refused connection that receives the reason.
    turning_away: Arc<Semaphore>,
    config: Arc<Config>,
    last: AtomicU64,
    proxy_signs: ProxySigns,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    /// Each has a permit of its address.
    all: BTreeMap<u64, (Arc<Connection>, OwnedSemaphorePermit)>,
    /// The goodbye with which all of them were ended.
    ended: Option<Farewell>,
}

/// RAII registration in [`Connections`].
#[derive(Debug)]
pub(super) struct Admitted {
    connections: Arc<Connections>,
    number: u64,
}

impl Connections {
    pub(super) fn new(config: &Arc<Config>) -> Self {
        let sockets = config.max_connections.saturating_add(MAX_LEAVING).min(Semaphore::MAX_PERMITS);
        Self {
            sockets: Arc::new(Semaphore::new(sockets)),
            turning_away: Arc::new(Semaphore::new(MAX_TURNED_AWAY)),
            config: Arc::clone(config),
            last: AtomicU64::default(),
            proxy_signs: ProxySigns::default(),
            open: Mutex::default(),
        }
    }

    /// Returns the number of the next connection.
    pub(super) fn number(&self) -> u64 {
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.open.lock().all.len()
    }

    /// How many clients are connected to this server itself, rather than carried here by another one.
    pub(super) fn clients(&self) -> usize {
        let open = self.open.lock();
        open.all.values().filter(|(connection, _)| !connection.is_carried()).count()
    }

    /// All of them that are not being closed, by their numbers.
    pub(super) fn all(&self) -> Vec<(u64, Arc<Connection>)> {
        let open = self.open.lock();
        let stay = open.all.iter().filter(|(_, (connection, _))| !connection.is_ending());
        stay.map(|(number, (connection, _))| (*number, Arc::clone(connection))).collect()
    }

    /// Waits until there may be one more socket.
    pub(super) async fn place(&self) -> OwnedSemaphorePermit {
        match Arc::clone(&self.sockets).acquire_owned().await {
            Ok(place) => place,
            // It is never closed.
            Err(_) => pending().await,
        }
    }

    /// The permit to tell a connection why it is refused, unless too many are being told.
    pub(super) fn turn_away(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.turning_away).try_acquire_owned().ok()
    }

    /// Evicts an idle connection, as if somebody without any came. Returns whether there was one.
    pub(super) fn make_room(&self) -> bool {
        let evicted = self.open.lock().evict(Ipv6Addr::UNSPECIFIED.into());
        evicted.inspect(|connection| connection.end(Farewell::NoRoom)).is_some()
    }

    /// Registers a connection. If there are too many in all, [an idle one](Connection::idle_since) is
    /// evicted. Returns how long to pause reading it.
    pub(super) fn admit(
        self: &Arc<Self>,
        number: u64,
        connection: &Arc<Connection>,
    ) -> Result<(Admitted, Duration), HelloRefusal> {
        let Config { max_connections: most, max_connections_each: each, .. } = *self.config;
        let limits = connection.limits();
        let crowded = |TooFast| {
            // Nobody else behind a proxy is let in, however few there may be.
            self.look_for_proxy(limits, 1);
            HelloRefusal::Crowded { most: saturating(each) }
        };
        let charged = if connection.is_carried() {
            limits.carry().map(|permit| (permit, Duration::ZERO))
        } else {
            limits.connect()
        };
        let (permit, pause) = charged.map_err(crowded)?;
        let mut open = self.open.lock();
        if open.all.len() >= most {
            let evicted = open.evict(connection.address());
            evicted.ok_or(HelloRefusal::Full { most: saturating(most) })?.end(Farewell::NoRoom);
        }
        if let Some(word) = &open.ended {
            connection.end(word.clone());
        }
        open.all.insert(number, (Arc::clone(connection), permit));
        drop(open);
        self.look_for_proxy(limits, MANY);
        Ok((Admitted { connections: Arc::clone(self), number }, pause))
    }

    /// Notes how many of all connections come from this address, once this many are open.
    fn look_for_proxy(&self, limits: &AddressLimits, least: usize) {
        let (address, all) = (limits.address(), self.count());
        if all >= least && !self.config.trusts_proxy(address) {
            self.proxy_signs.note_share(address, limits.open_connections(), all);
        }
    }

    /// A connection of this address, which is not trusted, began with a header of the PROXY protocol.
    pub(super) fn note_proxy_header(&self, address: IpAddr) {
        self.proxy_signs.note_header(address);
    }

    /// Whether all of them are ended, since the server stops.
    pub(super) fn are_ended(&self) -> bool {
        self.open.lock().ended.is_some()
    }

    /// Ends all connections with this goodbye, and those that are still to come.
    pub(super) fn end(&self, word: &Farewell) {
        let mut open = self.open.lock();
        open.all.values().for_each(|(connection, _)| connection.end(word.clone()));
        open.ended = Some(word.clone());
    }
}

impl Open {
    fn evict(&mut self, newcomer: IpAddr) -> Option<Arc<Connection>> {
        let all = self.all.iter();
        let holders = all.map(|(number, (one, _))| (one.address(), one.idle_since(), *number));
        let number = choose_evicted(newcomer, holders)?;
        self.all.remove(&number).map(|(connection, _)| connection)
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.connections.open.lock().all.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::connection::tests::{Slot, connection};

    #[test]
    fn a_connection_after_the_goodbye_is_told_too_and_nothing_is_left_of_one_that_went() {
        let all = Arc::new(Connections::new(&Arc::default()));
        all.end(&Farewell::Stopping);
        let connection = Arc::new(connection(Box::new(Arc::<Slot>::default())));
        let admitted = all.admit(all.number(), &connection);
        assert!(connection.is_ending());
        drop(admitted);
        assert_eq!(all.count(), 0);
    }
}
