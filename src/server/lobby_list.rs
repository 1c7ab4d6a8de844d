//! The list of lobbies: its entries, its subscribers, and the changes that they have not received yet.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};

use super::connection::Connection;
use super::journal::Journal;
use super::storage::LobbyId;
use crate::game::any::Board;
use crate::lobby::Code;
use crate::wire::limits::MAX_LISTED;
use crate::wire::{HallEvent, List, Listing, LobbyState, ToClient, encode};

/// The most lobbies in the first list that a client receives, open ones first: more do not fit on a screen,
/// and these fit into a connection's outbox.
const MAX_INITIAL: usize = 64;

/// How long changes are gathered before they are sent, so that a flood of lobbies is not a flood of messages
/// to every subscriber.
const GATHER: Duration = Duration::from_millis(50);

/// All listed lobbies.
#[derive(Debug, Default)]
pub(super) struct LobbyList {
    /// Held while a few lobbies are looked up or encoded, and never while messages are sent: all lobbies wait
    /// for it.
    state: Mutex<ListState>,
    /// Held while changes are sent, so that all clients receive them in one order. It is taken before
    /// `state`.
    sending: Mutex<()>,
    changed: Notify,
    /// How many lobbies are open.
    open: watch::Sender<u32>,
}

#[derive(Debug, Default)]
struct ListState {
    listings: HashMap<LobbyId, Box<Listed>>,
    /// All of them in the order in which they are sent.
    order: BTreeMap<Order, LobbyId>,
    /// How many changes there were.
    changes: u64,
    /// The encoded first list, until a lobby changes.
    first: Option<Vec<Bytes>>,
    watchers: Vec<Weak<Connection>>,
    news: BTreeMap<LobbyId, News>,
}

/// A lobby's entry, and its place in the list.
#[derive(Debug)]
struct Listed {
    listing: Listing,
    /// The board on which its games begin.
    start: Board,
    order: Order,
}

impl Listed {
    /// Whether anybody may join it. One with a password is not offered for a quick match.
    fn is_open(&self) -> bool {
        self.listing.state == LobbyState::Open && !self.listing.locked
    }
}

/// A lobby's place in the list: open ones first, then those to watch; within a kind, the latest change first.
type Order = (u8, Reverse<u64>);

fn rank(state: LobbyState) -> u8 {
    match state {
        LobbyState::Open => 0,
        LobbyState::Playing => 1,
        LobbyState::Over => 2,
        LobbyState::Away => 3,
    }
}

/// A lobby that changed since the last broadcast.
#[derive(Debug)]
struct News {
    code: Code,
    /// Whether the subscribers know this lobby.
    known: bool,
}

impl LobbyList {
    /// Updates a lobby's entry; `None` removes it.
    pub(super) fn update(&self, id: LobbyId, code: Code, start: &Board, listing: Option<Listing>) {
        let mut state = self.state.lock();
        if state.listings.get(&id).map(|listed| &listed.listing) == listing.as_ref() {
            return;
        }
        let before = state.replace(id, start, listing);
        let after = state.listings.get(&id);
        match [before.as_ref(), after.map(Box::as_ref)].map(|listed| listed.is_some_and(Listed::is_open)) {
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

    /// The open lobbies whose games begin on exactly this board, the oldest first; [`MAX_LISTED`] at most.
    pub(super) fn open_lobbies(&self, start: &Board) -> Vec<Code> {
        let state = self.state.lock();
        let ids = state.order.iter().take_while(|((rank, _), _)| *rank == 0).map(|(_, id)| id);
        let listed = ids.filter_map(|id| Some((*id, state.listings.get(id)?)));
        let open = listed.filter(|(_, listed)| listed.is_open() && listed.start == *start);
        let oldest: BTreeMap<LobbyId, Code> = open.map(|(id, listed)| (id, listed.listing.code)).collect();
        oldest.into_values().take(MAX_LISTED).collect()
    }

    /// Watches how many lobbies are open.
    pub(super) fn count_open(&self) -> watch::Receiver<u32> {
        self.open.subscribe()
    }

    /// Sends a connection the list, and every change from now on.
    pub(super) fn watch(&self, journal: &Journal, connection: &Arc<Connection>) {
        let _telling = self.sending.lock();
        let mut state = self.state.lock();
        // Earlier changes are only for earlier subscribers.
        let (others, news) = state.take_news();
        state.unwatch(connection);
        state.watchers.push(Arc::downgrade(connection));
        let first = state.first();
        drop(state);
        journal.send_when_recorded(&others, &news);
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
            let _telling = self.sending.lock();
            let (connections, news) = self.state.lock().take_news();
            journal.send_when_recorded(&connections, &news);
        }
    }
}

impl ListState {
    /// The frames for a new subscriber.
    fn first(&mut self) -> Vec<Bytes> {
        let Self { first, order, listings, .. } = self;
        let first = first.get_or_insert_with(|| {
            let ids = order.values().take(MAX_INITIAL);
            let listed: Vec<Listing> = ids.filter_map(|id| Some(listings.get(id)?.listing.clone())).collect();
            frames(&listed, &[])
        });
        first.clone()
    }

