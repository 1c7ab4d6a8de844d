//! Other servers for tests, which do and know what a test tells them.

use std::collections::BTreeSet;
use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;

use super::{Later, PeerId, PeerStream, Peers, Place};
use crate::lobby::{Code, Name};
use crate::server::storage::LobbyId;

/// Other servers, of which nobody can be reached.
#[derive(Debug)]
pub(in crate::server) struct FakePeers {
    known: Mutex<Known>,
    changes: watch::Sender<u64>,
    addresses: watch::Sender<Arc<Vec<String>>>,
}

#[derive(Debug)]
struct Known {
    place: fn(Code) -> Place,
    next_lobby: Option<u64>,
    is_certain: bool,
    has_others: bool,
    names: SharedNames,
}

/// The names among all servers, as texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::server) struct SharedNames {
    pub(in crate::server) here: BTreeSet<String>,
    pub(in crate::server) elsewhere: BTreeSet<String>,
    are_unknown: bool,
}

impl FakePeers {
    /// All lobbies are here, and everything is certain.
    pub(in crate::server) fn new() -> Arc<Self> {
        let known = Known {
            place: |_| Place::Here,
            next_lobby: Some(1),
            is_certain: true,
            has_others: true,
            names: SharedNames::default(),
        };
        let (changes, addresses) = (watch::Sender::new(0), watch::Sender::default());
        Arc::new(Self { known: Mutex::new(known), changes, addresses })
    }

    /// Every lobby is at its place by this function from now on.
    pub(in crate::server) fn place_by(&self, place: fn(Code) -> Place) {
        self.known.lock().place = place;
        self.changes.send_modify(|count| *count += 1);
    }

    /// The number of the next lobby.
    pub(in crate::server) fn number_from(&self, next: Option<u64>) {
        self.known.lock().next_lobby = next;
    }

    /// Whether everything is certain from now on.
    pub(in crate::server) fn are_certain(&self, is_certain: bool) {
        self.known.lock().is_certain = is_certain;
    }

    /// From now on there is no other server.
    pub(in crate::server) fn are_gone(&self) {
        self.known.lock().has_others = false;
    }

    /// Another server has these names.
    pub(in crate::server) fn have_names(&self, names: &[&str]) {
        self.known.lock().names.elsewhere.extend(names.iter().map(|&name| name.to_owned()));
    }

    /// Whether nobody can tell from now on who has which name.
    pub(in crate::server) fn know_nothing_of_names(&self, are_unknown: bool) {
        self.known.lock().names.are_unknown = are_unknown;
    }

    /// Who has which name.
    pub(in crate::server) fn names(&self) -> SharedNames {
        self.known.lock().names.clone()
    }

    /// Clients reach the servers at these addresses from now on.
    pub(in crate::server) fn are_at(&self, addresses: &[&str]) {
        let addresses = addresses.iter().map(|&address| address.to_owned()).collect();
        self.addresses.send_replace(Arc::new(addresses));
    }
}

impl Peers for FakePeers {
    fn place_of(&self, code: Code) -> Place {
        (self.known.lock().place)(code)
    }

    fn place_of_matches(&self, _: &str) -> Place {
        Place::Here
    }

    fn place_of_new(&self) -> Place {
        Place::Here
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn address_of(&self, _: PeerId) -> Option<String> {
        None
    }

    fn connect(&self, _: PeerId, _: SocketAddr) -> Later<'_, io::Result<Box<dyn PeerStream>>> {
        Box::pin(async { Err(io::ErrorKind::ConnectionRefused.into()) })
    }

    fn claim_name(&self, name: &Name) -> Later<'_, bool> {
        let name = name.as_str().to_owned();
        Box::pin(async move {
            // The others are asked, which takes a moment.
            tokio::task::yield_now().await;
            if self.known.lock().names.are_unknown {
                return pending().await;
            }
            let names = &mut self.known.lock().names;
            let is_free = !names.elsewhere.contains(&name);
            if is_free {
                names.here.insert(name);
            }
            is_free
        })
    }

    fn take_name(&self, name: &Name) {
        let names = &mut self.known.lock().names;
        names.elsewhere.remove(name.as_str());
        names.here.insert(name.as_str().to_owned());
    }

    fn release_name(&self, name: &Name) {
        self.known.lock().names.here.remove(name.as_str());
    }

    fn next_lobby(&self) -> Option<LobbyId> {
        let next = &mut self.known.lock().next_lobby;
        let lobby = LobbyId((*next)?);
        *next = Some(lobby.0 + 1);
        Some(lobby)
    }

    fn is_certain(&self) -> bool {
        self.known.lock().is_certain
    }

    fn has_others(&self) -> bool {
        self.known.lock().has_others
    }

    fn addresses(&self) -> watch::Receiver<Arc<Vec<String>>> {
        self.addresses.subscribe()
    }
}
