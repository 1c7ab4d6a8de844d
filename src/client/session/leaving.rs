//! Leaving a lobby, and what a later run of the program can resume. A player gives the seat up, or keeps it:
//! then the connection closes, and the agreed rule for absences applies. While the host cannot record, a
//! request to leave is refused; quitting then keeps the seat.

use std::time::Duration;

use tokio::time::Instant;

use super::event::{SendStatus, SessionEvent};
use super::offline::Reconnecting;
use super::seat_keeper::{SeatKeeper, SeatWarning};
use super::state::{ClaimedSeat, Flow, OwnSeat, Session};
use crate::client::failure::{Kept, Resumable};
use crate::client::record_source::RemoteRecords;
use crate::client::redial::{Cause, Reconnect};
use crate::client::{Action, Endpoint, Failure, Leaving, SavedSeat};
use crate::lobby::{Code, Lobby, Phase};
use crate::wire::{Farewell, ToClient};

/// How long quitting waits for the server's answer: long for a local network, short for a person.
const QUIT_DEADLINE: Duration = Duration::from_secs(5);

impl Session {
    /// Whether the client plays in a game that is in progress, or in a match that is not decided, so that giving
    /// the seat up would lose it. A game at this keyboard counts from its first move on.
    pub fn has_game(&self) -> bool {
        let has_begun = |lobby: &Lobby| {
            let has_moved = self.is_move_pending() || lobby.past().next().is_some();
            self.endpoint.is_some() || lobby.games() > 1 || has_moved
        };
        let is_at_stake =
            |lobby: &Lobby| lobby.is_between_games() || lobby.phase() == Phase::Playing && has_begun(lobby);
        !self.is_watching() && self.lobby().is_some_and(is_at_stake)
    }

    /// How a client leaves that was not asked: a game in progress is kept, if that is possible.
    pub fn usual_leaving(&self) -> Leaving {
        if self.has_game() && self.resumable() != Resumable::Nothing {
            Leaving::Keep
        } else {
            Leaving::GiveUp
        }
    }

    /// Ends the session and keeps the seat: nothing is left to wait for.
    pub(super) fn quit_and_keep(&mut self) -> SendStatus {
        self.quitting = true;
        SendStatus::Done
    }

    /// Goes back to the hall and keeps the seat, over a new connection: a player with a seat and a connection is
    /// present. There is no hall in this program's own server, so that the session ends there.
    pub(super) fn step_out(&mut self) -> SendStatus {
        if self.endpoint.is_none() {
            return self.quit_and_keep();
        }
        self.stepping_out = true;
        SendStatus::Now
    }

    /// Closes the connection, and connects anew for the hall.
    pub(super) fn on_stepped_out(&mut self) -> Result<SessionEvent, Failure> {
        self.save_seat_again();
        self.connection.close();
        if let Some(keeper) = &mut self.keeper {
            keeper.release();
        }
        (self.pending, self.said, self.claimed, self.password) = (None, None, None, None);
        (self.stepping_out, self.reconnecting) = (false, None);
        self.stay();
        self.model.apply(&ToClient::Outside).map_err(Failure::nonsense)?;
        if let Some(endpoint) = &self.endpoint {
            let patience = endpoint.patience.max(QUIT_DEADLINE);
            let mut reconnecting = Box::new(Reconnecting::new(patience));
            let endpoint = Endpoint { patience, ..endpoint.clone() };
            let last = self.reached_at.take().map_or_else(|| endpoint.address.clone(), |address| *address);
            reconnecting.reconnect = Some(Reconnect::begin(&endpoint, &last, Cause::Closed, patience, None));
            self.reconnecting = Some(reconnecting);
        }
        Ok(SessionEvent::Outside)
    }

    /// Asks to leave for good, once reconnected if the connection is lost. If the server cannot record, if no
    /// game is lost while the connection is, or on the second call while the first has no answer, there is
    /// nothing to wait for, and the session [ends without leaving](Self::end_without_leaving).
    pub(super) fn quit(&mut self) -> SendStatus {
        if self.model.lobby().is_none() {
            return SendStatus::Done;
        }
        self.quitting = true;
        // Without a connection nobody waits for an answer where no game is lost.
        if self.cannot_leave_now() || self.is_away() && !self.is_going() && !self.has_game() {
            return SendStatus::Done;
        }
        self.ask_lobby(Action::Quit(Leaving::GiveUp))
    }

    /// Whether quitting ends the session at once: leaving is impossible now, or was asked for before.
    pub fn cannot_leave_now(&self) -> bool {
        self.leaves_later() || self.is_halted() || self.asks_to_quit()
    }

    /// Whether quitting has no answer yet.
    pub fn asks_to_quit(&self) -> bool {
        self.asked() == Some(&Action::Quit(Leaving::GiveUp))
    }

    /// When the session ends although quitting has no answer.
    pub(super) fn quit_due(&self) -> Option<Instant> {
        self.pending.as_ref().filter(|_| self.asks_to_quit()).map(|pending| pending.since + QUIT_DEADLINE)
    }

    /// The failure of a client that has gone without an answer.
    pub(super) fn unanswered(&self) -> Failure {
        Failure::Unanswered { kept: self.resumable_by_player() }
    }

