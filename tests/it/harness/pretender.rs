//! A fake server, which the test itself plays.

use bytes::BytesMut;
use nim::game::Side;
use nim::lobby::{Conditions, Event, Hints, Kind, Lobby, Moment, Name, Player, PlayerId, Text};
use nim::wire::{ToClient, ToServer, VERSION, decode, encode, next_body};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::{Finished, Program, within};

/// The test's end of a program's connection.
pub(crate) struct Pretender {
    stream: TcpStream,
    inbox: BytesMut,
}

impl Pretender {
    /// Accepts the next connection of a program.
    pub(crate) async fn at(listener: &TcpListener) -> Self {
        let (stream, _) = within("the program to connect", listener.accept()).await.unwrap();
        Self { stream, inbox: BytesMut::new() }
    }

    pub(crate) async fn hears(&mut self) -> ToServer {
        loop {
            if let Some(body) = next_body(&mut self.inbox).unwrap() {
                return decode(&body).unwrap();
            }
            let read = self.stream.read_buf(&mut self.inbox);
            assert_ne!(within("the program to say something", read).await.unwrap(), 0, "it closed");
        }
    }

    pub(crate) async fn says(&mut self, message: &ToClient) {
        self.says_bytes(&encode(message)).await;
    }

    pub(crate) async fn says_bytes(&mut self, bytes: &[u8]) {
        // The program may have closed already.
        let _ = self.stream.write_all(bytes).await;
    }

    /// Welcomes the program and reads its request.
    pub(crate) async fn welcomes(&mut self) -> ToServer {
        assert!(matches!(self.hears().await, ToServer::Hello(_)));
        self.says(&welcome(15_000, 45_000)).await;
        self.hears().await
    }

    /// Pings without end, and reads none of the answers.
    pub(crate) async fn pings_without_reading(mut self) {
        let pings = encode(&ToClient::Ping(1)).repeat(1_000);
        while self.stream.write_all(&pings).await.is_ok() {}
    }

    /// Sends nothing more, and waits until the program closes.
    pub(crate) async fn waits(mut self) {
        let _ = self.stream.read_to_end(&mut Vec::new()).await;
    }
}

pub(crate) fn welcome(ping_after: u32, gone_after: u32) -> ToClient {
    let server = Text::cut("a server of the tests");
    ToClient::Welcome { version: VERSION, name: name("anna"), server, ping_after, gone_after }
}

fn name(text: &str) -> Name {
    Name::clean(text).unwrap()
}

fn player(id: u32, called: &str) -> Player {
    Player { id: PlayerId(id), name: name(called), kind: Kind::Person }
}

/// A lobby in which the program has a seat, an opponent, and a game that has begun.
pub(crate) fn game() -> Lobby {
    game_of("java-tech:21", Conditions { hints: Hints::All, ..Conditions::default() })
}

/// The same with this variant and these conditions.
pub(crate) fn game_of(variant: &str, conditions: Conditions) -> Lobby {
    let side = Side::First;
    let mut lobby = Lobby::new("brave-otter".parse().unwrap(), variant.parse().unwrap(), conditions);
    for event in [
        Event::Sat { side, player: player(1, "anna") },
        Event::Sat { side: !side, player: player(2, "eve") },
        Event::Started { game: 1, swap: false },
    ] {
        lobby.apply(&event, Moment::START).unwrap();
    }
    lobby
}

pub(crate) fn entered() -> ToClient {
    entered_into(&game())
}

/// That the program has the first seat in this lobby.
pub(crate) fn entered_into(lobby: &Lobby) -> ToClient {
    ToClient::Entered { you: Side::First, lobby: lobby.snapshot(), now: Moment::START }
}

/// The result of a program that connects to a server played by `act` while these lines are typed. The
/// program does not reconnect.
pub(crate) async fn against<F: Future<Output = ()>>(
    arguments: &[&str],
    typed: &str,
    act: impl FnOnce(Pretender) -> F,
) -> Finished {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let mut program =
        Program::client(&[&["connect", &address, "--name", "anna", "--give-up", "0"], arguments].concat());
    program.types(typed).await;
    let acting = async { act(Pretender::at(&listener).await).await };
    let (ended, ()) = tokio::join!(program.ended(), acting);
    ended
}

/// The same for a server that answers the program's request with one message, and then sends nothing more.
pub(crate) async fn told(message: ToClient) -> Finished {
    against(&["--new", "java-tech:21"], "", async |mut server| {
        server.welcomes().await;
        server.says(&message).await;
        server.waits().await;
    })
    .await
}
