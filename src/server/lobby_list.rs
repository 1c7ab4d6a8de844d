//! The list of lobbies: its entries, its subscribers, and the changes that they have not received yet.
//!
//! Where several servers share their lobbies, those of the others stand in it too.

mod entries;
#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use tokio::sync::{Notify, watch};

pub use self::entries::SharedListing;
use self::entries::{ListState, Listed, NewEntry};
use super::connection::Connection;
use super::journal::Journal;
use super::storage::LobbyId;
use crate::game::any::Board;
use crate::lobby::Code;
use crate::wire::Listing;
use crate::wire::limits::MAX_LISTED;

/// How long changes are gathered before they are sent, so that a flood of lobbies is not a flood of messages
/// to every subscriber.
const GATHER: Duration = Duration::from_millis(200);

/// The pause after changes were sent to some subscribers, before the next ones: a thousand a second, so that what they
/// do with it leaves room for moves. The sessions of browsers are in this process.
const PAUSE: Duration = Duration::from_millis(16);

/// All listed lobbies.
#[derive(Debug, Default)]
pub(super) struct LobbyList {
    /// Held while a few lobbies are looked up or encoded, and never while messages are sent: all lobbies wait
    /// for it.
    state: Mutex<ListState>,
    /// Held while changes are sent to a few subscribers, so that each receives its first list before the changes
    /// after it. It is taken before `state`.
    sending: Mutex<()>,
    changed: Notify,
    /// How many lobbies are open.
    open: watch::Sender<u32>,
}

impl LobbyList {
    /// Updates the entry of a lobby of this server; `None` removes it.
    pub(super) fn update(
        &self,
        (id, code, opener): (LobbyId, Code, IpAddr),
        start: &Board,
        listing: Option<Listing>,
    ) {
        let mut state = self.state.lock();
        let known = state.listings.get(&id);
        if known.map(|listed| &listed.listing) == listing.as_ref() && known.is_none_or(|listed| listed.is_own)
        {
            return;
        }
        let entry = listing.map(|listing| NewEntry { listing, start: start.clone(), opener, is_own: true });
        self.replace(&mut state, (id, code), entry);
    }

    /// The first `most` lobbies of this server, in the order of the list.
    pub(super) fn own(&self, most: usize) -> Vec<SharedListing> {
        let state = self.state.lock();
        let best = state.best(most, |listed| listed.is_own).into_iter();
        best.map(|(lobby, Listed { opener, listing, .. })| SharedListing {
            lobby,
            opener: *opener,
            listing: listing.clone(),
        })
        .collect()
    }

    /// Updates the entry of a lobby of another server. One that is here by now has its own entry, and one of a game
    /// that this server does not know is not listed.
    pub(super) fn list(&self, SharedListing { lobby, opener, listing }: SharedListing) {
        let code = listing.code;
        let entry = match NewEntry::of_peer(opener, listing) {
            Ok(entry) => entry,
            Err(error) => return tracing::debug!(?lobby, %error, "a lobby of another server is not listed"),
        };
        let mut state = self.state.lock();
        let known = state.listings.get(&lobby);
        if known.is_none_or(|known| !known.is_own && known.listing != entry.listing) {
            self.replace(&mut state, (lobby, code), Some(entry));
        }
    }

    /// Removes the entry of a lobby of another server, unless the lobby is here by now.
    pub(super) fn unlist(&self, lobby: LobbyId) {
        let mut state = self.state.lock();
        if let Some(known) = state.listings.get(&lobby).filter(|known| !known.is_own) {
            let code = known.listing.code;
            self.replace(&mut state, (lobby, code), None);
        }
    }

    /// Replaces or removes an entry, and notes that it is to be broadcast.
    fn replace(&self, state: &mut ListState, (id, code): (LobbyId, Code), entry: Option<NewEntry>) {
        let before = state.replace(id, entry);
        let after = state.listings.get(&id);
        match [before.as_ref(), after].map(|listed| listed.is_some_and(|listed| listed.is_open())) {
            [false, true] => self.open.send_modify(|count| *count += 1),
            [true, false] => self.open.send_modify(|count| *count -= 1),
            _ => {}
        }
        if !state.watchers.is_empty() {
            let gone = after.is_none();
            state.note_news(id, code, before.is_some(), gone);
            self.changed.notify_one();
        }
    }

    /// The open lobbies whose games begin on exactly this board, [`MAX_LISTED`] at most: those of the
    /// address with the fewest such lobbies first, so that nobody has to wait until an address has run out
    /// of them; otherwise the oldest first. With `people_only`, those in which a program waits are left out.
    pub(super) fn open_lobbies(&self, start: &Board, people_only: bool) -> Vec<Code> {
        let state = self.state.lock();
        let listed = state.of_rank(0).filter_map(|(_, id)| Some((id, state.listings.get(&id)?)));
        let open = listed.filter(|(_, listed)| {
            listed.is_open() && listed.start == *start && !(people_only && listed.has_program())
        });
        let mut open: Vec<_> = open.map(|(id, listed)| (listed.opener, id, listed.listing.code)).collect();
        let mut counts = FxHashMap::<IpAddr, u32>::default();
        for (opener, ..) in &open {
            *counts.entry(*opener).or_default() += 1;
        }
        open.sort_by_key(|(opener, id, _)| (counts[opener], *id));
        open.into_iter().map(|(.., code)| code).take(MAX_LISTED).collect()
    }

    /// Watches how many lobbies are open.
    pub(super) fn count_open(&self) -> watch::Receiver<u32> {
        self.open.subscribe()
    }

    /// Sends a connection the list, and every change from now on.
    pub(super) fn watch(&self, journal: &Journal, connection: &Arc<Connection>) {
        let _sending = self.sending.lock();
        let first = self.state.lock().subscribe(connection);
        journal.send_when_recorded(std::slice::from_ref(connection), &first);
    }

    /// Ends a connection's subscription.
    pub(super) fn unwatch(&self, connection: &Arc<Connection>) {
        self.state.lock().unwatch(connection);
    }

    /// Broadcasts the changes to all subscribers, for ever.
    pub(super) async fn broadcast(&self, journal: &Journal) {
        loop {
            self.changed.notified().await;
            tokio::time::sleep(GATHER).await;
            let (mut subscribers, news) = self.state.lock().take_news();
            while !subscribers.is_empty() {
                let sending = self.sending.lock();
                let connections = self.state.lock().next_of(&mut subscribers);
                journal.send_when_recorded(&connections, &news);
                drop(sending);
                if !subscribers.is_empty() {
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }
}
