//! Reconnecting: what a session decides when the connection is lost, when the server is reached again, and
//! when the server grants the return to the seat.

use std::mem::replace;
use std::time::Duration;

use tokio::time::Instant;

use super::event::SessionEvent;
use super::grace::QUIET;
use super::offline::{HeldMove, Loss, Reconnecting, UntoldLoss};
use super::seat_keeper::SeatKeeper;
use super::state::{PendingKind, Session};
use crate::client::model::{MyLobby, Role};
use crate::client::redial::{Cause, Reached, Reconnect};
use crate::client::{Action, Endpoint, Failure};
use crate::lobby::{Event, Hand, Notice, Text};
use crate::wire::{Farewell, HallRequest, Ticket, ToClient};

/// How long a server may take to carry out what was asked in an attempt that the client has given up: longer than it lets
/// somebody wait who says hello.
const RIVAL_WITHIN: Duration = Duration::from_secs(10);

impl Session {
    /// Handles the loss of the connection: starts to reconnect, and queues what has no answer.
    pub(super) fn on_disconnect(&mut self, failure: Failure) -> Result<SessionEvent, Failure> {
        let Some(endpoint) = self.reconnect_target(&failure) else { return Err(failure) };
        let (all, kept) = (endpoint.patience, self.kept_for());
        let endpoint = Endpoint { patience: self.patience(endpoint), ..endpoint.clone() };
        let (again, is_move) = (self.reconnecting.is_some(), failure.is_move());
        self.stay();
        let last = self.reached_at.take().map_or_else(|| endpoint.address.clone(), |address| *address);
        self.queue_unanswered(endpoint.patience);
        let first = self.return_request().filter(|_| !self.is_superseded());
        self.forget_left();
        let Some(reconnecting) = &mut self.reconnecting else { return Ok(SessionEvent::Nothing) };
        let cause = Cause::of(&failure, reconnecting.moves);
        reconnecting.moves += u32::from(is_move);
        reconnecting.reconnect = Some(if all.is_zero() {
            Reconnect::begin_once(&endpoint, &last, cause, first)
        } else {
            Reconnect::begin(&endpoint, &last, cause, reconnecting.time_left(), first)
        });
        let loss = Loss::of(failure, all, kept);
        if is_move && !again {
            reconnecting.untold = Some(UntoldLoss { loss, due: Instant::now() + QUIET });
            return Ok(SessionEvent::Nothing);
        }
        Ok(if again { SessionEvent::Nothing } else { loss.into() })
    }

    /// Handles that the lobby goes on in another server, which is reached over the same connection: queues what has no
    /// answer, and asks for the seat again.
    pub(super) fn on_lobby_moved(&mut self) -> Result<SessionEvent, Failure> {
        self.stay();
        if !self.begin_move() {
            return Err(self.with_resumable(Failure::Goodbye(Farewell::Moved)));
        }
        self.ask_again()
    }

    /// Begins to ask for the seat again in another server, before a face is told. Returns whether the client does so.
    pub(super) fn begin_move(&mut self) -> bool {
        let failure = Failure::Goodbye(Farewell::Moved);
        let Some(endpoint) = self.reconnect_target(&failure) else { return false };
        let (patience, kept) = (endpoint.patience, self.kept_for());
        self.queue_unanswered(self.patience(endpoint));
        let loss = Loss::of(failure, patience, kept);
        if let Some(reconnecting) = &mut self.reconnecting {
            reconnecting.untold.get_or_insert(UntoldLoss { loss, due: Instant::now() + QUIET });
        }
        true
    }

