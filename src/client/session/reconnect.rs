//! How a session loses its connection, and how it returns to its seat.

use std::time::Duration;

use super::event::SessionEvent;
use super::offline::{Held, Reconnecting};
use super::seat_keeper::SeatKeeper;
use super::state::{Awaited, Session};
use crate::client::model::{MyLobby, Role};
use crate::client::redial::Reconnect;
use crate::client::{Action, Connection, Endpoint, Failure};
use crate::lobby::{Code, Event, Hand, Phase, Text};
use crate::wire::{HallRefusal, HallRequest, Refusal, Ticket, ToClient};

/// Temporary; says nothing about the seat.
fn is_passing(refusal: &Refusal) -> bool {
    matches!(
        refusal,
        Refusal::Halted { .. }
            | Refusal::TooFast { .. }
            | Refusal::Hall(HallRefusal::TooManyGuesses { .. } | HallRefusal::RecordsBusy)
    )
}

/// Another try would end in the same way. A server that does not know the lobby may be the wrong server for a
/// while, so that is not final, except for watchers, who have nothing to lose.
fn is_final(refusal: &Refusal, watching: bool) -> bool {
    match refusal {
        Refusal::Hall(HallRefusal::BadTicket | HallRefusal::GivenUp | HallRefusal::SetAside { .. }) => true,
        refusal => watching && !is_passing(refusal),
    }
}

/// Asks for the seat that this ticket proves, and for what happened there since this event.
pub(super) fn by_ticket(code: Code, ticket: Ticket, seen: u32) -> HallRequest {
    HallRequest::Return { code: Text::cut(&code.to_string()), ticket, seen }
}

/// The answer depends on the host's record, which may be replaced by another copy.
fn is_of_this_record(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::Hall(HallRefusal::BadTicket | HallRefusal::SetAside { .. }))
}

impl Session {
    /// The way back after this failure, if it is one that passes, and if there is something to come back to.
    pub(super) fn way_back(&self, failure: &Failure) -> Option<&Endpoint> {
        let passes = failure.is_of_connection();
        // Outside a game nobody waits for a client that leaves.
        let is_playing = self.lobby().is_some_and(|lobby| lobby.phase() == Phase::Playing);
        let is_gone = self.quitting && !is_playing && self.reconnecting.is_none();
        // A client that was told to wait may reconnect too.
        let has_come = !self.arriving || self.reconnecting.is_some();
        self.endpoint
            .as_ref()
            .filter(|endpoint| passes && !endpoint.patience.is_zero() && has_come && !is_gone)
    }

    /// The connection is lost, and the client begins to reconnect.
    pub(super) fn lose(&mut self, failure: Failure) -> Result<SessionEvent, Failure> {
        let Some(endpoint) = self.way_back(&failure) else { return Err(failure) };
        let (all, kept) = (endpoint.patience, self.kept());
        let endpoint = Endpoint { patience: self.patience(endpoint), ..endpoint.clone() };
        let again = self.reconnecting.is_some();
        let mine = self.model.lobby();
        let reconnecting = self.reconnecting.get_or_insert_with(|| Reconnecting::new(endpoint.patience));
        if let Some(pending) = self.pending.take() {
            if let Awaited::Action(action) = &pending.awaited {
                if action.is_leave() {
                    reconnecting.leaves.get_or_insert_with(|| action.clone());
                }
                if action.is_for_new_seat() {
                    reconnecting.entering = Some(action.clone());
                }
            }
            let play = pending.unanswered_move().and_then(|pending| match pending.awaited {
                Awaited::Action(Action::Play(mv)) => Some((pending.turn, mv)),
                _ => None,
            });
            let held = play.map(|play| Held::of(play, mine, false));
            reconnecting.held = held.or(reconnecting.held.take());
        }
        reconnecting.reconnect = Some(Reconnect::begin(&endpoint, reconnecting.left(), false));
        let lost = SessionEvent::Lost { failure, patience: all.min(kept), limited: kept < all };
        Ok(if again { SessionEvent::Nothing } else { lost })
    }

