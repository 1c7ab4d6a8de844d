//! The list of lobbies: its entries, its subscribers, and the changes that they have not received yet.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::ops::Range;
use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use tokio::sync::{Notify, watch};

use super::connection::Connection;
use super::journal::Journal;
use super::storage::LobbyId;
use crate::game::any::Board;
use crate::lobby::{Code, Kind};
use crate::wire::limits::MAX_LISTED;
use crate::wire::{HallEvent, List, Listing, LobbyState, ToClient, encode};

/// The most lobbies in the first list that a client receives, open ones first: more do not fit on a screen,
/// and these fit into a connection's outbox. Within a rank the addresses that opened them take turns, so
/// that no address fills the list: first comes the newest of each, then the second of each, and so on.
const MAX_INITIAL: usize = 64;

/// How long changes are gathered before they are sent, so that a flood of lobbies is not a flood of messages
/// to every subscriber.
const GATHER: Duration = Duration::from_millis(200);

/// To how many subscribers changes are sent at once, and the pause before the next ones: a thousand a second, so that what they
/// do with it leaves room for moves. The sessions of browsers are in this process.
const AT_A_TIME: usize = 16;
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

#[derive(Debug, Default)]
struct ListState {
    listings: HashMap<LobbyId, Box<Listed>>,
    /// All of them, each with the address that opened it, in the order in which changes are sent.
    order: BTreeMap<Order, (IpAddr, LobbyId)>,
    /// How many changes there were.
    changes: u64,
    /// The encoded first list, until a lobby changes.
    first: Option<Vec<Bytes>>,
    /// The subscribers, numbered in the order in which they came.
    watchers: BTreeMap<u64, Weak<Connection>>,
    /// How many subscribers there were.
    subscriptions: u64,
    news: BTreeMap<LobbyId, News>,
}

/// A lobby's entry, and its place in the list.
#[derive(Debug)]
struct Listed {
    listing: Listing,
    /// The board on which its games begin.
    start: Board,
    /// The address that opened it.
    opener: IpAddr,
    order: Order,
}

impl Listed {
    /// Whether anybody may join it. One with a password is not offered for a quick match.
    fn is_open(&self) -> bool {
        self.listing.state == LobbyState::Open && !self.listing.locked
    }

