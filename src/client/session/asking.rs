//! Asking the server: the pending request, and requests to the hall and to the lobby.

use tokio::time::Instant;

use super::event::SendStatus;
use super::offline::Reconnecting;
use super::state::{Pending, PendingKind, Session};
use crate::client::{Action, Endpoint, Failure};
use crate::lobby::{Code, Lobby, Phase, Text};
use crate::wire::{HallRequest, Ticket};

impl Session {
    /// The pending action.
    pub(super) fn asked(&self) -> Option<&Action> {
        match &self.pending.as_ref()?.kind {
            PendingKind::Action(action) => Some(action),
            PendingKind::Return | PendingKind::LastGame(_) => None,
        }
    }

    /// Whether the pending action leaves the lobby.
    pub fn is_leaving(&self) -> bool {
        self.asked().is_some_and(Action::is_leave)
    }

    /// Whether the pending request is of this kind.
    pub(super) fn awaits(&self, kind: &PendingKind) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.kind == *kind)
    }

    /// Clears the pending action if it meets this condition.
    pub(super) fn clear_pending_if(&mut self, is_meant: impl Fn(&Action) -> bool) {
        if self.asked().is_some_and(is_meant) {
            self.pending = None;
        }
    }

    /// The server to reconnect to after this failure; `None` if the session ends instead.
    pub(super) fn reconnect_target(&self, failure: &Failure) -> Option<&Endpoint> {
        let passes = failure.is_of_connection();
        // Outside a game nobody waits for a client that leaves.
        let is_playing = self.lobby().is_some_and(|lobby| lobby.phase() == Phase::Playing);
        let stays_away = |reconnecting: &Reconnecting| reconnecting.left.is_none();
        let is_gone = self.quitting && !is_playing && !self.reconnecting.as_deref().is_some_and(stays_away);
        // A client whose return was deferred may reconnect too, and the first request can have come while its lobby
        // moved.
        let has_come = !self.arriving || self.reconnecting.is_some() || failure.is_move();
        let follows = self.follows_moves && failure.is_move();
        let reconnects = |endpoint: &&Endpoint| follows || !endpoint.patience.is_zero();
        self.endpoint.as_ref().filter(|_| passes && has_come && !is_gone).filter(reconnects)
    }

    /// Sends a request to the hall, and notes it as pending.
    pub(super) fn ask_hall(&mut self, kind: PendingKind, request: HallRequest) {
        if let HallRequest::Return { ticket, .. } = &request {
            self.model.set_ticket(*ticket);
        }
        let id = self.connection.ask_hall(request);
        self.pending = Some(Pending { kind, id, since: Instant::now(), turn: 0, previous_move: None });
    }

    /// Asks for the seat of this ticket, with the events after `seen`.
    pub(super) fn ask_for_seat(&mut self, code: Code, ticket: Ticket, seen: u32) {
        let code = Text::cut(&code.to_string());
        self.ask_hall(PendingKind::Return, HallRequest::Return { code, ticket, seen });
    }

    /// Sends an action to the lobby, and notes it as pending; queues it if the connection is lost.
    pub(super) fn ask_lobby(&mut self, action: Action) -> SendStatus {
        if let Some(reconnecting) = &mut self.reconnecting {
            return reconnecting.queue(action, self.model.lobby());
        }
        let turn = self.lobby().map_or(0, Lobby::turn);
        self.ask_lobby_in(turn, action)
    }

    /// Sends an action for this turn to the lobby, and notes it as pending.
    pub(super) fn ask_lobby_in(&mut self, turn: u32, action: Action) -> SendStatus {
        let Some(request) = action.lobby_request(turn) else { return SendStatus::Never };
        let id = self.connection.ask_lobby(request);
        let previous_move = self.pending.take().and_then(Pending::unanswered_move).map(Box::new);
        let (kind, since) = (PendingKind::Action(action), Instant::now());
        self.pending = Some(Pending { kind, id, since, turn, previous_move });
        SendStatus::Now
    }
}
