//! What a session does with the messages of the server and the actions of the person or script.

use tokio::time::Instant;

use super::event::{SendStatus, SessionEvent};
use super::reconnect;
use super::state::{Awaited, Pending, Session};
use crate::client::model::{Changes, MyLobby};
use crate::client::{Action, Connection, Failure};
use crate::lobby::{Event, Lobby, Phase};
use crate::wire::{HallEvent, HallRefusal, HallRequest, Refusal, Ticket, ToClient};

/// What a session receives.
#[derive(Debug)]
pub enum Incoming {
    /// The server said this.
    Said(Box<ToClient>),
    /// The connection is lost.
    Lost(Failure),
    /// The server is reached again.
    Reached(Box<Connection>),
}

impl Session {
    /// Waits for the next message or change of the connection. Cancel safe.
    pub async fn next(&mut self) -> Result<Incoming, Failure> {
        if let Some(reconnect) =
            self.reconnecting.as_mut().and_then(|reconnecting| reconnecting.reconnect.as_mut())
        {
            let reached = reconnect.done().await;
            return reached.map(Box::new).map(Incoming::Reached).map_err(|failure| self.given_up(failure));
        }
        match self.hear_players().await {
            Ok(message) => Ok(Incoming::Said(Box::new(message))),
            Err(failure) if self.way_back(&failure).is_some() => Ok(Incoming::Lost(failure)),
            Err(failure) => Err(self.dropped(failure)),
        }
    }

    /// Handles what was received.
    pub async fn handle(&mut self, heard: Incoming) -> Result<SessionEvent, Failure> {
        match heard {
            Incoming::Said(message) => self.learn(*message).await,
            Incoming::Lost(failure) => self.lose(failure),
            Incoming::Reached(connection) => self.reach(*connection).await,
        }
    }

