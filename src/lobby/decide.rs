//! Decides requests: which events follow if one is granted, or why it is refused. Nothing changes here.

use super::absence::Hand;
use super::conditions::BotRule;
use super::event::{Cause, Departure, Event, Events};
use super::moment::Moment;
use super::name::Name;
use super::notice::Decision;
use super::offer::{Offer, OpenOffer};
use super::player::{Kind, OPENER, Player, PlayerId};
use super::refusal::Refusal;
use super::request::{LobbyRequest, Request, Who};
use super::snapshot::Phase;
use super::state::Lobby;
use super::text::Text;
use crate::game::any::{Board, Move};
use crate::game::{Outcome, Side};

impl Lobby {
    /// What would happen if `who` were granted `request` at this moment. Changes nothing.
    ///
    /// Nothing happens if a player is away or back already, nor after a hint, a review or a line of chat.
    ///
    /// # Errors
    ///
    /// The reason why the request is refused.
    pub fn decide(&self, who: Who, request: impl Into<Request>, now: Moment) -> Result<Decision, Refusal> {
        if self.state.phase == Phase::Closed {
            return Err(Refusal::Closed);
        }
        match (who, request.into()) {
            (Who::Newcomer, Request::Sit { name, kind }) => Ok(self.decide_sit(name, kind)?.into()),
            (Who::Newcomer, Request::SitForTwo { name, guest }) => {
                Ok(self.decide_sit_for_two(name, guest)?.into())
            }
            (Who::Newcomer, Request::Watch { name }) => self.decide_watch(name),
            (Who::Watcher, Request::Unwatch { name, how }) => Ok(self.decide_unwatch(name, how)),
            (Who::Watcher, Request::Ask(LobbyRequest::Again)) if self.is_exhibition() => {
                Ok(self.decide_again(self.board().turn())?.into())
            }
            (_, Request::Ask(LobbyRequest::Kick { name })) => self.decide_kick(who, name.as_str()),
            (Who::Player(player), request) => self.decide_for(player, &request, now),
            (Who::StandIn(player), Request::Ask(LobbyRequest::Play { turn, mv }))
                if self.stood_in_for() == Some(player) =>
            {
                Ok(self.decide_play(player, self.board().turn(), (turn, mv), now)?.into())
            }
            (Who::Newcomer | Who::StandIn(_) | Who::Watcher, _) => Err(Refusal::NotSeated),
        }
    }

    fn decide_for(&self, player: PlayerId, request: &Request, now: Moment) -> Result<Decision, Refusal> {
        let side = self.side_of(player).ok_or(Refusal::NotSeated)?;
        match request {
            Request::Sit { .. }
            | Request::SitForTwo { .. }
            | Request::Watch { .. }
            | Request::Unwatch { .. } => Err(Refusal::AlreadySeated),
            Request::Disconnect { loss, since } => Ok(self.decide_disconnect(side, *loss, *since)),
            Request::Return => Ok(self.decide_return(side)),
            Request::Ask(LobbyRequest::Wait) => Ok(self.decide_wait(side)?.into()),
            Request::Ask(LobbyRequest::WaitNoMore) => Ok(self.decide_wait_no_more(side)?.into()),
            Request::Ask(request) => Ok(self.decide_asked(player, side, request, now)?.into()),
        }
    }

    fn decide_asked(
        &self,
        player: PlayerId,
        side: Side,
        request: &LobbyRequest,
        now: Moment,
    ) -> Result<Events, Refusal> {
        // A player with a guest asks for both: the side to move plays or resigns.
        let mover = if self.has_guest(side) { self.board().turn() } else { side };
        match *request {
            LobbyRequest::Play { turn, mv } if self.hand(mover) == Hand::Own => {
                let player = self.state.seats[mover].as_ref().map_or(player, |player| player.id);
                self.decide_play(player, mover, (turn, mv), now)
            }
            LobbyRequest::Play { .. } => Err(Refusal::NotYourTurn),
            LobbyRequest::Resign => self.decide_resign(mover),
            LobbyRequest::Again => self.decide_again(side),
            LobbyRequest::Leave => Ok(self.decide_leave(side, Departure::Quit)),
            LobbyRequest::Claim => self.decide_claim(side, now),
            LobbyRequest::Offer(offer) => self.decide_offer(side, offer),
            LobbyRequest::Answer { turn, offer, accept } => self.decide_answer(side, (turn, offer), accept),
            LobbyRequest::Resume => self.decide_resume(side),
            // The first three are decided above, the others answered in server/session/lobby.rs.
            LobbyRequest::Wait
            | LobbyRequest::WaitNoMore
            | LobbyRequest::Kick { .. }
            | LobbyRequest::Hint
            | LobbyRequest::Review { .. }
            | LobbyRequest::Say { .. } => Ok(Events::new()),
        }
    }

