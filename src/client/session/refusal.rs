//! Refusals: of a new seat, of the return to a seat or a watched lobby, and of other requests. If the return
//! is refused, the server's records say how the last game there ended.

use super::event::SessionEvent;
use super::offline::Reconnecting;
use super::seat_keeper::SeatKeeper;
use super::state::{ClaimedSeat, LostSeat, OwnSeat, PendingKind, Session};
use crate::client::records::GameSummary;
use crate::client::redial::{Cause, Reconnect};
use crate::client::{Action, Endpoint, Failure};
use crate::lobby::{List, Text};
use crate::wire::{GamesWish, HallRefusal, HallRequest, PlayedGame, Refusal, ToClient};

/// Whether this refusal is temporary and says nothing about the seat.
fn is_temporary(refusal: &Refusal) -> bool {
    matches!(
        refusal,
        Refusal::Halted { .. }
            | Refusal::TooFast { .. }
            | Refusal::Hall(HallRefusal::TooManyGuesses { .. } | HallRefusal::RecordsBusy)
    )
}

/// Whether the server will always refuse the return. An unknown lobby is not final, since another server may
/// run there for a while; for watchers, who have nothing to lose, it is.
fn is_final(refusal: &Refusal, watching: bool) -> bool {
    match refusal {
        Refusal::Hall(
            HallRefusal::BadTicket
            | HallRefusal::GivenUp
            | HallRefusal::SetAside { .. }
            | HallRefusal::LobbyClosed(_),
        ) => true,
        refusal => watching && !is_temporary(refusal),
    }
}

/// Whether the refusal depends on the host's journal, which may be replaced by another copy.
fn depends_on_journal(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::Hall(HallRefusal::BadTicket | HallRefusal::SetAside { .. }))
}

/// Whether this refusal leaves it open that the last game is over.
fn may_be_over(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::Hall(HallRefusal::NoSuchLobby | HallRefusal::BadTicket | HallRefusal::GivenUp))
}

impl Session {
    /// Handles a refusal. A refusal of an older request is ignored.
    pub(super) fn on_refused(&mut self, id: u32, refusal: Refusal) -> Result<SessionEvent, Failure> {
        if self.said.as_ref().is_some_and(|(said, _)| *said == id) {
            return Ok(SessionEvent::Refused {
                asked: self.said.take().map(|(_, words)| Action::Say(words)),
                refusal,
            });
        }
        if let Some(pending) = self.pending.as_mut().filter(|pending| pending.id != id) {
            pending.previous_move.take_if(|earlier| earlier.id == id);
            return Ok(SessionEvent::Nothing);
        }
        let answered = self.pending.take();
        let kind = answered.as_ref().map(|pending| pending.kind.clone());
        if matches!(refusal, Refusal::Halted { .. }) {
            if let Some(PendingKind::Action(action)) = &kind
                && self.leaves_unrecorded(Some(action))
            {
                return Ok(SessionEvent::LeftUnrecorded);
            }
            // The earlier move is not answered yet.
            self.pending = answered.and_then(|refused| refused.previous_move).map(|earlier| *earlier);
        }
        match kind {
            Some(PendingKind::Return) => self.go_back().map_or_else(|| self.on_return_refused(refusal), Ok),
            // A client that returns to the hall receives the list of lobbies first.
            Some(PendingKind::Action(Action::Look)) if self.is_away() => self.on_return_refused(refusal),
            Some(PendingKind::LastGame(lost)) => self.on_last_game(*lost, &[]),
            Some(PendingKind::Action(action)) if action.is_for_new_seat() => {
                Ok(self.on_seat_refused(action, refusal))
            }
            Some(PendingKind::Action(action)) => Ok(SessionEvent::Refused { asked: Some(action), refusal }),
            None => Ok(SessionEvent::Refused { asked: None, refusal }),
        }
    }

    /// Handles the refusal of a new seat.
    fn on_seat_refused(&mut self, action: Action, refusal: Refusal) -> SessionEvent {
        if let (Refusal::Hall(HallRefusal::SeatHeld { code }), Some(ticket)) = (&refusal, self.model.ticket())
        {
            // The server granted an earlier request, whose answer was lost.
            let is_earlier = self.keeper.as_deref().is_some_and(SeatKeeper::has_earlier_ticket);
            let is_wanted = !is_earlier || matches!(&action, Action::Join(wanted, _) if wanted == code);
            let seat = OwnSeat { code: *code, name: self.model.name().clone(), ticket };
            self.claimed = Some(Box::new(ClaimedSeat { seat, replaced: (!is_wanted).then_some(action) }));
            self.ask_for_seat(*code, ticket, 0);
            return SessionEvent::Nothing;
        }
        let is_repeated = self.reconnecting.take().is_some();
        if let Some(keeper) = &mut self.keeper {
            keeper.on_refused(is_repeated);
        }
        // A client that repeated the request over a new connection has no list of the lobbies yet.
        if is_repeated {
            self.ask_hall(PendingKind::Action(Action::Look), HallRequest::Look);
        }
        SessionEvent::Refused { asked: Some(action), refusal }
    }

    /// Handles a refusal of the return. A client that wants to leave has left; any other asks how its last
    /// game ended, or tries again unless the refusal is final.
    fn on_return_refused(&mut self, refusal: Refusal) -> Result<SessionEvent, Failure> {
        if self.leaves_later() && !is_temporary(&refusal) {
            return self.leave_locally();
        }
        if !self.arriving && !self.is_away() {
            return Ok(self.on_return_from_hall_refused(refusal));
        }
        if self.ask_last_game(&refusal) { Ok(SessionEvent::Nothing) } else { self.end_or_retry(refusal) }
    }

