//! Runs a session: handles the messages of the server, and sends the actions of a person or script.

use tokio::time::{Instant, timeout_at};

use super::event::{SendStatus, SessionEvent};
use super::state::{Pending, PendingKind, Session};
use crate::client::model::{Changes, MyLobby};
use crate::client::redial::Reached;
use crate::client::{Action, Failure, Leaving};
use crate::game::Side;
use crate::lobby::{Event, Notice, Phase, Text};
use crate::wire::limits::MAX_SERVER_ADDRESS;
use crate::wire::{HallEvent, PlayedGame, Refusal, Ticket, ToClient};

/// What a session receives.
#[derive(Debug)]
pub enum SessionInput {
    /// A message of the server.
    Said(Box<ToClient>),
    /// The connection is lost.
    Lost(Failure),
    /// The connection is open again.
    Reached(Box<Reached>),
    /// A connection is open to the server that has the lobby, while another one leads to it.
    Nearer(Box<Reached>),
    /// The connection is lost for so long that it has to be told.
    StillLost,
    /// The player on this side is away for so long that it has to be told.
    StillAway(Side),
    /// The client goes back to the hall and keeps its seat.
    SteppedOut,
}

impl Session {
    /// Waits for the next message or change of the connection. Cancel safe.
    pub async fn next(&mut self) -> Result<SessionInput, Failure> {
        let untold = self.reconnecting.as_ref().and_then(|reconnecting| reconnecting.untold.as_ref());
        let (due, input) = match (untold, self.next_absence()) {
            (Some(untold), _) => (untold.due, SessionInput::StillLost),
            (None, Some((due, side))) => (due, SessionInput::StillAway(side)),
            (None, None) => return self.next_input().await,
        };
        timeout_at(due, self.next_input()).await.unwrap_or(Ok(input))
    }

    async fn next_input(&mut self) -> Result<SessionInput, Failure> {
        if self.stepping_out {
            return Ok(SessionInput::SteppedOut);
        }
        if let Some(reconnect) =
            self.reconnecting.as_mut().and_then(|reconnecting| reconnecting.reconnect.as_mut())
        {
            let reached = reconnect.done().await;
            return reached
                .map(Box::new)
                .map(SessionInput::Reached)
                .map_err(|failure| self.give_up_reason(failure));
        }
        if self.may_go()
            && let Self { connection, nearer: Some(nearer), .. } = &mut *self
        {
            let reached = tokio::select! {
                biased;
                message = connection.next() => return self.input_of(message),
                reached = nearer.done() => reached,
            };
            self.nearer = None;
            if let Ok(reached) = reached {
                return Ok(SessionInput::Nearer(Box::new(reached)));
            }
        }
        let message = self.next_message().await;
        self.input_of(message)
    }

    fn input_of(&mut self, message: Result<ToClient, Failure>) -> Result<SessionInput, Failure> {
        match message.map_err(|failure| self.unless_rival(failure)) {
            Ok(message) => Ok(SessionInput::Said(Box::new(message))),
            Err(failure) if self.reconnect_target(&failure).is_some() => Ok(SessionInput::Lost(failure)),
            Err(failure) => Err(self.with_resumable(failure)),
        }
    }

    /// Handles what was received.
    pub fn handle(&mut self, incoming: SessionInput) -> Result<SessionEvent, Failure> {
        match incoming {
            SessionInput::Said(message) => self.on_message(*message),
            SessionInput::Lost(failure) => self.on_disconnect(failure),
            SessionInput::Reached(reached) => self.on_reconnect(*reached),
            SessionInput::Nearer(reached) => self.on_nearer(*reached),
            SessionInput::StillLost => Ok(self.tell_loss()),
            SessionInput::StillAway(side) => Ok(self.on_still_away(side)),
            SessionInput::SteppedOut => self.on_stepped_out(),
        }
    }