    /// Handles a message of the server.
    pub(super) async fn learn(&mut self, message: ToClient) -> Result<SessionEvent, Failure> {
        let was_halted = self.is_halted();
        let before = match message {
            ToClient::Lobby { .. } | ToClient::Said(_) => self.model.lobby().cloned(),
            _ => None,
        };
        let was_for_two = self.model.lobby().is_some_and(MyLobby::is_for_two);
        let changes = self.model.changes(&message);
        self.model.apply(&message).map_err(Failure::nonsense)?;
        if tells_the_time(&message) {
            self.told = Instant::now();
        }
        // Until it is back the client does not know whether the seat is still its own.
        let is_sure = self.reconnecting.is_none()
            || matches!(message, ToClient::Entered { .. } | ToClient::Returned { .. });
        if is_sure {
            self.note_seat();
        }
        Ok(match message {
            ToClient::Entered { .. } | ToClient::Watching { .. } if self.awaits(&Awaited::Return) => {
                SessionEvent::Returned { late: self.come_back().await?, anew: true }
            }
            ToClient::Returned { .. } => {
                SessionEvent::Returned { late: self.come_back().await?, anew: false }
            }
            ToClient::Entered { .. } | ToClient::Watching { .. } => self.enter(),
            ToClient::Lobby { event, .. } => {
                self.note_made(&event);
                self.leave_what_is_over().await?;
                self.happen(event, before)
            }
            ToClient::Said(lines) => self.hear(lines.into_vec(), before.as_ref()),
            ToClient::Reviewed(review) => {
                self.settle(|action| matches!(action, Action::Review(_)));
                SessionEvent::Reviewed(review)
            }
            ToClient::Halted { why: Some(why), .. } if self.awaits(&Awaited::Return) => {
                // The answer comes as soon as it is recorded.
                self.bar(Refusal::Halted { why })?
            }
            ToClient::Halted { why, .. } => {
                // Nobody could leave while the host was halted.
                self.leave_what_is_over().await?;
                if why.is_some() && self.leaves_unrecorded(self.asked()) {
                    return Ok(SessionEvent::LeftUnrecorded);
                }
                // A client that was let in while the host was halted knows already.
                if why.is_some() || was_halted { SessionEvent::Halted } else { SessionEvent::Nothing }
            }
            ToClient::Hall(told) => self.look(told, changes),
            ToClient::Hint { turn, mv, words } => {
                self.settle(|action| *action == Action::Hint);
                SessionEvent::Hint { turn, mv, words }
            }
            ToClient::Refused { id, refusal, .. } => self.refused(id, refusal).await?,
            ToClient::Games { games, .. } => {
                let answered = self.pending.take_if(|pending| matches!(pending.awaited, Awaited::Past(_)));
                match answered.map(|pending| pending.awaited) {
                    Some(Awaited::Past(lost)) => self.look_at_past(*lost, &games)?,
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

    /// Handles a refusal. One of an older request than the last is of no interest any more.
    pub(super) async fn refused(&mut self, id: u32, refusal: Refusal) -> Result<SessionEvent, Failure> {
        if self.said.as_ref().is_some_and(|(said, _)| *said == id) {
            return Ok(SessionEvent::Refused {
                asked: self.said.take().map(|(_, words)| Action::Say(words)),
                refusal,
            });
        }
        if let Some(pending) = self.pending.as_mut().filter(|pending| pending.id != id) {
            pending.before.take_if(|before| before.id == id);
            return Ok(SessionEvent::Nothing);
        }
        let answered = self.pending.take();
        let awaited = answered.as_ref().map(|pending| pending.awaited.clone());
        if matches!(refusal, Refusal::Halted { .. }) {
            if let Some(Awaited::Action(action)) = &awaited
                && self.leaves_unrecorded(Some(action))
            {
                return Ok(SessionEvent::LeftUnrecorded);
            }
            // A move that was made before is not answered yet.
            self.pending = answered.and_then(|refused| refused.before).map(|before| *before);
        }
        match awaited {
            Some(Awaited::Return) => self.turned_away(refusal).await,
            // A client that returns to the hall receives the list of lobbies first.
            Some(Awaited::Action(Action::Look)) if self.is_lost() => self.turned_away(refusal).await,
            Some(Awaited::Past(lost)) => self.look_at_past(*lost, &[]),
            Some(Awaited::Action(action)) if action.is_for_new_seat() => {
                self.not_entered(action, refusal).await
            }
            Some(Awaited::Action(action)) => Ok(SessionEvent::Refused { asked: Some(action), refusal }),
            None => Ok(SessionEvent::Refused { asked: None, refusal }),
        }
    }

    /// A new seat is refused.
    pub(super) async fn not_entered(
        &mut self,
        action: Action,
        refusal: Refusal,
    ) -> Result<SessionEvent, Failure> {
        if let (Refusal::Hall(HallRefusal::SeatHeld { code }), Some(ticket)) = (&refusal, self.model.ticket())
        {
            // The server granted an earlier request, and the client did not receive the answer.
            match (&action, &mut self.keeper) {
                (Action::Join(wanted, _), Some(keeper)) if wanted != code => {
                    keeper.forget_ticket();
                    self.act(action).await?;
                }
                _ => self.ask_hall(Awaited::Return, reconnect::by_ticket(*code, ticket, 0)).await?,
            }
            return Ok(SessionEvent::Nothing);
        }
        // A client that asked again over another connection is in the hall there, and has not seen its list.
        if self.reconnecting.take().is_some() {
            self.ask_hall(Awaited::Action(Action::Look), HallRequest::Look).await?;
        }
        Ok(SessionEvent::Refused { asked: Some(action), refusal })
    }

    /// Goes to the hall if there is nothing more for the client here.
    pub(super) async fn leave_what_is_over(&mut self) -> Result<(), Failure> {
        let is_over = self.model.halted().is_none() && self.model.lobby().is_some_and(is_over_for);
        if is_over && !self.is_leaving() {
            self.ask_lobby(Action::Leave).await?;
        }
        Ok(())
    }

    pub(super) fn enter(&mut self) -> SessionEvent {
        (self.pending, self.arriving, self.reconnecting) = (None, false, None);
        SessionEvent::Entered
    }

    pub(super) fn happen(&mut self, event: Event, before: Option<MyLobby>) -> SessionEvent {
        let Some(before) = before else { return SessionEvent::Nothing };
        // A client that leaves waits for the message that it is outside.
        if !self.is_leaving() && before.is_answered_by(&event) {
            self.pending = None;
        }
        SessionEvent::Happened { event, before: Box::new(before.lobby) }
    }

    pub(super) fn look(&mut self, told: HallEvent, changes: Changes) -> SessionEvent {
        let HallEvent::Lobbies { complete, .. } = told;
        let looking = self.asked() == Some(&Action::Look);
        if looking && complete {
            (self.pending, self.arriving, self.reconnecting) = (None, false, None);
        }
        SessionEvent::Hall { told, changes, looking }
    }

    /// Asks the server for this, or does it later if the connection is lost.
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
        let awaited = match action {
            Action::Return(_) => Awaited::Return,
            action => Awaited::Action(action),
        };
        self.ask_hall(awaited, request).await.map(|()| SendStatus::Now)
    }

    pub(super) async fn ask_hall(&mut self, awaited: Awaited, request: HallRequest) -> Result<(), Failure> {
        if let HallRequest::Return { ticket, .. } = &request {
            self.model.set_ticket(*ticket);
        }
        let is_repeated = matches!(&awaited, Awaited::Action(action) if action.is_for_new_seat());
        let id = match self.connection.ask_hall(request).await {
            Ok(id) => id,
            // The next event says that the connection is lost; the request is made again after that.
            Err(failure) if is_repeated && self.way_back(&failure).is_some() => 0,
            Err(failure) => return Err(failure),
        };
        self.pending = Some(Pending { awaited, id, turn: 0, before: None });
        Ok(())
    }

    pub(super) async fn ask_lobby(&mut self, action: Action) -> Result<SendStatus, Failure> {
        if let Some(reconnecting) = &mut self.reconnecting {
            return Ok(reconnecting.put_off(action, self.model.lobby()));
        }
        let turn = self.lobby().map_or(0, Lobby::turn);
        let Some(request) = action.lobby_request(turn) else { return Ok(SendStatus::Never) };
        let id = match self.connection.ask_lobby(request).await {
            Ok(id) => id,
            // The next event says that the connection is lost; what could not be sent is remembered until
            // then.
            Err(failure) if self.way_back(&failure).is_some() => 0,
            Err(failure) => return Err(failure),
        };
        let before = self.pending.take().and_then(Pending::unanswered_move).map(Box::new);
        self.pending = Some(Pending { awaited: Awaited::Action(action), id, turn, before });
        Ok(SendStatus::Now)
    }
}

/// Whether there is nothing more for a client in this lobby: it is closed, or the client's own seat was given
/// up, while nothing was heard from it over a connection that is there all the same.
fn is_over_for(mine: &MyLobby) -> bool {
    let has_lost_seat = mine.you().is_some() && mine.side().is_none();
    has_lost_seat || mine.lobby.phase() == Phase::Closed
}

fn tells_the_time(message: &ToClient) -> bool {
    matches!(
        message,
        ToClient::Entered { .. }
            | ToClient::Watching { .. }
            | ToClient::Returned { .. }
            | ToClient::Lobby { .. }
            | ToClient::Halted { .. }
    )
}
