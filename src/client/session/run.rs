//! Runs a session: handles the messages of the server, and sends the actions of a person or script.

use tokio::time::Instant;

use super::event::{SendStatus, SessionEvent};
use super::reconnect;
use super::state::{Pending, PendingKind, Session};
use crate::client::model::{Changes, MyLobby};
use crate::client::{Action, Connection, Failure};
use crate::lobby::{Event, Lobby, Notice, Phase};
use crate::wire::{HallEvent, HallRefusal, HallRequest, Refusal, Ticket, ToClient};

/// What a session receives.
#[derive(Debug)]
pub enum Incoming {
    /// A message of the server.
    Said(Box<ToClient>),
    /// The connection is lost.
    Lost(Failure),
    /// The connection is open again.
    Reached(Box<Connection>),
}

impl Session {
    /// Waits for the next message or change of the connection. Cancel safe.
    pub async fn next(&mut self) -> Result<Incoming, Failure> {
        if let Some(reconnect) =
            self.reconnecting.as_mut().and_then(|reconnecting| reconnecting.reconnect.as_mut())
        {
            let reached = reconnect.done().await;
            return reached
                .map(Box::new)
                .map(Incoming::Reached)
                .map_err(|failure| self.give_up_reason(failure));
        }
        match self.next_message().await {
            Ok(message) => Ok(Incoming::Said(Box::new(message))),
            Err(failure) if self.reconnect_target(&failure).is_some() => Ok(Incoming::Lost(failure)),
            Err(failure) => Err(self.with_resumable(failure)),
        }
    }

    /// Handles what was received.
    pub async fn handle(&mut self, incoming: Incoming) -> Result<SessionEvent, Failure> {
        match incoming {
            Incoming::Said(message) => self.on_message(*message).await,
            Incoming::Lost(failure) => self.on_disconnect(failure),
            Incoming::Reached(connection) => self.on_reconnect(*connection).await,
        }
    }

    /// Handles a message of the server.
    pub(super) async fn on_message(&mut self, message: ToClient) -> Result<SessionEvent, Failure> {
        let was_halted = self.is_halted();
        let before = match message {
            ToClient::Lobby { .. } | ToClient::Said(_) => self.model.lobby().cloned(),
            _ => None,
        };
        let was_for_two = self.model.lobby().is_some_and(MyLobby::is_for_two);
        let changes = self.model.changes(&message);
        let noticed = self.model.changes_of_presence(&message);
        self.model.apply(&message).map_err(Failure::nonsense)?;
        if has_lobby_time(&message) {
            self.synced_at = Instant::now();
        }
        // Before the return the client does not know whether the seat is still its own.
        let is_sure = self.reconnecting.is_none()
            || matches!(message, ToClient::Entered { .. } | ToClient::Returned { .. });
        if is_sure {
            self.save_seat();
        }
        Ok(match message {
            ToClient::Entered { .. } | ToClient::Watching { .. } if self.awaits(&PendingKind::Return) => {
                SessionEvent::Returned { late: self.on_returned().await?, anew: true, noticed }
            }
            ToClient::Returned { .. } => {
                SessionEvent::Returned { late: self.on_returned().await?, anew: false, noticed }
            }
            ToClient::Entered { .. } | ToClient::Watching { .. } => self.on_entered(),
            ToClient::Lobby { event, .. } => {
                self.drop_held_if_made(&event);
                self.leave_if_over().await?;
                self.on_event(event, before)
            }
            ToClient::Notice { notice, .. } => self.on_notice(notice),
            ToClient::Said(lines) => self.new_lines(lines.into_vec(), before.as_ref()),
            ToClient::Reviewed(review) => {
                self.clear_pending_if(|action| matches!(action, Action::Review(_)));
                SessionEvent::Reviewed(review)
            }
            ToClient::Halted { why: Some(why), .. } if self.awaits(&PendingKind::Return) => {
                // The answer comes as soon as it is recorded.
                self.defer_return(Refusal::Halted { why })?
            }
            ToClient::Halted { why, .. } => {
                // Nobody could leave while the host was halted.
                self.leave_if_over().await?;
                if why.is_some() && self.leaves_unrecorded(self.asked()) {
                    return Ok(SessionEvent::LeftUnrecorded);
                }
                // A client that entered while the host was halted knows already.
                if why.is_some() || was_halted { SessionEvent::Halted } else { SessionEvent::Nothing }
            }
            ToClient::Hall(told) => self.on_lobbies(told, changes),
            ToClient::Hint { turn, mv, words } => {
                self.clear_pending_if(|action| *action == Action::Hint);
                SessionEvent::Hint { turn, mv, words }
            }
            ToClient::Refused { id, refusal, .. } => self.on_refused(id, refusal).await?,
            ToClient::Games { games, .. } => {
                let answered =
                    self.pending.take_if(|pending| matches!(pending.kind, PendingKind::LastGame(_)));
                match answered.map(|pending| pending.kind) {
                    Some(PendingKind::LastGame(lost)) => self.on_last_game(*lost, &games)?,
                    _ => SessionEvent::Nothing,
                }
            }
            ToClient::Outside => {
                self.pending = None;
                // Two people at one keyboard came for this lobby alone.
                self.quitting |= was_for_two;
                SessionEvent::Outside
            }
            _ => SessionEvent::Nothing,
        })
    }

