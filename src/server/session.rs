//! One connection: greets, then grants or refuses what it asks, until it ends.
//!
//! The types follow the protocol's places: before the hello there is only [`Receiver`], after it a
//! [`Session`] with a name, which is in the hall or holds a [`Seat`].

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::allowance::Allowance;
use super::connections::{Connected, Standing};
use super::house::House;
use super::link::Link;
use super::names::NameClaim;
use super::seat::{Gallery, Seat};
use super::socket::Incoming;
use super::table::TICKET_PING;
use crate::lobby::{Name, Text};
use crate::study;
use crate::wire::limits::SAID_WITHIN;
use crate::wire::{
    Farewell, Greeting, HallRefusal, HelloRefusal, Misplaced, Opening, Refusal, ToClient, ToServer, VERSION,
    Worth, decode, encode, opening,
};

mod hall;
mod inbox;
mod lobby;
mod pace;
mod reading;
mod receiver;
mod terms;
mod thinking;

use pace::{Pace, SLOWED};
use reading::{Reading, read_of};
use receiver::{Heard, Receiver};
use thinking::{Thinking, thought_of};

/// How long a connection that is being closed may take over its last messages.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The most bytes that are read and dropped from a connection that is being closed.
const MAX_DRAINED: usize = 256 * 1024;

/// What this program calls itself in the welcome.
const PROGRAM: &str = concat!("nim-server ", env!("CARGO_PKG_VERSION"));

/// One line for somebody who came with a browser.
const FOR_BROWSERS: &str = concat!(
    "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n",
    "This is a nim game server, not a web site: play here with `nim-client connect HOST:PORT`.\n",
);

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

/// Serves a connection to its end.
///
/// A task is as large as the largest of what it waits for. What takes a moment is boxed, so that it is not the size of all
/// the tasks that wait for a request.
pub(super) async fn run(connected: Connected, link: Arc<Link>, incoming: Incoming) {
    let house = connected.house();
    let mut receiver = Receiver::new(Arc::clone(&link), incoming, &house.config);
    let end = match Box::pin(greet(&connected, &mut receiver)).await {
        Ok((asked, name)) => {
            note_welcome(&asked, name.name());
            let mut session = Session::new(&connected, &mut receiver, name);
            let end = session.serve().await;
            session.finish(&end);
            end
        }
        Err(end) => end,
    };
    tracing::info!(?end, "closed");
    house.metrics.note_end(end.reason());
    Box::pin(close(&link, receiver.into_incoming(), end)).await;
}

/// Tells a connection why it is not taken in, and closes it.
pub(super) async fn turn_away(link: Arc<Link>, incoming: Incoming, refusal: HelloRefusal) {
    close(&link, incoming, End::Unwelcome(refusal)).await;
}

/// For the host. Whoever comes back to a seat has its name, and asks for it once more: another is given until then.
fn note_welcome(asked: &Name, given: &Name) {
    if asked == given {
        tracing::info!(name = %asked, "welcome");
    } else {
        tracing::info!(name = %asked, called = %given, "welcome: the name is in use");
    }
}

/// What whoever came asks to be called, and is called, once they have said hello.
async fn greet(connected: &Connected, receiver: &mut Receiver) -> Result<(Name, Arc<NameClaim>), End> {
    let (body, house) = (receiver.first_body().await?, connected.house());
    let hello = match opening(&body) {
        Opening::Stranger => return Err(End::Unwelcome(HelloRefusal::NotHello)),
        Opening::Hello(yours) if yours != VERSION => {
            return Err(End::Unwelcome(HelloRefusal::Version { yours: yours.into(), ours: VERSION.into() }));
        }
        Opening::Hello(_) => decode(&body),
    };
    let name = match hello {
        Ok(ToServer::Hello(Greeting { name, .. })) => name,
        Ok(_) => return Err(End::Unwelcome(HelloRefusal::NotHello)),
        Err(error) => return Err(End::Unwelcome(HelloRefusal::Malformed(Text::cut(&error.to_string())))),
    };
    let asked = Name::clean(name.as_str()).map_err(|fault| End::Unwelcome(HelloRefusal::Name(fault)))?;
    connected.stands(Standing::Loose);
    let address = receiver.link.address();
    // What is asked over one connection after the other is asked too much as well.
    if !house.hellos.take(address) || house.requests.is_spent(address) {
        receiver.hold(SLOWED);
        receiver.wait_for_the_welcome().await?;
    }
    let name = Arc::new(house.names.claim(&asked));
    receiver.link.tell(&ToClient::Welcome {
        version: VERSION,
        name: name.name().clone(),
        server: Text::cut(PROGRAM),
        ping_after: millis(house.config.ping_after),
        gone_after: millis(house.config.gone_after),
    });
    Ok((asked, name))
}

/// A duration as the protocol carries it; the longest is 49 days.
fn millis(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}

/// A connection that was welcomed.
struct Session<'a> {
    connected: &'a Connected,
    house: Arc<House>,
    receiver: &'a mut Receiver,
    name: Arc<NameClaim>,
    place: Place,
    /// What is being thought of for it, of its place in a lobby.
    thinking: Option<Thinking>,
    /// What is being read for it, wherever it is meanwhile.
    reading: Option<Reading>,
    /// Nothing has been heard for a while.
    missed: bool,
    standing: Standing,
    pace: Pace,
    lines: Allowance,
}

/// Where a connection is, which decides what it may ask.
enum Place {
    Hall,
    Lobby(Seat),
    Gallery(Gallery),
}

