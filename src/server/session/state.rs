//! The state of a connection after the welcome, its rate limits, and how a request is refused.

use std::sync::Arc;

use super::elsewhere::Elsewhere;
use super::location::Location;
use super::receiver::Receiver;
use crate::lobby::Kind;
use crate::server::app::App;
use crate::server::connection::Connection;
use crate::server::job_pool::JobHandle;
use crate::server::limits::{AddressLimits, MAX_DEBT, TooFast};
use crate::server::names::NameClaim;
use crate::server::record_service::PendingAnswer;
use crate::wire::{Refusal, ToClient, encode};

/// A connection that was welcomed.
pub(super) struct ServerSession {
    pub(super) receiver: Receiver,
    pub(super) name: Arc<NameClaim>,
    /// Person or program.
    pub(super) kind: Kind,
    /// `None` in the hall, and in a lobby of another server.
    pub(super) location: Option<Location>,
    /// The way to a lobby of another server.
    pub(super) elsewhere: Option<Box<Elsewhere>>,
    /// Whether a client that another server passes on has made its one request in the hall.
    pub(super) has_asked: bool,
    /// The running job of this client, in its lobby.
    pub(super) thinking: Option<Box<Thinking>>,
    /// The pending question to the record service.
    pub(super) reading: Option<Box<Reading>>,
    /// Whether the client has been reported as silent.
    pub(super) is_silent: bool,
}

/// A running job: a hint, or the evaluation of a move. One at a time.
pub(super) struct Thinking {
    /// The client's number for the request.
    pub(super) id: u32,
    pub(super) about: About,
    /// `None` if there is no answer.
    pub(super) job: JobHandle<Option<ToClient>>,
}

/// The subject of a job.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// The best move of this turn.
    Turn(u32),
    /// The move of this number.
    Move(u32),
}

/// A question to the record service. One at a time.
pub(super) struct Reading {
    /// The client's number for the request.
    pub(super) id: u32,
    pub(super) answer: PendingAnswer,
}

impl ServerSession {
    pub(super) fn new(receiver: Receiver, name: Arc<NameClaim>, kind: Kind) -> Self {
        receiver.connection.set_name(&name);
        Self {
            receiver,
            name,
            kind,
            location: None,
            elsewhere: None,
            has_asked: false,
            thinking: None,
            reading: None,
            is_silent: false,
        }
    }

    pub(super) fn connection(&self) -> &Arc<Connection> {
        &self.receiver.connection
    }

    /// The rate limits of its address.
    pub(super) fn limits(&self) -> &AddressLimits {
        self.connection().limits()
    }

    pub(super) fn app(&self) -> &Arc<App> {
        &self.receiver.app
    }

    /// Charges a request to its address. Pauses reading until a debt is paid.
    pub(super) fn charge(&mut self, price: u32) -> Result<(), Refusal> {
        let pause = self.limits().request(price);
        self.receiver.pause_reading(*pause.as_ref().unwrap_or(&MAX_DEBT));
        pause.map(drop).map_err(|TooFast| Refusal::TooFast { most: self.app().config.max_requests_each })
    }

    /// Refuses while the journal is failing: an event that cannot be recorded must not happen.
    pub(super) fn check_journal(&self) -> Result<(), Refusal> {
        match self.app().services.journal.error() {
            Some(error) => Err(Refusal::Halted { why: self.app().services.player_text(&error) }),
            None => Ok(()),
        }
    }

    /// Refuses what may begin a game while the server drains.
    pub(super) fn check_drain(&self) -> Result<(), Refusal> {
        if self.app().services.drain.is_on() { Err(Refusal::Draining) } else { Ok(()) }
    }

    /// Sends a message that reveals no unrecorded event, even while the journal is failing.
    pub(super) fn send_despite_halt(&self, message: &ToClient) {
        if self.app().services.journal.error().is_some() {
            self.connection().send_out_of_band(message);
        } else {
            self.connection().send(message);
        }
    }

    /// Refuses a request.
    ///
    /// A lobby's refusal may depend on unrecorded events, and is sent after them; one in the hall, on what other servers
    /// have recorded. Others are sent even while nothing can be recorded.
    pub(super) fn refuse(&mut self, id: u32, refusal: impl Into<Refusal>) {
        let refusal = refusal.into();
        tracing::debug!(%refusal, "refused");
        let (app, connection) = (self.app(), self.connection());
        app.services.metrics.note_refusal(&refusal);
        let depends = match refusal {
            Refusal::Lobby(_) => true,
            Refusal::Hall(_) => app.services.peers.is_some(),
            _ => false,
        };
        if depends || app.services.journal.error().is_none() {
            let turn = self.location.as_ref().map_or(0, |location| location.lobby.turn());
            let told = encode(&ToClient::Refused { id, turn, refusal });
            app.services.journal.send_when_recorded(std::slice::from_ref(connection), &[told]);
        } else {
            // Which turn it is may not be recorded.
            connection.send_out_of_band(&ToClient::Refused { id, turn: 0, refusal });
        }
    }
}