    /// Replaces or removes a lobby's entry. Returns the one before.
    fn replace(&mut self, id: LobbyId, start: &Board, listing: Option<Listing>) -> Option<Listed> {
        self.first = None;
        let before = self.listings.remove(&id);
        if let Some(listed) = &before {
            self.order.remove(&listed.order);
        }
        if let Some(listing) = listing {
            self.changes += 1;
            let order = (rank(listing.state), Reverse(self.changes));
            self.order.insert(order, id);
            self.listings.insert(id, Box::new(Listed { listing, start: start.clone(), order }));
        }
        before.map(|listed| *listed)
    }

    /// Notes that a lobby changed. One that comes and goes between two broadcasts is dropped, so that a flood
    /// of them is no flood of messages.
    fn note_news(&mut self, id: LobbyId, code: Code, was_listed: bool, gone: bool) {
        let news = self.news.entry(id).or_insert(News { code, known: was_listed });
        if gone && !news.known {
            self.news.remove(&id);
        }
    }

    fn unwatch(&mut self, connection: &Arc<Connection>) {
        self.watchers
            .retain(|watcher| watcher.strong_count() > 0 && watcher.as_ptr() != Arc::as_ptr(connection));
    }

    /// Takes the subscribers and the frames for the changes since the last call.
    fn take_news(&mut self) -> (Vec<Arc<Connection>>, Vec<Bytes>) {
        if self.news.is_empty() {
            return Default::default();
        }
        let (mut changed, mut gone) = (Vec::new(), Vec::new());
        for (id, News { code, .. }) in std::mem::take(&mut self.news) {
            match self.listings.get(&id) {
                Some(listed) => changed.push(listed),
                None => gone.push(code),
            }
        }
        changed.sort_by_key(|listed| listed.order);
        let listed: Vec<Listing> = changed.into_iter().map(|listed| listed.listing.clone()).collect();
        self.watchers.retain(|watcher| watcher.strong_count() > 0);
        let connections = self.watchers.iter().filter_map(Weak::upgrade).collect();
        (connections, frames(&listed, &gone))
    }
}

/// The frames that list these lobbies: one at least, the last of them marked as such.
fn frames(listed: &[Listing], gone: &[Code]) -> Vec<Bytes> {
    let count = listed.len().div_ceil(MAX_LISTED).max(gone.len().div_ceil(MAX_LISTED)).max(1);
    let part = |number: usize| {
        encode(&ToClient::Hall(HallEvent::Lobbies {
            listed: List::first_of(listed.iter().skip(number * MAX_LISTED).cloned()),
            gone: List::first_of(gone.iter().skip(number * MAX_LISTED).copied()),
            complete: number + 1 == count,
        }))
    };
    (0..count).map(part).collect()
}
