//! A client of a server in memory: sends what it is asked to, and checks all that it receives.

use std::net::IpAddr;
use std::time::Duration;

use bytes::BytesMut;
use nim::client::Model;
use nim::client::model::Role;
use nim::lobby::{Code, Lobby, PlayerId, Text};
use nim::wire::{
    Greeting, HallRequest, LobbyRequest, Magic, NewLobby, Ticket, ToClient, ToServer, VERSION, decode,
    encode, next_body,
};

use super::memory_server::{Line, MemoryServer};

/// How long an answer may take: as long as somebody is not heard who asked too much, again and again.
const ANSWERED_WITHIN: Duration = Duration::from_mins(2);

/// How often it is looked whether there is one.
const LOOK: Duration = Duration::from_millis(50);

/// The number of the ping after which everything is answered.
const BARRIER: u32 = 0x7ea5_e000;

/// A seat that a client had, what brings it back there, and what it knew of the lobby.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    lobby: Lobby,
    ticket: Ticket,
    player: PlayerId,
}

/// What is to be heard before anything else is said.
enum Awaited {
    Nothing,
    Pong,
    Seat(Code, PlayerId),
}

/// One client.
pub(crate) struct Guest {
    line: Line,
    inbox: BytesMut,
    /// What it was told; nothing before the welcome.
    pub(crate) model: Option<Model>,
    /// What it has to say and has not said yet.
    unsaid: Vec<u8>,
    /// It has been told goodbye, or something that is no message of the protocol.
    pub(crate) is_told_off: bool,
    /// It answers no pings.
    pub(crate) is_mute: bool,
    /// What it waits for.
    awaits: Awaited,
    pub(crate) seat: Option<Kept>,
}

impl Guest {
    /// Connects, and says nothing.
    pub(crate) fn comes_to(server: &MemoryServer, address: IpAddr) -> Self {
        Self {
            line: server.connect(address),
            inbox: BytesMut::new(),
            model: None,
            unsaid: Vec::new(),
            is_told_off: false,
            is_mute: false,
            awaits: Awaited::Nothing,
            seat: None,
        }
    }

    pub(crate) async fn greets(&mut self, name: &str) {
        let greeting = Greeting { magic: Magic, version: VERSION.into(), name: Text::cut(name) };
        self.asks(&ToServer::Hello(greeting), 0).await;
    }

    /// Sends a message without its last bytes, which follow with the next message.
    pub(crate) async fn asks(&mut self, message: &ToServer, but: usize) {
        self.says(&encode(message), but).await;
    }

    /// Asks the hall; for a seat by a ticket of its own.
    pub(crate) async fn asks_hall(&mut self, mut request: HallRequest, but: usize) {
        if let HallRequest::Create(NewLobby { seat, .. })
        | HallRequest::Quick(NewLobby { seat, .. })
        | HallRequest::Join { seat, .. } = &mut request
        {
            let ticket = Ticket::random();
            *seat = ticket.hash();
            if let Some(model) = &mut self.model {
                model.set_ticket(ticket);
            }
        }
        self.asks(&ToServer::Hall { id: 1, request }, but).await;
    }

    pub(crate) async fn asks_lobby(&mut self, request: LobbyRequest, but: usize) {
        self.asks(&ToServer::Lobby { id: 2, request }, but).await;
    }

    pub(crate) async fn says(&mut self, bytes: &[u8], but: usize) {
        self.unsaid.extend_from_slice(bytes);
        let rest = self.unsaid.split_off(self.unsaid.len().saturating_sub(but));
        self.line.say(&self.unsaid).await;
        self.unsaid = rest;
    }

