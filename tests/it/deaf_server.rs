//! The player's program at a server that does not read, or does not answer, and does not close either.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use nim::client::connection::{MAX_WAITING, WRITE_DEADLINE};
use nim::client::session::SendStatus;
use nim::client::{Action, Connection, Failure, Leaving, Model, Session, Terms};
use nim::lobby::{Name, Text};
use nim::wire::{ClientKind, LobbyRequest, ToClient, ToServer, encode};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadBuf};
use tokio::time::Instant;

use crate::harness::news;
use crate::harness::pretender::{against, entered, welcome};

/// The bytes that the network of these tests takes before the server reads.
const CAPACITY: usize = 4_096;

/// How long quitting waits for an answer.
const QUIT_DEADLINE: Duration = Duration::from_secs(5);

/// A connection in memory to a server that has welcomed the client and read its hello, and the server's side.
async fn connected() -> (Connection, DuplexStream) {
    let (here, mut there) = tokio::io::duplex(CAPACITY);
    there.write_all(&encode(&welcome(15_000, 45_000))).await.unwrap();
    let address = "127.0.0.1".parse().unwrap();
    let (connection, _) =
        Connection::open(Box::new(here), &address, ("anna", ClientKind::Person)).await.unwrap();
    assert_ne!(there.read(&mut [0; 64]).await.unwrap(), 0);
    (connection, there)
}

/// A line of chat.
fn chat() -> LobbyRequest {
    LobbyRequest::Say { words: Text::cut(&"x".repeat(200)) }
}

/// The bytes of this many lines.
fn length(lines: usize) -> usize {
    encode(&ToServer::Lobby { id: 1, request: chat() }).len() * lines
}

fn asks(connection: &mut Connection, lines: usize) {
    for _ in 0..lines {
        connection.ask_lobby(chat());
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_waits_for_a_server_that_does_not_read_and_nothing_else_does() {
    let (mut connection, mut there) = connected().await;
    asks(&mut connection, 100);
    assert!(length(100) > CAPACITY);
    let mut heard = vec![0; length(100)];
    tokio::select! {
        read = there.read_exact(&mut heard) => assert_eq!(read.unwrap(), heard.len()),
        said = connection.next() => panic!("the server says nothing: {said:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_read_is_given_up_after_ten_seconds_whatever_it_says() {
    let (mut connection, mut there) = connected().await;
    asks(&mut connection, 100);
    let (began, ping) = (Instant::now(), encode(&ToClient::Ping(1)));
    let pings = async {
        loop {
            there.write_all(&ping).await.unwrap();
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    };
    let failure = tokio::select! {
        said = connection.next() => said.unwrap_err(),
        () = pings => unreachable!("it pings without end"),
    };
    assert!(matches!(failure, Failure::Unread), "{failure:?}");
    assert_eq!(began.elapsed(), WRITE_DEADLINE);
}

#[tokio::test(start_paused = true)]
async fn a_server_for_which_too_much_waits_is_given_up_at_once() {
    let (mut connection, _there) = connected().await;
    asks(&mut connection, 2 * MAX_WAITING / length(1));
    let began = Instant::now();
    assert!(matches!(connection.next().await, Err(Failure::Unread)));
    assert_eq!(began.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_was_stopped_reads_before_it_judges_the_server() {
    let (mut connection, mut there) = connected().await;
    let continued = async {
        // Timers fire before the network reports what has arrived.
        tokio::time::advance(Duration::from_mins(1)).await;
        tokio::task::yield_now().await;
        there.write_all(&encode(&ToClient::Outside)).await.unwrap();
        std::future::pending::<()>().await;
    };
    let said = tokio::select! {
        said = connection.next() => said,
        () = continued => unreachable!("it waits"),
    };
    assert!(matches!(said, Ok(ToClient::Outside)), "{said:?}");
    // Then a silence counts as ever.
    let began = Instant::now();
    assert!(matches!(connection.next().await, Err(Failure::Silent(45))));
    assert_eq!(began.elapsed(), Duration::from_secs(45));
}

/// A network on which pings arrive without end after the welcome.
#[derive(Debug)]
struct Flood(Vec<u8>);

impl AsyncRead for Flood {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let count = buf.remaining().min(self.0.len());
        buf.put_slice(&self.0[..count]);
        self.0.drain(..count);
        if self.0.is_empty() {
            self.0 = encode(&ToClient::Ping(1)).repeat(100);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Flood {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[tokio::test]
async fn pings_without_end_keep_the_client_from_nothing_else() {
    let flood = Flood(encode(&welcome(15_000, 45_000)).to_vec());
    let address = "127.0.0.1".parse().unwrap();
    let (mut connection, _) =
        Connection::open(Box::new(flood), &address, ("anna", ClientKind::Person)).await.unwrap();
    tokio::select! {
        biased;
        said = connection.next() => panic!("it only pings: {said:?}"),
        // A key.
        () = std::future::ready(()) => {}
    }
}

/// A session of a player in a game.
async fn playing() -> (Session, DuplexStream) {
    let (connection, mut there) = connected().await;
    let mut session = Session::new(connection, Model::new(Name::anyone()));
    session.act(Action::Create(Terms::default()));
    there.write_all(&encode(&entered())).await.unwrap();
    news(&mut session).await;
    assert!(session.lobby().is_some());
    (session, there)
}

#[tokio::test(start_paused = true)]
async fn quitting_waits_a_moment_for_an_answer_and_a_second_time_not_at_all() {
    let (mut session, _there) = playing().await;
    assert_eq!(session.act(Action::Quit(Leaving::GiveUp)), SendStatus::Now);
    let began = Instant::now();
    assert!(matches!(session.next().await, Err(Failure::Unanswered { .. })));
    assert_eq!(began.elapsed(), QUIT_DEADLINE);

    let (mut session, _there) = playing().await;
    assert_eq!(session.act(Action::Quit(Leaving::GiveUp)), SendStatus::Now);
    assert_eq!(session.act(Action::Quit(Leaving::GiveUp)), SendStatus::Done);
    assert!(matches!(session.end_without_leaving(), Err(Failure::Unanswered { .. })));
}

#[tokio::test]
async fn a_program_gives_up_a_server_that_pings_without_end_and_reads_nothing() {
    for flags in [&["--new", "java-tech:21"][..], &["--new", "java-tech:21", "--json"]] {
        let ended = against(flags, "", async |mut server| {
            server.welcomes().await;
            server.says(&entered()).await;
            server.pings_without_reading().await;
        })
        .await;
        ended.fails(7, "it does not read what is sent to it");
    }
}
