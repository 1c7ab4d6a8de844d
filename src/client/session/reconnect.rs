//! Reconnecting: what a session decides when the connection is lost, when the server is reached again, and
//! when the server refuses or grants the return to the seat.

use std::time::Duration;

use tokio::time::Instant;

use super::event::SessionEvent;
use super::offline::{HeldMove, Reconnecting};
use super::seat_keeper::SeatKeeper;
use super::state::{PendingKind, Session};
use crate::client::model::{MyLobby, Role};
use crate::client::redial::Reconnect;
use crate::client::{Action, Connection, Endpoint, Failure};
use crate::lobby::{Code, Event, Hand, Phase, Text};
use crate::wire::{HallRefusal, HallRequest, Refusal, Ticket, ToClient};

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
        Refusal::Hall(HallRefusal::BadTicket | HallRefusal::GivenUp | HallRefusal::SetAside { .. }) => true,
        refusal => watching && !is_temporary(refusal),
    }
}

/// The request to return to the seat of this ticket, with the events after `seen`.
pub(super) fn return_request(code: Code, ticket: Ticket, seen: u32) -> HallRequest {
    HallRequest::Return { code: Text::cut(&code.to_string()), ticket, seen }
}

/// Whether the refusal depends on the host's journal, which may be replaced by another copy.
fn depends_on_journal(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::Hall(HallRefusal::BadTicket | HallRefusal::SetAside { .. }))
}

impl Session {
    /// The server to reconnect to after this failure; `None` if the session ends instead.
    pub(super) fn reconnect_target(&self, failure: &Failure) -> Option<&Endpoint> {
        let passes = failure.is_of_connection();
        // Outside a game nobody waits for a client that leaves.
        let is_playing = self.lobby().is_some_and(|lobby| lobby.phase() == Phase::Playing);
        let is_gone = self.quitting && !is_playing && self.reconnecting.is_none();
        // A client whose return was deferred may reconnect too.
        let has_come = !self.arriving || self.reconnecting.is_some();
        self.endpoint
            .as_ref()
            .filter(|endpoint| passes && !endpoint.patience.is_zero() && has_come && !is_gone)
    }

    /// Handles the loss of the connection: starts to reconnect, and queues what has no answer.
    pub(super) fn on_disconnect(&mut self, failure: Failure) -> Result<SessionEvent, Failure> {
        let Some(endpoint) = self.reconnect_target(&failure) else { return Err(failure) };
        let (all, kept) = (endpoint.patience, self.kept_for());
        let endpoint = Endpoint { patience: self.patience(endpoint), ..endpoint.clone() };
        let again = self.reconnecting.is_some();
        let mine = self.model.lobby();
        let reconnecting = self.reconnecting.get_or_insert_with(|| Reconnecting::new(endpoint.patience));
        if let Some(pending) = self.pending.take() {
            if let PendingKind::Action(action) = &pending.kind {
                if action.is_leave() {
                    reconnecting.leaves.get_or_insert_with(|| action.clone());
                }
                if action.is_for_new_seat() {
                    reconnecting.entering = Some(action.clone());
                }
            }
            let play = pending.unanswered_move().and_then(|pending| match pending.kind {
                PendingKind::Action(Action::Play(mv)) => Some((pending.turn, mv)),
                _ => None,
            });
            let held = play.map(|play| HeldMove::of(play, mine, false));
            reconnecting.held = held.or(reconnecting.held.take());
        }
        reconnecting.reconnect = Some(Reconnect::begin(&endpoint, reconnecting.time_left(), false));
        let lost = SessionEvent::Lost { failure, patience: all.min(kept), limited: kept < all };
        Ok(if again { SessionEvent::Nothing } else { lost })
    }

    /// How long to try to reconnect: no longer than an otherwise empty lobby exists without the client.
    fn patience(&self, endpoint: &Endpoint) -> Duration {
        let kept = self.model.lobby().and_then(|mine| mine.lobby.kept_without(mine.you()?));
        kept.map_or(endpoint.patience, |kept| kept.min(endpoint.patience))
    }

    /// How long the server keeps the seat, or a watched game of two bots, at least.
    fn kept_for(&self) -> Duration {
        let rests = |mine: &&MyLobby| mine.you().is_some() || mine.lobby.is_exhibition();
        let kept = self.model.lobby().filter(rests);
        kept.map_or(Duration::MAX, |mine| mine.lobby.kept_for())
    }

    /// Handles a new connection: asks for the seat, repeats a request for a new one, or lists the lobbies.
    pub(super) fn on_reconnect(&mut self, connection: Connection) -> Result<SessionEvent, Failure> {
        let is_measured = self.connection.is_measured();
        self.connection = connection;
        if is_measured {
            self.connection.measure();
        }
        // Another window may have taken the seat over meanwhile, and keeps it.
        if self.keeper.as_ref().is_some_and(SeatKeeper::is_superseded) {
            return Err(Failure::SeatMoved);
        }
        let entering = self.reconnecting.as_mut().and_then(|reconnecting| {
            reconnecting.reconnect = None;
            reconnecting.entering.take()
        });
        let place = self.model.lobby().map(|mine| (mine.role, mine.lobby.code(), mine.lobby.last_event()));
        match (place, self.claimed.clone()) {
            (Some((Role::Player { ticket, .. }, code, seen)), _) => {
                self.ask_hall(PendingKind::Return, return_request(code, ticket, seen));
            }
            (Some((Role::Watcher, code, _)), _) => {
                let code = Text::cut(&code.to_string());
                let request = HallRequest::Watch { code, password: self.password.clone() };
                self.ask_hall(PendingKind::Return, request);
            }
            (None, Some(seat)) => {
                self.model.expect_new_list();
                self.ask_hall(PendingKind::Return, return_request(seat.code, seat.ticket, 0));
            }
            (None, None) => {
                self.model.expect_new_list();
                let again = entering.zip(self.model.ticket());
                let again = again.and_then(|(action, ticket)| Some((action.hall_request(ticket)?, action)));
                let (request, action) = again.unwrap_or((HallRequest::Look, Action::Look));
                self.ask_hall(PendingKind::Action(action), request);
            }
        }
        Ok(SessionEvent::Nothing)
    }

