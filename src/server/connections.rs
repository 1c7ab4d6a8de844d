//! All connections: how many there may be, which makes room for another one, and the goodbye to all of them.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::config::Config;
use super::connection::Connection;
use super::limits::{Holder, who_makes_room};
use crate::number::saturating;
use crate::wire::{Farewell, HelloRefusal};

/// All connections, by the numbers that they have in the logs.
#[derive(Debug)]
pub(super) struct Connections {
    /// How many there may be in all, and of each address.
    most: usize,
    each: usize,
    last: AtomicU64,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    all: BTreeMap<u64, Arc<Connection>>,
    counts: HashMap<IpAddr, usize>,
    /// The word with which all of them were ended.
    ended: Option<Farewell>,
}

/// A connection that is one of them until this is dropped.
#[derive(Debug)]
pub(super) struct Admitted {
    connections: Arc<Connections>,
    number: u64,
}

impl Connections {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            most: config.max_connections,
            each: config.max_connections_each,
            last: AtomicU64::default(),
            open: Mutex::default(),
        }
    }

    /// A number for the next one.
    pub(super) fn number(&self) -> u64 {
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.open.lock().all.len()
    }

    /// Takes a connection in. Where there are too many in all, [one that is idle](Connection::idle_since)
    /// makes room.
    pub(super) fn admit(
        self: &Arc<Self>,
        number: u64,
        connection: &Arc<Connection>,
    ) -> Result<Admitted, HelloRefusal> {
        let (mut open, address) = (self.open.lock(), connection.address());
        if open.counts.get(&address).is_some_and(|&count| count >= self.each) {
            return Err(HelloRefusal::Crowded { most: saturating(self.each) });
        }
        if open.all.len() >= self.most {
            let evicted = open.evict(address).ok_or(HelloRefusal::Full { most: saturating(self.most) })?;
            evicted.end(Farewell::NoRoom);
        }
        if let Some(word) = &open.ended {
            connection.end(word.clone());
        }
        open.all.insert(number, Arc::clone(connection));
        *open.counts.entry(address).or_default() += 1;
        Ok(Admitted { connections: Arc::clone(self), number })
    }

    /// Ends all of them with this word, and those that are still to come.
    pub(super) fn end(&self, word: &Farewell) {
        let mut open = self.open.lock();
        open.all.values().for_each(|connection| connection.end(word.clone()));
        open.ended = Some(word.clone());
    }
}

impl Open {
    fn evict(&mut self, newcomer: IpAddr) -> Option<Arc<Connection>> {
        let holders = self.all.iter().map(|(number, connection)| Holder {
            address: connection.address(),
            idle_since: connection.idle_since(),
            what: *number,
        });
        let number = who_makes_room(newcomer, holders)?;
        self.remove(number)
    }

    fn remove(&mut self, number: u64) -> Option<Arc<Connection>> {
        let connection = self.all.remove(&number)?;
        let count = self.counts.get_mut(&connection.address())?;
        *count -= 1;
        if *count == 0 {
            self.counts.remove(&connection.address());
        }
        Some(connection)
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.connections.open.lock().remove(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::connection::tests::Slot;

    fn connections(most: usize, each: usize) -> Arc<Connections> {
        let config = Config { max_connections: most, max_connections_each: each, ..Config::default() };
        Arc::new(Connections::new(&config))
    }

    /// Somebody comes from an address that ends so.
    fn comes(all: &Arc<Connections>, last: u8) -> (Arc<Connection>, Result<Admitted, HelloRefusal>) {
        let connection = Arc::new(Connection::new(Box::new(Arc::<Slot>::default()), [10, 0, 0, last].into()));
        let admitted = all.admit(all.number(), &connection);
        (connection, admitted)
    }

    #[tokio::test(start_paused = true)]
    async fn no_address_has_more_than_its_bound_and_one_that_goes_makes_room() {
        let all = connections(9, 2);
        let (_, first) = comes(&all, 1);
        let (_, second) = comes(&all, 1);
        assert_eq!(comes(&all, 1).1.unwrap_err(), HelloRefusal::Crowded { most: 2 });
        assert!(comes(&all, 2).1.is_ok());
        drop(first);
        assert!(comes(&all, 1).1.is_ok() && second.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn where_all_is_taken_the_idlest_without_a_running_game_goes() {
        let all = connections(3, 3);
        let people: Vec<_> = (0..3).map(|_| comes(&all, 1)).collect();
        people[0].0.set_playing(true);
        tokio::time::advance(std::time::Duration::from_secs(1)).await;
        people[1].0.note_request();
        let newcomer = comes(&all, 2);
        assert_eq!((newcomer.1.is_ok(), people[2].0.is_ending()), (true, true));
        assert_eq!([0, 1].map(|number| people[number].0.is_ending()), [false; 2]);
        assert_eq!(comes(&all, 2).1.map(drop), Ok(()), "the address has two, and the other one has one");
    }

    #[tokio::test(start_paused = true)]
    async fn where_nobody_may_go_a_newcomer_is_told_that_the_server_is_full() {
        let all = connections(1, 9);
        let (connection, _admitted) = comes(&all, 1);
        connection.set_playing(true);
        assert_eq!(comes(&all, 2).1.unwrap_err(), HelloRefusal::Full { most: 1 });
    }

    #[test]
    fn a_connection_after_the_goodbye_is_told_too_and_nothing_is_left_of_one_that_went() {
        let all = connections(9, 9);
        all.end(&Farewell::Stopping);
        let (connection, admitted) = comes(&all, 1);
        assert!(connection.is_ending());
        drop(admitted);
        let open = all.open.lock();
        assert!(open.all.is_empty() && open.counts.is_empty());
    }
}