    /// How long to try to reconnect: no longer than an otherwise empty lobby exists without the client.
    fn patience(&self, endpoint: &Endpoint) -> Duration {
        let kept = self.model.lobby().and_then(|mine| mine.lobby.kept_without(mine.you()?));
        kept.map_or(endpoint.patience, |kept| kept.min(endpoint.patience))
    }

    /// How long the seat, or a watched game of two bots, is kept in any case.
    fn kept(&self) -> Duration {
        let rests = |mine: &&MyLobby| mine.you().is_some() || mine.lobby.is_exhibition();
        let kept = self.model.lobby().filter(rests);
        kept.map_or(Duration::MAX, |mine| mine.lobby.kept_for())
    }

    /// The server is reached again: the client asks for its seat, repeats a request for a new one, or lists
    /// the hall.
    pub(super) async fn reach(&mut self, connection: Connection) -> Result<SessionEvent, Failure> {
        let is_measured = self.connection.is_measured();
        self.connection = connection;
        if is_measured {
            self.connection.measure();
        }
        // Another window may have shown the ticket since, and is not to lose the seat to this one.
        if self.keeper.as_ref().is_some_and(SeatKeeper::is_superseded) {
            return Err(Failure::SeatMoved);
        }
        let entering = self.reconnecting.as_mut().and_then(|reconnecting| {
            reconnecting.reconnect = None;
            reconnecting.entering.take()
        });
        let place = self.model.lobby().map(|mine| (mine.role, mine.lobby.code(), mine.lobby.last_event()));
        let asked = match (place, self.claimed.clone()) {
            (Some((Role::Player { ticket, .. }, code, seen)), _) => {
                self.ask_hall(Awaited::Return, by_ticket(code, ticket, seen)).await
            }
            (Some((Role::Watcher, code, _)), _) => {
                let code = Text::cut(&code.to_string());
                let request = HallRequest::Watch { code, password: self.password.clone() };
                self.ask_hall(Awaited::Return, request).await
            }
            (None, Some(seat)) => {
                self.model.hear_again();
                self.ask_hall(Awaited::Return, by_ticket(seat.code, seat.ticket, 0)).await
            }
            (None, None) => {
                self.model.hear_again();
                let again = entering.zip(self.model.ticket());
                let again = again.and_then(|(action, ticket)| Some((action.hall_request(ticket)?, action)));
                let (request, action) = again.unwrap_or((HallRequest::Look, Action::Look));
                self.ask_hall(Awaited::Action(action), request).await
            }
        };
        match asked {
            Err(failure) => self.lose(failure),
            Ok(()) => Ok(SessionEvent::Nothing),
        }
    }

    /// The server refuses the return. That does not matter to a client that leaves; others try again unless
    /// the refusal is final.
    pub(super) async fn turned_away(&mut self, refusal: Refusal) -> Result<SessionEvent, Failure> {
        if self.leaves_later() && !is_passing(&refusal) {
            return self.part();
        }
        if self.look_back(&refusal).await? { Ok(SessionEvent::Nothing) } else { self.keep_out(refusal) }
    }

    /// The return is refused, and nothing more is known about the seat.
    pub(super) fn keep_out(&mut self, refusal: Refusal) -> Result<SessionEvent, Failure> {
        if is_final(&refusal, self.is_watching()) {
            return Err(self.shut_out(refusal));
        }
        if self.arriving && !is_passing(&refusal) {
            return Err(Failure::SeatBarred(refusal));
        }
        let news = self.bar(refusal)?;
        if let (Some(endpoint), Some(reconnecting)) = (&self.endpoint, &mut self.reconnecting) {
            let endpoint = Endpoint { patience: reconnecting.patience, ..endpoint.clone() };
            reconnecting.reconnect = Some(Reconnect::begin(&endpoint, reconnecting.left(), true));
        }
        Ok(news)
    }

