//! One connection: greets, then grants or refuses what it asks, until it ends.
//!
//! The types follow the protocol's places: before the hello there is only [`Receiver`], after it a
//! [`Session`] with a name, which is in the hall or holds a [`Seat`].

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use super::app::App;
use super::connection::Connection;
use super::limits::{AddressLimits, Bucket, MAX_WAIT, TooFast};
use super::names::NameClaim;
use super::seat::{Gallery, Seat};
use crate::study;
use crate::wire::{
    Farewell, HallRefusal, HelloRefusal, Misplaced, Refusal, ToClient, ToServer, Worth, encode,
};

mod conditions;
mod greeting;
mod hall;
mod inbox;
mod lobby;
mod next;
mod reading;
mod receiver;
mod run;
mod thinking;

use next::Next;
use reading::Reading;
use receiver::{Heard, Receiver};
pub(super) use run::{Run, turn_away};
use thinking::Thinking;

/// One line for somebody who came with a browser.
const FOR_BROWSERS: &str = concat!(
    "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n",
    "This is a nim game server, not a web site: play here with `nim-client connect HOST:PORT`.\n",
);

/// How many messages of one connection are answered before it is the others' turn.
const MAX_AT_ONCE: usize = 8;

/// Why a connection ends.
#[derive(Debug)]
enum End {
    /// The other side closed it, or it broke.
    Gone,
    /// The server ends it, with a word.
    Farewell(Farewell),
    /// It never got past the hello.
    Unwelcome(HelloRefusal),
    /// It speaks something else; this is said to it, if anything.
    Stranger(&'static str),
}

impl End {
    /// What it is called among the numbers.
    fn reason(&self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Farewell(word) => word.into(),
            Self::Unwelcome(refusal) => refusal.into(),
            Self::Stranger(_) => "stranger",
        }
    }
}

/// A connection that was welcomed.
struct Session {
    receiver: Receiver,
    name: Arc<NameClaim>,
    location: Location,
    /// What is being thought of for it, of its place in a lobby.
    thinking: Option<Box<Thinking>>,
    /// What is being read for it, wherever it is meanwhile.
    reading: Option<Box<Reading>>,
    /// Nothing has been heard for a while.
    missed: bool,
    /// What its address may do.
    limits: Arc<AddressLimits>,
    /// Lines of chat, since the first one.
    lines: Option<Box<Bucket>>,
}

/// Where a connection is, which decides what it may ask.
enum Location {
    Hall,
    Lobby(Seat),
    Gallery(Gallery),
}

impl Location {
    /// Whether something happens in a lobby when it is left: it is not closed, and the seat is still theirs.
    fn is_held(&self) -> bool {
        match self {
            Self::Hall => false,
            Self::Lobby(seat) => seat.is_held(),
            Self::Gallery(gallery) => gallery.lobby().is_open(),
        }
    }
}

impl Session {
    fn new(receiver: Receiver, limits: Arc<AddressLimits>, name: Arc<NameClaim>) -> Self {
        Self {
            limits,
            lines: None,
            receiver,
            name,
            location: Location::Hall,
            thinking: None,
            reading: None,
            missed: false,
        }
    }

    /// Serves the connection until it is to end. It is polled by hand, so that a connection at rest is no larger than what is
    /// known of it.
    fn poll_serve(&mut self, context: &mut Context<'_>) -> Poll<End> {
        for _ in 0..MAX_AT_ONCE {
            match ready!(self.poll_next(context)) {
                Ok(Next::Thought(answer)) => self.tell_thought(answer),
                Ok(Next::Answer(answer)) => self.tell_what_was_read(answer),
                Ok(Next::Heard(Heard::Silence(since))) => self.note_silence(Some(since)),
                Ok(Next::Heard(Heard::Message(message))) => self.hear(message),
                Err(end) => return Poll::Ready(end),
            }
        }
        // Others that are ready come first.
        context.waker().wake_by_ref();
        Poll::Pending
    }

    fn hear(&mut self, message: ToServer) {
        if self.missed {
            self.note_silence(None);
        }
        self.answer(message);
    }

    /// Takes a request's price from what the address may ask. The connection is not read until a debt is paid.
    fn may_ask(&mut self, price: u32) -> Result<(), Refusal> {
        let wait = self.limits.request(price);
        self.receiver.hold(*wait.as_ref().unwrap_or(&MAX_WAIT));
        wait.map(drop).map_err(|TooFast| Refusal::TooFast { most: self.app().config.max_requests_each })
    }

