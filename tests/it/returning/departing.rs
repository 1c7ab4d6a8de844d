//! Leaving on purpose without a connection. A seat that is given up is freed as soon as the server is told.

use nim::lobby::Phase;

#[cfg(unix)]
use super::begun_at_terminal;
use super::{begun, ben_and_annas, sees_away, sees_left, takes};
use crate::harness::{Network, NetworkState, TestServer, terms};

#[cfg(unix)]
#[tokio::test]
async fn giving_up_without_a_connection_takes_effect_after_the_return() {
    for word in ["quit", "leave"] {
        let (home, _server, network, mut ben, mut anna) = begun_at_terminal(terms("take:9:4")).await;
        takes(&mut ben, 1).await;
        anna.until("Your move").await;
        network.set(NetworkState::Down);
        anna.until("reconnecting").await;
        anna.types("why");
        anna.until("The connection is lost; reconnecting for another ").await;
        anna.asks(word, "give it up, or stay? [keep]: ").await;
        anna.asks("give up", "The connection is lost: you leave as soon as it is back.").await;
        anna.until("Press Ctrl-C to go now and keep the seat.").await;
        // A move is no longer accepted, not even for later.
        anna.asks("1", "The connection is lost: you leave as soon as it is back.").await;
        sees_away(&mut ben).await;
        network.set(NetworkState::Up);
        sees_left(&mut ben).await;
        if word == "leave" {
            anna.until("Type a code to join").await;
            anna.types("quit");
        }
        assert_eq!((anna.ended().await.0, home.kept()), (0, 0), "{word}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn quitting_twice_without_a_connection_exits_at_once_and_keeps_the_seat() {
    let (home, _server, network, mut ben, mut anna) = begun_at_terminal(terms("take:9:4")).await;
    anna.until("starts.").await;
    network.set(NetworkState::Down);
    anna.until("reconnecting").await;
    anna.asks("quit", "give it up, or stay? [keep]: ").await;
    anna.asks("quit", "The game is kept: nim-client resume ").await;
    assert_eq!((anna.ended().await.0, home.kept()), (7, 1));
    sees_away(&mut ben).await;
    assert_eq!(ben.lobby().phase(), Phase::Playing);
}

#[tokio::test]
async fn a_script_that_gives_up_without_a_connection_leaves_too() {
    let server = TestServer::start();
    let network = Network::before(server.address()).await;
    let (mut ben, mut script) = ben_and_annas(&server, &network, &["--json"]).await;
    script.until("start").await;
    network.set(NetworkState::Down);
    script.until(r#""event":"lost""#).await;
    script.types("{\"do\":\"quit\",\"keep\":false}\n").await;
    sees_away(&mut ben).await;
    network.set(NetworkState::Up);
    sees_left(&mut ben).await;
    assert_eq!(script.ended().await.code, Some(0));
}

#[tokio::test]
async fn a_program_that_quits_without_a_connection_keeps_the_seat() {
    for (flags, lost, word) in
        [(&["--json"][..], r#""event":"lost""#, r#"{"do":"quit"}"#), (&[], "reconnecting", "quit")]
    {
        let (home, _server, network, mut ben, mut program) = begun(flags).await;
        network.set(NetworkState::Down);
        program.until(lost).await;
        program.types(format!("{word}\n")).await;
        let ended = program.ended().await;
        ended.fails(7, "The game is kept: nim-client resume ");
        assert!(!ended.stderr.contains("nim-client: "), "it is no error: {ended:?}");
        sees_away(&mut ben).await;
        network.set(NetworkState::Up);
        home.is_back(&[]).await;
    }
}

#[tokio::test]
async fn a_lost_request_to_leave_is_sent_again() {
    let (_home, _server, network, mut ben, mut script) = begun(&["--json"]).await;
    takes(&mut ben, 1).await;
    script.until("your_turn").await;
    network.set(NetworkState::LosesRequests);
    script.types("{\"do\":\"quit\",\"keep\":false}\n").await;
    network.has_swallowed(1).await;
    network.set(NetworkState::Down);
    script.until(r#""event":"lost""#).await;
    network.set(NetworkState::Up);
    sees_left(&mut ben).await;
    assert_eq!(script.ended().await.code, Some(0));
}

#[tokio::test]
async fn leaving_an_expired_seat_succeeds() {
    let (server, other) = (TestServer::start(), TestServer::start());
    let network = Network::before(server.address()).await;
    let (_ben, mut program) = ben_and_annas(&server, &network, &["--json"]).await;
    program.until("started").await;
    network.set(NetworkState::Down);
    program.until(r#""event":"lost""#).await;
    program.types("{\"do\":\"quit\",\"keep\":false}\n").await;
    network.leads_to(other.address());
    network.set(NetworkState::Up);
    assert_eq!(program.ended().await.code, Some(0));
}