    /// Would like to be back in a seat, with or without what it knew. Everything before is to be answered
    /// first.
    pub(crate) async fn returns(&mut self, seat: &Kept, knows: bool) {
        self.awaits = Awaited::Pong;
        self.asks(&ToServer::Ping(BARRIER), 0).await;
        self.is_answered().await;
        let Some(model) = self.model.as_mut().filter(|model| model.lobby().is_none()) else { return };
        model.set_ticket(seat.ticket);
        let side = seat.lobby.side_of(seat.player).filter(|_| knows);
        if let Some(you) = side {
            let (lobby, now) = (seat.lobby.snapshot(), seat.lobby.began());
            let knew = ToClient::Entered { you, lobby, now };
            model.apply(&knew).expect("it has been so");
        }
        let (code, seen) = (seat.lobby.code(), side.map_or(0, |_| seat.lobby.last_event()));
        self.awaits = Awaited::Seat(code, seat.player);
        let request = HallRequest::Return { code: Text::cut(&code.to_string()), ticket: seat.ticket, seen };
        self.asks(&ToServer::Hall { id: BARRIER, request }, 0).await;
        self.is_answered().await;
    }

    /// Waits for what it waits for, or for its end.
    async fn is_answered(&mut self) {
        let answered = async {
            while self.is_well() && !matches!(self.awaits, Awaited::Nothing) {
                tokio::time::sleep(LOOK).await;
                self.hears().await;
            }
        };
        tokio::time::timeout(ANSWERED_WITHIN, answered).await.expect("every request is answered");
    }

    /// Closes its direction; with what was begun.
    pub(crate) fn hushes(&mut self) {
        self.line.hush();
    }

    /// Reads no more than this many bytes at a time.
    pub(crate) fn narrows(&self, room: usize) {
        self.line.narrow(room);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.line.is_over()
    }

    /// Takes in what was said to it.
    pub(crate) async fn hears(&mut self) {
        self.inbox.extend_from_slice(&self.line.hear());
        if self.model.is_none() && self.inbox.starts_with(b"HTTP/1.1 400 ") {
            self.is_told_off = true;
            self.inbox.clear();
        }
        while let Some(body) = next_body(&mut self.inbox).expect("a server sends no frame that is too long") {
            let message: ToClient = decode(&body).expect("a server sends messages");
            self.takes_in(&message).await;
        }
    }

    async fn takes_in(&mut self, message: &ToClient) {
        assert!(!self.is_told_off, "nothing is sent after the goodbye: {message:?}");
        match (message, &mut self.model) {
            (ToClient::Welcome { name, .. }, None) => self.model = Some(Model::new(name.clone())),
            (ToClient::Unwelcome(_), None) | (ToClient::Goodbye(_), _) => self.is_told_off = true,
            // Silent before the welcome: a connection like any other.
            (ToClient::Ping(number), _) if !self.is_mute => {
                self.line.say(&encode(&ToServer::Pong(*number))).await;
            }
            (ToClient::Ping(_), _) => {}
            (_, None) => panic!("this stands before the welcome: {message:?}"),
            (_, Some(model)) => {
                model.apply(message).unwrap_or_else(|error| panic!("{error}: {message:?}"));
                self.note_answer(message);
                self.note_seat();
            }
        }
    }

    fn note_answer(&mut self, message: &ToClient) {
        let mine = self.model.as_ref().and_then(Model::lobby);
        match (message, &self.awaits) {
            (ToClient::Pong(BARRIER), Awaited::Pong) => {}
            (ToClient::Entered { .. } | ToClient::Returned { .. }, Awaited::Seat(code, player)) => {
                let seat = mine.map(|mine| (mine.lobby.code(), mine.you()));
                assert_eq!(seat, Some((*code, Some(*player))), "a return gets the same seat back");
            }
            (ToClient::Refused { id: BARRIER, .. }, Awaited::Seat(..)) => {
                // What it knew of that lobby is of no use any more.
                let _ = self.model.as_mut().map(|model| model.apply(&ToClient::Outside));
            }
            _ => return,
        }
        self.awaits = Awaited::Nothing;
    }

    fn note_seat(&mut self) {
        if let Some(mine) = self.model.as_ref().and_then(Model::lobby)
            && let Role::Player { id, ticket } = mine.role
        {
            self.seat = Some(Kept { lobby: mine.lobby.clone(), ticket, player: id });
        }
    }

    /// Its lobby, if it is in one.
    pub(crate) fn lobby(&self) -> Option<&Lobby> {
        self.model.as_ref()?.lobby().map(|mine| &mine.lobby)
    }

    /// Whether it hears all that is said to it, and is still heard.
    pub(crate) fn is_well(&self) -> bool {
        !self.is_told_off && !self.is_over()
    }
}
