//! The program in a terminal at a server that does not read, or does not answer, and does not close either.

use tokio::net::TcpListener;

use super::window::Window;
use crate::harness::pretender::{Pretender, entered};

/// A window in which anna plays on a server, and that server.
async fn playing(flags: &[&str]) -> (Window, Pretender, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let connect = ["connect", &address, "--name", "anna", "--new", "java-tech:21"];
    let mut window = Window::client(&[&connect, flags].concat());
    let mut server = Pretender::at(&listener).await;
    server.welcomes().await;
    server.says(&entered()).await;
    window.until_shown("Your turn").await;
    (window, server, listener)
}

/// Waits until the program has ended because nobody answered.
async fn has_gone(mut window: Window) {
    assert_eq!(window.ended().await, 7);
    window.is_sane();
    assert!(window.shown().contains("you have gone without an answer of the server"), "{}", window.shown());
}

#[tokio::test]
async fn who_quits_once_more_does_not_wait_for_an_answer() {
    for (once_more, last) in [("q", "q"), ("\x03", "\x03")] {
        let (mut window, _server, _listener) = playing(&[]).await;
        window.asks(once_more, "Leave this game?").await;
        window.asks("g", "Leaving… To leave at once, quit again.").await;
        window.types(last);
        has_gone(window).await;
    }
}

#[tokio::test]
async fn who_quits_without_an_answer_has_gone_after_a_moment() {
    let (mut window, _server, _listener) = playing(&[]).await;
    window.asks("q", "Leave this game?").await;
    window.types("g");
    has_gone(window).await;
}

#[tokio::test]
async fn every_key_is_answered_while_the_server_pings_without_end_and_reads_nothing() {
    let (mut window, server, _listener) = playing(&[]).await;
    let pings = tokio::spawn(server.pings_without_reading());
    window.until_shown("The connection is lost").await;
    window.asks("?", "What you can do now").await;
    window.types("\x1b\x03\x03");
    assert_eq!(window.ended().await, 7);
    window.is_sane();
    pings.abort();
}