    /// Handles a message of the server.
    fn on_message(&mut self, message: ToClient) -> Result<SessionEvent, Failure> {
        let was_halted = self.is_halted();
        let before = match message {
            ToClient::Lobby { .. } | ToClient::Said(_) => self.model.lobby().cloned(),
            _ => None,
        };
        let anew = self.is_anew(&message);
        let was_for_two = self.model.lobby().is_some_and(MyLobby::is_for_two);
        let changes = self.model.changes(&message);
        let shown = self.end_graces();
        self.model.apply(&message).map_err(Failure::nonsense)?;
        if has_lobby_time(&message) {
            self.synced_at = Instant::now();
        }
        self.begin_graces(shown.as_ref(), &message);
        // Before the return the client does not know whether the seat is still its own.
        let is_sure = self.reconnecting.is_none()
            || matches!(message, ToClient::Entered { .. } | ToClient::Returned { .. });
        if is_sure {
            self.save_seat();
        }
        Ok(match message {
            ToClient::Entered { .. } | ToClient::Watching { .. } if self.awaits(&PendingKind::Return) => {
                self.on_returned(anew, if anew { Vec::new() } else { self.missed_notices(shown.as_ref()) })
            }
            ToClient::Returned { .. } => self.on_returned(false, self.missed_notices(shown.as_ref())),
            ToClient::Entered { .. } | ToClient::Watching { .. } => self.on_entered(),
            ToClient::Lobby { event, .. } => {
                self.drop_held_if_made(&event);
                self.leave_if_over();
                self.on_event(event, before)
            }
            ToClient::Notice { notice, .. } if !self.is_notice_told(&notice, shown.as_ref()) => {
                SessionEvent::Nothing
            }
            ToClient::Notice { notice, .. } => self.on_notice(notice),
            ToClient::Said(lines) => self.new_lines(lines.into_vec(), before.as_ref()),
            ToClient::HostSaid { words } => SessionEvent::HostSaid(words.to_string()),
            ToClient::Reviewed(review) => {
                self.clear_pending_if(|action| matches!(action, Action::Review(_)));
                SessionEvent::Reviewed(review)
            }
            ToClient::Halted { why: Some(why), .. } if self.awaits(&PendingKind::Return) => {
                // The answer comes as soon as it is recorded, and the seat is this connection's.
                self.forget_left();
                self.defer_return(Refusal::Halted { why })?
            }
            ToClient::Halted { why, .. } => self.on_halted(why.is_some(), was_halted),
            ToClient::Hall(told) => self.on_lobbies(told, changes),
            ToClient::Hint { turn, mv, words } => {
                self.clear_pending_if(|action| *action == Action::Hint);
                SessionEvent::Hint { turn, mv, words }
            }
            ToClient::Refused { id, refusal, .. } => self.on_refused(id, refusal)?,
            ToClient::Games { games, .. } => self.on_games(&games)?,
            ToClient::Outside => {
                self.pending = None;
                self.stay();
                // Two people at one keyboard came for this lobby alone.
                self.quitting |= was_for_two;
                SessionEvent::Outside
            }
            ToClient::Servers { addresses } => self.on_servers(&addresses),
            ToClient::LobbyMoved => self.on_lobby_moved()?,
            ToClient::LobbyAt { address } => self.on_lobby_at(address.as_str()),
            _ => SessionEvent::Nothing,
        })
    }

    /// Notes the addresses of all servers of the cluster. A session that does not reconnect needs none.
    fn on_servers(&mut self, addresses: &[Text<MAX_SERVER_ADDRESS>]) -> SessionEvent {
        if let Some(endpoint) = self.endpoint.as_mut().filter(|endpoint| !endpoint.patience.is_zero()) {
            endpoint.set_others(addresses.iter().map(Text::as_str));
            if let Some(keeper) = &mut self.keeper {
                keeper.set_others(&endpoint.others);
            }
        }
        SessionEvent::Nothing
    }

    /// Handles that the host cannot record, or can again.
    fn on_halted(&mut self, is_halted: bool, was_halted: bool) -> SessionEvent {
        // Nobody could leave while the host was halted.
        self.leave_if_over();
        if is_halted && self.leaves_unrecorded(self.asked()) {
            SessionEvent::LeftUnrecorded
        } else if is_halted || was_halted {
            SessionEvent::Halted
        } else {
            // A client that entered while the host was halted knows already.
            SessionEvent::Nothing
        }
    }

