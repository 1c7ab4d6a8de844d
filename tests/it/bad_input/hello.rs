//! What comes before the welcome, or instead of it.

use nim::wire::limits::{MAX_FRAME, MAX_NAME_BYTES};
use nim::wire::{HallRequest, HelloRefusal, LobbyRequest, ToClient, ToServer, VERSION, encode};

use crate::harness::{TestServer, frame, hello, stopped_clock, within};

/// The body of a hello of any version, with any bytes behind it.
fn hello_body(version: u16, rest: &[u8]) -> Vec<u8> {
    [&[0], b"nim".as_slice(), &version.to_le_bytes(), rest].concat()
}

#[tokio::test]
async fn whatever_is_no_hello_of_this_version_is_not_welcome() {
    let server = TestServer::start();
    let (no_hello, no_message) = ("the first message has to be a hello", "not a message");
    let unseen = "\x06\u{3164}\u{200b}".as_bytes();
    for (what, body, words) in [
        ("an empty frame", vec![], no_hello),
        ("another message", vec![3, 1], no_hello),
        ("an unknown message", vec![9], no_hello),
        ("a hello cut in its letters", b"\0ni".to_vec(), no_hello),
        ("a hello cut in its version", b"\0nim\x01".to_vec(), no_hello),
        ("other letters", b"\0nip\x01\0\x04anna".to_vec(), no_hello),
        ("no name", hello_body(VERSION, b""), no_message),
        ("a name that is cut", hello_body(VERSION, b"\x05anna"), no_message),
        ("bytes behind the name", hello_body(VERSION, b"\x04anna!"), "1 byte is left over"),
        ("a name that is no text", hello_body(VERSION, b"\x02\xff\xfe"), no_message),
        ("a name beyond its bytes", hello_body(VERSION, &long_name(MAX_NAME_BYTES + 1)), no_message),
        ("a name of 2^36 bytes", hello_body(VERSION, b"\xfd\0\0\0\0\x10\0\0\0"), no_message),
        ("a name that cannot be seen", hello_body(VERSION, unseen), "at least one visible character"),
        (
            "a name of too many letters",
            hello_body(VERSION, &long_name(MAX_NAME_BYTES)),
            "at most 24 characters",
        ),
    ] {
        let mut wire = server.connect().await;
        wire.send_body(&body).await;
        let refusal = wire.unwelcome().await.to_string();
        assert!(refusal.contains(words), "{what}: {refusal}");
    }
    server.still_serves().await;
}

/// A name of so many bytes, its length in front as the codec writes it.
fn long_name(bytes: usize) -> Vec<u8> {
    let length = u16::try_from(bytes).unwrap().to_le_bytes();
    [&[0xfb], length.as_slice(), &b"x".repeat(bytes)].concat()
}

#[tokio::test]
async fn another_version_is_told_both_versions_whatever_follows() {
    let server = TestServer::start();
    for version in [0, VERSION + 1, u16::MAX] {
        for rest in [b"".as_slice(), b"\x04anna", b"what the future brings"] {
            let mut wire = server.connect().await;
            wire.send_body(&hello_body(version, rest)).await;
            let refusal = HelloRefusal::Version { yours: version.into(), ours: VERSION.into() };
            assert_eq!(wire.unwelcome().await, refusal);
        }
    }
    server.still_serves().await;
}

#[tokio::test]
async fn a_name_is_asked_for_with_the_reason_why_another_was_not_taken() {
    let server = TestServer::start();
    for (name, words) in [
        ("", "a name needs at least one visible character"),
        (" \t ", "a name needs at least one visible character"),
        ("\u{1b}\u{7}\u{202e}\u{200b}", "a name needs at least one visible character"),
        ("a name that goes on and on and on", "a name has at most 24 characters"),
    ] {
        let mut wire = server.connect().await;
        wire.send(&hello(name)).await;
        assert_eq!(wire.unwelcome().await.to_string(), words, "{name:?}");
    }
    server.still_serves().await;
}

#[tokio::test]
async fn every_other_message_comes_too_early_before_the_hello() {
    let server = TestServer::start();
    for message in [
        ToServer::Hall { id: 1, request: HallRequest::Look },
        ToServer::Lobby { id: 1, request: LobbyRequest::Leave },
        ToServer::Ping(1),
        ToServer::Pong(1),
    ] {
        let mut wire = server.connect().await;
        wire.send(&message).await;
        assert_eq!(wire.unwelcome().await, HelloRefusal::NotHello, "{message:?}");
    }
    server.still_serves().await;
}

