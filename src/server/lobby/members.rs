//! Who has a seat at a lobby, over which connection, and by which ticket; and what was told last, for whoever missed it.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;

use super::backlog::Backlog;
use super::outgoing::OutgoingBatch;
use crate::lobby::{Name, PlayerId};
use crate::server::connection::Connection;
use crate::server::names::NameClaim;
use crate::server::registry::ClosedSeats;
use crate::server::storage::{Owner, Seal};
use crate::wire::{Farewell, HallRefusal, Room, Ticket, ToClient};

/// The people of a lobby, here and away.
#[derive(Debug, Default)]
pub(super) struct Members {
    all: Vec<Member>,
    watchers: Vec<Watcher>,
    /// What those missed who come back.
    backlog: Backlog,
    /// The seals of tickets for seats that were given up while nobody sat in them.
    lapsed: Vec<Seal>,
}

/// How many seals are kept of seats that were given up: of as many people as one lobby sees in a while.
const MAX_LAPSED: usize = 8;

/// Somebody with a seat.
#[derive(Debug)]
struct Member {
    player: PlayerId,
    /// Nobody else is called that while they have the seat.
    name: Arc<NameClaim>,
    /// The seal of the newest ticket for the seat.
    newest: Seal,
    /// A ticket of theirs is known to have arrived: they know that they have a seat.
    arrived: bool,
    /// The one for which it was given, until it is known to have arrived: a connection that breaks in between keeps nobody
    /// out.
    shown: Option<Box<Seal>>,
    /// `None` while they are away.
    connection: Option<Arc<Connection>>,
}

/// Somebody who watches.
#[derive(Debug)]
struct Watcher {
    name: Name,
    connection: Arc<Connection>,
}

impl Members {
    /// Somebody comes to watch.
    pub(super) fn add_watcher(&mut self, name: &Name, connection: &Arc<Connection>) {
        self.watchers.push(Watcher { name: name.clone(), connection: Arc::clone(connection) });
    }

    /// Somebody watches no more; their name, if they did.
    pub(super) fn remove_watcher(&mut self, connection: &Arc<Connection>) -> Option<Name> {
        let place = self.watchers.iter().position(|watcher| Arc::ptr_eq(&watcher.connection, connection))?;
        Some(self.watchers.remove(place).name)
    }

    /// Who watches longest of those at the address from which most do, if they are more than would watch from this one.
    pub(super) fn crowding(&self, address: IpAddr) -> Option<Arc<Connection>> {
        let count = |of| self.watchers.iter().filter(|watcher| watcher.connection.address() == of).count();
        let addresses: BTreeSet<_> =
            self.watchers.iter().map(|watcher| watcher.connection.address()).collect();
        let (most, crowd) = addresses.into_iter().map(|of| (count(of), of)).max()?;
        let first = self.watchers.iter().find(|watcher| watcher.connection.address() == crowd)?;
        (most > count(address) + 1).then(|| Arc::clone(&first.connection))
    }

    /// Writes to those in one room.
    pub(super) fn tell_room(&self, room: Room, frame: &Bytes, outgoing: &mut OutgoingBatch) {
        let players =
            self.all.iter().filter_map(|member| member.connection.as_ref()).filter(|_| room == Room::Players);
        let watchers =
            self.watchers.iter().map(|watcher| &watcher.connection).filter(|_| room == Room::Watchers);
        players.chain(watchers).for_each(|connection| outgoing.tell(connection, frame.clone()));
    }

    /// Somebody sits down.
    pub(super) fn add(
        &mut self,
        player: PlayerId,
        ticket: Ticket,
        name: &Arc<NameClaim>,
        connection: &Arc<Connection>,
    ) {
        // Two sit here, and seldom more than two are kept.
        self.all.reserve_exact(1);
        self.all.push(Member {
            player,
            name: Arc::clone(name),
            newest: Seal::of(&ticket),
            arrived: false,
            shown: None,
            connection: Some(Arc::clone(connection)),
        });
    }

    /// Somebody has left: the ticket is void.
    pub(super) fn remove(&mut self, player: PlayerId) {
        self.all.retain(|member| member.player != player);
    }

    /// The seat of somebody who is away is given up: the ticket is void, and it is remembered why.
    pub(super) fn lapse(&mut self, player: PlayerId) {
        let gone = self.all.iter().filter(|member| member.player == player);
        self.lapsed.extend(gone.flat_map(Member::seals));
        self.lapsed.drain(..self.lapsed.len().saturating_sub(MAX_LAPSED));
        self.remove(player);
    }

    /// Why this ticket, which is nobody's, is of no use.
    pub(super) fn fate(&self, ticket: &Ticket) -> HallRefusal {
        if self.lapsed.contains(&Seal::of(ticket)) { HallRefusal::Lapsed } else { HallRefusal::BadTicket }
    }

