//! Invalid input before the welcome; the files of [`super::malformed`] have more.

use nim::wire::{HelloRefusal, ToClient, encode};

use crate::harness::{TestServer, hello, stopped_clock, within};

#[tokio::test]
async fn a_browser_is_told_what_this_is_in_one_line() {
    let server = TestServer::start();
    let mut wire = server.connect().await;
    wire.send_bytes(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    let answer = String::from_utf8(wire.rest().await).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 400 ") && head.contains("text/plain"), "{head}");
    assert!(body.contains("nim-client connect") && body.lines().count() == 1, "{body}");
    server.still_serves().await;
}

#[tokio::test]
async fn a_full_server_says_so_and_has_room_again_when_somebody_left() {
    let server = TestServer::with(|config| config.max_connections = 2);
    let (anna, _ben) = (server.client("anna").await, server.client("ben").await);
    let mut cleo = server.connect().await;
    cleo.send_hello("cleo").await;
    assert_eq!(
        cleo.unwelcome().await.to_string(),
        "the server is full: it has as many connections as it allows, 2; try again when somebody has left"
    );
    anna.reset();
    let welcome = async {
        loop {
            let mut wire = server.connect().await;
            // The server notices it when it next looks at that connection. The answer to a refused hello may
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
async fn a_full_server_answers_a_bounded_number_of_connections_and_closes_the_others() {
    // A refused connection has a second to close, and the server answers a limited number in that time.
    const TOLD_AT_ONCE: usize = 32;
    let _clock = stopped_clock();
    let server = TestServer::with(|config| config.max_connections = 1);
    let mut anna = server.client("anna").await;
    let mut crowd = Vec::new();
    for number in 0..=TOLD_AT_ONCE {
        let mut wire = server.connect().await;
        // A client says hello at once: by that the server tells it from a browser.
        if number < TOLD_AT_ONCE {
            wire.send_hello("ben").await;
        }
        crowd.push(wire);
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