impl Place {
    /// Whether something happens in a lobby when it is left: it is not closed, and the seat is still theirs.
    fn is_held(&self) -> bool {
        match self {
            Self::Hall => false,
            Self::Lobby(seat) => seat.is_held(),
            Self::Gallery(gallery) => gallery.table().is_open(),
        }
    }
}

impl<'a> Session<'a> {
    fn new(connected: &'a Connected, receiver: &'a mut Receiver, name: Arc<NameClaim>) -> Self {
        let house = Arc::clone(connected.house());
        Self {
            connected,
            pace: Pace::of(house.config.max_requests),
            lines: Allowance::new(house.config.max_lines, SAID_WITHIN),
            house,
            receiver,
            name,
            place: Place::Hall,
            thinking: None,
            reading: None,
            missed: false,
            standing: Standing::Loose,
        }
    }

    async fn serve(&mut self) -> End {
        loop {
            self.pace.take_turns(self.receiver.has_more()).await;
            let heard = tokio::select! {
                // A thought is told once; those who ask without end would have it wait for ever.
                biased;
                answer = thought_of(&mut self.thinking) => {
                    self.tell_thought(answer);
                    continue;
                }
                answer = read_of(&mut self.reading) => {
                    self.tell_what_was_read(answer);
                    continue;
                }
                heard = self.receiver.next() => heard,
            };
            match heard {
                Ok(Heard::Silence(since)) => self.note_silence(Some(since)),
                Ok(Heard::Message(message)) => self.hear(message),
                Err(end) => return end,
            }
        }
    }

    fn hear(&mut self, message: ToServer) {
        if self.missed {
            self.note_silence(None);
        }
        self.note_game();
        self.answer(message);
    }

    fn stand(&mut self, standing: Standing) {
        if self.standing != standing {
            self.standing = standing;
            self.connected.stands(standing);
        }
    }

    /// Whoever has a seat in a lobby where games are played does not make room for others; who sits there alone does.
    fn note_game(&mut self) {
        if let (Standing::Loose, Place::Lobby(seat)) = (self.standing, &self.place)
            && seat.table().has_begun()
        {
            self.stand(Standing::Seated);
        }
    }

    /// Nothing has been heard since then, or something again: whoever waits for a move would like to know.
    fn note_silence(&mut self, heard: Option<tokio::time::Instant>) {
        self.missed = heard.is_some();
        if let Place::Lobby(seat) = &self.place {
            seat.note_silence(heard);
        }
    }

    fn link(&self) -> &Arc<Link> {
        &self.receiver.link
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
            ToServer::Pong(number) => {
                self.count_sign();
                if number == TICKET_PING {
                    self.note_ticket();
                }
            }
        }
    }

    fn answer_ping(&mut self, number: u32) {
        self.count_sign();
        let pong = ToClient::Pong(number);
        // Who waits for the disk is alive all the same.
        if self.house.journal.trouble().is_some() {
            self.link().tell_at_once(&pong);
        } else {
            self.link().tell(&pong);
        }
    }

    fn note_ticket(&self) {
        if let Place::Lobby(seat) = &self.place {
            seat.confirm();
        }
    }

    /// Whether anything is granted now: what cannot be recorded must not happen, and an answer that speaks of it would have to
    /// wait with it.
    fn may_happen(&self) -> Result<(), Refusal> {
        match self.house.journal.trouble() {
            Some(trouble) => Err(Refusal::Halted { why: self.house.told_of(&trouble) }),
            None => Ok(()),
        }
    }

    fn refuse(&mut self, id: u32, refusal: Refusal) {
        if self.house.journal.trouble().is_some() {
            return self.refuse_at_once(id, refusal);
        }
        let turn = match &self.place {
            Place::Hall => 0,
            Place::Lobby(seat) => seat.table().turn(),
            Place::Gallery(gallery) => gallery.table().turn(),
        };
        self.refuse_at(id, turn, refusal);
    }

    /// Refuses something, for a reason that may be true only through what is not recorded yet: it is told behind that.
    fn refuse_at(&mut self, id: u32, turn: u32, refusal: Refusal) {
        self.note_refusal(&refusal);
        let told = encode(&ToClient::Refused { id, turn, refusal });
        self.house.journal.tell(std::slice::from_ref(self.link()), &[told]);
    }

    /// Refuses something while nothing can be recorded: what waits to be told may wait for long. Which turn it is may not be
    /// recorded, so that nobody is told.
    fn refuse_at_once(&mut self, id: u32, refusal: Refusal) {
        self.note_refusal(&refusal);
        self.link().tell_at_once(&ToClient::Refused { id, turn: 0, refusal });
    }

    /// Whoever is refused more than their address may be is read more slowly.
    fn note_refusal(&mut self, refusal: &Refusal) {
        if !self.house.refusals.take(self.link().address()) {
            self.slow();
        }
        tracing::debug!(%refusal, "refused");
        self.house.metrics.note_refusal(refusal);
    }

    /// Gives the seat up, unless it is the server that goes.
    fn finish(self, end: &End) {
        if let (Place::Lobby(seat), End::Farewell(Farewell::Stopping | Farewell::Kept)) = (self.place, end) {
            seat.stay();
        }
    }
}

/// Says the last word, waits a moment for it to arrive, and closes.
async fn close(link: &Link, incoming: Incoming, end: End) {
    match end {
        End::Gone => return,
        End::Farewell(word) => link.last_word(&word),
        End::Unwelcome(refusal) => link.send_last(encode(&ToClient::Unwelcome(refusal))),
        End::Stranger(words) => link.send_last(Bytes::from_static(words.as_bytes())),
    }
    // Whether the other side takes it is its own affair.
    let _ = tokio::time::timeout(LAST_WORDS, receiver::finish(link, incoming, MAX_DRAINED)).await;
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
