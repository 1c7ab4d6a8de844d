//! Going to the server that has the client's lobby, while the game goes on over another one: the new connection is made
//! first, and the present one is kept until the seat is granted over the new one. So nobody notices it, and where it fails
//! nothing is lost.

use super::event::SessionEvent;
use super::state::Session;
use crate::client::model::MyLobby;
use crate::client::redial::{Reached, Reconnect};
use crate::client::{Address, Failure};

impl Session {
    /// Handles that the lobby is at the server with this address: connects to it in a moment. Where that fails, everything
    /// stays as it is. A text that is no address is ignored, and so is the address at which the client is: all servers may
    /// have that one. What a server says to which the client has gone already is ignored as well: nodes whose addresses
    /// lead to each other would send it to and fro.
    pub(super) fn on_lobby_at(&mut self, address: &str) -> SessionEvent {
        let endpoint =
            self.endpoint.as_ref().filter(|endpoint| !endpoint.patience.is_zero() && !self.has_gone);
        if let (Some(endpoint), Ok(address)) = (endpoint, address.parse::<Address>())
            && !endpoint.is_same(self.reached_at.as_deref().unwrap_or(&endpoint.address), &address)
        {
            self.nearer = Some(Reconnect::begin_nearer(endpoint, address));
        }
        SessionEvent::Nothing
    }

    /// The client goes nowhere until it is told anew where its lobby is.
    pub(super) fn stay(&mut self) {
        (self.nearer, self.has_gone) = (None, false);
    }

    /// Whether the client has asked a nearer server for the seat, and the connection before still leads to it.
    pub(super) fn is_going(&self) -> bool {
        self.reconnecting.as_ref().is_some_and(|reconnecting| reconnecting.left.is_some())
    }

    /// Closes the connection over which the client played before, which does not lead to the seat any more.
    pub(super) fn forget_left(&mut self) {
        if let Some(reconnecting) = &mut self.reconnecting {
            reconnecting.left = None;
        }
    }

    /// Whether the client can go to a nearer server and lose nothing: it waits for no answer, and its clock stands still.
    pub(super) fn may_go(&self) -> bool {
        let is_timed = self.has_clocks() && self.model.lobby().is_some_and(MyLobby::is_to_move);
        !self.is_away() && self.pending.is_none() && self.said.is_none() && !is_timed
    }

    /// Handles that the nearer server is reached: asks it for the seat.
    pub(super) fn on_nearer(&mut self, reached: Reached) -> Result<SessionEvent, Failure> {
        let (silence, most) = reached.connection.silence();
        if silence >= most {
            // It was connected while the client could not go, and the server may have given it up by now.
            self.nearer = self.endpoint.as_ref().map(|there| Reconnect::begin_nearer(there, reached.address));
            return Ok(SessionEvent::Nothing);
        }
        // Another message may have come first.
        if self.lobby().is_none() || !self.may_go() || !self.begin_move() {
            return Ok(SessionEvent::Nothing);
        }
        let left = self.switch_to(reached);
        self.has_gone = true;
        if let Some(reconnecting) = &mut self.reconnecting {
            reconnecting.left = left.map(Box::new);
        }
        self.ask_again()
    }

    /// Goes back to the connection that still leads to the seat, since the nearer server does not grant the return. `None`
    /// if there is none.
    pub(super) fn go_back(&mut self) -> Option<SessionEvent> {
        let left = self.reconnecting.as_mut()?.left.take()?;
        self.switch_to(*left);
        Some(self.on_returned(false, Vec::new()))
    }
}