    /// Whether a program sits there.
    fn has_program(&self) -> bool {
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

/// A lobby that changed since the last broadcast.
#[derive(Debug)]
struct News {
    code: Code,
    /// Whether a subscriber knows this lobby.
    known: bool,
}

impl LobbyList {
    /// Updates a lobby's entry; `None` removes it.
    pub(super) fn update(
        &self,
        (id, code, opener): (LobbyId, Code, IpAddr),
        start: &Board,
        listing: Option<Listing>,
    ) {
        let mut state = self.state.lock();
        if state.listings.get(&id).map(|listed| &listed.listing) == listing.as_ref() {
            return;
        }
        let before = state.replace((id, opener), start, listing);
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

impl ListState {
    /// The frames for a new subscriber.
    fn first(&mut self) -> Vec<Bytes> {
        let first = self.first.take().unwrap_or_else(|| frames(&self.initial(), &[]));
        self.first = Some(first.clone());
        first
    }

    /// The lobbies for a new subscriber.
    fn initial(&self) -> Vec<Listing> {
        let mut ids = Vec::with_capacity(MAX_INITIAL);
        for rank in 0..=LAST_RANK {
            if ids.len() < MAX_INITIAL {
                ids.extend(in_turns(self.of_rank(rank)).take(MAX_INITIAL - ids.len()));
            }
        }
        ids.iter().filter_map(|id| Some(self.listings.get(id)?.listing.clone())).collect()
    }

    /// The lobbies of this rank, the latest change first.
    fn of_rank(&self, rank: u8) -> impl Iterator<Item = (IpAddr, LobbyId)> {
        self.order.range((rank, Reverse(u64::MAX))..=(rank, Reverse(0))).map(|(_, lobby)| *lobby)
    }

    /// Replaces or removes a lobby's entry. Returns the one before.
    fn replace(
        &mut self,
        (id, opener): (LobbyId, IpAddr),
        start: &Board,
        listing: Option<Listing>,
    ) -> Option<Listed> {
        self.first = None;
        let before = self.listings.remove(&id);
        if let Some(listed) = &before {
            self.order.remove(&listed.order);
        }
        if let Some(listing) = listing {
            self.changes += 1;
            let order = (rank(listing.state), Reverse(self.changes));
            self.order.insert(order, (opener, id));
            self.listings.insert(id, Box::new(Listed { listing, start: start.clone(), opener, order }));
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

    /// Adds a subscriber. Returns its first frames. Changes that were not sent yet are among them: it may
    /// receive them twice.
    fn subscribe(&mut self, connection: &Arc<Connection>) -> Vec<Bytes> {
        self.unwatch(connection);
        self.subscriptions += 1;
        self.watchers.insert(self.subscriptions, Arc::downgrade(connection));
        self.news.values_mut().for_each(|news| news.known = true);
        self.first()
    }

    fn unwatch(&mut self, connection: &Arc<Connection>) {
        self.watchers
            .retain(|_, watcher| watcher.strong_count() > 0 && watcher.as_ptr() != Arc::as_ptr(connection));
    }

    /// Takes the next of the subscribers with these numbers, a few at a time. Those who came later are not among
    /// them.
    fn next_of(&self, numbers: &mut Range<u64>) -> Vec<Arc<Connection>> {
        let next: Vec<_> = self.watchers.range(numbers.clone()).take(AT_A_TIME).collect();
        numbers.start = if next.len() < AT_A_TIME { numbers.end } else { next[AT_A_TIME - 1].0 + 1 };
        next.into_iter().filter_map(|(_, watcher)| watcher.upgrade()).collect()
    }

    /// Takes the numbers of the subscribers and the frames for the changes since the last call.
    fn take_news(&mut self) -> (Range<u64>, Vec<Bytes>) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::BySide;
    use crate::game::any::Variant;
    use crate::lobby::{ClockRule, Level, Origin, Text};

    /// A list of these lobbies, each with the last part of its opener's address, in the order in which they
    /// were opened.
    fn list(openers: impl IntoIterator<Item = (u8, LobbyState)>) -> LobbyList {
        let list = LobbyList::default();
        for (number, (opener, state)) in (0_u16..).zip(openers) {
            let listing = Listing {
                code: code(number),
                variant: Text::cut("java-tech:21"),
                position: None,
                seats: BySide::default(),
                state,
                level: Level::Perfect,
                clock: ClockRule::None,
                best_of: 0,
                watchers: 0,
                watched: true,
                locked: false,
            };
            let lobby = (LobbyId(number.into()), listing.code, IpAddr::from([10, 0, 0, opener]));
            list.update(lobby, &start(), Some(listing));
        }
        list
    }

    fn code(number: u16) -> Code {
        Code::from_bits(number, if number < 64 { 1 } else { 2 })
    }

    fn start() -> Board {
        Origin::start_of(&"java-tech:21".parse::<Variant>().unwrap(), None)
    }

    fn initial(list: &LobbyList) -> Vec<Code> {
        list.state.lock().initial().iter().map(|listing| listing.code).collect()
    }

    fn codes(numbers: &[u16]) -> Vec<Code> {
        numbers.iter().map(|number| code(*number)).collect()
    }

    #[test]
    fn a_hundred_lobbies_of_one_address_push_no_other_off_the_list() {
        use LobbyState::{Open, Playing};
        let crowd = std::iter::repeat_n((1, Open), 100);
        let listed = initial(&list([(2, Open)].into_iter().chain(crowd.clone())));
        assert_eq!((listed.len(), listed[1]), (MAX_INITIAL, code(0)));
        let few = list([(2, Playing), (1, Open), (1, Open), (3, Open), (2, Open), (1, Playing)]);
        assert_eq!(initial(&few), codes(&[4, 3, 2, 1, 5, 0]));
        let all = list([(1, Open), (1, Open), (1, Open), (2, Open), (2, Open), (3, Open)]);
        assert_eq!(initial(&all), codes(&[5, 4, 2, 3, 1, 0]));
    }

    #[test]
    fn a_hundred_lobbies_of_one_address_keep_no_other_from_a_quick_match() {
        use LobbyState::Open;
        let crowd = std::iter::repeat_n((1, Open), 100);
        let open = list(crowd.chain([(2, Open)])).open_lobbies(&start(), false);
        assert_eq!(open[..3], codes(&[100, 0, 1]));
        assert_eq!(list([(2, Open), (1, Open)]).open_lobbies(&start(), false), codes(&[0, 1]));
    }
}
