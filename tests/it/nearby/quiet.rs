//! Servers that nobody is to find: nothing is sent, and nothing is heard.

use crate::harness::{Machine, TestLan, within};

/// How many sockets for datagrams are open on this machine.
async fn datagram_sockets(machine: &Machine) -> usize {
    let count =
        |table: &str| std::fs::read_to_string(table).unwrap_or_default().lines().count().saturating_sub(1);
    let tables = ["/proc/thread-self/net/udp", "/proc/thread-self/net/udp6"];
    machine.does(async move || tables.into_iter().map(count).sum()).await
}

#[tokio::test]
async fn a_server_on_the_loopback_or_told_to_be_quiet_opens_no_socket_for_it_and_neither_does_play() {
    let lan = TestLan::of(1).await;
    let [machine] = &lan.machines[..] else { panic!("one machine") };
    if !machine.is_real() {
        // Other programs here have sockets of their own.
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
            // The threads of a host that is found take their time.
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
