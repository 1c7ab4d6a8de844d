//! What a client that was welcomed could send and should not.

use nim::game::any::Move;
use nim::game::nim::Take;
use nim::lobby::Refusal::{Illegal, NoGame, NotYourTurn, OtherTurn};
use nim::lobby::{self, Code};
use nim::wire::limits::MAX_FRAME;
use nim::wire::{
    Farewell, HallRequest, LobbyRequest, Misplaced, Refusal, Ticket, ToClient, ToServer, encode,
};

use crate::harness::{TestClient, TestServer, frame, hello, pair, stopped_clock, terms};

#[tokio::test]
async fn a_frame_that_cannot_be_cut_or_read_ends_the_connection_with_a_word() {
    let server = TestServer::start();
    let table: [(&str, Vec<u8>, &str); 17] = [
        ("nothing", frame(b""), "not a message"),
        ("an unknown message", frame(b"\x05"), "not a message"),
        ("a message far beyond", frame(b"\xfc\xff\xff\xff\xff"), "not a message"),
        ("a ping without its number", frame(b"\x03"), "not a message"),
        ("a ping with a byte too many", frame(b"\x03\x01\x00"), "1 byte is left over"),
        ("two messages in one frame", frame(b"\x03\x01\x03\x02"), "2 bytes are left over"),
        ("a number too wide for its place", frame(b"\x03\xfd\x01\0\0\0\0\0\0\0"), "not a message"),
        ("an unknown request to the hall", frame(b"\x01\x07\xfa"), "not a message"),
        ("an unknown request to the lobby", frame(b"\x02\x07\xfa"), "not a message"),
        ("an unknown game's move", frame(b"\x02\x07\x00\x01\xfa\x00\x01"), "not a message"),
        ("a code that is too long", join_with(&[b'x'; Code::MAX_TEXT + 1]), "not a message"),
        ("a code that is no text", join_with(b"\xc3\x28"), "not a message"),
        ("a code of 2^36 bytes", frame(b"\x01\x07\x02\xfd\0\0\0\0\x10\0\0\0"), "not a message"),
        (
            "a ticket one byte too short",
            frame(&[b"\x01\x07\x04\x01x".as_slice(), &[0; 16]].concat()),
            "not a message",
        ),
        ("zeros to the brim", frame(&[0; MAX_FRAME]), "not a message"),
        ("a frame one byte too long", frame(&vec![0; MAX_FRAME + 1]), "at most 16384 bytes"),
        ("a frame that announces 4 GiB", vec![0xff; 4], "at most 16384 bytes"),
    ];
    for (what, bytes, words) in table {
        let mut client = server.client("mallory").await;
        client.wire().send_bytes(&bytes).await;
        let word = client.wire().farewell().await;
        assert!(matches!(word, Farewell::Malformed(_) | Farewell::FrameTooLong), "{what}: {word:?}");
        assert!(word.to_string().contains(words), "{what}: {word}");
    }
    server.still_serves().await;
}

/// A frame that asks to join with any bytes as the code.
fn join_with(code: &[u8]) -> Vec<u8> {
    frame(&[&[1, 7, 2, u8::try_from(code.len()).unwrap()], code].concat())
}

#[tokio::test]
async fn what_was_asked_before_a_bad_frame_is_answered() {
    let server = TestServer::start();
    let mut client = server.client("mallory").await;
    client.wire().send_bytes(&[encode(&ToServer::Ping(7)).as_ref(), &frame(b"\x05")].concat()).await;
    assert_eq!(client.wire().read().await, Some(ToClient::Pong(7)));
    client.wire().farewell().await;
}

#[tokio::test]
async fn a_client_that_keeps_sending_after_the_goodbye_is_cut_off_early() {
    const FAR_TOO_MUCH: usize = 64;
    let _clock = stopped_clock();
    let server = TestServer::start();
    let mut mallory = server.client("mallory").await;
    mallory.wire().send_body(b"\x05").await;
    mallory.wire().farewell().await;
    let megabyte = vec![0; 1 << 20];
    for _ in 0..FAR_TOO_MUCH {
        if mallory.wire().try_send_bytes(&megabyte).await.is_err() {
            return;
        }
    }
    panic!("the server took {FAR_TOO_MUCH} MB of what it does not want");
}

#[tokio::test]
async fn an_opponent_is_told_when_somebody_is_put_out_for_a_bad_frame() {
    let server = TestServer::start();
    let (mut anna, mut ben) = pair(&server, terms("java-tech:21")).await;
    let side = anna.side();
    anna.wire().send_body(b"\x05").await;
    let away = ben.until_event(|event| matches!(event, lobby::Event::Away { .. })).await;
    assert!(matches!(away, lobby::Event::Away { side: hers, loss: lobby::Loss::Closed, .. } if hers == side));
    assert_eq!(ben.lobby().phase(), lobby::Phase::Playing, "her seat is hers, so nothing is lost yet");
    server.still_serves().await;
}

#[tokio::test]
async fn a_second_hello_is_refused_and_changes_nothing() {
    let server = TestServer::start();
    let mut anna = server.client("anna").await;
    anna.wire().send(&hello("somebody else")).await;
    assert_eq!(anna.refusal_of(0).await, Refusal::Misplaced(Misplaced::SecondHello));
    let code = anna.create("java-tech:21").await;
    anna.wire().send(&hello("anna")).await;
    assert_eq!(anna.refusal_of(0).await, Refusal::Misplaced(Misplaced::SecondHello));
    let mut ben = server.client("ben").await;
    ben.join(code).await;
    assert_eq!(ben.lobby().seats().first.as_ref().unwrap().name.as_str(), "anna");
}