#[tokio::test]
async fn a_browser_is_told_what_this_is_in_one_line() {
    let server = TestServer::start();
    for request in [
        "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "POST /play HTTP/1.1\r\n\r\n{}",
        "HEAD / HTTP/1.0\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\n\r\n",
        "DELETE /x HTTP/1.1\r\n\r\n",
    ] {
        let mut wire = server.connect().await;
        wire.send_bytes(request.as_bytes()).await;
        let answer = String::from_utf8(wire.rest().await).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 400 ") && head.contains("text/plain"), "{head}");
        assert!(body.contains("nim-client connect") && body.lines().count() == 1, "{body}");
    }
    server.still_serves().await;
}

#[tokio::test]
async fn another_protocol_is_closed_without_an_answer() {
    let server = TestServer::start();
    let tls = [b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".as_slice(), &[0x5e; 512]].concat();
    for (what, bytes) in [
        ("a TLS hello", tls),
        ("an SSH banner", b"SSH-2.0-OpenSSH_9.9\r\n".to_vec()),
        ("SMTP", b"EHLO there\r\n".to_vec()),
        ("a frame that announces 4 GiB", vec![0xff; 4]),
        ("a frame one byte too long", frame(&vec![0; MAX_FRAME + 1])),
        ("random bytes", b"\x93\xd1\x0c\x7e\x44\xab".to_vec()),
    ] {
        let mut wire = server.connect().await;
        wire.send_bytes(&bytes).await;
        assert_eq!(wire.rest().await, b"", "{what}");
    }
    server.still_serves().await;
}

#[tokio::test]
async fn a_frame_may_come_byte_by_byte_or_with_the_next_ones() {
    let server = TestServer::start();
    let mut wire = server.connect().await;
    for byte in encode(&hello("anna")) {
        wire.send_bytes(&[byte]).await;
    }
    wire.is_heard().await;

    let mut wire = server.connect().await;
    let together = [hello("ben"), ToServer::Ping(1), ToServer::Ping(2), ToServer::Ping(3)];
    wire.send_bytes(&together.map(|message| encode(&message)).concat()).await;
    wire.until("the last pong", |message| (*message == ToClient::Pong(3)).then_some(())).await;
}

#[tokio::test]
async fn a_full_server_says_so_and_has_room_again_when_somebody_left() {
    let server = TestServer::with(|config| config.max_connections = 2);
    let (anna, _ben) = (server.client("anna").await, server.client("ben").await);
    let refusal = server.connect().await.unwelcome().await;
    assert_eq!(
        refusal.to_string(),
        "the server is full: as many are connected as may be at once, 2; try again when somebody has left"
    );
    anna.reset();
    let welcome = async {
        loop {
            let mut wire = server.connect().await;
            // The server learns of it when it next looks at that connection. A hello that is turned away may
            // be cut off.
            if wire.try_send_bytes(&encode(&hello("cleo"))).await.is_ok()
                && let Ok(Some(ToClient::Welcome { .. })) = wire.try_read().await
            {
                break;
            }
        }
    };
    within("room for another one", welcome).await;
}

#[tokio::test]
async fn of_a_crowd_that_finds_the_server_full_a_bounded_number_is_told_and_the_others_are_just_closed() {
    // A refused connection has a second to close, and the number of answers in that time is limited.
    const TOLD_AT_ONCE: usize = 64;
    let _clock = stopped_clock();
    let server = TestServer::with(|config| config.max_connections = 1);
    let mut anna = server.client("anna").await;
    let mut crowd = Vec::new();
    for _ in 0..=TOLD_AT_ONCE {
        crowd.push(server.connect().await);
    }
    anna.catch_up().await;
    let mut told = 0;
    for wire in &mut crowd {
        match wire.read().await {
            Some(message) => {
                assert_eq!(message, ToClient::Unwelcome(HelloRefusal::Full { most: 1 }));
                told += 1;
            }
            None => assert_eq!(told, TOLD_AT_ONCE),
        }
    }
    assert_eq!(told, TOLD_AT_ONCE);
}
