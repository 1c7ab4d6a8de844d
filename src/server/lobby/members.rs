//! The players of a lobby, with their connections and tickets, and its watchers.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;

use super::outgoing::OutgoingBatch;
use crate::lobby::{List, MAX_NAMED_WATCHERS, Name, PlayerId};
use crate::server::connection::Connection;
use crate::server::limits::choose_evicted;
use crate::server::names::NameClaim;
use crate::server::storage::Owner;
use crate::wire::{ChatRoom, Farewell, HallRefusal, ToClient, TokenHash};

/// The people of a lobby, connected and absent.
#[derive(Debug, Default)]
pub(super) struct Members {
    seated: Vec<Member>,
    watchers: Vec<Watcher>,
    /// The hashes of tickets for seats that were given up while their owners were away.
    revoked: Vec<TokenHash>,
    /// The addresses of kicked watchers, the newest last.
    kicked: VecDeque<IpAddr>,
}

/// How many of the revoked tickets are kept.
const MAX_REVOKED: usize = 8;

/// How many of the kicked addresses are kept: more than watch at a time by default.
const MAX_KICKED: usize = 64;

/// A person with a seat.
#[derive(Debug)]
struct Member {
    player: PlayerId,
    /// Reserved for this person while they have the seat.
    name: Arc<NameClaim>,
    /// The hash of the ticket for the seat.
    seat: TokenHash,
    /// `None` while they are away.
    connection: Option<Arc<Connection>>,
    /// The address of their last connection; `None` after a restart of the server, until they return.
    address: Option<IpAddr>,
}

/// A watcher.
#[derive(Debug)]
struct Watcher {
    name: Name,
    connection: Arc<Connection>,
    /// Whether it opened the lobby, which is for two bots.
    is_opener: bool,
}

impl Members {
    /// Adds a watcher, who may have opened the lobby.
    pub(super) fn add_watcher(&mut self, name: &Name, connection: &Arc<Connection>, is_opener: bool) {
        self.watchers.push(Watcher { name: name.clone(), connection: Arc::clone(connection), is_opener });
    }

    /// Whether this connection is that of the watcher who opened the lobby.
    pub(super) fn is_opening_watcher(&self, connection: &Arc<Connection>) -> bool {
        self.watchers.iter().any(|watcher| watcher.is_opener && Arc::ptr_eq(&watcher.connection, connection))
    }

    /// Whether there is a watcher on this connection.
    pub(super) fn is_watching(&self, connection: &Arc<Connection>) -> bool {
        self.watchers().any(|other| Arc::ptr_eq(other, connection))
    }

    /// The address of the watcher with this name, if there is one.
    pub(super) fn address_of_watcher(&self, name: &Name) -> Option<IpAddr> {
        let folded = name.folded();
        let named = self.watchers.iter().find(|watcher| watcher.name.folded() == folded)?;
        Some(named.connection.address())
    }

    /// The names of those who watch from this address.
    pub(super) fn watchers_at(&self, address: IpAddr) -> Vec<Name> {
        let there = self.watchers.iter().filter(|watcher| watcher.connection.address() == address);
        there.map(|watcher| watcher.name.clone()).collect()
    }

    /// The names of all watchers, as far as there is room for them.
    pub(super) fn named(&self) -> List<Name, MAX_NAMED_WATCHERS> {
        List::first_of(self.watchers.iter().map(|watcher| watcher.name.clone()))
    }

    /// Removes the watchers of this address, which may not watch here any more. Returns their connections.
    pub(super) fn kick(&mut self, address: IpAddr) -> Vec<Arc<Connection>> {
        if self.kicked.len() == MAX_KICKED {
            self.kicked.pop_front();
        }
        self.kicked.push_back(address);
        let gone = self.watchers.extract_if(.., |watcher| watcher.connection.address() == address);
        gone.map(|watcher| watcher.connection).collect()
    }

    /// Whether a watcher of this address was kicked.
    pub(super) fn is_kicked(&self, address: IpAddr) -> bool {
        self.kicked.contains(&address)
    }

    /// Removes a watcher. Returns the name, if there was one on this connection.
    pub(super) fn remove_watcher(&mut self, connection: &Arc<Connection>) -> Option<Name> {
        let place = self.watchers.iter().position(|watcher| Arc::ptr_eq(&watcher.connection, connection))?;
        Some(self.watchers.remove(place).name)
    }

    /// Whether a player sits at this address, or sat there until the connection was lost. After a restart of the
    /// server, a player who is not back yet may be at any address.
    pub(super) fn has_player_at(&self, address: IpAddr) -> bool {
        self.seated.iter().any(|member| member.address.is_none_or(|there| there == address))
    }

    /// How many watch.
    pub(super) fn count_watchers(&self) -> usize {
        self.watchers.len()
    }

    /// How many watch from this address.
    pub(super) fn watchers_of(&self, address: IpAddr) -> usize {
        self.watchers().filter(|connection| connection.address() == address).count()
    }

    /// The watcher who is evicted for a new one from this address, if any.
    pub(super) fn choose_evicted(&self, address: IpAddr) -> Option<Arc<Connection>> {
        let holders = self.watchers().map(|one| (one.address(), one.idle_since(), one));
        choose_evicted(address, holders).map(Arc::clone)
    }