    /// Handles the list of the games in a lost seat.
    fn on_games(&mut self, games: &[PlayedGame]) -> Result<SessionEvent, Failure> {
        let is_asked = |pending: &mut Pending| matches!(pending.kind, PendingKind::LastGame(_));
        match self.pending.take_if(is_asked).map(|pending| pending.kind) {
            Some(PendingKind::LastGame(lost)) => self.on_last_game(*lost, games),
            _ => Ok(SessionEvent::Nothing),
        }
    }

    /// Leaves the lobby if it is closed or the client's seat was given up.
    fn leave_if_over(&mut self) {
        let is_over = self.model.halted().is_none() && self.model.lobby().is_some_and(is_over_for);
        if is_over && !self.is_leaving() {
            self.ask_lobby(Action::Leave(Leaving::GiveUp));
        }
    }

    fn on_entered(&mut self) -> SessionEvent {
        // The server has answered, and there is no seat.
        let has_no_seat = self.is_watching() && self.asked().is_some_and(Action::is_for_new_seat);
        if let Some(keeper) = self.keeper.as_mut().filter(|_| has_no_seat) {
            keeper.forget_ticket();
        }
        (self.pending, self.arriving, self.reconnecting) = (None, false, None);
        SessionEvent::Entered
    }

    fn on_event(&mut self, event: Event, before: Option<MyLobby>) -> SessionEvent {
        let Some(before) = before else { return SessionEvent::Nothing };
        // A client that leaves waits for the message that it is outside.
        if !self.is_leaving() && before.is_answered_by(&event) {
            self.pending = None;
        }
        if !self.is_event_told(&event) {
            return SessionEvent::Nothing;
        }
        SessionEvent::Happened { event, before: Box::new(before.lobby) }
    }

    fn on_notice(&mut self, notice: Notice) -> SessionEvent {
        let is_answer = self.model.lobby().is_some_and(|mine| mine.is_answered_by_notice(&notice));
        if !self.is_leaving() && is_answer {
            self.pending = None;
        }
        if let Notice::Kicked { name } = &notice {
            self.clear_pending_if(|action| matches!(action, Action::Kick(_)));
            if self.is_watching() && self.model.name() == name {
                return SessionEvent::Kicked;
            }
        }
        SessionEvent::Noticed(notice)
    }

    fn on_lobbies(&mut self, told: HallEvent, changes: Changes) -> SessionEvent {
        let HallEvent::Lobbies { complete, .. } = told;
        let looking = self.asked() == Some(&Action::Look);
        // After a loss that was not told, nobody expects the whole list.
        let is_expected = looking && !self.is_moving();
        if looking && complete {
            (self.pending, self.arriving, self.reconnecting) = (None, false, None);
            self.find_own_seats();
        }
        SessionEvent::Hall { told, changes, looking: is_expected }
    }

    /// Sends this action to the server, or queues it if the connection is lost.
    ///
    /// It does not wait for the network, so that a key is always answered.
    pub fn act(&mut self, action: Action) -> SendStatus {
        match &action {
            Action::Say(words) => return self.say(words.clone()),
            Action::Quit(Leaving::GiveUp) => return self.quit(),
            Action::Quit(Leaving::Keep) => return self.quit_and_keep(),
            Action::Leave(Leaving::Keep) => return self.step_out(),
            Action::Return(seat) => self.claim(seat),
            Action::Watch(_, password) => self.password.clone_from(password),
            _ => {}
        }
        if !action.is_for_hall() {
            return self.ask_lobby(action);
        }
        let ticket = match &mut self.keeper {
            Some(keeper) if action.is_for_new_seat() => keeper.new_ticket(),
            _ => self.next_ticket.take().unwrap_or_else(Ticket::random),
        };
        let Some(request) = action.hall_request(ticket) else { return self.ask_lobby(action) };
        if action.is_for_new_seat() {
            self.model.set_ticket(ticket);
        }
        let kind = match action {
            Action::Return(_) => PendingKind::Return,
            action => PendingKind::Action(action),
        };
        self.ask_hall(kind, request);
        SendStatus::Now
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