    /// Ends the session without leaving. While the connection is lost, or quitting has no answer, returns an
    /// error that says what a later run can resume.
    pub fn end_without_leaving(&mut self) -> Result<Flow, Failure> {
        self.save_seat_again();
        let seat = self.model.lobby().filter(|mine| mine.side().is_some() && self.is_away());
        match (self.resumable(), seat) {
            _ if self.asks_to_quit() => Err(self.unanswered()),
            (Resumable::Seat, Some(mine)) => {
                Err(Failure::Departed { code: mine.lobby.code(), kept: Kept::of(&mine.lobby) })
            }
            _ => Ok(Flow::Break(())),
        }
    }

    /// Whether the session ends if this request to leave cannot be recorded: it quits, or the game is on this
    /// machine.
    pub(super) fn leaves_unrecorded(&self, asked: Option<&Action>) -> bool {
        let is_kept_here = self.resumable() == Resumable::Game;
        asked.is_some_and(|action| matches!(action, Action::Quit(_)) || (action.is_leave() && is_kept_here))
    }

    /// Takes the warning about saving the seat, if there is a new one.
    pub fn seat_warning(&mut self) -> Option<SeatWarning> {
        self.keeper.as_mut()?.warning()
    }

    /// The server's records; `None` for the server inside this program.
    pub fn record_source(&self) -> Option<RemoteRecords> {
        let seats = self.keeper.as_ref().map(|keeper| keeper.seats().clone());
        let Endpoint { address, default_port, network, .. } = self.endpoint.as_ref()?;
        Some(RemoteRecords::at(address, *default_port, network.clone(), seats))
    }

    /// The client is about to ask for this seat, which an earlier run of the program saved.
    pub(super) fn claim(&mut self, seat: &SavedSeat) {
        let own = OwnSeat { code: seat.code, name: seat.name.clone(), ticket: seat.ticket };
        self.claimed = Some(Box::new(ClaimedSeat { seat: own, replaced: None }));
        if let Some(keeper) = &mut self.keeper {
            keeper.claim(seat);
        }
    }

    /// Saves the client's current seat. A claimed seat stays saved until the client has entered its lobby.
    pub(super) fn save_seat(&mut self) {
        let mine = self.model.lobby();
        if let Some(keeper) = self.keeper.as_mut().filter(|_| mine.is_some() || self.claimed.is_none()) {
            keeper.update(mine);
        }
    }

    /// Looks for the saved seats on this server.
    pub(super) fn find_own_seats(&mut self) {
        self.own_seats = self.seats_here();
    }

    fn seats_here(&self) -> Vec<SavedSeat> {
        let seats = self.keeper.as_deref().map(SeatKeeper::seats).zip(self.endpoint.as_ref());
        let found = seats.and_then(|(seats, there)| seats.free_on(&there.address, there.default_port).ok());
        found.unwrap_or_default()
    }

    /// The lobby on this server in which a saved seat of the person has this name.
    pub fn own_lobby_as(&self, name: &str) -> Option<Code> {
        let mut seats = self.seats_here().into_iter();
        seats.find(|seat| seat.name.as_str() == name).map(|seat| seat.code)
    }

    /// Marks the saved seat as given up.
    pub(super) fn forget_seat(&mut self) {
        if let Some(keeper) = &mut self.keeper {
            keeper.forget();
            keeper.forget_ticket();
        }
    }

    /// What a later run of the program can resume; nothing for a watcher.
    pub fn resumable_by_player(&self) -> Resumable {
        if self.is_watching() { Resumable::Nothing } else { self.resumable() }
    }

    /// What a later run of the program can resume, by the saved seat.
    fn resumable(&self) -> Resumable {
        match (&self.keeper, &self.endpoint) {
            (Some(keeper), Some(_)) if keeper.has_saved() => Resumable::Seat,
            (Some(keeper), None) if keeper.has_saved() => Resumable::Game,
            _ => Resumable::Nothing,
        }
    }

    /// The failure that ends the session without an attempt to reconnect, with what a later run can resume.
    pub(super) fn with_resumable(&mut self, failure: Failure) -> Failure {
        if failure.is_of_connection() {
            self.save_seat_again();
        }
        if matches!(failure, Failure::Goodbye(Farewell::LobbyClosed | Farewell::NoDiskSpace)) {
            self.forget_seat();
        }
        let has_seat = self.model.lobby().is_some_and(|mine| mine.side().is_some());
        let kept = self.resumable();
        if !has_seat || self.quitting || kept == Resumable::Nothing || !failure.is_of_connection() {
            return failure;
        }
        Failure::Dropped { failure: Box::new(failure), kept }
    }

    /// Handles the end of input, which keeps the seat. For a player in a running game it is also an error.
    pub fn end_of_input(&mut self) -> Result<Flow, Failure> {
        self.save_seat_again();
        match self.lobby().map(Lobby::phase) {
            Some(Phase::Playing) if !self.is_watching() => {
                Err(Failure::EndOfInput { kept: self.resumable() })
            }
            _ => Ok(Flow::Break(())),
        }
    }

    /// Saves the seat as it is now, also in case that failed before.
    fn save_seat_again(&mut self) {
        if self.reconnecting.is_none() {
            self.save_seat();
            if let Some(keeper) = &mut self.keeper {
                keeper.save_now();
            }
        }
    }
}