    /// Handles a refusal. A refusal of an older request is ignored.
    pub(super) async fn on_refused(&mut self, id: u32, refusal: Refusal) -> Result<SessionEvent, Failure> {
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
            Some(PendingKind::Return) => self.on_return_refused(refusal).await,
            // A client that returns to the hall receives the list of lobbies first.
            Some(PendingKind::Action(Action::Look)) if self.is_lost() => {
                self.on_return_refused(refusal).await
            }
            Some(PendingKind::LastGame(lost)) => self.on_last_game(*lost, &[]),
            Some(PendingKind::Action(action)) if action.is_for_new_seat() => {
                self.on_seat_refused(action, refusal).await
            }
            Some(PendingKind::Action(action)) => Ok(SessionEvent::Refused { asked: Some(action), refusal }),
            None => Ok(SessionEvent::Refused { asked: None, refusal }),
        }
    }

    /// Handles the refusal of a new seat.
    pub(super) async fn on_seat_refused(
        &mut self,
        action: Action,
        refusal: Refusal,
    ) -> Result<SessionEvent, Failure> {
        if let (Refusal::Hall(HallRefusal::SeatHeld { code }), Some(ticket)) = (&refusal, self.model.ticket())
        {
            // The server granted an earlier request, whose answer was lost.
            match (&action, &mut self.keeper) {
                (Action::Join(wanted, _), Some(keeper)) if wanted != code => {
                    keeper.forget_ticket();
                    self.act(action).await?;
                }
                _ => self.ask_hall(PendingKind::Return, reconnect::return_request(*code, ticket, 0)).await?,
            }
            return Ok(SessionEvent::Nothing);
        }
        // A client that repeated the request over a new connection has no list of the lobbies yet.
        if self.reconnecting.take().is_some() {
            self.ask_hall(PendingKind::Action(Action::Look), HallRequest::Look).await?;
        }
        Ok(SessionEvent::Refused { asked: Some(action), refusal })
    }

    /// Leaves the lobby if it is closed or the client's seat was given up.
    pub(super) async fn leave_if_over(&mut self) -> Result<(), Failure> {
        let is_over = self.model.halted().is_none() && self.model.lobby().is_some_and(is_over_for);
        if is_over && !self.is_leaving() {
            self.ask_lobby(Action::Leave).await?;
        }
        Ok(())
    }

    pub(super) fn on_entered(&mut self) -> SessionEvent {
        (self.pending, self.arriving, self.reconnecting) = (None, false, None);
        SessionEvent::Entered
    }

    pub(super) fn on_event(&mut self, event: Event, before: Option<MyLobby>) -> SessionEvent {
        let Some(before) = before else { return SessionEvent::Nothing };
        // A client that leaves waits for the message that it is outside.
        if !self.is_leaving() && before.is_answered_by(&event) {
            self.pending = None;
        }
        SessionEvent::Happened { event, before: Box::new(before.lobby) }
    }

    pub(super) fn on_notice(&mut self, notice: Notice) -> SessionEvent {
        let is_answer = self.model.lobby().is_some_and(|mine| mine.is_answered_by_notice(&notice));
        if !self.is_leaving() && is_answer {
            self.pending = None;
        }
        SessionEvent::Noticed(notice)
    }

    pub(super) fn on_lobbies(&mut self, told: HallEvent, changes: Changes) -> SessionEvent {
        let HallEvent::Lobbies { complete, .. } = told;
        let looking = self.asked() == Some(&Action::Look);
        if looking && complete {
            (self.pending, self.arriving, self.reconnecting) = (None, false, None);
        }
        SessionEvent::Hall { told, changes, looking }
    }

    /// Sends this action to the server, or queues it if the connection is lost.
    pub async fn act(&mut self, action: Action) -> Result<SendStatus, Failure> {
        match &action {
            Action::Say(words) => return self.say(words.clone()).await,
            Action::Quit => return self.quit().await,
            Action::Return(seat) => self.claim(seat),
            Action::Watch(_, password) => self.password.clone_from(password),
            _ => {}
        }
        if !action.is_for_hall() {
            return self.ask_lobby(action).await;
        }
        let ticket = match &mut self.keeper {
            Some(keeper) if action.is_for_new_seat() => keeper.new_ticket(),
            _ => Ticket::random(),
        };
        let Some(request) = action.hall_request(ticket) else { return self.ask_lobby(action).await };
        if action.is_for_new_seat() {
            self.model.set_ticket(ticket);
        }
        let kind = match action {
            Action::Return(_) => PendingKind::Return,
            action => PendingKind::Action(action),
        };
        self.ask_hall(kind, request).await.map(|()| SendStatus::Now)
    }

    pub(super) async fn ask_hall(&mut self, kind: PendingKind, request: HallRequest) -> Result<(), Failure> {
        if let HallRequest::Return { ticket, .. } = &request {
            self.model.set_ticket(*ticket);
        }
        let is_repeated = matches!(&kind, PendingKind::Action(action) if action.is_for_new_seat());
        let id = match self.connection.ask_hall(request).await {
            Ok(id) => id,
            // The next event says that the connection is lost; the request is repeated after that.
            Err(failure) if is_repeated && self.reconnect_target(&failure).is_some() => 0,
            Err(failure) => return Err(failure),
        };
        self.pending = Some(Pending { kind, id, turn: 0, previous_move: None });
        Ok(())
    }

    pub(super) async fn ask_lobby(&mut self, action: Action) -> Result<SendStatus, Failure> {
        if let Some(reconnecting) = &mut self.reconnecting {
            return Ok(reconnecting.queue(action, self.model.lobby()));
        }
        let turn = self.lobby().map_or(0, Lobby::turn);
        let Some(request) = action.lobby_request(turn) else { return Ok(SendStatus::Never) };
        let id = match self.connection.ask_lobby(request).await {
            Ok(id) => id,
            // The next event says that the connection is lost; the action is queued then.
            Err(failure) if self.reconnect_target(&failure).is_some() => 0,
            Err(failure) => return Err(failure),
        };
        let previous_move = self.pending.take().and_then(Pending::unanswered_move).map(Box::new);
        self.pending = Some(Pending { kind: PendingKind::Action(action), id, turn, previous_move });
        Ok(SendStatus::Now)
    }
}

/// Whether this lobby is closed, or the client's seat was given up, because the server received nothing from
/// the client over an open connection.
fn is_over_for(mine: &MyLobby) -> bool {
    let has_lost_seat = mine.you().is_some() && mine.side().is_none();
    has_lost_seat || mine.lobby.phase() == Phase::Closed
}

/// Whether this message carries the lobby's current time.
fn has_lobby_time(message: &ToClient) -> bool {
    matches!(
        message,
        ToClient::Entered { .. }
            | ToClient::Watching { .. }
            | ToClient::Returned { .. }
            | ToClient::Lobby { .. }
            | ToClient::Notice { .. }
            | ToClient::Halted { .. }
    )
}
