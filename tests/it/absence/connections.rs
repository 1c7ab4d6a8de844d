//! Several connections of one person: dead, silent and unfinished ones.

use std::time::Duration;

use nim::client::session::SessionEvent;
use nim::client::{Action, Question};
use nim::wire::{Farewell, HallRequest, HelloRefusal, LobbyRequest, ToClient, ToServer, VERSION, encode};

use crate::harness::{TestServer, frame, game, hello, join, news, pass, stopped_clock, take, terms};

#[tokio::test]
async fn a_dead_connection_never_blocks_its_owner_and_its_end_disconnects_nobody() {
    let (server, anna, mut ben) = game("java-tech:21").await;
    // The server cannot know that the old connection is dead.
    let (mut anna, mut old) = anna.reconnects(server.address()).await;
    anna.returns().await;
    assert_eq!(old.farewell().await, Farewell::Elsewhere);
    // Another window takes the seat from time to time: only one has it at a time.
    for listens in [true, true, false] {
        let mut newer = server.comes_back(anna.claim()).await;
        newer.catch_up().await;
        let mut older = std::mem::replace(&mut anna, newer).into_wire();
        if listens {
            assert_eq!(older.farewell().await, Farewell::Elsewhere);
        } else {
            older.reset();
        }
    }
    anna.play(take(1)).await;
    ben.until_turn(2).await;
    assert!(ben.lobby().is_here(anna.side()), "she was never away");
    let events = ben.lobby().last_event();
    anna.catch_up().await;
    ben.catch_up().await;
    assert_eq!((ben.lobby().last_event(), anna.lobby()), (events, ben.lobby()));
    ben.play(take(1)).await;
    anna.until_turn(3).await;
}

#[tokio::test]
async fn a_failed_hello_never_hears_an_event() {
    let (server, mut anna, _ben) = game("java-tech:21").await;
    let wrong_version = |version: u16| frame(&[b"\0nim", &version.to_le_bytes()[..], b"\x04anna"].concat());
    let asks = [
        encode(&ToServer::Hall { id: 1, request: HallRequest::Look }),
        encode(&ToServer::Hall { id: 2, request: anna.claim().request() }),
        encode(&ToServer::Hall { id: 3, request: join(anna.lobby().code()) }),
    ]
    .concat();
    let nameless = encode(&hello("\u{200b}")).to_vec();
    for said in [wrong_version(VERSION + 1), nameless, encode(&ToServer::Ping(1)).to_vec(), Vec::new()] {
        let mut stranger = server.connect().await;
        stranger.send_bytes(&[said, asks.clone()].concat()).await;
        // The helper checks that nothing else arrives.
        assert!(!matches!(stranger.unwelcome().await, HelloRefusal::Full { .. }));
    }
    let heard = anna.catch_up().await;
    assert_eq!(heard, [], "the ticket after a failed hello is ignored");
    anna.play(take(1)).await;
}

#[tokio::test]
async fn a_client_heard_again_after_its_seat_expired_is_in_the_hall() {
    let _clock = stopped_clock();
    for ben_stays in [true, false] {
        let server = TestServer::with(|config| {
            (config.ping_after, config.gone_after) = (Duration::from_secs(1), Duration::from_mins(1));
            config.seats_kept = Duration::from_secs(5);
        });
        let (mut ben, code) = server.opened("ben", terms("take:9:4")).await;
        let mut anna = server.session("anna").await;
        anna.act(Action::Join(code, None));
        while !matches!(news(&mut anna).await, SessionEvent::Entered) {}
        ben.until_playing().await;
        // Her program does not run, so it reads nothing and answers no pings.
        let mut ben = Some(ben);
        if ben_stays {
            ben.as_mut().unwrap().ask(LobbyRequest::Resign).await;
        } else {
            ben = None;
        }
        let mut cleo = server.client("cleo").await;
        for _ in 0..20 {
            tokio::time::advance(Duration::from_secs(1)).await;
            for client in ben.iter_mut().chain([&mut cleo]) {
                client.catch_up().await;
            }
        }
        while !matches!(news(&mut anna).await, SessionEvent::Outside) {}
        assert_eq!(anna.question(), Some(Question::Hall), "{ben_stays}");
    }
}

#[tokio::test]
async fn bytes_that_the_server_sends_do_not_show_that_a_client_is_alive() {
    let _clock = stopped_clock();
    let (_server, [mut busy, mut silent]) = TestServer::start_for(["busy", "silent"]).await;
    silent.look().await;
    // The server sends to her repeatedly, and her system accepts it all; she sends nothing.
    for _ in 0..5 {
        busy.create("java-tech:21").await;
        pass(Duration::from_secs(10)).await;
        busy.leave().await;
    }
    let mut told = 0;
    let word = loop {
        match silent.wire().read().await {
            Some(ToClient::Goodbye(word)) => break word,
            Some(ToClient::Hall(_)) => told += 1,
            Some(_) => {}
            None => panic!("closed without a word"),
        }
    };
    assert_eq!(word, Farewell::Silent);
    assert!(told > 0, "she was sent messages");
}