#[tokio::test]
async fn a_request_at_the_wrong_place_is_refused() {
    let server = TestServer::start();
    let mut anna = server.client("anna").await;
    let mv = Move::Nim(Take { pile: 0, count: 1 });
    let to_lobby = [
        LobbyRequest::Play { turn: 1, mv },
        LobbyRequest::Resign,
        LobbyRequest::Again,
        LobbyRequest::Hint,
        LobbyRequest::Wait,
        LobbyRequest::WaitNoMore,
        LobbyRequest::Claim,
        LobbyRequest::Offer(lobby::Offer::Draw),
        LobbyRequest::Answer { turn: 1, offer: lobby::Offer::Draw, accept: true },
        LobbyRequest::Resume,
        LobbyRequest::Say { words: lobby::Text::cut("hello") },
        LobbyRequest::Review { number: 1 },
        LobbyRequest::Leave,
    ];
    for request in to_lobby {
        let refusal = anna.refused(request.clone()).await;
        assert_eq!(refusal, Refusal::Misplaced(Misplaced::InHall), "{request:?}");
    }
    let code = anna.create("java-tech:21").await;
    let to_hall = [
        HallRequest::Look,
        HallRequest::Create(terms("java-tech:21")),
        crate::harness::join(code),
        HallRequest::Quick(terms("java-tech:21")),
        crate::harness::come_back(code, Ticket::of([0; 16]), 0),
    ];
    for request in to_hall {
        let refusal = anna.refused_in_hall(request.clone()).await;
        assert_eq!(refusal, Refusal::Misplaced(Misplaced::InLobby), "{request:?}");
    }
    let in_a_game = [
        LobbyRequest::Play { turn: 1, mv },
        LobbyRequest::Resign,
        LobbyRequest::Hint,
        LobbyRequest::Wait,
        LobbyRequest::WaitNoMore,
        LobbyRequest::Claim,
    ];
    for request in in_a_game {
        let refusal = anna.refused(request.clone()).await;
        assert_eq!(refusal, Refusal::Lobby(NoGame), "{request:?} before the game");
    }
    server.still_serves().await;
}

/// The number of the next move in the next refusal.
async fn refused_turn(client: &mut TestClient) -> u32 {
    client
        .until(|message| match message {
            ToClient::Refused { turn, .. } => Some(*turn),
            _ => None,
        })
        .await
}

#[tokio::test]
async fn every_refusal_says_the_turn_of_the_lobby_and_0_in_the_hall() {
    let server = TestServer::start();
    let mut outside = server.client("cleo").await;
    let (mut anna, mut ben) = pair(&server, terms("java-tech:21")).await;
    for turn in 1..4 {
        let (mover, other) = if turn == 2 { (&mut ben, &mut anna) } else { (&mut anna, &mut ben) };
        for (client, turn) in [(&mut outside, 0), (&mut *mover, turn), (&mut *other, turn)] {
            client.ask_hall(crate::harness::join("brave-otter".parse().unwrap())).await;
            assert_eq!(refused_turn(client).await, turn, "of a request of the hall");
            client.wire().send(&hello("somebody else")).await;
            assert_eq!(refused_turn(client).await, turn, "of a second hello");
            client.ask(LobbyRequest::Again).await;
            assert_eq!(refused_turn(client).await, turn, "of a request of the lobby");
        }
        mover.play(Move::Nim(Take { pile: 0, count: 1 })).await;
        other.until_lobby(|lobby| lobby.turn() == turn + 1).await;
    }
}

#[tokio::test]
async fn moves_that_are_not_legal_or_not_now_are_refused_and_change_nothing() {
    let server = TestServer::start();
    let (mut anna, mut ben) = pair(&server, terms("nim:3-4-5")).await;
    let before = anna.lobby().clone();
    let illegal = |words: &str| Illegal(lobby::Text::cut(words));
    for (turn, pile, count, refusal) in [
        (1, 0, 0, illegal("a move takes at least 1")),
        (1, 0, 4, illegal("only 3 are left")),
        (1, 3, 1, illegal("there is no such pile: they are a to c")),
        (1, 255, u64::MAX, illegal("there is no such pile: they are a to c")),
        (1, 1, u64::MAX, illegal("only 4 are left")),
        (0, 0, 1, OtherTurn),
        (2, 0, 1, OtherTurn),
        (u32::MAX, 0, 1, OtherTurn),
    ] {
        let play = LobbyRequest::Play { turn, mv: Move::Nim(Take { pile, count }) };
        assert_eq!(anna.refused(play.clone()).await, Refusal::Lobby(refusal), "{play:?}");
    }
    let out_of_turn = LobbyRequest::Play { turn: 1, mv: Move::Nim(Take { pile: 0, count: 1 }) };
    assert_eq!(ben.refused(out_of_turn).await, Refusal::Lobby(NotYourTurn));
    assert_eq!((anna.lobby(), ben.lobby()), (&before, &before));
    crate::harness::play_out(&mut anna, &mut ben, crate::harness::first_move).await;
}

#[tokio::test]
async fn pongs_that_nobody_asked_for_are_no_harm() {
    let server = TestServer::start();
    let mut anna = server.client("anna").await;
    for number in 0..1_000 {
        anna.wire().send(&ToServer::Pong(number)).await;
    }
    assert!(anna.catch_up().await.is_empty());
}
