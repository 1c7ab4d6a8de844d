//! The packets and the start screen of a discoverable host; and one with discovery off, which sends and
//! receives nothing.

#[cfg(unix)]
use crate::harness::Terminal;
use crate::harness::{Machine, TestLan, within};

/// The number of open datagram sockets on this machine.
async fn datagram_sockets(machine: &Machine) -> usize {
    let count =
        |table: &str| std::fs::read_to_string(table).unwrap_or_default().lines().count().saturating_sub(1);
    let tables = ["/proc/thread-self/net/udp", "/proc/thread-self/net/udp6"];
    machine.does(async move || tables.into_iter().map(count).sum()).await
}

#[tokio::test]
async fn a_server_on_the_loopback_or_with_discovery_off_and_play_open_no_discovery_socket() {
    let lan = TestLan::of(1).await;
    let [machine] = &lan.machines[..] else { panic!("one machine") };
    if !machine.is_real() {
        // Other programs on a real machine have sockets too.
        return;
    }
    for (arguments, is_found) in [
        (&["--bind", "127.0.0.1:0"][..], false),
        (&["--bind", "[::1]:0"], false),
        (&["--bind", "127.0.0.1:0", "--announce-on", "eth0"], false),
        (&["--bind", "0.0.0.0:0", "--no-announce"], false),
        (&["--bind", "0.0.0.0:0"], true),
        (&["--bind", "127.0.0.1:0", "--announce-on", "lo"], true),
    ] {
        let mut server = machine.server(arguments);
        let said = server.until("Ctrl-C stops the server.").await;
        let sockets = async {
            // The threads of a discoverable host take a while to start.
            while is_found && datagram_sockets(machine).await == 0 {
                tokio::task::yield_now().await;
            }
            datagram_sockets(machine).await
        };
        let sockets = within("a socket", sockets).await;
        assert_eq!(sockets > 0, is_found, "{arguments:?}, {sockets} sockets, {said}");
        server.signal("TERM").await;
        let ended = server.ended().await;
        let says_so = ended.stdout.contains(" it as ");
        assert_eq!((ended.code, says_so), (Some(0), is_found), "{ended:?}");
    }
    let mut play = machine.client(&["play"]);
    play.until("Your move").await;
    assert_eq!(datagram_sockets(machine).await, 0);
}

#[tokio::test]
async fn a_server_that_is_announced_to_this_machine_alone_does_not_say_that_others_find_it() {
    const LOOPBACK: &str = if cfg!(target_os = "linux") { "lo" } else { "127.0.0.1" };
    let arguments = ["--bind", "127.0.0.1:0", "--announce-on", LOOPBACK, "--server-name", "tower"];
    let lan = TestLan::of(1).await;
    let mut server = lan.machines[0].server(&arguments);
    server.until("Ctrl-C stops the server.").await;
    server.signal("TERM").await;
    let said = server.ended().await.stdout;
    assert!(said.contains("Only this machine can reach it: nim-client connect 127.0.0.1:"), "{said}");
    let found = format!("This machine finds it as tower: nim-client connect --look-on {LOOPBACK}\n");
    assert!(said.contains(&found) && !said.contains("Others"), "{said}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_terminal_shows_the_address_for_reading_it_aloud() {
    let lan = TestLan::of(1).await;
    let [machine] = &lan.machines[..] else { panic!("one machine") };
    if !machine.is_real() {
        // No other machine reaches a server on the loopback.
        return;
    }
    let command = machine.server_command(&["--bind", "10.77.0.1:4000"]);
    let mut terminal = Terminal::running(command.as_std());
    let shown = terminal.until("Ctrl-C stops the server.").await;
    assert!(shown.contains("Others type: nim-client connect 10.77.0.1:4000"), "{shown}");
    assert!(shown.contains("Say it aloud: 10 dot 77 dot 0 dot 1, port 4000\r\n"), "{shown}");
}
