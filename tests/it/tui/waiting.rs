//! The real program in a terminal while something is waited for before there is a game: a server that does not answer yet, or
//! hosts that are looked for.

use tokio::net::{TcpListener, TcpStream};

use super::window::{Window, size, some};
use crate::harness::{TestServer, within};

/// Somebody who takes connections, and where.
async fn door() -> (TcpListener, String) {
    let door = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = door.local_addr().unwrap().to_string();
    (door, address)
}

/// A first screen on which this address was typed and gone to, and what connects to it.
async fn goes_to(address: &str, door: &TcpListener) -> (Window, TcpStream) {
    let mut window = Window::client(&["--no-animation"]);
    window.until_shown("Play here and now").await;
    window.types(&format!("\x1b[B\x1b[B\x1b[B{address}\r"));
    window.until_shown(&format!("Connecting to {address} …")).await;
    let (visitor, _) = within("the program", door.accept()).await.unwrap();
    (window, visitor)
}

#[tokio::test]
async fn whoever_goes_to_a_silent_server_reads_where_to_and_can_give_it_up() {
    let (door, address) = door().await;
    let (mut window, _visitor) = goes_to(&address, &door).await;
    window.types("?");
    window.until_shown("What you can do here").await;
    window.types("x");
    window.until("the wait alone", |shown| !shown.contains("What you can do here")).await;
    window.terminal.screen_mut().set_size(some(40), some(120));
    window.master.resize(size(40, 120)).unwrap();
    let is_below = |shown: &str| shown.lines().nth(39).is_some_and(|line| line.contains("q quit"));
    window.until("the keys below", is_below).await;
    // What is typed meanwhile is for nobody.
    window.types("\x1b[B\r7\x1b");
    let is_kept = |shown: &str| {
        shown.contains("Play here and now") && shown.contains(&format!("Address         {address} "))
    };
    window.until("the first screen with the address", is_kept).await;
    window.types("\r");
    window.until_shown("Connecting to").await;
    window.types("q");
    assert_eq!(window.ended().await, 0);
    window.is_sane();
}

#[tokio::test]
async fn ctrl_c_ends_the_program_while_a_server_is_silent() {
    let (door, address) = door().await;
    let (mut window, _visitor) = goes_to(&address, &door).await;
    window.types("\x03");
    assert_eq!(window.ended().await, 0);
    window.is_sane();
}

#[tokio::test]
async fn why_a_server_was_not_reached_is_read_until_a_key_is_pressed_that_is_meant_for_it() {
    let (door, address) = door().await;
    let (mut window, visitor) = goes_to(&address, &door).await;
    drop(visitor);
    window.until_shown("Esc close this").await;
    for (keys, shown) in
        [("?", "What you can do here"), ("x", "Esc close this"), ("\x1b[A", "Esc close this")]
    {
        window.types(keys);
        window.until_shown(shown).await;
    }
    window.types("\x1b");
    window.until("no word of it", |shown| !shown.contains("Esc close this")).await;
    assert!(window.shown().contains("Play here and now"), "{}", window.shown());
    window.types("\x1b");
    assert_eq!(window.ended().await, 0);
}

#[tokio::test]
async fn somebody_who_names_a_silent_server_reads_so_at_once_and_sees_its_hall_once_it_answers() {
    let server = TestServer::start();
    let (door, address) = door().await;
    let mut window = Window::client(&["connect", &address, "--name", "anna"]);
    window.until_shown(&format!("Connecting to {address} …")).await;
    window.until_shown("Esc gives it up, and ends the program.").await;
    let (mut near, _) = within("the program", door.accept()).await.unwrap();
    // What is typed meanwhile does nothing in the hall.
    window.types("?");
    window.until_shown("What you can do here").await;
    window.types("xn");
    window.until("the wait alone", |shown| !shown.contains("What you can do here")).await;
    let mut far = TcpStream::connect(server.address()).await.unwrap();
    let relay = tokio::spawn(async move { tokio::io::copy_bidirectional(&mut near, &mut far).await });
    window.until_shown("The hall: 0 lobbies").await;
    window.until_shown("n new").await;
    assert!(!window.shown().contains("A lobby of your own"), "{}", window.shown());
    relay.abort();
}

#[tokio::test]
async fn somebody_who_names_a_silent_server_can_give_it_up() {
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
async fn somebody_who_names_no_host_reads_that_hosts_are_looked_for_and_can_stop_it() {
    let mut window = Window::client(&["connect", "--name", "anna"]);
    window.until_shown("Looking for hosts on this network for 2 seconds …").await;
    window.types("q");
    assert_eq!(window.ended().await, 0);
    window.is_sane();
    let mut lines = Window::client(&["connect", "--plain", "--name", "anna"]);
    lines.until_shown("Looking for hosts on this network for 2 seconds; Ctrl-C stops it.").await;
}