    /// Counts a sign of life. It is never refused.
    fn count_sign(&mut self) {
        // Where it would be, the connection is read later.
        let _ = self.may_ask(1);
    }

    /// Nothing has been heard since then, or something again: whoever waits for a move would like to know.
    fn note_silence(&mut self, heard: Option<tokio::time::Instant>) {
        self.missed = heard.is_some();
        if let Location::Lobby(seat) = &self.location {
            seat.note_silence(heard);
        }
    }

    fn connection(&self) -> &Arc<Connection> {
        &self.receiver.connection
    }

    fn app(&self) -> &Arc<App> {
        &self.receiver.app
    }

    fn answer(&mut self, message: ToServer) {
        match message {
            ToServer::Hello(_) => self.refuse(0, Misplaced::SecondHello.into()),
            ToServer::Hall { id, request } => {
                if let Err(refusal) = self.answer_in_hall(id, request) {
                    self.refuse(id, refusal);
                }
            }
            ToServer::Lobby { id, request } => self.answer_in_lobby(id, request),
            ToServer::Ping(number) => self.answer_ping(number),
            ToServer::Pong(_) => self.count_sign(),
        }
    }

    fn answer_ping(&mut self, number: u32) {
        self.count_sign();
        let pong = ToClient::Pong(number);
        // Who waits for the disk is alive all the same.
        if self.app().journal.error().is_some() {
            self.connection().tell_at_once(&pong);
        } else {
            self.connection().tell(&pong);
        }
    }

    /// Whether anything is granted now: what cannot be recorded must not happen, and an answer that speaks of it would have to
    /// wait with it.
    fn may_happen(&self) -> Result<(), Refusal> {
        match self.app().journal.error() {
            Some(trouble) => Err(Refusal::Halted { why: self.app().told_of(&trouble) }),
            None => Ok(()),
        }
    }

    fn refuse(&mut self, id: u32, refusal: Refusal) {
        if self.app().journal.error().is_some() {
            return self.refuse_at_once(id, refusal);
        }
        let turn = match &self.location {
            Location::Hall => 0,
            Location::Lobby(seat) => seat.lobby().turn(),
            Location::Gallery(gallery) => gallery.lobby().turn(),
        };
        self.refuse_at(id, turn, refusal);
    }

    /// Refuses something, for a reason that may be true only through what is not recorded yet: it is told behind that.
    fn refuse_at(&mut self, id: u32, turn: u32, refusal: Refusal) {
        self.note_refusal(&refusal);
        let told = encode(&ToClient::Refused { id, turn, refusal });
        self.app().journal.tell(std::slice::from_ref(self.connection()), &[told]);
    }

    /// Refuses something while nothing can be recorded: what waits to be told may wait for long. Which turn it is may not be
    /// recorded, so that nobody is told.
    fn refuse_at_once(&mut self, id: u32, refusal: Refusal) {
        self.note_refusal(&refusal);
        self.connection().tell_at_once(&ToClient::Refused { id, turn: 0, refusal });
    }

    /// Counts a refusal. Beyond what its address may be refused, the connection is read more slowly.
    fn note_refusal(&mut self, refusal: &Refusal) {
        self.receiver.hold(self.limits.refuse());
        tracing::debug!(%refusal, "refused");
        self.app().metrics.note_refusal(refusal);
    }

    /// Gives the seat up, unless it is the server that goes. What is left is the connection.
    fn finish(self, end: &End) -> Receiver {
        if let (Location::Lobby(seat), End::Farewell(Farewell::Stopping | Farewell::Kept)) =
            (self.location, end)
        {
            seat.stay();
        }
        self.receiver
    }
}

impl From<Misplaced> for Refusal {
    fn from(misplaced: Misplaced) -> Self {
        Self::Misplaced(misplaced)
    }
}

impl From<HallRefusal> for Refusal {
    fn from(refusal: HallRefusal) -> Self {
        Self::Hall(refusal)
    }
}

impl From<Option<study::Known>> for Worth {
    fn from(known: Option<study::Known>) -> Self {
        let Some(known) = known else { return Self::Unknown };
        match known.verdict() {
            study::Verdict::Win => Self::Win { moves: known.plies() },
            study::Verdict::Loss => Self::Loss { moves: known.plies() },
            study::Verdict::Draw => Self::Draw,
        }
    }
}

impl From<crate::lobby::Refusal> for Refusal {
    fn from(refusal: crate::lobby::Refusal) -> Self {
        Self::Lobby(refusal)
    }
}