    fn decide_sit(&self, name: Name, kind: Kind) -> Result<Events, Refusal> {
        let is_opened = self.state.next_player != OPENER;
        if kind == Kind::Program && is_opened && self.state.conditions.bot == BotRule::PeopleOnly {
            return Err(Refusal::PeopleOnly);
        }
        let free = self.state.seats.iter().any(|(_, seat)| seat.is_none());
        let away = free && self.state.phase == Phase::Waiting;
        let taken = if away { Refusal::NobodyHere } else { Refusal::SeatTaken };
        let side = self.open_seat().ok_or(taken)?;
        let sat = Event::Sat { side, player: Player { id: self.state.next_player, name, kind } };
        let starts = self.state.seats[!side].is_some().then(|| self.next_game(false));
        Ok([sat].into_iter().chain(starts).collect())
    }

    fn decide_sit_for_two(&self, name: Name, guest: Name) -> Result<Events, Refusal> {
        let (side, id) = (self.open_seat().ok_or(Refusal::SeatTaken)?, self.state.next_player);
        if self.state.seats[!side].is_some() {
            return Err(Refusal::SeatTaken);
        }
        let host = Player { id, name, kind: Kind::Person };
        let guest = Player { id: id.next(), name: guest, kind: Kind::Guest };
        Ok(Events::from([
            Event::Sat { side, player: host },
            Event::Sat { side: !side, player: guest },
            self.next_game(false),
        ]))
    }

    fn next_game(&self, swap: bool) -> Event {
        Event::Started { game: self.state.games.saturating_add(1), swap }
    }

    fn decide_play(
        &self,
        player: PlayerId,
        side: Side,
        (turn, mv): (u32, Move),
        now: Moment,
    ) -> Result<Events, Refusal> {
        if self.state.phase != Phase::Playing {
            return Err(Refusal::NoGame);
        }
        if turn != self.state.turn {
            return Err(Refusal::OtherTurn);
        }
        if self.board().turn() != side {
            return Err(Refusal::NotYourTurn);
        }
        if self.state.paused || self.is_unwatched() {
            return Err(Refusal::Paused);
        }
        if let Some(fallen) = self.flag_fallen(now) {
            return Ok(fallen);
        }
        let after = self.board().play(mv).map_err(|illegal| Refusal::Illegal(Text::cut(&illegal.0)))?;
        let mut events = Events::new();
        events.push(Event::Moved { turn, player, mv, hand: self.hand(side) });
        events.extend(self.end_with(&after));
        Ok(events)
    }

    /// The event that ends the game, if the flag of the side to move has fallen by now.
    pub(super) fn flag_fallen(&self, now: Moment) -> Option<Events> {
        let side = self.board().turn();
        let fallen = self.flag_falls().is_some_and(|at| at < now);
        fallen.then(|| Events::from_iter([Event::ended(Outcome::Win(!side), Cause::Time)]))
    }

    /// When the flag of the side to move falls, if its clock runs.
    pub(super) fn flag_falls(&self) -> Option<Moment> {
        self.state.clocks.flag_falls_at(self.board().turn()).filter(|_| self.clock_runs())
    }

    /// The event that ends the game with a move to this board, if it ends.
    fn end_with(&self, after: &Board) -> Option<Event> {
        let result =
            Self::result_with(after, self.moves.would_repeat(after), self.state.moves.saturating_add(1));
        result.map(|result| Event::Ended { result })
    }

    fn decide_resign(&self, side: Side) -> Result<Events, Refusal> {
        if self.state.phase != Phase::Playing {
            return Err(Refusal::NoGame);
        }
        Ok(Events::from_iter([Event::ended(Outcome::Win(!side), Cause::Resigned)]))
    }

