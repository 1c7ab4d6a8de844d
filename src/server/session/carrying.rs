//! Carries a client to the server that has the lobby it asks for, and brings it back into the hall of this one.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use super::channel::Channel;
use super::conditions;
use super::destination::Destination;
use super::elsewhere::{Asked, Elsewhere, Step};
use super::end::End;
use super::finding::{Found, Traveller, find};
use super::state::ServerSession;
use crate::lobby::{Kind, Name, Origin, Text};
use crate::server::names::NameClaim;
use crate::server::peers::{PeerId, Peers, Place};
use crate::server::reach::may_be_told;
use crate::wire::limits::MAX_SENTENCE;
use crate::wire::{
    BotWish, ClientKind, Farewell, Greeting, HallRequest, Magic, NewLobby, Refusal, ToClient, ToServer,
    VERSION, encode,
};

/// The cost of a request that is made in another server, in moves: it takes a connection and a session there.
const CARRIED: u32 = 20;

/// Why a request was not carried to another server in time, for players.
const NO_ANSWER: &str = "the server that has this lobby does not answer; try again in a moment";

impl ServerSession {
    /// Where a request leads, and where that is, unless it is known to be in this server.
    pub(super) fn leads_elsewhere(&self, request: &HallRequest) -> Option<(Destination, Place)> {
        let peers = self.app().services.peers.as_deref()?;
        let destination = match request {
            HallRequest::Join { code, .. }
            | HallRequest::Watch { code, .. }
            | HallRequest::Return { code, .. } => Destination::Lobby(code.as_str().parse().ok()?),
            HallRequest::Create(_) | HallRequest::CreateForTwo { .. } => Destination::New,
            // The server that has carried it here has chosen this one.
            HallRequest::Quick(wish) if !self.receiver.is_carried() => self.match_for(wish, peers)?,
            _ => return None,
        };
        let place = destination.place(peers);
        (place != Place::Here).then_some((destination, place))
    }

    /// Where a quick match is made: in the first open lobby of the list, else where people meet who ask for this game.
    /// `None` if the wish cannot be granted.
    fn match_for(&self, wish: &NewLobby, peers: &dyn Peers) -> Option<Destination> {
        let plan = conditions::agree(wish, &self.app().config).ok()?;
        if wish.bot == BotWish::Both {
            return Some(Destination::New);
        }
        let start = Origin::start_of(&plan.variant, plan.origin.as_ref());
        let list = &self.app().services.lobby_list;
        let open = list.open_lobbies(&start, wish.bot == BotWish::PeopleOnly);
        let open = open.into_iter().find(|code| peers.place_of(*code) != Place::Moving);
        Some(open.map_or_else(|| Destination::Match(plan.variant.text()), Destination::Lobby))
    }

    /// Has a request made in the server to which it leads. The client waits until that is found.
    pub(super) fn set_out(
        &mut self,
        id: u32,
        request: HallRequest,
        destination: Destination,
    ) -> Result<(), Refusal> {
        if !self.receiver.is_carried() {
            self.charge(CARRIED)?;
        }
        self.look_for(Asked::new(id, request, destination), None);
        Ok(())
    }

    /// Whether this is not in this server.
    pub(super) fn is_elsewhere(&self, destination: &Destination) -> bool {
        let peers = self.app().services.peers.as_deref();
        peers.is_some_and(|peers| destination.place(peers) != Place::Here)
    }

    /// Has a request made elsewhere that was made here in vain. The server that has carried the client here does that
    /// itself.
    pub(super) fn send_on(
        &mut self,
        id: u32,
        request: HallRequest,
        destination: Destination,
    ) -> Result<(), Refusal> {
        if self.receiver.is_carried() {
            self.connection().end(Farewell::Moved);
            return Ok(());
        }
        self.set_out(id, request, destination)
    }

    /// The same request, except that who was to be matched in a lobby that is still at this server, which has not
    /// granted it, goes where people meet: the lobby is not open any more.
    fn or_meet(&self, mut asked: Asked, peer: PeerId) -> Asked {
        if let Some(peers) = self.app().services.peers.as_deref()
            && let HallRequest::Quick(wish) = &asked.request
            && asked.destination.place(peers) == Place::At(peer)
            && let Ok(plan) = conditions::agree(wish, &self.app().config)
        {
            asked.destination = Destination::Match(plan.variant.text());
        }
        asked
    }

    fn look_for(&mut self, asked: Asked, tried: Option<PeerId>) {
        let Some(peers) = self.app().services.peers.clone() else { return };
        let find = find(asked.destination.clone(), self.traveller(), tried, peers);
        let mut errors = self.app().services.journal.watch();
        let find = async move {
            // What it leads to is to be recorded. A journal that is closed ends the server.
            let _ = errors.wait_for(Option::is_none).await;
            find.await
        };
        self.elsewhere = Some(Box::new(Elsewhere::finding(asked, find)));
    }