    /// Handles a refusal of the return. A client that wants to leave has left; any other asks how its last
    /// game ended, or tries again unless the refusal is final.
    pub(super) fn on_return_refused(&mut self, refusal: Refusal) -> Result<SessionEvent, Failure> {
        if self.leaves_later() && !is_temporary(&refusal) {
            return self.leave_locally();
        }
        if self.ask_last_game(&refusal) { Ok(SessionEvent::Nothing) } else { self.end_or_retry(refusal) }
    }

    /// Ends the session if this refusal of the return is final, else tries again later.
    pub(super) fn end_or_retry(&mut self, refusal: Refusal) -> Result<SessionEvent, Failure> {
        if is_final(&refusal, self.is_watching()) {
            return Err(self.on_final_refusal(refusal));
        }
        if self.arriving && !is_temporary(&refusal) {
            return Err(Failure::ReturnRefused(refusal));
        }
        let event = self.defer_return(refusal)?;
        if let (Some(endpoint), Some(reconnecting)) = (&self.endpoint, &mut self.reconnecting) {
            let endpoint = Endpoint { patience: reconnecting.patience, ..endpoint.clone() };
            reconnecting.reconnect = Some(Reconnect::begin(&endpoint, reconnecting.time_left(), true));
        }
        Ok(event)
    }

    /// Notes that the server refuses the return for now. Each reason is reported once.
    pub(super) fn defer_return(&mut self, refusal: Refusal) -> Result<SessionEvent, Failure> {
        let endpoint = self.endpoint.as_ref().filter(|endpoint| !endpoint.patience.is_zero());
        let Some(endpoint) = endpoint else { return Err(Failure::ReturnRefused(refusal)) };
        let reconnecting = self.reconnecting.get_or_insert_with(|| Reconnecting::new(endpoint.patience));
        let event = SessionEvent::RetryingReturn { refusal: refusal.clone(), left: reconnecting.time_left() };
        let known = reconnecting.deferred_by.replace(refusal);
        Ok(if known == reconnecting.deferred_by { SessionEvent::Nothing } else { event })
    }

    /// Returns the next message. While the return is deferred, gives up after the same time as without a
    /// connection; quitting has a deadline of its own.
    pub(super) async fn next_message(&mut self) -> Result<ToClient, Failure> {
        if let Some(due) = self.quit_due() {
            // A server that never pauses lets no time limit fire.
            if due <= Instant::now() {
                return Err(self.unanswered());
            }
            let message = tokio::time::timeout_at(due, self.connection.next()).await;
            return message.unwrap_or_else(|_| Err(self.unanswered()));
        }
        let waits = self.reconnecting.as_ref().filter(|reconnecting| reconnecting.deferred_by.is_some());
        let Some((left, patience)) =
            waits.map(|reconnecting| (reconnecting.time_left(), reconnecting.patience))
        else {
            return self.connection.next().await;
        };
        let message = tokio::time::timeout(left, self.connection.next()).await;
        message.unwrap_or_else(|_| Err(self.give_up_reason(Failure::GaveUp(patience))))
    }

    /// Leaves a lobby without the server, which refuses the return anyway.
    fn leave_locally(&mut self) -> Result<SessionEvent, Failure> {
        self.forget_seat();
        self.reconnecting = None;
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

    /// The reason for giving up: the server's last refusal of the return, if there was one.
    pub(super) fn give_up_reason(&self, failure: Failure) -> Failure {
        match (failure, self.reconnecting.as_ref().and_then(|reconnecting| reconnecting.deferred_by.clone()))
        {
            (Failure::GaveUp(_), Some(refusal)) if self.is_watching() => Failure::Refused(refusal),
            (Failure::GaveUp(_), Some(refusal)) => Failure::ReturnRefused(refusal),
            (failure, _) => failure,
        }
    }

    /// Marks the saved seat as given up.
    pub(super) fn forget_seat(&mut self) {
        if let Some(keeper) = &mut self.keeper {
            keeper.forget();
        }
    }

    /// Drops the queued move if this event shows that the server had received it.
    pub(super) fn drop_held_if_made(&mut self, event: &Event) {
        let me = self.model.lobby().and_then(MyLobby::you);
        let Some(reconnecting) = &mut self.reconnecting else { return };
        if let &Event::Moved { turn, player, mv, hand: Hand::Own } = event {
            reconnecting.held.take_if(|held| Some(player) == me && (held.turn, held.mv) == (turn, mv));
        }
    }

    /// Handles the return: sends the queued request to leave, or the queued move if it is for this turn.
    /// Returns whether the move was dropped because its turn is over.
    pub(super) fn on_returned(&mut self) -> bool {
        (self.pending, self.arriving, self.claimed) = (None, false, None);
        let Some(Reconnecting { held, leaves, .. }) = self.reconnecting.take() else { return false };
        if let Some(action) = leaves {
            self.ask_lobby(action);
            return false;
        }
        let (Some(held), Some(mine)) = (held, self.model.lobby()) else { return false };
        let (in_time, made) =
            (mine.is_to_move() && held.turn == mine.lobby.turn(), held.may_have_been_made(&mine.lobby));
        if in_time {
            self.ask_lobby(Action::Play(held.mv));
        }
        !in_time && !made
    }
}
