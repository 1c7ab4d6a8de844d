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
        let says_so = ended.stdout.contains("Others on this network find it as ");
        assert_eq!((ended.code, says_so), (Some(0), is_found), "{ended:?}");
    }
    let mut play = machine.client(&["play"]);
    play.until("Your move").await;
    assert_eq!(datagram_sockets(machine).await, 0);
}

#[cfg(unix)]
#[tokio::test]
async fn a_terminal_shows_the_address_as_a_qr_code() {
    let lan = TestLan::of(1).await;
    let [machine] = &lan.machines[..] else { panic!("one machine") };
    if !machine.is_real() {
        // No other machine reaches a server on the loopback.
        return;
    }
    for (port, (arguments, variables, is_shown)) in (4_000..).zip([
        (&[][..], &[][..], true),
        (&[], &[("NO_COLOR", "1")], true),
        (&["--no-qr"], &[], false),
        (&[], &[("TERM", "dumb")], false),
        (&[], &[("LC_ALL", "C")], false),
    ]) {
        let mut command =
            machine.server_command(&[&["--bind", &format!("10.77.0.1:{port}")], arguments].concat());
        command
            .env_remove("NO_COLOR")
            .env("LC_ALL", "C.UTF-8")
            .env("TERM", "xterm")
            .envs(variables.iter().copied());
        let mut terminal = Terminal::running(command.as_std());
        let shown = terminal.until("Ctrl-C stops the server.").await;
        assert!(shown.contains(&format!("type: nim-client connect 10.77.0.1:{port}\r\n")), "{shown}");
        let picture = shown.lines().filter(|line| line.contains("█▀▀▀▀▀█") || line.contains("▄▄▄▄▄")).count();
        assert_eq!(picture > 0, is_shown, "{arguments:?} {variables:?}\n{shown}");
        assert!(shown.contains(&format!("Say it aloud: 10 dot 77 dot 0 dot 1, port {port}\r\n")), "{shown}");
        let is_coloured = shown.contains("\u{1b}[97;40m");
        assert_eq!(is_coloured, is_shown && variables.is_empty(), "{shown}");
    }
}
