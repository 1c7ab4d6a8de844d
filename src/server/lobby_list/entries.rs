//! The entries of the list of lobbies in their order, its subscribers, and the changes that they have not received
//! yet. It sends nothing.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::ops::Range;
use std::sync::{Arc, Weak};

use bytes::Bytes;
use rustc_hash::FxHashMap;

use crate::game::any::{Board, Variant};
use crate::game::notation::BadText;
use crate::lobby::{Checksum, Code, Kind, Origin};
use crate::server::connection::Connection;
use crate::server::storage::LobbyId;
use crate::wire::limits::MAX_LISTED;
use crate::wire::{HallEvent, List, Listing, LobbyState, ToClient, encode};

/// The most lobbies in the first list that a client receives, open ones first: more do not fit on a screen,
/// and these fit into a connection's outbox. Within a rank the addresses that opened them take turns, so
/// that no address fills the list: first comes the newest of each, then the second of each, and so on.
pub(super) const MAX_INITIAL: usize = 64;

/// To how many subscribers changes are sent at once.
pub(super) const AT_A_TIME: usize = 16;

/// A lobby in the list, with what the list needs to know of it.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedListing {
    /// Which lobby.
    pub lobby: LobbyId,
    /// The address from which it was opened.
    pub opener: IpAddr,
    /// Its entry.
    pub listing: Listing,
}

/// What the list consists of.
#[derive(Debug, Default)]
pub(super) struct ListState {
    pub(super) listings: HashMap<LobbyId, Box<Listed>>,
    /// All of them, each with the address that opened it, in the order in which changes are sent.
    order: BTreeMap<Order, (IpAddr, LobbyId)>,
    /// How many changes there were.
    changes: u64,
    /// The encoded first list, until a lobby changes.
    first: Option<Vec<Bytes>>,
    /// The subscribers, numbered in the order in which they came.
    pub(super) watchers: BTreeMap<u64, Weak<Connection>>,
    /// How many subscribers there were.
    subscriptions: u64,
    news: BTreeMap<LobbyId, News>,
}

/// A lobby's entry, and its place in the list.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) listing: Listing,
    /// The board on which its games begin.
    pub(super) start: Board,
    /// The address that opened it.
    pub(super) opener: IpAddr,
    /// Whether it is a lobby of this server.
    pub(super) is_own: bool,
    order: Order,
}

impl Listed {
    /// Whether anybody may join it. One with a password is not offered for a quick match.
    pub(super) fn is_open(&self) -> bool {
        self.listing.state == LobbyState::Open && !self.listing.locked
    }

    /// Whether a program sits there.
    pub(super) fn has_program(&self) -> bool {
        self.listing.seats.iter().any(|(_, seat)| seat.as_ref().is_some_and(|it| it.kind == Kind::Program))
    }
}

/// A lobby's place in the list: open ones first, then those to watch; within a kind, the latest change first.
type Order = (u8, Reverse<u64>);

fn rank(state: LobbyState) -> u8 {
    match state {
        LobbyState::Open => 0,
        LobbyState::Playing => 1,
        LobbyState::Over => 2,
        LobbyState::Away => LAST_RANK,
    }
}

const LAST_RANK: u8 = 3;

/// The items in turns of their addresses: the first of each, then the second of each, and so on.
fn in_turns<T>(items: impl Iterator<Item = (IpAddr, T)>) -> impl Iterator<Item = T> {
    let mut counts = FxHashMap::<IpAddr, u32>::default();
    let with_turn = |(address, item)| {
        let count = counts.entry(address).or_default();
        *count += 1;
        (*count, item)
    };
    let mut items: Vec<(u32, T)> = items.map(with_turn).collect();
    items.sort_by_key(|(turn, _)| *turn);
    items.into_iter().map(|(_, item)| item)
}

/// A lobby's entry before it has a place in the list.
#[derive(Debug)]
pub(super) struct NewEntry {
    pub(super) listing: Listing,
    pub(super) start: Board,
    pub(super) opener: IpAddr,
    pub(super) is_own: bool,
}

impl NewEntry {
    /// The entry of a lobby of another server. Only the list and quick matches use it, so that the game from which
    /// its position comes does not matter.
    ///
    /// # Errors
    ///
    /// If this server knows no such game.
    pub(super) fn of_peer(opener: IpAddr, listing: Listing) -> Result<Self, BadText> {
        let variant: Variant = listing.variant.as_str().parse()?;
        let start = match &listing.position {
            Some(position) => {
                Origin { record: Checksum(0), moves: 0, position: position.clone() }.start(&variant)?
            }
            None => variant.start(),
        };
        Ok(Self { listing, start, opener, is_own: false })
    }
}

