//! The program in a terminal while it waits for a server or for hosts.

use tokio::net::{TcpListener, TcpStream};

use super::window::Window;
use crate::harness::{TestServer, within};

/// A server that accepts connections but sends nothing, and its address.
async fn door() -> (TcpListener, String) {
    let door = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = door.local_addr().unwrap().to_string();
    (door, address)
}

/// A home screen on which this address was entered, and the connection from it.
async fn goes_to(address: &str, door: &TcpListener) -> (Window, TcpStream) {
    let mut window = Window::client(&["--no-animation"]);
    window.until_shown("Play here and now").await;
    window.asks(&format!("\x1b[B\x1b[B\x1b[B{address}\r"), &format!("Connecting to {address} …")).await;
    let (visitor, _) = within("the program", door.accept()).await.unwrap();
    (window, visitor)
}

#[tokio::test]
async fn connecting_from_the_home_screen_can_be_given_up() {
    let (door, address) = door().await;
    let (mut window, _visitor) = goes_to(&address, &door).await;
    window.resizes(40, 120).await;
    // Keys typed during the wait are dropped.
    window.types("\x1b[B\r7\x1b");
    let is_kept = |shown: &str| {
        shown.contains("Play here and now") && shown.contains(&format!("Address         {address} "))
    };
    window.until("the first screen with the address", is_kept).await;
    window.asks("\r", "Connecting to").await;
    window.quits("q").await;
}

#[tokio::test]
async fn ctrl_c_ends_the_program_while_a_server_is_silent() {
    let (door, address) = door().await;
    let (window, _visitor) = goes_to(&address, &door).await;
    window.quits("\x03").await;
}

#[tokio::test]
async fn the_reason_of_a_failed_connection_stays_until_it_is_dismissed() {
    let (door, address) = door().await;
    let (mut window, visitor) = goes_to(&address, &door).await;
    drop(visitor);
    window.until_shown("Esc close this").await;
    for (keys, shown) in
        [("?", "What you can do here"), ("x", "Esc close this"), ("\x1b[A", "Esc close this")]
    {
        window.asks(keys, shown).await;
    }
    window.types("\x1b");
    window.until("no word of it", |shown| !shown.contains("Esc close this")).await;
    assert!(window.shown().contains("Play here and now"), "{}", window.shown());
    window.quits("\x1b").await;
}

#[tokio::test]
async fn connecting_shows_the_address_and_then_the_hall() {
    let server = TestServer::start();
    let (door, address) = door().await;
    let mut window = Window::client(&["connect", &address, "--name", "anna"]);
    window.until_shown(&format!("Connecting to {address} …")).await;
    window.until_shown("Esc gives it up, and ends the program.").await;
    let (mut near, _) = within("the program", door.accept()).await.unwrap();
    // Keys typed during the wait do nothing in the hall, and a resize during it takes effect.
    for columns in 101..=120 {
        window.types("xn");
        window.resizes(40, columns).await;
    }
    let mut far = TcpStream::connect(server.address()).await.unwrap();
    let relay = tokio::spawn(async move { tokio::io::copy_bidirectional(&mut near, &mut far).await });
    window.until_shown("The hall: 0 lobbies").await;
    window.until_shown("n new").await;
    assert!(!window.shown().contains("A lobby of your own"), "{}", window.shown());
    relay.abort();
}

#[tokio::test]
async fn connecting_can_be_given_up() {
    for key in ["\x1b", "q", "\x03"] {
        let (door, address) = door().await;
        let mut window = Window::client(&["connect", &address, "--name", "anna"]);
        let _visitor = within("the program", door.accept()).await.unwrap();
        window.until_shown("Connecting to").await;
        window.types(key);
        assert_eq!(window.ended().await, 0);
        window.is_sane();
    }
}

#[tokio::test]
async fn looking_for_hosts_can_be_given_up() {
    let mut window = Window::client(&["connect", "--name", "anna"]);
    window.until_shown("Looking for hosts on this network for 2 seconds …").await;
    window.quits("q").await;
    let mut lines = Window::client(&["connect", "--plain", "--name", "anna"]);
    lines.until_shown("Looking for hosts on this network for 2 seconds; Ctrl-C stops it.").await;
}
