//! A client of a server in memory. It sends what the scenario says, and checks all that it receives.

use std::net::IpAddr;
use std::time::Duration;

use bytes::BytesMut;
use nim::client::Model;
use nim::client::model::Role;
use nim::lobby::{Code, Lobby, PlayerId, Text};
use nim::wire::{
    ClientKind, Greeting, HallRequest, LobbyRequest, Magic, NewLobby, Ticket, ToClient, ToServer, VERSION,
    decode, encode, next_body,
};

use super::memory_server::{ClientEnd, MemoryServer};

/// The timeout of an answer: longer than the server pauses reading after too many requests, several times.
const ANSWERED_WITHIN: Duration = Duration::from_mins(2);

/// The interval of the checks for an answer.
const LOOK: Duration = Duration::from_millis(50);

/// The number of a ping whose pong shows that everything before it is answered.
const BARRIER: u32 = 0x7ea5_e000;

/// A seat that a client had: its ticket, and the client's last copy of the lobby.
#[derive(Debug, Clone)]
pub(crate) struct SavedSeat {
    lobby: Lobby,
    ticket: Ticket,
    player: PlayerId,
}

/// The message to wait for before the next request.
enum Awaited {
    Nothing,
    Pong,
    Seat(Code, PlayerId),
}

/// One client.
pub(crate) struct Guest {
    line: ClientEnd,
    inbox: BytesMut,
    /// The client's model; `None` before the welcome.
    pub(crate) model: Option<Model>,
    /// Bytes held back until the next message.
    unsent: Vec<u8>,
    /// It was told goodbye, or got an answer in another protocol.
    pub(crate) is_dismissed: bool,
    /// It answers no pings.
    pub(crate) ignores_pings: bool,
    /// The message it waits for.
    awaited: Awaited,
    pub(crate) seat: Option<SavedSeat>,
}

impl Guest {
    /// Connects without a hello.
    pub(crate) fn connect(server: &MemoryServer, address: IpAddr) -> Self {
        Self {
            line: server.connect(address),
            inbox: BytesMut::new(),
            model: None,
            unsent: Vec::new(),
            is_dismissed: false,
            ignores_pings: false,
            awaited: Awaited::Nothing,
            seat: None,
        }
    }

    pub(crate) async fn greet(&mut self, name: &str) {
        let greeting = Greeting {
            magic: Magic,
            version: VERSION.into(),
            name: Text::cut(name),
            kind: ClientKind::Person,
        };
        self.send_message(&ToServer::Hello(greeting), 0).await;
    }

    /// Sends a message except for its last `but` bytes, which follow with the next message.
    pub(crate) async fn send_message(&mut self, message: &ToServer, but: usize) {
        self.send(&encode(message), but).await;
    }

    /// Sends a request outside a lobby; a request for a seat has a ticket of its own.
    pub(crate) async fn ask_hall(&mut self, mut request: HallRequest, but: usize) {
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
        self.send_message(&ToServer::Hall { id: 1, request }, but).await;
    }

    pub(crate) async fn ask_lobby(&mut self, request: LobbyRequest, but: usize) {
        self.send_message(&ToServer::Lobby { id: 2, request }, but).await;
    }

    pub(crate) async fn send(&mut self, bytes: &[u8], but: usize) {
        self.unsent.extend_from_slice(bytes);
        let rest = self.unsent.split_off(self.unsent.len().saturating_sub(but));
        self.line.send(&self.unsent).await;
        self.unsent = rest;
    }