/// A lobby that changed since the last broadcast.
#[derive(Debug)]
struct News {
    code: Code,
    /// Whether a subscriber knows this lobby.
    known: bool,
}

impl ListState {
    /// The frames for a new subscriber.
    fn first(&mut self) -> Vec<Bytes> {
        let first = self.first.take().unwrap_or_else(|| frames(&self.initial(), &[]));
        self.first = Some(first.clone());
        first
    }

    /// The lobbies for a new subscriber.
    pub(super) fn initial(&self) -> Vec<Listing> {
        self.best(MAX_INITIAL, |_| true).into_iter().map(|(_, listed)| listed.listing.clone()).collect()
    }

    /// The first `most` of these lobbies, in the order in which they are shown.
    pub(super) fn best(&self, most: usize, is_meant: impl Fn(&Listed) -> bool) -> Vec<(LobbyId, &Listed)> {
        let mut best = Vec::with_capacity(most.min(self.listings.len()));
        for rank in 0..=LAST_RANK {
            if best.len() < most {
                let listed = self.of_rank(rank).filter_map(|(opener, id)| {
                    let listed = self.listings.get(&id).filter(|listed| is_meant(listed))?;
                    Some((opener, (id, &**listed)))
                });
                best.extend(in_turns(listed).take(most - best.len()));
            }
        }
        best
    }

    /// The lobbies of this rank, the latest change first.
    pub(super) fn of_rank(&self, rank: u8) -> impl Iterator<Item = (IpAddr, LobbyId)> {
        self.order.range((rank, Reverse(u64::MAX))..=(rank, Reverse(0))).map(|(_, lobby)| *lobby)
    }

    /// Replaces or removes a lobby's entry. Returns the one before.
    pub(super) fn replace(&mut self, id: LobbyId, entry: Option<NewEntry>) -> Option<Box<Listed>> {
        self.first = None;
        let before = self.listings.remove(&id);
        if let Some(listed) = &before {
            self.order.remove(&listed.order);
        }
        if let Some(NewEntry { listing, start, opener, is_own }) = entry {
            self.changes += 1;
            let order = (rank(listing.state), Reverse(self.changes));
            self.order.insert(order, (opener, id));
            self.listings.insert(id, Box::new(Listed { listing, start, opener, is_own, order }));
        }
        before
    }

    /// Notes that a lobby changed. One that comes and goes between two broadcasts is dropped, so that a flood
    /// of them is no flood of messages.
    pub(super) fn note_news(&mut self, id: LobbyId, code: Code, was_listed: bool, gone: bool) {
        let news = self.news.entry(id).or_insert(News { code, known: was_listed });
        if gone && !news.known {
            self.news.remove(&id);
        }
    }

    /// Adds a subscriber. Returns its first frames. Changes that were not sent yet are among them: it may
    /// receive them twice.
    pub(super) fn subscribe(&mut self, connection: &Arc<Connection>) -> Vec<Bytes> {
        self.unwatch(connection);
        self.subscriptions += 1;
        self.watchers.insert(self.subscriptions, Arc::downgrade(connection));
        self.news.values_mut().for_each(|news| news.known = true);
        self.first()
    }

    pub(super) fn unwatch(&mut self, connection: &Arc<Connection>) {
        self.watchers
            .retain(|_, watcher| watcher.strong_count() > 0 && watcher.as_ptr() != Arc::as_ptr(connection));
    }

    /// Takes the next of the subscribers with these numbers, a few at a time. Those who came later are not among
    /// them.
    pub(super) fn next_of(&self, numbers: &mut Range<u64>) -> Vec<Arc<Connection>> {
        let next: Vec<_> = self.watchers.range(numbers.clone()).take(AT_A_TIME).collect();
        numbers.start = if next.len() < AT_A_TIME { numbers.end } else { next[AT_A_TIME - 1].0 + 1 };
        next.into_iter().filter_map(|(_, watcher)| watcher.upgrade()).collect()
    }

    /// Takes the numbers of the subscribers and the frames for the changes since the last call.
    pub(super) fn take_news(&mut self) -> (Range<u64>, Vec<Bytes>) {
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
        self.watchers.retain(|_, watcher| watcher.strong_count() > 0);
        (0..self.subscriptions + 1, frames(&listed, &gone))
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
