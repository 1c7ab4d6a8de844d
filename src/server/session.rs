//! One connection: greets, then grants or refuses what it asks, until it ends.
//!
//! The types follow the protocol's places: before the hello there is only [`Receiver`], after it a
//! [`Session`] with a name, which is in the hall or holds a [`Seat`].

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio_util::sync::CancellationToken;

use super::directory;
use super::house::House;
use super::link::Link;
use super::names::NameClaim;
use super::seat::Seat;
use super::table::TICKET_PING;
use super::thinkers::Thought;
use crate::game::Side;
use crate::game::any::{Board, Variant};
use crate::lobby::{AwayRule, BotRule, Code, Conditions, Name, PlayerId, Request, Text, WhenAway};
use crate::study::{self, Hint};
use crate::wire::{
    BotWish, Farewell, Greeting, HallRefusal, HallRequest, HelloRefusal, LobbyRequest, Misplaced, NewLobby,
    Opening, Refusal, Starts, ToClient, ToServer, VERSION, decode, opening,
};

mod receiver;

use receiver::{Heard, Receiver};

/// How long a connection that is being closed may take over its last messages.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The most bytes that are read and dropped from a connection that is being closed.
const MAX_DRAINED: usize = 256 * 1024;

/// How many milliseconds longer somebody is waited for whose connection is silent and has not closed: a wireless network
/// that loses a few packets is no absence.
const SILENT_LONGER: u32 = 30_000;

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

/// Serves a connection to its end.
pub(super) async fn run(house: Arc<House>, link: Arc<Link>, stopping: CancellationToken) {
    let receiver = Receiver::new(Arc::clone(&link), stopping, &house.config);
    let end = match greet(house, receiver).await {
        Ok(mut session) => {
            tracing::info!(name = %session.name.name(), "welcome");
            let end = session.serve().await;
            session.finish(&end);
            end
        }
        Err(end) => end,
    };
    tracing::info!(?end, "closed");
    close(&link, end).await;
}

/// Tells a connection why it is not taken in, and closes it.
pub(super) async fn turn_away(link: Arc<Link>, refusal: HelloRefusal) {
    close(&link, End::Unwelcome(refusal)).await;
}

async fn greet(house: Arc<House>, mut receiver: Receiver) -> Result<Session, End> {
    let body = receiver.first_body().await?;
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
    let name = Name::clean(name.as_str()).map_err(|fault| End::Unwelcome(HelloRefusal::Name(fault)))?;
    let name = house.names.claim(&name);
    receiver.link.tell(&ToClient::Welcome {
        version: VERSION,
        name: name.name().clone(),
        server: Text::cut(PROGRAM),
        ping_after: millis(house.config.ping_after),
        gone_after: millis(house.config.gone_after),
    });
    Ok(Session { house, receiver, name, place: Place::Hall, hinting: None, missed: false })
}

/// A duration as the protocol carries it; the longest is 49 days.
fn millis(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}

/// A connection that was welcomed.
struct Session {
    house: Arc<House>,
    receiver: Receiver,
    name: NameClaim,
    place: Place,
    hinting: Option<Hinting>,
    /// Nothing has been heard for a while.
    missed: bool,
}

/// A hint that is being thought of: one a connection at most, and of its place in a lobby.
struct Hinting {
    /// The client's number for the request.
    id: u32,
    turn: u32,
    thought: Thought<Option<Hint>>,
}

/// Where a connection is, which decides what it may ask.
enum Place {
    Hall,
    Lobby(Seat),
}

/// Waits for the hint that is being thought of, for ever if there is none.
async fn thought_of(hinting: &mut Option<Hinting>) -> (u32, Option<Hint>) {
    match hinting {
        Some(Hinting { turn, thought, .. }) => (*turn, thought.await.flatten()),
        None => std::future::pending().await,
    }
}

