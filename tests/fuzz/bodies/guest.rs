//! A client of a server on the street: says what it is told to, and believes nothing that cannot be true.

use std::net::IpAddr;

use bytes::BytesMut;
use nim::client::Model;
use nim::client::model::Role;
use nim::lobby::{Code, Lobby, PlayerId, Text};
use nim::wire::{
    Frames, Greeting, HallRequest, LobbyRequest, Magic, Ticket, ToClient, ToServer, VERSION, decode, encode,
};

use super::street::{Line, Street};

/// A seat that a client had, and what brings it back there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept {
    pub(super) code: Code,
    ticket: Ticket,
    player: PlayerId,
    seen: u32,
}

/// One client.
pub(super) struct Guest {
    line: Line,
    inbox: BytesMut,
    frames: Frames,
    /// What it was told; nothing before the welcome.
    pub(super) model: Option<Model>,
    /// What it has to say and has not said yet.
    unsaid: Vec<u8>,
    /// It has been told goodbye, or something that is no message of the protocol.
    pub(super) is_told_off: bool,
    /// It answers no pings.
    pub(super) is_mute: bool,
    /// The seat it asked for last.
    claimed: Option<Kept>,
    pub(super) seat: Option<Kept>,
}

impl Guest {
    /// Connects, and says nothing.
    pub(super) fn comes_to(street: &Street, address: IpAddr) -> Self {
        Self {
            line: street.connect(address),
            inbox: BytesMut::new(),
            frames: Frames::default(),
            model: None,
            unsaid: Vec::new(),
            is_told_off: false,
            is_mute: false,
            claimed: None,
            seat: None,
        }
    }

    pub(super) async fn greets(&mut self, name: &str) {
        let greeting = Greeting { magic: Magic, version: VERSION.into(), name: Text::cut(name) };
        self.asks(&ToServer::Hello(greeting), 0).await;
    }

    /// Says a whole message, but for so many bytes of it, which follow when it says something else.
    pub(super) async fn asks(&mut self, message: &ToServer, but: usize) {
        self.says(&encode(message), but).await;
    }

    pub(super) async fn asks_hall(&mut self, request: HallRequest, but: usize) {
        self.asks(&ToServer::Hall { id: 1, request }, but).await;
    }

    pub(super) async fn asks_lobby(&mut self, request: LobbyRequest, but: usize) {
        self.asks(&ToServer::Lobby { id: 2, request }, but).await;
    }

    pub(super) async fn says(&mut self, bytes: &[u8], but: usize) {
        self.unsaid.extend_from_slice(bytes);
        let rest = self.unsaid.split_off(self.unsaid.len().saturating_sub(but));
        self.line.say(&self.unsaid).await;
        self.unsaid = rest;
    }

    /// Would like to be back in a seat.
    pub(super) async fn returns(&mut self, seat: Kept, knows: bool, but: usize) {
        self.claimed = Some(seat);
        let seen = if knows { seat.seen } else { 0 };
        let code = Text::cut(&seat.code.to_string());
        self.asks_hall(HallRequest::Return { code, ticket: seat.ticket, seen }, but).await;
    }

    /// Closes its direction; with what was begun.
    pub(super) fn hushes(&mut self) {
        self.line.hush();
    }

    /// Takes in no more than so many bytes at a time.
    pub(super) fn narrows(&self, room: usize) {
        self.line.narrow(room);
    }

    pub(super) fn is_over(&self) -> bool {
        self.line.is_over()
    }

    /// Takes in what was said to it.
    pub(super) async fn hears(&mut self) {
        self.inbox.extend_from_slice(&self.line.hear());
        if self.model.is_none() && self.inbox.starts_with(b"HTTP/1.1 400 ") {
            self.is_told_off = true;
            self.inbox.clear();
        }
        while let Some(body) =
            self.frames.next(&mut self.inbox).expect("a server sends no frame that is too long")
        {
            let message: ToClient = decode(&body).expect("a server sends messages");
            self.takes_in(&message).await;
        }
    }

    async fn takes_in(&mut self, message: &ToClient) {
        assert!(!self.is_told_off, "nothing is said behind the last word: {message:?}");
        match (message, &mut self.model) {
            (ToClient::Welcome { name, .. }, None) => self.model = Some(Model::new(name.clone())),
            (ToClient::Unwelcome(_), None) | (ToClient::Goodbye(_), _) => self.is_told_off = true,
            // Whoever is silent before the welcome is a connection like any other.
            (ToClient::Ping(number), _) if !self.is_mute => {
                self.line.say(&encode(&ToServer::Pong(*number))).await;
            }
            (ToClient::Ping(_), _) => {}
            (_, None) => panic!("this stands before the welcome: {message:?}"),
            (_, Some(model)) => {
                model.learn(message).unwrap_or_else(|error| panic!("{error}: {message:?}"));
                self.note_seat(message);
            }
        }
    }

    fn note_seat(&mut self, message: &ToClient) {
        let mine = self.model.as_ref().and_then(Model::lobby);
        if let (ToClient::Entered { .. }, Some(claimed), Some(mine)) = (message, self.claimed.take(), mine) {
            assert_eq!(mine.you(), Some(claimed.player), "whoever returns gets that seat back");
        }
        if let Some(mine) = mine
            && let Role::Player { id, ticket } = mine.role
        {
            let seen = mine.lobby.last_event();
            self.seat = Some(Kept { code: mine.lobby.code(), ticket, player: id, seen });
        }
    }

    /// Its lobby, if it is in one.
    pub(super) fn lobby(&self) -> Option<&Lobby> {
        self.model.as_ref()?.lobby().map(|mine| &mine.lobby)
    }

    /// Whether it hears all that is said to it, and is still heard.
    pub(super) fn is_well(&self) -> bool {
        !self.is_told_off && !self.is_over()
    }
}