    fn decide_again(&self, side: Side) -> Result<Events, Refusal> {
        let Phase::Over { again, .. } = self.state.phase else { return Err(Refusal::NotOver) };
        if again[side] {
            return Err(Refusal::AlreadyAsked);
        }
        let mut events = Events::from_iter([Event::AgainWanted { side }]);
        if self.has_guest(side) {
            events.push(Event::AgainWanted { side: !side });
        }
        if again[!side] || self.has_guest(side) {
            events.push(self.next_game(true));
        }
        Ok(events)
    }

    pub(super) fn decide_leave(&self, side: Side, how: Departure) -> Events {
        let is_playing = self.state.phase == Phase::Playing;
        let ended = is_playing.then(|| Event::ended(Outcome::Win(!side), Cause::Left));
        let closed = (!self.is_client(!side)).then_some(Event::Closed);
        ended.into_iter().chain([Event::Left { side, how }]).chain(closed).collect()
    }

    /// How many moves a takeback of this side undoes; `None` if it has no known move.
    fn moves_to_take_back(&self, side: Side) -> Option<u8> {
        let count = if self.board().turn() == side { 2 } else { 1 };
        (self.moves.past().len() >= usize::from(count)).then_some(count)
    }

    /// Whether this side can make this offer now.
    pub fn may_offer(&self, side: Side, offer: Offer) -> Result<(), Refusal> {
        self.decide_offer(side, offer).map(drop)
    }

    /// Decides an offer. A guest accepts it at once, and a takeback is the last mover's.
    fn decide_offer(&self, side: Side, offer: Offer) -> Result<Events, Refusal> {
        let is_agreed = self.has_guest(side);
        let side = if is_agreed && offer == Offer::Takeback { !self.board().turn() } else { side };
        if self.state.phase != Phase::Playing {
            return Err(Refusal::NoGame);
        }
        if self.state.paused {
            return Err(Refusal::Paused);
        }
        match self.state.offers.open {
            // Both want the same.
            Some(open) if open.side != side && open.offer == offer => {
                return self.decide_answer(side, (self.state.turn, offer), true);
            }
            Some(open) if open.side != side => return Err(Refusal::AnswerFirst),
            _ if self.state.offers.has_made(side, offer) => return Err(Refusal::OfferedAlready),
            // A new offer replaces this side's own: the other player may be away and not answer for long.
            _ => {}
        }
        if offer == Offer::Takeback && self.moves_to_take_back(side).is_none() {
            return Err(Refusal::NothingToTakeBack);
        }
        let agreed = if is_agreed { Some(self.agreed(side, offer)?) } else { None };
        Ok([Event::Offered { side, offer }].into_iter().chain(agreed).collect())
    }

    /// Decides an answer. It names the offer, so that it cannot answer a later one by mistake.
    fn decide_answer(
        &self,
        side: Side,
        (turn, offer): (u32, Offer),
        accept: bool,
    ) -> Result<Events, Refusal> {
        let is_meant = |open: &OpenOffer| open.side != side && open.offer == offer && turn == self.state.turn;
        let open = self.state.offers.open.filter(is_meant).ok_or(Refusal::NoOffer)?;
        if !accept {
            return Ok(Events::from_iter([Event::Declined { side }]));
        }
        Ok(Events::from_iter([self.agreed(open.side, offer)?]))
    }

    /// The event that follows when an offer of this side is accepted.
    fn agreed(&self, side: Side, offer: Offer) -> Result<Event, Refusal> {
        Ok(match offer {
            Offer::Draw => Event::ended(Outcome::Draw, Cause::Agreed),
            Offer::Pause => Event::Paused,
            Offer::Takeback => {
                let moves = self.moves_to_take_back(side).ok_or(Refusal::NothingToTakeBack)?;
                Event::TakenBack { moves }
            }
        })
    }

    /// Whether this side can have a paused game go on now.
    pub fn may_resume(&self, side: Side) -> Result<(), Refusal> {
        self.decide_resume(side).map(drop)
    }

    fn decide_resume(&self, side: Side) -> Result<Events, Refusal> {
        // Otherwise a stand-in would play on for a player who has agreed to a pause.
        match (self.state.paused, self.absence(!side)) {
            (false, _) => Err(Refusal::NotPaused),
            (true, Some(_)) => Err(Refusal::OpponentAway),
            (true, None) => Ok(Events::from_iter([Event::Resumed { side }])),
        }
    }
}