    /// Handles a refusal of the return from the hall, where the client stays.
    fn on_return_from_hall_refused(&mut self, refusal: Refusal) -> SessionEvent {
        self.claimed = None;
        match &mut self.keeper {
            Some(keeper) if is_final(&refusal, false) && !depends_on_journal(&refusal) => keeper.forget(),
            Some(keeper) => keeper.release(),
            None => {}
        }
        self.find_own_seats();
        SessionEvent::Refused { asked: None, refusal }
    }

    /// The seat that this refusal is about.
    fn lost_seat(&self, refusal: &Refusal) -> Option<LostSeat> {
        let refusal = refusal.clone();
        if let Some(mine) = self.model.lobby() {
            let name = mine.lobby.seats()[mine.side()?].as_ref()?.name.clone();
            let seat = OwnSeat { code: mine.lobby.code(), name, ticket: mine.ticket()? };
            return Some(LostSeat { seat, refusal });
        }
        Some(LostSeat { seat: self.claimed.as_ref()?.seat.clone(), refusal })
    }

    /// Asks how the last game in a lost seat ended, once. Returns whether it did.
    fn ask_last_game(&mut self, refusal: &Refusal) -> bool {
        let is_asked = self
            .reconnecting
            .as_mut()
            .is_some_and(|reconnecting| std::mem::replace(&mut reconnecting.asked_last_game, true));
        let Some(lost) = self.lost_seat(refusal).filter(|_| may_be_over(refusal) && !is_asked) else {
            return false;
        };
        let wish = GamesWish {
            tickets: List::first_of([lost.seat.ticket]),
            mine: true,
            code: Some(Text::cut(&lost.seat.code.to_string())),
            ..GamesWish::default()
        };
        self.ask_hall(PendingKind::LastGame(Box::new(lost)), HallRequest::Games(wish));
        true
    }

    /// Handles the answer: the games of that seat that the server lists, the newest first.
    pub(super) fn on_last_game(
        &mut self,
        lost: LostSeat,
        games: &[PlayedGame],
    ) -> Result<SessionEvent, Failure> {
        let newest = games.iter().find(|game| game.mine && game.code == lost.seat.code);
        let Some(over) = newest.filter(|game| game.result.is_some()) else {
            return self.end_or_retry(lost.refusal);
        };
        self.forget_seat();
        let ended = GameSummary::from(over.clone()).ending(Some(&lost.seat.name));
        Err(Failure::SeatOver { code: lost.seat.code, ended })
    }

    /// Ends the session if this refusal of the return is final, else tries again later.
    fn end_or_retry(&mut self, refusal: Refusal) -> Result<SessionEvent, Failure> {
        if is_final(&refusal, self.is_watching()) {
            return Err(self.on_final_refusal(refusal));
        }
        if self.arriving && !is_temporary(&refusal) {
            return Err(Failure::ReturnRefused(refusal));
        }
        let event = self.defer_return(refusal)?;
        if let (Some(endpoint), Some(reconnecting)) = (&self.endpoint, &mut self.reconnecting) {
            let endpoint = Endpoint { patience: reconnecting.patience, ..endpoint.clone() };
            let last = self.reached_at.take().map_or_else(|| endpoint.address.clone(), |address| *address);
            let rounds = reconnecting.refusals / (endpoint.others.len() + 1);
            let cause = Cause::Refused { rounds: u32::try_from(rounds).unwrap_or(u32::MAX) };
            reconnecting.refusals += 1;
            reconnecting.reconnect =
                Some(Reconnect::begin(&endpoint, &last, cause, reconnecting.time_left(), None));
        }
        Ok(event)
    }

    /// Notes that the server refuses the return for now. Each reason is reported once.
    pub(super) fn defer_return(&mut self, refusal: Refusal) -> Result<SessionEvent, Failure> {
        let endpoint = self.endpoint.as_ref().filter(|endpoint| !endpoint.patience.is_zero());
        let Some(endpoint) = endpoint else { return Err(Failure::ReturnRefused(refusal)) };
        let reconnecting =
            self.reconnecting.get_or_insert_with(|| Box::new(Reconnecting::new(endpoint.patience)));
        let event = SessionEvent::RetryingReturn { refusal: refusal.clone(), left: reconnecting.time_left() };
        // That it waits is told now.
        reconnecting.untold = None;
        let known = reconnecting.deferred_by.replace(refusal);
        Ok(if known == reconnecting.deferred_by { SessionEvent::Nothing } else { event })
    }

    /// Leaves a lobby without the server, which refuses the return anyway.
    fn leave_locally(&mut self) -> Result<SessionEvent, Failure> {
        self.forget_seat();
        (self.reconnecting, self.claimed) = (None, None);
        self.stay();
        self.model.apply(&ToClient::Outside).map_err(Failure::nonsense)?;
        Ok(SessionEvent::Outside)
    }

    /// The failure for a final refusal. Forgets the seat, unless another copy of the host's journal may still
    /// have it.
    fn on_final_refusal(&mut self, refusal: Refusal) -> Failure {
        if self.is_watching() {
            return Failure::Refused(refusal);
        }
        if depends_on_journal(&refusal) {
            return Failure::ReturnRefused(refusal);
        }
        self.forget_seat();
        Failure::SeatLost(refusal)
    }
}