    /// Ends the connections of everybody here.
    pub(super) fn end_all(&self, farewell: &Farewell) {
        self.players().chain(self.watchers()).for_each(|connection| connection.end(farewell.clone()));
    }

    /// Notes on the players' connections whether their game is being played.
    pub(super) fn set_playing(&self, is_playing: bool) {
        self.players().for_each(|connection| connection.set_playing(is_playing));
    }

    /// The connections of the players, as far as they are connected.
    fn players(&self) -> impl Iterator<Item = &Arc<Connection>> {
        self.seated.iter().filter_map(|member| member.connection.as_ref())
    }

    /// The connections of the watchers.
    fn watchers(&self) -> impl Iterator<Item = &Arc<Connection>> {
        self.watchers.iter().map(|watcher| &watcher.connection)
    }

    /// The connections of everybody here, and in which room they are.
    pub(super) fn connections(&self) -> impl Iterator<Item = (&Arc<Connection>, ChatRoom)> {
        let players = self.players().map(|connection| (connection, ChatRoom::Players));
        players.chain(self.watchers().map(|connection| (connection, ChatRoom::Watchers)))
    }

    /// Sends a frame to everyone in one room.
    pub(super) fn send_to_room(&self, room: ChatRoom, frame: &Bytes, outgoing: &mut OutgoingBatch) {
        let send = |connection| outgoing.push_frame(connection, frame.clone());
        match room {
            ChatRoom::Players => self.players().for_each(send),
            ChatRoom::Watchers => self.watchers().for_each(send),
        }
    }

    /// Adds a person who sits down, or whose seat is restored.
    pub(super) fn add(
        &mut self,
        player: PlayerId,
        seat: TokenHash,
        name: Arc<NameClaim>,
        connection: Option<Arc<Connection>>,
    ) {
        // There are two seats, and seldom more entries.
        self.seated.reserve_exact(1);
        let address = connection.as_ref().map(|connection| connection.address());
        self.seated.push(Member { player, name, seat, connection, address });
    }

    /// Removes a person who has left: the ticket is void.
    pub(super) fn remove(&mut self, player: PlayerId) {
        for gone in self.seated.extract_if(.., |member| member.player == player) {
            gone.connection.inspect(|connection| connection.set_playing(false));
        }
    }

    /// Removes an absent person: the ticket is void, and its hash is kept to explain why.
    pub(super) fn revoke_absent(&mut self, player: PlayerId) {
        let gone = self.seated.iter().filter(|member| member.player == player);
        self.revoked.extend(gone.map(|member| member.seat));
        self.revoked.drain(..self.revoked.len().saturating_sub(MAX_REVOKED));
        self.remove(player);
    }

    /// The refusal for a ticket that holds no seat.
    pub(super) fn ticket_refusal(&self, seat: TokenHash) -> HallRefusal {
        if self.revoked.contains(&seat) { HallRefusal::GivenUp } else { HallRefusal::BadTicket }
    }

    /// Marks a player as absent. Returns `false` if they are connected over another connection, or have left.
    pub(super) fn disconnect(&mut self, player: PlayerId, connection: &Arc<Connection>) -> bool {
        let held =
            self.seated.iter_mut().find(|member| member.player == player && member.is_linked(connection));
        held.map(|member| member.connection = None).is_some()
    }

    /// Whether the player is connected over this connection.
    pub(super) fn is_connected(&self, player: PlayerId, connection: &Arc<Connection>) -> bool {
        self.seated.iter().any(|member| member.player == player && member.is_linked(connection))
    }

    /// The player whose ticket has this hash.
    pub(super) fn player_for_ticket(&self, seat: TokenHash) -> Option<PlayerId> {
        self.seated.iter().find(|member| member.seat == seat).map(|member| member.player)
    }

    /// The hashes of all tickets for seats that are held here, or were given up while their owners were away.
    pub(super) fn seats(&self) -> impl Iterator<Item = TokenHash> {
        self.revoked.iter().copied().chain(self.seated.iter().map(|member| member.seat))
    }

    /// The owner of this player's seat, as it is recorded.
    pub(super) fn seat_record(&self, player: PlayerId) -> Option<Owner> {
        let member = self.seated.iter().find(|member| member.player == player)?;
        Some(Owner { player, name: member.name.name().clone(), seat: member.seat })
    }

    /// Sends everybody a message that has no place in the order of events.
    pub(super) fn send_out_of_band(&self, message: &ToClient) {
        self.players().chain(self.watchers()).for_each(|connection| connection.send_out_of_band(message));
    }

    /// Moves a player to this connection, and ends the one that had the seat before. Returns the player's
    /// name.
    pub(super) fn reconnect(
        &mut self,
        player: PlayerId,
        connection: &Arc<Connection>,
    ) -> Option<Arc<NameClaim>> {
        let member = self.seated.iter_mut().find(|member| member.player == player)?;
        member.address = Some(connection.address());
        if let Some(old) = member.connection.replace(Arc::clone(connection)) {
            old.end(Farewell::Elsewhere);
        }
        Some(Arc::clone(&member.name))
    }
}

impl Member {
    fn is_linked(&self, connection: &Arc<Connection>) -> bool {
        self.connection.as_ref().is_some_and(|own| Arc::ptr_eq(own, connection))
    }
}
