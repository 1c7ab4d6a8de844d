//! A client, message by message, over a connection inside the process.

use bytes::BytesMut;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::game::any::Move;
use crate::game::nim::Take;
use crate::lobby::{ClockRule, Code, Hints, Level, LobbyRequest, Snapshot, Text, WhenAway};
use crate::server::pipe::Pipe;
use crate::wire::{
    AwayWish, BotWish, ClientKind, Farewell, Greeting, HallRequest, Magic, NewLobby, Refusal, Starts, Ticket,
    ToClient, ToServer, VERSION, decode, encode, next_body,
};

/// The wish for a lobby in which two people play this variant.
pub(super) fn wish(variant: &str, ticket: &Ticket) -> NewLobby {
    NewLobby {
        variant: Text::cut(variant),
        starts: Starts::Me,
        bot: BotWish::PeopleOnly,
        hints: Hints::All,
        level: Level::Perfect,
        away: AwayWish { then: WhenAway::Wait, level: None, after: 60_000 },
        clock: ClockRule::None,
        best_of: 0,
        watched: true,
        listed: true,
        password: None,
        origin: None,
        seat: ticket.hash(),
    }
}

/// The hello of a person with this name.
pub(super) fn hello(name: &str) -> ToServer {
    let (name, kind) = (Text::cut(name), ClientKind::Person);
    ToServer::Hello(Greeting { magic: Magic, version: VERSION.into(), name, kind })
}

/// A client, message by message. At the other end of a connection between servers it is a server.
#[derive(Debug)]
pub(super) struct Client {
    pipe: Pipe,
    inbox: BytesMut,
    requests: u32,
}

impl Client {
    pub(super) fn over(pipe: Pipe) -> Self {
        Self { pipe, inbox: BytesMut::new(), requests: 0 }
    }

    /// Says hello, and waits for the welcome.
    pub(super) async fn hello(&mut self, name: &str) {
        self.send(&[hello(name)]).await;
        self.until(|message| matches!(message, ToClient::Welcome { .. })).await;
    }

    /// Sends these messages together.
    pub(super) async fn send(&mut self, messages: &[ToServer]) {
        let bytes: Vec<u8> = messages.iter().flat_map(encode).collect();
        self.pipe.write_all(&bytes).await.unwrap();
    }

    /// Sends these messages as a server.
    pub(super) async fn tell(&mut self, message: &ToClient) {
        self.pipe.write_all(&encode(message)).await.unwrap();
    }

    /// The next message to a server.
    pub(super) async fn heard(&mut self) -> ToServer {
        decode(&self.body().await.unwrap()).unwrap()
    }

    /// The next message; `None` at the end.
    pub(super) async fn read(&mut self) -> Option<ToClient> {
        Some(decode(&self.body().await?).unwrap())
    }

    async fn body(&mut self) -> Option<BytesMut> {
        loop {
            if let Some(body) = next_body(&mut self.inbox).unwrap() {
                return Some(body);
            }
            if self.pipe.read_buf(&mut self.inbox).await.unwrap() == 0 {
                assert!(self.inbox.is_empty(), "it ended within a frame");
                return None;
            }
        }
    }

    /// Reads until there is such a message.
    pub(super) async fn until(&mut self, is_wanted: impl Fn(&ToClient) -> bool) -> ToClient {
        loop {
            let message = self.read().await.expect("the connection goes on");
            if is_wanted(&message) {
                return message;
            }
        }
    }

    /// The number of the next request.
    pub(super) fn number(&mut self) -> u32 {
        self.requests += 1;
        self.requests
    }

    /// Makes a request in the hall; returns its number.
    pub(super) async fn ask_hall(&mut self, request: HallRequest) -> u32 {
        let id = self.number();
        self.send(&[ToServer::Hall { id, request }]).await;
        id
    }

    /// Makes a request in the lobby; returns its number.
    pub(super) async fn ask(&mut self, request: LobbyRequest) -> u32 {
        let id = self.number();
        self.send(&[ToServer::Lobby { id, request }]).await;
        id
    }

    /// The lobby that a request leads to, or the refusal of it.
    pub(super) async fn tries(&mut self, request: HallRequest) -> Result<Snapshot, Refusal> {
        let id = self.ask_hall(request).await;
        self.answer(id).await
    }

    /// The answer to a request to enter a lobby.
    pub(super) async fn answer(&mut self, id: u32) -> Result<Snapshot, Refusal> {
        loop {
            match self.read().await.expect("the connection goes on") {
                ToClient::Entered { lobby, .. } | ToClient::Watching { lobby, .. } => return Ok(lobby),
                ToClient::Refused { id: refused, refusal, .. } if refused == id => return Err(refusal),
                _ => {}
            }
        }
    }

    /// Opens a lobby of this variant; returns its code.
    pub(super) async fn opens(&mut self, variant: &str) -> Code {
        self.tries(HallRequest::Create(wish(variant, &Ticket::random()))).await.unwrap().code
    }

    /// Sits down in the lobby with this code.
    pub(super) async fn joins(&mut self, code: Code) -> Ticket {
        let ticket = Ticket::random();
        assert_eq!(self.tries(join(code, &ticket)).await.unwrap().code, code);
        ticket
    }

    /// Takes one object, and waits until it is told.
    pub(super) async fn takes_one(&mut self, turn: u32) {
        self.ask(LobbyRequest::Play { turn, mv: Move::Nim(Take { pile: 0, count: 1 }) }).await;
        self.sees_move().await;
    }

    /// Waits until a move is told.
    pub(super) async fn sees_move(&mut self) {
        use crate::lobby::Event::Moved;
        self.until(|message| matches!(message, ToClient::Lobby { event: Moved { .. }, .. })).await;
    }

    /// The goodbye, and nothing behind it.
    pub(super) async fn farewell(&mut self) -> Farewell {
        let ToClient::Goodbye(word) = self.until(|message| matches!(message, ToClient::Goodbye(_))).await
        else {
            panic!("a goodbye")
        };
        assert_eq!(self.read().await, None);
        word
    }
}

/// The request to sit down in this lobby.
pub(super) fn join(code: Code, ticket: &Ticket) -> HallRequest {
    HallRequest::Join { code: Text::cut(&code.to_string()), password: None, seat: ticket.hash() }
}

/// The request to watch in this lobby.
pub(super) fn watch(code: Code) -> HallRequest {
    HallRequest::Watch { code: Text::cut(&code.to_string()), password: None }
}
