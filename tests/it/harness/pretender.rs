//! A fake server, which a test plays itself.

use bytes::BytesMut;
use nim::game::Side;
use nim::lobby::{Conditions, Event, Hints, Kind, Lobby, Moment, Name, Player, PlayerId, Text};
use nim::wire::{ToClient, ToServer, VERSION, decode, encode, next_body};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::{Finished, Program, within};

/// The test's side of a connection on which the program thinks that it speaks to a server.
pub(crate) struct Pretender {
    stream: TcpStream,
    inbox: BytesMut,
}

impl Pretender {
    /// Takes in the next program that connects here.
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
        // The program may have had enough already.
        let _ = self.stream.write_all(bytes).await;
    }

    /// Welcomes the program and hears what it came for.
    pub(crate) async fn welcomes(&mut self) -> ToServer {
        assert!(matches!(self.hears().await, ToServer::Hello(_)));
        self.says(&welcome(15_000, 45_000)).await;
        self.hears().await
    }

    /// Says nothing more and does not close before the program does.
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

/// A lobby in which the program sits with somebody, and whose game has begun.
pub(crate) fn game() -> Lobby {
    let side = Side::First;
    let conditions = Conditions { hints: Hints::All, ..Conditions::default() };
    let mut lobby = Lobby::new("brave-otter".parse().unwrap(), "java-tech:21".parse().unwrap(), conditions);
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
    ToClient::Entered { you: Side::First, lobby: game().snapshot(), now: Moment::START }
}

/// What the program comes to that connects to a server played by `act` while these lines are typed, and does
/// not come back when it has lost it.
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

/// The same for a server that says one thing to whatever the program came for, and then nothing more.
pub(crate) async fn told(message: ToClient) -> Finished {
    against(&["--new", "java-tech:21"], "", async |mut server| {
        server.welcomes().await;
        server.says(&message).await;
        server.waits().await;
    })
    .await
}