    /// Queues what the server has not answered, to send it after the return.
    fn queue_unanswered(&mut self, patience: Duration) {
        // Nobody answers it any more.
        self.said = None;
        let mine = self.model.lobby();
        let reconnecting = self.reconnecting.get_or_insert_with(|| Box::new(Reconnecting::new(patience)));
        let Some(pending) = self.pending.take() else { return };
        // A server that is only late may still grant it.
        reconnecting.has_rival |= matches!(pending.kind, PendingKind::Return);
        if let PendingKind::Action(action) = &pending.kind {
            if action.is_leave() {
                reconnecting.leaves.get_or_insert_with(|| action.clone());
            }
            if action.is_for_new_seat() || self.arriving && matches!(action, Action::Watch(..)) {
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

    /// Tells of the loss that was not told so far.
    pub(super) fn tell_loss(&mut self) -> SessionEvent {
        let untold = self.reconnecting.as_mut().and_then(|reconnecting| reconnecting.untold.take());
        untold.map_or(SessionEvent::Nothing, |untold| untold.loss.into())
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

    /// Handles a new connection.
    pub(super) fn on_reconnect(&mut self, reached: Reached) -> Result<SessionEvent, Failure> {
        let has_rival = self.reconnecting.as_ref().is_some_and(|gone| gone.has_rival);
        self.rival_until = (has_rival || reached.has_rival).then(|| Instant::now() + RIVAL_WITHIN);
        drop(self.switch_to(reached));
        self.ask_again()
    }

    /// This failure, unless it says that an attempt which the client has given up took the seat: then the game goes on
    /// over the next connection.
    pub(super) fn unless_rival(&mut self, failure: Failure) -> Failure {
        let has_taken = matches!(failure, Failure::Goodbye(Farewell::Elsewhere));
        match self.rival_until.take_if(|until| has_taken && Instant::now() < *until) {
            Some(_) => Failure::Goodbye(Farewell::Moved),
            None => failure,
        }
    }

    /// Uses this connection from now on. Returns the one before, if it is known where that leads.
    pub(super) fn switch_to(&mut self, Reached { mut connection, address, .. }: Reached) -> Option<Reached> {
        if self.connection.is_measured() {
            connection.measure();
        }
        let own = self.server().cloned();
        let reached_at =
            Some(Box::new(address)).filter(|address| own.as_ref().is_some_and(|own| *own != **address));
        let before = replace(&mut self.reached_at, reached_at).map(|address| *address).or(own);
        let connection = replace(&mut self.connection, connection);
        Some(Reached { connection, address: before?, has_rival: false })
    }

    /// Whether another window has taken the seat over meanwhile, and keeps it.
    fn is_superseded(&self) -> bool {
        self.keeper.as_deref().is_some_and(SeatKeeper::is_superseded)
    }

    /// The request to return to the seat; `None` without one.
    fn return_request(&self) -> Option<HallRequest> {
        let (code, ticket, seen) = match (self.model.lobby(), &self.claimed) {
            (Some(mine), _) => match &mine.role {
                &Role::Player { ticket, .. } => (mine.lobby.code(), ticket, mine.lobby.last_event()),
                Role::Watcher => return None,
            },
            (None, Some(claimed)) => (claimed.seat.code, claimed.seat.ticket, 0),
            (None, None) => return None,
        };
        Some(HallRequest::Return { code: Text::cut(&code.to_string()), ticket, seen })
    }

    /// Asks for the seat, repeats a request for a new one, or lists the lobbies.
    pub(super) fn ask_again(&mut self) -> Result<SessionEvent, Failure> {
        // Who has asked together with the hello has taken it back.
        if self.is_superseded() && !self.connection.has_asked() {
            return Err(Failure::SeatMoved);
        }
        let entering = self.reconnecting.as_mut().and_then(|reconnecting| {
            reconnecting.reconnect = None;
            reconnecting.entering.take()
        });
        let watched = self.model.lobby().map(|mine| mine.lobby.code());
        if watched.is_none() {
            self.model.expect_new_list();
        }
        if let Some(request) = self.return_request() {
            self.ask_hall(PendingKind::Return, request);
        } else if let Some(code) = watched {
            let code = Text::cut(&code.to_string());
            let request = HallRequest::Watch { code, password: self.password.clone() };
            self.ask_hall(PendingKind::Return, request);
        } else {
            // Who only watches has no ticket, and needs none.
            let ticket = self.model.ticket().unwrap_or_else(Ticket::random);
            let again = entering.and_then(|action| Some((action.hall_request(ticket)?, action)));
            let (request, action) = again.unwrap_or((HallRequest::Look, Action::Look));
            self.ask_hall(PendingKind::Action(action), request);
        }
        Ok(SessionEvent::Nothing)
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

    /// The reason for giving up: the server's last refusal of the return, if there was one.
    pub(super) fn give_up_reason(&self, failure: Failure) -> Failure {
        match (failure, self.reconnecting.as_ref().and_then(|reconnecting| reconnecting.deferred_by.clone()))
        {
            (Failure::GaveUp(_), Some(refusal)) if self.is_watching() => Failure::Refused(refusal),
            (Failure::GaveUp(_), Some(refusal)) => Failure::ReturnRefused(refusal),
            (failure, _) => failure,
        }
    }

    /// Whether this lobby, before it is taken over, is worth showing anew: not if the client has just lost the
    /// connection, was not told of it, and has missed no event, or to a person nothing but a restart.
    pub(super) fn is_anew(&self, message: &ToClient) -> bool {
        let is_known =
            self.model.knows_events_of(message) || !self.is_for_script && self.model.knows_game_of(message);
        !(self.is_moving() && is_known)
    }

    /// Drops the queued move if this event shows that the server had received it.
    pub(super) fn drop_held_if_made(&mut self, event: &Event) {
        let me = self.model.lobby().and_then(MyLobby::you);
        let Some(reconnecting) = &mut self.reconnecting else { return };
        if let &Event::Moved { turn, player, mv, hand: Hand::Own } = event {
            reconnecting.held.take_if(|held| Some(player) == me && (held.turn, held.mv) == (turn, mv));
        }
    }

    /// Handles the return: sends what was queued, but no move if the client leaves or if it was for another turn.
    /// `anew` says whether the server sent the whole lobby; `noticed` is what has changed about the presence.
    pub(super) fn on_returned(&mut self, anew: bool, noticed: Vec<Notice>) -> SessionEvent {
        (self.pending, self.arriving) = (None, false);
        let quiet = self.is_moving() && self.claimed.is_none();
        self.moved_at = quiet.then(Instant::now);
        let replaced = self.claimed.take().and_then(|claimed| claimed.replaced);
        let late = self.send_queued();
        SessionEvent::Returned { late, anew, replaced, noticed, quiet }
    }

    /// Sends what was queued. Returns whether a move was dropped because its turn is over.
    fn send_queued(&mut self) -> bool {
        let Some(gone) = self.reconnecting.take().map(|gone| *gone) else { return false };
        let is_late = gone.held.filter(|_| gone.leaves.is_none()).is_some_and(|held| self.send_held(&held));
        for (action, turn) in gone.asked {
            match action {
                Action::Say(words) => self.say(words),
                action => self.ask_lobby_in(turn, action),
            };
        }
        if let Some(action) = gone.leaves {
            self.ask_lobby(action);
        }
        is_late
    }

    /// Sends this move. Returns whether it was dropped instead because its turn is over.
    fn send_held(&mut self, held: &HeldMove) -> bool {
        let Some(mine) = self.model.lobby() else { return false };
        let (in_time, made) =
            (mine.is_to_move() && held.turn == mine.lobby.turn(), held.may_have_been_made(&mine.lobby));
        if in_time {
            self.ask_lobby(Action::Play(held.mv));
        }
        !in_time && !made
    }
}