    /// Somebody's connection is lost; `false` if they are here over another one, or have left.
    pub(super) fn lose(&mut self, player: PlayerId, connection: &Arc<Connection>) -> bool {
        let held = self.all.iter_mut().find(|member| member.player == player && member.is_linked(connection));
        held.map(|member| member.connection = None).is_some()
    }

    /// Somebody who may not know of their seat: the connection was lost before a ticket is known to have arrived.
    pub(super) fn reserved(&self) -> Option<PlayerId> {
        self.all
            .iter()
            .find(|member| member.connection.is_none() && !member.arrived)
            .map(|member| member.player)
    }

    /// Whether this connection is the one over which the player is here.
    pub(super) fn is_here(&self, player: PlayerId, connection: &Arc<Connection>) -> bool {
        self.all.iter().any(|member| member.player == player && member.is_linked(connection))
    }

    /// Whose ticket this is.
    pub(super) fn owner_of(&self, ticket: &Ticket) -> Option<PlayerId> {
        let seal = Seal::of(ticket);
        self.all.iter().find(|member| member.holds(&seal)).map(|member| member.player)
    }

    /// Those who might still come back once the lobby is closed.
    pub(super) fn closed_seats(&self) -> ClosedSeats {
        ClosedSeats {
            given_up: self.all.iter().flat_map(Member::seals).collect(),
            lapsed: self.lapsed.clone(),
        }
    }

    /// Whose the seat of this player is, to be recorded.
    pub(super) fn owner(&self, player: PlayerId) -> Option<Owner> {
        let member = self.all.iter().find(|member| member.player == player)?;
        let Member { newest, shown, arrived, .. } = member;
        let (newest, shown, arrived) = (*newest, shown.as_deref().copied(), *arrived);
        Some(Owner { player, name: member.name.name().clone(), newest, shown, arrived })
    }

    /// Somebody had a seat when the server stopped, and has it still.
    pub(super) fn restore(&mut self, owner: &Owner, name: Arc<NameClaim>) {
        let Owner { player, newest, shown, arrived, .. } = *owner;
        self.all.push(Member { player, name, newest, arrived, shown: shown.map(Box::new), connection: None });
    }

    /// Tells everybody something that has no place among what happens.
    pub(super) fn tell_at_once(&self, message: &ToClient) {
        let players = self.all.iter().filter_map(|member| member.connection.as_ref());
        players
            .chain(self.watchers.iter().map(|watcher| &watcher.connection))
            .for_each(|connection| connection.tell_at_once(message));
    }

    /// A player who showed this ticket is here over `connection` from now on, and has the ticket `next`. A connection over which
    /// they seemed to be here is ended. Returns what they are called.
    pub(super) fn come_back(
        &mut self,
        player: PlayerId,
        shown: &Ticket,
        next: Ticket,
        connection: &Arc<Connection>,
    ) -> Option<Arc<NameClaim>> {
        let member = self.all.iter_mut().find(|member| member.player == player)?;
        (member.newest, member.shown) = (Seal::of(&next), Some(Box::new(Seal::of(shown))));
        if let Some(old) = member.connection.replace(Arc::clone(connection)) {
            old.end(Farewell::Elsewhere);
        }
        Some(Arc::clone(&member.name))
    }

    /// The newest ticket has arrived over this connection: the one before it is void.
    /// Returns whether that is news.
    pub(super) fn confirm(&mut self, player: PlayerId, connection: &Arc<Connection>) -> bool {
        let member =
            self.all.iter_mut().find(|member| member.player == player && member.is_linked(connection));
        member.is_some_and(|member| {
            let news = member.shown.take().is_some() || !member.arrived;
            member.arrived = true;
            news
        })
    }

    /// Writes to everyone who is here the event of this number.
    pub(super) fn tell(&mut self, number: u32, frame: &Bytes, outgoing: &mut OutgoingBatch) {
        self.note(number, frame);
        self.tell_room(Room::Players, frame, outgoing);
        self.tell_room(Room::Watchers, frame, outgoing);
    }

    /// Keeps an event for those who miss it.
    pub(super) fn note(&mut self, number: u32, frame: &Bytes) {
        self.backlog.note(number, frame);
    }

    /// The events behind number `seen`; `None` if they are not all kept.
    pub(super) fn missed_since(&self, seen: u32) -> Option<Vec<Bytes>> {
        self.backlog.since(seen)
    }
}

impl Member {
    /// What the seat is kept for.
    fn seals(&self) -> impl Iterator<Item = Seal> + use<> {
        self.shown.as_deref().copied().into_iter().chain([self.newest])
    }

    fn holds(&self, seal: &Seal) -> bool {
        self.newest == *seal || self.shown.as_deref() == Some(seal)
    }

    fn is_linked(&self, connection: &Arc<Connection>) -> bool {
        self.connection.as_ref().is_some_and(|own| Arc::ptr_eq(own, connection))
    }
}