    /// Returns to a seat, with or without its last copy of the lobby. All earlier requests are answered
    /// first.
    pub(crate) async fn return_to(&mut self, seat: &SavedSeat, knows: bool) {
        self.awaited = Awaited::Pong;
        self.send_message(&ToServer::Ping(BARRIER), 0).await;
        self.wait_for_answer().await;
        let Some(model) = self.model.as_mut().filter(|model| model.lobby().is_none()) else { return };
        model.set_ticket(seat.ticket);
        let side = seat.lobby.side_of(seat.player).filter(|_| knows);
        if let Some(you) = side {
            let (lobby, now) = (seat.lobby.snapshot(), seat.lobby.began());
            let knew = ToClient::Entered { you, lobby, now };
            model.apply(&knew).expect("the saved copy is valid");
        }
        let (code, seen) = (seat.lobby.code(), side.map_or(0, |_| seat.lobby.last_event()));
        self.awaited = Awaited::Seat(code, seat.player);
        let request = HallRequest::Return { code: Text::cut(&code.to_string()), ticket: seat.ticket, seen };
        self.send_message(&ToServer::Hall { id: BARRIER, request }, 0).await;
        self.wait_for_answer().await;
    }

    /// Waits for the awaited message, or for the end of the connection.
    async fn wait_for_answer(&mut self) {
        let answered = async {
            while self.is_well() && !matches!(self.awaited, Awaited::Nothing) {
                tokio::time::sleep(LOOK).await;
                self.receive().await;
            }
        };
        tokio::time::timeout(ANSWERED_WITHIN, answered).await.expect("every request is answered");
    }

    /// Closes its sending direction, even within a frame.
    pub(crate) fn close_write(&mut self) {
        self.line.close();
    }

    /// Limits the bytes that may wait to be read.
    pub(crate) fn limit_buffer(&self, room: usize) {
        self.line.limit_buffer(room);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.line.is_over()
    }

    /// Reads and checks what has arrived.
    pub(crate) async fn receive(&mut self) {
        self.inbox.extend_from_slice(&self.line.take_received());
        if self.model.is_none() && self.inbox.starts_with(b"HTTP/1.1 400 ") {
            self.is_dismissed = true;
            self.inbox.clear();
        }
        while let Some(body) = next_body(&mut self.inbox).expect("a server sends no frame that is too long") {
            let message: ToClient = decode(&body).expect("a server sends messages");
            self.handle(&message).await;
        }
    }

    async fn handle(&mut self, message: &ToClient) {
        assert!(!self.is_dismissed, "nothing is sent after the goodbye: {message:?}");
        match (message, &mut self.model) {
            (ToClient::Welcome { name, .. }, None) => self.model = Some(Model::new(name.clone())),
            (ToClient::Unwelcome(_), None) | (ToClient::Goodbye(_), _) => self.is_dismissed = true,
            // Before the welcome it answers pings too.
            (ToClient::Ping(number), _) if !self.ignores_pings => {
                self.line.send(&encode(&ToServer::Pong(*number))).await;
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
        match (message, &self.awaited) {
            (ToClient::Pong(BARRIER), Awaited::Pong) => {}
            (ToClient::Entered { .. } | ToClient::Returned { .. }, Awaited::Seat(code, player)) => {
                let seat = mine.map(|mine| (mine.lobby.code(), mine.you()));
                assert_eq!(seat, Some((*code, Some(*player))), "a return gets the same seat back");
            }
            (ToClient::Refused { id: BARRIER, .. }, Awaited::Seat(..)) => {
                // The return failed, so the saved copy is of no use.
                let _ = self.model.as_mut().map(|model| model.apply(&ToClient::Outside));
            }
            _ => return,
        }
        self.awaited = Awaited::Nothing;
    }

    fn note_seat(&mut self) {
        if let Some(mine) = self.model.as_ref().and_then(Model::lobby)
            && let Role::Player { id, ticket } = mine.role
        {
            self.seat = Some(SavedSeat { lobby: mine.lobby.clone(), ticket, player: id });
        }
    }

    /// Its lobby, if it is in one.
    pub(crate) fn lobby(&self) -> Option<&Lobby> {
        self.model.as_ref()?.lobby().map(|mine| &mine.lobby)
    }

    /// Whether it can still send and receive.
    pub(crate) fn is_well(&self) -> bool {
        !self.is_dismissed && !self.is_over()
    }
}
