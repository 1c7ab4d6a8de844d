//! How people join and leave a lobby: they sit down, watch, return, leave, or lose their connections.

use std::sync::Arc;

use tokio::time::Instant;

use super::handle::LobbyHandle;
use crate::lobby::{
    ConnectionLoss, Departure, Event, Kind, LobbyRequest, Name, PlayerId, Refusal, Request, Text, Who,
};
use crate::server::connection::Connection;
use crate::server::names::NameClaim;
use crate::wire::limits::{KEPT_EVENTS, MAX_NAME_BYTES};
use crate::wire::{self, ChatRoom, Farewell, HallRefusal, Secret, Ticket, ToClient, TokenHash};

impl LobbyHandle {
    /// Seats a person or program that knows the password, with a ticket of this hash, and their guest. Sends them a
    /// snapshot, and broadcasts that they came.
    pub(in crate::server) fn sit(
        self: &Arc<Self>,
        (name, kind, guest): (&Arc<NameClaim>, Kind, Option<Name>),
        password: Option<&Secret>,
        seat: TokenHash,
        connection: &Arc<Connection>,
    ) -> Result<PlayerId, wire::Refusal> {
        self.check(password)?;
        let mut live = self.lock_for(connection);
        let (called, sit) = (name.name().clone(), 1 + usize::from(guest.is_some()));
        let request = match guest {
            Some(guest) => Request::SitForTwo { name: called, guest },
            None => Request::Sit { name: called, kind },
        };
        let mut events = live.lobby.decide(Who::Newcomer, request, live.now)?.events;
        let Some(Event::Sat { side, player }) = events.first() else { return Err(Refusal::SeatTaken.into()) };
        let (you, id) = (*side, player.id);
        live.apply_all(events.drain(..sit).collect());
        live.members.add(id, seat, Arc::clone(name), Some(Arc::clone(connection)));
        live.note_owner(id);
        let (lobby, now) = (live.lobby.snapshot(), live.now);
        live.outgoing.push(connection, &ToClient::Entered { you, lobby, now });
        live.send_chat(ChatRoom::Players, connection);
        live.apply_all(events);
        Ok(id)
    }

    /// Returns the seat to a client that shows its ticket, and sends it the events after `seen` and who is
    /// present, or a snapshot. A wrong ticket changes nothing.
    pub(in crate::server) fn come_back(
        self: &Arc<Self>,
        ticket: &Ticket,
        seen: u32,
        connection: &Arc<Connection>,
    ) -> Result<(PlayerId, Arc<NameClaim>), HallRefusal> {
        let mut live = self.lock_for(connection);
        let seat = ticket.hash();
        let player = live.members.player_for_ticket(seat).ok_or_else(|| live.members.ticket_refusal(seat))?;
        let you = live.lobby.side_of(player).ok_or(HallRefusal::BadTicket)?;
        let behind = live.lobby.last_event().checked_sub(seen);
        let is_close = behind.is_some_and(|missed| missed as usize <= KEPT_EVENTS);
        live.grant(Who::Player(player), Request::Return).map_err(|_| HallRefusal::BadTicket)?;
        let name = live.members.reconnect(player, connection).ok_or(HallRefusal::BadTicket)?;
        live.mark_playing();
        let now = live.now;
        if let Some(missed) = live.backlog.since(seen).filter(|_| is_close) {
            for frame in missed {
                live.outgoing.push_frame(connection, frame);
            }
            let attendance = *live.lobby.attendance();
            live.outgoing.push(connection, &ToClient::Returned { attendance, now });
        } else {
            let lobby = live.lobby.snapshot();
            live.outgoing.push(connection, &ToClient::Entered { you, lobby, now });
        }
        live.send_chat(ChatRoom::Players, connection);
        tracing::info!(name = %name.name(), ?you, "back");
        Ok((player, name))
    }