impl Session {
    async fn serve(&mut self) -> End {
        loop {
            // Whoever asks faster than they are answered is never waited for: so they take turns with the others.
            tokio::task::coop::consume_budget().await;
            let body = tokio::select! {
                body = self.receiver.body() => body,
                (turn, hint) = thought_of(&mut self.hinting) => {
                    self.tell_hint(turn, hint);
                    continue;
                }
            };
            let body = match body {
                Ok(Heard::Body(body)) => body,
                Ok(Heard::Silence(heard)) => {
                    self.note_silence(Some(heard));
                    continue;
                }
                Err(end) => return end,
            };
            if self.missed {
                self.note_silence(None);
            }
            match decode(&body) {
                Ok(message) => self.answer(message),
                Err(error) => return End::Farewell(Farewell::Malformed(Text::cut(&error.to_string()))),
            }
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
                if matches!(self.place, Place::Lobby(_)) {
                    return self.refuse(id, Misplaced::InLobby.into());
                }
                if let Err(refusal) = self.answer_in_hall(request) {
                    self.refuse(id, refusal);
                }
            }
            ToServer::Lobby { id, request } => self.answer_in_lobby(id, request),
            ToServer::Ping(number) => self.link().tell(&ToClient::Pong(number)),
            ToServer::Pong(TICKET_PING) => self.note_ticket(),
            ToServer::Pong(_) => {}
        }
    }

    fn note_ticket(&self) {
        if let Place::Lobby(seat) = &self.place {
            seat.confirm();
        }
    }

    fn refuse(&self, id: u32, refusal: Refusal) {
        let turn = match &self.place {
            Place::Hall => 0,
            Place::Lobby(seat) => seat.turn(),
        };
        self.refuse_at(id, turn, refusal);
    }

    fn refuse_at(&self, id: u32, turn: u32, refusal: Refusal) {
        tracing::debug!(%refusal, "refused");
        self.link().tell(&ToClient::Refused { id, turn, refusal });
    }

    fn answer_in_hall(&mut self, request: HallRequest) -> Result<(), Refusal> {
        match request {
            HallRequest::Look => self.house.directory.watch(self.link()),
            HallRequest::Create(wish) => {
                let (variant, conditions) = self.agree(&wish)?;
                self.open(variant, conditions)?;
            }
            HallRequest::Join { code } => {
                let code = code.as_str().parse().map_err(|_| HallRefusal::NoSuchLobby)?;
                self.join(code)?;
            }
            HallRequest::Return { code, ticket, seen } => {
                let code = code.as_str().parse().map_err(|_| HallRefusal::NoSuchLobby)?;
                let table = self.house.hall.find(code).ok_or(HallRefusal::NoSuchLobby)?;
                let player = table.come_back(&self.house, &ticket, seen, self.link())?;
                self.take_seat(table, player);
            }
            HallRequest::Quick(wish) => {
                let (variant, conditions) = self.agree(&wish)?;
                let house = Arc::clone(&self.house);
                let _turn = house.matching();
                let lobbies = self.house.directory.open_lobbies(&variant);
                // A lobby may have been filled since it was looked up; then the next one is tried.
                if !lobbies.into_iter().any(|code| self.join(code).is_ok()) {
                    self.open(variant, conditions)?;
                }
            }
        }
        Ok(())
    }

    /// The variant and the conditions of a wished-for lobby, or what is wrong with the wish.
    fn agree(&self, wish: &NewLobby) -> Result<(Variant, Conditions), Refusal> {
        let variant: Variant =
            wish.variant.as_str().parse().map_err(|error: crate::game::notation::BadText| {
                HallRefusal::Variant(Text::cut(&error.to_string()))
            })?;
        let opener = match wish.starts {
            Starts::Variant => variant.opener(),
            Starts::Me => Side::First,
            Starts::Them => Side::Second,
        };
        let bot = match wish.bot {
            BotWish::AtOnce if !self.house.config.bots => return Err(HallRefusal::NoBots.into()),
            BotWish::AtOnce => BotRule::After(0),
            BotWish::WhenNobodyComes if self.house.config.bots => {
                BotRule::After(millis(self.house.config.bot_after))
            }
            BotWish::WhenNobodyComes | BotWish::PeopleOnly => BotRule::Never,
        };
        let away = AwayRule {
            // A server without bots has none to stand in either.
            then: match wish.away.then {
                WhenAway::StandIn if !self.house.config.bots => WhenAway::Wait,
                then => then,
            },
            closed_after: wish.away.after,
            silent_after: wish.away.after.saturating_add(SILENT_LONGER),
            kept_for: millis(self.house.config.seats_kept),
        };
        Ok((variant, Conditions { opener, bot, hints: wish.hints, level: wish.level, away }))
    }

    fn open(&mut self, variant: Variant, conditions: Conditions) -> Result<(), Refusal> {
        let make =
            |code, serial: directory::Serial| super::table::Table::new(code, serial, variant, conditions);
        let table = self.house.hall.open(make);
        self.sit(&table)
    }

    fn join(&mut self, code: Code) -> Result<(), Refusal> {
        let table = self.house.hall.find(code).ok_or(HallRefusal::NoSuchLobby)?;
        self.sit(&table)
    }

    fn sit(&mut self, table: &Arc<super::table::Table>) -> Result<(), Refusal> {
        let player = table.sit(&self.house, self.name.name(), self.link())?;
        self.take_seat(Arc::clone(table), player);
        Ok(())
    }

    fn take_seat(&mut self, table: Arc<super::table::Table>, player: PlayerId) {
        self.house.directory.unwatch(self.link());
        self.place = Place::Lobby(Seat::new(Arc::clone(&self.house), table, player, Arc::clone(self.link())));
    }

    fn answer_in_lobby(&mut self, id: u32, request: LobbyRequest) {
        let Place::Lobby(seat) = &self.place else { return self.refuse(id, Misplaced::InHall.into()) };
        let asked = match request {
            LobbyRequest::Play { turn, mv } => seat.ask(Request::Play { turn, mv }),
            LobbyRequest::Resign => seat.ask(Request::Resign),
            LobbyRequest::Again => seat.ask(Request::Again),
            LobbyRequest::Wait => seat.ask(Request::Wait),
            LobbyRequest::Claim => seat.ask(Request::Claim),
            LobbyRequest::Hint => match seat.board_for_hint() {
                Ok((board, turn)) => return self.think_of_hint(id, board, turn),
                Err(refused) => Err(refused),
            },
            LobbyRequest::Leave => return self.leave(),
        };
        match asked {
            // Whatever was granted, the hint of before is of no use any more.
            Ok(()) => self.give_hint_up(),
            Err((refusal, turn)) => self.refuse_at(id, turn, refusal.into()),
        }
    }

    /// Has the best move thought of, unless it is already.
    fn think_of_hint(&mut self, id: u32, board: Board, turn: u32) {
        match &self.hinting {
            Some(hinting) if hinting.turn == turn => {
                self.refuse_at(id, turn, crate::lobby::Refusal::HintPending.into());
            }
            _ => {
                self.give_hint_up();
                let thought = self.house.thinkers.think(move |stop| study::hint(&board, stop));
                self.hinting = Some(Hinting { id, turn, thought });
            }
        }
    }

    /// Whoever asked for a hint that is of no use any more is told so.
    fn give_hint_up(&mut self) {
        if let Some(Hinting { id, .. }) = self.hinting.take() {
            self.refuse(id, crate::lobby::Refusal::HintLate.into());
        }
    }

    fn tell_hint(&mut self, turn: u32, hint: Option<Hint>) {
        self.hinting = None;
        // A game that goes on has a move; without an answer the thinking threads are gone, and the server with them.
        if let Some(hint) = hint {
            self.link().tell(&ToClient::Hint { turn, mv: hint.mv, words: Text::cut(&hint.words) });
        }
    }

    fn leave(&mut self) {
        self.give_hint_up();
        if let Place::Lobby(seat) = std::mem::replace(&mut self.place, Place::Hall) {
            seat.leave();
            self.link().tell(&ToClient::Outside);
        }
    }

    /// Gives the seat up, unless it is the server that goes.
    fn finish(self, end: &End) {
        if let (Place::Lobby(seat), End::Farewell(Farewell::Stopping)) = (self.place, end) {
            seat.stay();
        }
    }
}

/// Says the last word, waits a moment for it to arrive, and closes.
async fn close(link: &Link, end: End) {
    match end {
        End::Gone => return,
        End::Farewell(word) => link.last_word(&word),
        End::Unwelcome(refusal) => link.tell(&ToClient::Unwelcome(refusal)),
        End::Stranger(words) => link.send(Bytes::from_static(words.as_bytes())),
    }
    // Whether the other side takes it is its own affair.
    let _ = tokio::time::timeout(LAST_WORDS, receiver::finish(link, MAX_DRAINED)).await;
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

impl From<crate::lobby::Refusal> for Refusal {
    fn from(refusal: crate::lobby::Refusal) -> Self {
        Self::Lobby(refusal)
    }
}