    /// The client as it says hello in another server; `None` if it was carried here, since it is not carried on.
    fn traveller(&self) -> Option<Traveller> {
        let origin = self.receiver.origin.as_deref().filter(|origin| !origin.is_carried)?;
        let kind = if self.kind == Kind::Program { ClientKind::Program } else { ClientKind::Person };
        let name = Text::cut(self.name.name().as_str());
        let hello = Greeting { magic: Magic, version: VERSION.into(), name, kind };
        Some(Traveller { hello: encode(&ToServer::Hello(hello)), address: origin.address })
    }

    /// Goes one step on with a request that leads elsewhere, or with what the client does there.
    pub(super) fn poll_elsewhere(&mut self, context: &mut Context<'_>) -> Poll<Result<(), End>> {
        let Some(elsewhere) = &mut self.elsewhere else { return Poll::Ready(Ok(())) };
        match ready!(elsewhere.poll_step(&mut self.receiver, context))? {
            Step::Nothing => {}
            Step::Found(asked, found) => self.go_on(asked, found)?,
            Step::Again(asked, peer) => {
                let asked = self.or_meet(asked, peer);
                self.look_for(asked, Some(peer));
            }
            Step::Entered { plays, at } => {
                self.app().services.lobby_list.unwatch(self.connection());
                // Where the game is over it may be idle, but that is known in the other server alone.
                self.connection().set_playing(plays);
                if self.name.is_lent() {
                    self.set_name(self.app().services.names.share(self.name.name()));
                }
                if plays {
                    self.tell_where(at);
                }
            }
            Step::Named(name) => self.take_name_of_seat(&name),
            Step::Outside(request) => {
                self.elsewhere = None;
                self.connection().set_playing(false);
                if let Some((id, request)) = request {
                    self.handle(ToServer::Hall { id, request });
                }
            }
            Step::Message(message) => self.handle(message),
            Step::AskedAgain(id, request) => {
                self.elsewhere = None;
                self.connection().set_playing(false);
                if matches!(request, HallRequest::Return { .. }) {
                    self.set_name(self.app().services.names.lend(self.name.name()));
                }
                self.handle(ToServer::Hall { id, request });
            }
        }
        if self.elsewhere.is_none() {
            self.own_name();
        }
        Poll::Ready(Ok(()))
    }

    /// Tells a player where clients reach the server that has the lobby, so that the client can go there. Who watches would
    /// lose its name on the way.
    fn tell_where(&self, peer: PeerId) {
        let address = self.app().services.peers.as_deref().and_then(|peers| peers.address_of(peer));
        let client = self.connection().address();
        if let Some(address) = address.filter(|address| may_be_told(address, client)) {
            self.connection().send(&ToClient::LobbyAt { address: Text::cut(&address) });
        }
    }

    /// Claims the client's name for this server, where the client is again: the other server has had it meanwhile. The name
    /// of a seat stays with the server that keeps the seat.
    fn own_name(&self) {
        if !self.receiver.is_carried()
            && !self.name.is_lent()
            && let Some(peers) = &self.app().services.peers
        {
            peers.take_name(self.name.name());
        }
    }

    /// Has the client be called like its seat in another server.
    fn take_name_of_seat(&mut self, name: &Name) {
        if self.name.name() != name {
            self.set_name(self.app().services.names.share(name));
        }
    }

    fn set_name(&mut self, claim: NameClaim) {
        self.name = Arc::new(claim);
        self.connection().set_name(&self.name);
    }

    /// Makes the request where it leads, or refuses it.
    fn go_on(&mut self, asked: Asked, found: Option<Found>) -> Result<(), End> {
        let (id, why) = (asked.id, |why: &str| Refusal::Halted { why: Text::<MAX_SENTENCE>::cut(why) });
        self.elsewhere = None;
        let answered = match found {
            Some(Found::Here) => self.answer_here(id, asked.request),
            Some(Found::There(peer, channel)) => {
                self.ask_there(asked, peer, channel);
                Ok(())
            }
            Some(Found::Away) => return Err(End::Farewell(Farewell::Moved)),
            Some(Found::Unwelcome(refusal)) => Err(why(&refusal.to_string())),
            None => self.check_journal().and_then(|()| Err(why(NO_ANSWER))),
        };
        answered.unwrap_or_else(|refusal| self.refuse(id, refusal));
        Ok(())
    }

    /// Makes the request over this connection to that server.
    fn ask_there(&mut self, asked: Asked, peer: PeerId, channel: Channel) {
        tracing::debug!(peer = peer.0, "carried to another server");
        let services = &self.app().services;
        let Some(peers) = services.peers.clone() else { return };
        let counted = services.metrics.count_carried();
        self.elsewhere = Some(Box::new(Elsewhere::asking(asked, (peer, channel), peers, counted)));
    }
}