    /// Adds a watcher who knows the password, or has opened the lobby for two bots: sends a snapshot, and
    /// broadcasts that they came.
    pub(in crate::server) fn watch(
        self: &Arc<Self>,
        name: &NameClaim,
        password: Option<&Secret>,
        connection: &Arc<Connection>,
        is_opener: bool,
    ) -> Result<(), wire::Refusal> {
        self.check(password)?;
        let (mut live, each) = (self.lock(), self.services.config.max_watchers_each);
        live.send_away_if_given_away(connection);
        if live.members.is_kicked(connection.address()) {
            return Err(Refusal::Kicked.into());
        }
        if live.members.watchers_of(connection.address()) >= usize::from(each) {
            return Err(Refusal::TooManyWatchers { most: each }.into());
        }
        if live.lobby.is_full_of_watchers()
            && let Some(evicted) = live.members.choose_evicted(connection.address())
        {
            live.stop_watching(&evicted, Departure::Lost);
            evicted.end(Farewell::NoRoom);
        }
        let name = name.name();
        live.grant(Who::Newcomer, Request::Watch { name: name.clone() })?;
        live.members.add_watcher(name, connection, is_opener);
        let (lobby, now) = (live.lobby.snapshot(), live.now);
        live.outgoing.push(connection, &ToClient::Watching { lobby, now });
        live.send_chat(ChatRoom::Watchers, connection);
        Ok(())
    }

    /// Removes a member who leaves on purpose, and sends `Outside` as the last message. A player gives the
    /// seat up.
    pub(in crate::server) fn leave(self: &Arc<Self>, who: Who, connection: &Arc<Connection>) {
        let mut live = self.lock_for(connection);
        if let Who::Player(player) = who {
            // They are connected over another connection by now, or have no seat any more and know it.
            if !live.members.is_connected(player, connection) {
                return connection.send(&ToClient::Outside);
            }
            live.members.remove(player);
            live.request_if_possible(who, LobbyRequest::Leave);
        } else {
            live.stop_watching(connection, Departure::Quit);
        }
        live.outgoing.push(connection, &ToClient::Outside);
    }

    /// Kicks everybody who watches from the address of the watcher with this name: broadcasts it, and sends them
    /// `Outside` as the last message. Their sessions notice it with their next message.
    pub(in crate::server) fn kick(
        self: &Arc<Self>,
        (who, connection): (Who, &Arc<Connection>),
        name: &Text<MAX_NAME_BYTES>,
    ) -> Result<(), Refusal> {
        let mut live = self.lock_for(connection);
        let is_here = match who {
            Who::Player(player) => live.members.is_connected(player, connection),
            _ => live.members.is_opening_watcher(connection),
        };
        if !is_here {
            return Err(Refusal::NotOpener);
        }
        let named = Name::clean(name.as_str());
        live.lobby.may_kick(who)?;
        let address = named.ok().and_then(|name| live.members.address_of_watcher(&name));
        let address = address.ok_or_else(|| Refusal::NoSuchWatcher { watchers: live.members.named() })?;
        if who == Who::Watcher && address == connection.address() {
            return Err(Refusal::OwnAddress);
        }
        for name in live.members.watchers_at(address) {
            live.request_if_possible(who, LobbyRequest::Kick { name: Text::cut(name.as_str()) });
        }
        for gone in live.members.kick(address) {
            live.outgoing.push(&gone, &ToClient::Outside);
        }
        Ok(())
    }

    /// Handles a lost connection. A player keeps the seat, and is absent unless connected over another one.
    pub(in crate::server) fn on_disconnect(self: &Arc<Self>, who: Who, connection: &Arc<Connection>) {
        let mut live = self.lock_for(connection);
        match who {
            Who::Player(player) if live.members.disconnect(player, connection) => {
                let since = live.now;
                live.request_if_possible(who, Request::Disconnect { loss: ConnectionLoss::Closed, since });
            }
            Who::Player(_) => {}
            _ => live.stop_watching(connection, Departure::Lost),
        }
    }

    /// Notes that a player's connection has been silent since `heard`, or is not silent any more.
    pub(in crate::server) fn note_silence(
        self: &Arc<Self>,
        player: PlayerId,
        connection: &Arc<Connection>,
        heard: Option<Instant>,
    ) {
        let mut live = self.lock();
        if live.members.is_connected(player, connection) {
            let request = match heard {
                Some(heard) => {
                    Request::Disconnect { loss: ConnectionLoss::Silent, since: self.moment(heard) }
                }
                None => Request::Return,
            };
            live.request_if_possible(Who::Player(player), request);
        }
    }
}