    /// The server is reached, but refuses the return for now. Each reason is reported once.
    pub(super) fn bar(&mut self, refusal: Refusal) -> Result<SessionEvent, Failure> {
        let endpoint = self.endpoint.as_ref().filter(|endpoint| !endpoint.patience.is_zero());
        let Some(endpoint) = endpoint else { return Err(Failure::SeatBarred(refusal)) };
        let reconnecting = self.reconnecting.get_or_insert_with(|| Reconnecting::new(endpoint.patience));
        let news = SessionEvent::ReturnDeferred { refusal: refusal.clone(), left: reconnecting.left() };
        let known = reconnecting.barred.replace(refusal);
        Ok(if known == reconnecting.barred { SessionEvent::Nothing } else { news })
    }

    /// The next message. A client that is not let in gives up at the same time as one that cannot reach the
    /// server.
    pub(super) async fn hear_players(&mut self) -> Result<ToClient, Failure> {
        let waits = self.reconnecting.as_ref().filter(|reconnecting| reconnecting.barred.is_some());
        let Some((left, patience)) = waits.map(|reconnecting| (reconnecting.left(), reconnecting.patience))
        else {
            return self.connection.next().await;
        };
        let heard = tokio::time::timeout(left, self.connection.next()).await;
        heard.unwrap_or_else(|_| Err(self.given_up(Failure::GaveUp(patience))))
    }

    /// The client has left a lobby to which it cannot come back.
    fn part(&mut self) -> Result<SessionEvent, Failure> {
        self.forget_seat();
        self.reconnecting = None;
        self.model.apply(&ToClient::Outside).map_err(Failure::nonsense)?;
        Ok(SessionEvent::Outside)
    }

    /// The seat is lost, and its file goes, unless the host may have another copy of its record with the
    /// seat.
    fn shut_out(&mut self, refusal: Refusal) -> Failure {
        if self.is_watching() {
            return Failure::Refused(refusal);
        }
        if is_of_this_record(&refusal) {
            return Failure::SeatBarred(refusal);
        }
        self.forget_seat();
        Failure::SeatLost(refusal)
    }

    /// Why the client gives up to come back.
    pub(super) fn given_up(&self, failure: Failure) -> Failure {
        match (failure, self.reconnecting.as_ref().and_then(|reconnecting| reconnecting.barred.clone())) {
            (Failure::GaveUp(_), Some(refusal)) if self.is_watching() => Failure::Refused(refusal),
            (Failure::GaveUp(_), Some(refusal)) => Failure::SeatBarred(refusal),
            (failure, _) => failure,
        }
    }

    /// The client's seat is given up.
    pub(super) fn forget_seat(&mut self) {
        if let Some(keeper) = &mut self.keeper {
            keeper.forget();
        }
    }

    /// A move that arrived before the connection was lost is not made again.
    pub(super) fn note_made(&mut self, event: &Event) {
        let me = self.model.lobby().and_then(MyLobby::you);
        let Some(reconnecting) = &mut self.reconnecting else { return };
        if let &Event::Moved { turn, player, mv, hand: Hand::Own } = event {
            reconnecting.held.take_if(|held| Some(player) == me && (held.turn, held.mv) == (turn, mv));
        }
    }

    /// The client is back in its seat: it leaves, or makes a move that was typed before, if that is still for
    /// this turn. Returns whether a typed move is too late and was not made.
    pub(super) async fn come_back(&mut self) -> Result<bool, Failure> {
        (self.pending, self.arriving, self.claimed) = (None, false, None);
        let Some(Reconnecting { held, leaves, .. }) = self.reconnecting.take() else { return Ok(false) };
        if let Some(action) = leaves {
            self.ask_lobby(action).await?;
            return Ok(false);
        }
        let (Some(held), Some(mine)) = (held, self.model.lobby()) else { return Ok(false) };
        let (in_time, made) =
            (mine.is_to_move() && held.turn == mine.lobby.turn(), held.may_be_made(&mine.lobby));
        if in_time {
            self.ask_lobby(Action::Play(held.mv)).await?;
        }
        Ok(!in_time && !made)
    }
}
