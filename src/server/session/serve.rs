//! A connection after the welcome: receives its requests, and grants or refuses them.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::time::Instant;

use super::location::Location;
use super::receiver::{End, Received, Receiver};
use crate::bot::Stop;
use crate::game::notation::printable;
use crate::lobby::{self, Text, Who};
use crate::number::saturating;
use crate::server::app::App;
use crate::server::connection::Connection;
use crate::server::limits::{AddressLimits, Bucket, MAX_WAIT, Rate, TooFast};
use crate::server::lobby::PlayedMove;
use crate::server::names::NameClaim;
use crate::server::record_service::PendingAnswer;
use crate::server::think_pool::JobHandle;
use crate::study;
use crate::wire::limits::{MAX_CHAT, SAID_WITHIN};
use crate::wire::{
    ChatRefusal, Farewell, LobbyRequest, Misplaced, Refusal, Review, ToClient, ToServer, Worth, encode,
};

/// How many messages of one connection are answered before other tasks run.
const MAX_AT_ONCE: usize = 8;

/// A connection that was welcomed.
pub(super) struct Session {
    receiver: Receiver,
    /// The rate limits of its address.
    pub(super) limits: Arc<AddressLimits>,
    pub(super) name: Arc<NameClaim>,
    /// `None` in the hall.
    pub(super) location: Option<Location>,
    /// The running job of this client, in its lobby.
    thinking: Option<Box<Thinking>>,
    /// The pending question to the record service.
    pub(super) reading: Option<Box<Reading>>,
    /// Whether the client has been reported as silent.
    is_silent: bool,
    /// The rate limit for chat, from the first line on.
    lines: Option<Box<Bucket>>,
}

/// A running job: a hint, or the evaluation of a move. One at a time.
struct Thinking {
    /// The client's number for the request.
    id: u32,
    about: About,
    /// `None` if there is no answer.
    job: JobHandle<Option<ToClient>>,
}

/// The subject of a job.
#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
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

impl Session {
    pub(super) fn new(receiver: Receiver, limits: Arc<AddressLimits>, name: Arc<NameClaim>) -> Self {
        Self {
            receiver,
            limits,
            name,
            location: None,
            thinking: None,
            reading: None,
            is_silent: false,
            lines: None,
        }
    }

    pub(super) fn connection(&self) -> &Arc<Connection> {
        &self.receiver.connection
    }

    pub(super) fn app(&self) -> &Arc<App> {
        &self.receiver.app
    }

    /// Serves the connection until it is to end. It is polled by hand, so that an idle connection needs no
    /// more memory than its state. A finished job comes before incoming frames: a client that sends without
    /// end would never get its answer otherwise.
    pub(super) fn poll_serve(&mut self, context: &mut Context<'_>) -> Poll<End> {
        for _ in 0..MAX_AT_ONCE {
            if let Some(thinking) = &mut self.thinking
                && let Poll::Ready(answer) = Pin::new(&mut thinking.job).poll(context)
            {
                self.thinking = None;
                // There is an answer unless the server is stopping.
                answer.flatten().inspect(|answer| self.connection().send(answer));
            } else if let Some(reading) = &mut self.reading
                && let Poll::Ready(answer) = Pin::new(&mut reading.answer).poll(context)
            {
                self.send_answer(answer.ok());
            } else {
                match ready!(self.receiver.poll_next(context)) {
                    Ok(Received::Silence(since)) => self.note_silence(Some(since)),
                    Ok(Received::Message(message)) => self.handle(message),
                    Err(end) => return Poll::Ready(end),
                }
            }
        }
        // Others that are ready come first.
        context.waker().wake_by_ref();
        Poll::Pending
    }

    fn handle(&mut self, message: ToServer) {
        if self.is_silent {
            self.note_silence(None);
        }
        match message {
            ToServer::Hello(_) => self.refuse(0, Misplaced::SecondHello),
            ToServer::Hall { id, request } => {
                let answered = self.answer_in_hall(id, request);
                answered.unwrap_or_else(|refusal| self.refuse(id, refusal));
            }
            ToServer::Lobby { id, request } => {
                let answered = self.answer_in_lobby(id, request);
                answered.unwrap_or_else(|refusal| self.refuse(id, refusal));
            }
            ToServer::Ping(number) => {
                self.count_sign();
                self.send_despite_halt(&ToClient::Pong(number));
            }
            ToServer::Pong(_) => self.count_sign(),
        }
    }

    /// Reports to the lobby that a player's connection is silent since this instant, or is not silent any
    /// more.
    fn note_silence(&mut self, heard: Option<Instant>) {
        self.is_silent = heard.is_some();
        if let Some(Location { lobby, who: Who::Player(player), .. }) = &self.location {
            lobby.note_silence(*player, self.connection(), heard);
        }
    }

    /// Charges a request to its address. Pauses reading until a debt is paid.
    pub(super) fn charge(&mut self, price: u32) -> Result<(), Refusal> {
        let wait = self.limits.request(price);
        self.receiver.pause_reading(*wait.as_ref().unwrap_or(&MAX_WAIT));
        wait.map(drop).map_err(|TooFast| Refusal::TooFast { most: self.app().config.max_requests_each })
    }

    /// Charges a sign of life, which is never refused.
    fn count_sign(&mut self) {
        // Instead of a refusal, reading is paused.
        let _ = self.charge(1);
    }

    /// Refuses everything while the journal is failing: an event that cannot be recorded must not happen.
    pub(super) fn check_journal(&self) -> Result<(), Refusal> {
        match self.app().services.journal.error() {
            Some(error) => Err(Refusal::Halted { why: self.app().services.player_text(&error) }),
            None => Ok(()),
        }
    }

    /// Sends a message that reveals no unrecorded event, even while the journal is failing.
    pub(super) fn send_despite_halt(&self, message: &ToClient) {
        if self.app().services.journal.error().is_some() {
            self.connection().send_out_of_band(message);
        } else {
            self.connection().send(message);
        }
    }

    /// Refuses a request, and charges the refusal, which may pause reading.
    ///
    /// A lobby's refusal may depend on unrecorded events, and is sent after them. Others are sent even while
    /// nothing can be recorded.
    pub(super) fn refuse(&mut self, id: u32, refusal: impl Into<Refusal>) {
        let refusal = refusal.into();
        self.receiver.pause_reading(self.limits.refuse());
        tracing::debug!(%refusal, "refused");
        let (app, connection) = (self.app(), self.connection());
        app.services.metrics.note_refusal(&refusal);
        if app.services.journal.error().is_none() || matches!(refusal, Refusal::Lobby(_)) {
            let turn = self.location.as_ref().map_or(0, |location| location.lobby.turn());
            let told = encode(&ToClient::Refused { id, turn, refusal });
            app.services.journal.send_when_recorded(std::slice::from_ref(connection), &[told]);
        } else {
            // Which turn it is may not be recorded.
            connection.send_out_of_band(&ToClient::Refused { id, turn: 0, refusal });
        }
    }

    fn answer_in_lobby(&mut self, id: u32, request: LobbyRequest) -> Result<(), Refusal> {
        self.charge(1)?;
        // Leaving needs no journal if it causes no event and all earlier ones were sent.
        let may_leave = |location: &Location| location.lobby.leaving_has_effect(location.who);
        let needs_journal =
            || self.location.as_ref().is_some_and(may_leave) || self.connection().has_deferred();
        if request != LobbyRequest::Leave || needs_journal() {
            self.check_journal()?;
        }
        self.connection().note_request();
        let location = self.location.as_ref().ok_or(Misplaced::InHall)?;
        match request {
            LobbyRequest::Hint => {
                let (board, turn) = location.lobby.board_for_hint((location.who, self.connection()))?;
                self.think(id, About::Turn(turn), move |stop| {
                    let hint = study::hint(&board, stop)?;
                    Some(ToClient::Hint { turn, mv: hint.mv, words: Text::cut(&hint.words) })
                })?;
            }
            LobbyRequest::Review { number } => {
                let PlayedMove { board, mv, count } = location.lobby.played(number)?;
                self.think(id, About::Move(number), move |stop| {
                    let study::Review { before, after, words } = study::review(&board, mv, stop)?;
                    let (before, after, words) = (worth(before), worth(after), Text::cut(&words));
                    Some(ToClient::Reviewed(Review { number, count, mv, before, after, words }))
                })?;
            }
            LobbyRequest::Say { words } => self.say(&words)?,
            LobbyRequest::Leave => {
                self.cancel_job();
                if let Some(location) = self.location.take() {
                    location.leave();
                }
            }
            request => {
                let asking = (location.who, self.connection());
                location.lobby.ask(asking, request, self.receiver.last_received)?;
                // The position has changed, so the earlier job is obsolete.
                self.cancel_job();
            }
        }
        Ok(())
    }

    /// Starts a job, unless the same one is running.
    fn think(
        &mut self,
        id: u32,
        about: About,
        work: impl FnOnce(&Stop) -> Option<ToClient> + Send + 'static,
    ) -> Result<(), Refusal> {
        if self.thinking.as_ref().is_some_and(|thinking| thinking.about == about) {
            return Err(lobby::Refusal::HintPending.into());
        }
        self.cancel_job();
        let job = self.app().services.think_pool.think(self.connection().address(), work);
        self.thinking = Some(Box::new(Thinking { id, about, job }));
        Ok(())
    }

    /// Cancels an obsolete hint or evaluation, and reports it to the client.
    fn cancel_job(&mut self) {
        if let Some(thinking) = self.thinking.take() {
            self.refuse(thinking.id, lobby::Refusal::HintLate);
        }
    }

    /// Broadcasts a line of chat to the same room.
    fn say(&mut self, words: &Text<MAX_CHAT>) -> Result<(), Refusal> {
        let location = self.location.as_ref().ok_or(Misplaced::InHall)?;
        let most = self.receiver.app.config.max_lines;
        if most == 0 {
            return Err(Refusal::Chat(ChatRefusal::Off));
        }
        let line: String = printable(words.as_str().trim()).collect();
        if line.is_empty() {
            return Err(Refusal::Chat(ChatRefusal::Empty));
        }
        let now = self.receiver.last_received;
        let lines = self.lines.get_or_insert_with(|| Bucket::full(Rate::new(most, SAID_WITHIN), now).into());
        if !lines.take(now) {
            let seconds = saturating(SAID_WITHIN.as_secs());
            return Err(Refusal::Chat(ChatRefusal::TooFast { most, seconds }));
        }
        location.lobby.say(location.room(), self.name.name(), Text::cut(&line));
        Ok(())
    }

    /// Leaves the lobby, unless the server is stopping, and returns the connection.
    pub(super) fn finish(self, end: &End) -> Receiver {
        if let End::Farewell(Farewell::Stopping | Farewell::Kept) = end
            && let Some(location) = self.location
        {
            location.stay();
        }
        self.receiver
    }
}

/// The evaluation of a position as the protocol has it.
fn worth(known: Option<study::Known>) -> Worth {
    let Some(known) = known else { return Worth::Unknown };
    match known.verdict() {
        study::Verdict::Win => Worth::Win { moves: known.plies() },
        study::Verdict::Loss => Worth::Loss { moves: known.plies() },
        study::Verdict::Draw => Worth::Draw,
    }
}
