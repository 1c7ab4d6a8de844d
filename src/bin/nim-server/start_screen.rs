//! What a server shows: when it starts to listen, the first line for programs and the rest for people; and while
//! it runs on a terminal, the lines that stay in sight.

use std::future::pending;
use std::io::{IsTerminal, stdout};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use nim::lan;
use nim::server::{DEFAULT_PORT, Load};

use crate::pinned::Pinned;
use crate::values::count;

/// How often the pinned lines are made to fit the server and the terminal's width.
const LOOK: Duration = Duration::from_secs(1);

/// The last line.
const STOPS: &str = "Ctrl-C stops the server.";

/// Who reads the start screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// A program, or a person later.
    Program,
    /// A person at a terminal, whose log is elsewhere or cannot be held off the last lines.
    Person,
    /// A person at a terminal on which the [most important lines](pinned_lines) are pinned.
    PersonWithPinned,
}

impl Reader {
    /// Who reads the standard output.
    pub(crate) fn of_stdout() -> Self {
        match stdout().is_terminal() {
            true if Pinned::is_possible() => Self::PersonWithPinned,
            true => Self::Person,
            false => Self::Program,
        }
    }
}

/// The lines for a server that listens at `address`, with the lines of `words`. What is pinned is not among them.
pub(crate) fn lines(address: SocketAddr, words: &[String], reader: Reader) -> Vec<String> {
    let others = lan::reachable(address);
    let mut ways: Vec<String> = others.iter().copied().map(invitation).collect();
    if others.is_empty() {
        ways.push(format!("Only this machine can reach it: {}", command(here(address))));
    }
    let is_pinned = reader == Reader::PersonWithPinned;
    let aloud = others.first().filter(|_| reader != Reader::Program).and_then(|first| said_aloud(*first));
    let heading = [format!("listening on {address}")];
    let end = aloud.into_iter().chain((!is_pinned).then(|| STOPS.to_owned()));
    let ways = ways.into_iter().skip(usize::from(is_pinned));
    heading.into_iter().chain(ways).chain(words.iter().cloned()).chain(end).collect()
}

/// Keeps the pinned lines as they should be, if there are any. Never returns.
pub(crate) async fn follow(pinned: &Pinned, address: SocketAddr, load: impl Fn() -> Load) {
    if Reader::of_stdout() != Reader::PersonWithPinned {
        return pending().await;
    }
    let first = lan::reachable(address).first().copied();
    loop {
        pinned.show(pinned_lines(address, first, &load()));
        tokio::time::sleep(LOOK).await;
    }
}

/// The lines that stay in sight: what others type, how busy the server is, and why nothing can be recorded.
fn pinned_lines(bound: SocketAddr, first: Option<SocketAddr>, load: &Load) -> Vec<String> {
    let way = match first {
        Some(first) => format!("Others type: {}", command(first)),
        None => format!("Only this machine: {}", command(here(bound))),
    };
    let connections = count(load.connections, "connection", "connections");
    let games = count(load.games, "game", "games");
    let error = load.error.as_ref().map(|error| format!("Nothing can be recorded now: {error}."));
    [way, format!("{connections}, {games}. {STOPS}")].into_iter().chain(error).collect()
}

/// The address at which this machine itself reaches the server.
fn here(bound: SocketAddr) -> SocketAddr {
    let loopback: IpAddr = match bound {
        SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    let ip = if bound.ip().is_unspecified() { loopback } else { bound.ip() };
    SocketAddr::new(ip, bound.port())
}

fn invitation(address: SocketAddr) -> String {
    format!("On another machine of this network, type: {}", command(address))
}

fn command(address: SocketAddr) -> String {
    format!("nim-client connect {}", typed(address))
}

/// The line for reading the address aloud; `None` for IPv6.
fn said_aloud(address: SocketAddr) -> Option<String> {
    let said = typed(address).replace('.', " dot ").replace(':', ", port ");
    address.is_ipv4().then(|| format!("Say it aloud: {said}"))
}

/// An address as people type it for the client: without the default port.
fn typed(address: SocketAddr) -> String {
    match (address.port(), address) {
        (DEFAULT_PORT, SocketAddr::V4(v4)) => v4.ip().to_string(),
        (DEFAULT_PORT, SocketAddr::V6(v6)) => v6.ip().to_string(),
        (_, address) => address.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_at(address: &str) -> Vec<String> {
        lines(address.parse().unwrap(), &[], Reader::Program)
    }

    #[test]
    fn the_host_shows_what_guests_have_to_type() {
        const ELSEWHERE: &str = "On another machine of this network, type: nim-client connect ";
        const HERE: &str = "Only this machine can reach it: nim-client connect ";
        for (address, who, what) in [
            ("192.168.1.7:7646", ELSEWHERE, "192.168.1.7"),
            ("192.168.1.7:4000", ELSEWHERE, "192.168.1.7:4000"),
            ("[2001:db8::1]:7646", ELSEWHERE, "2001:db8::1"),
            ("[2001:db8::1]:4000", ELSEWHERE, "[2001:db8::1]:4000"),
            ("127.0.0.1:7646", HERE, "127.0.0.1"),
            ("127.0.0.1:4000", HERE, "127.0.0.1:4000"),
        ] {
            let expected = [
                format!("listening on {address}"),
                format!("{who}{what}"),
                "Ctrl-C stops the server.".into(),
            ];
            assert_eq!(lines_at(address), expected);
        }
    }

    #[test]
    fn what_is_pinned_fits_a_narrow_window_and_is_on_the_start_screen_only_once() {
        let load = Load { connections: 30, games: 1, error: None };
        let bound: SocketAddr = "127.0.0.1:4000".parse().unwrap();
        let expected =
            |way: &str| [way.to_owned(), "30 connections, 1 game. Ctrl-C stops the server.".into()];
        let pinned = pinned_lines(bound, None, &load);
        assert_eq!(pinned, expected("Only this machine: nim-client connect 127.0.0.1:4000"));
        let outside = "192.168.101.107:40000".parse().ok();
        let pinned = pinned_lines(bound, outside, &load);
        assert_eq!(pinned, expected("Others type: nim-client connect 192.168.101.107:40000"));
        assert!(pinned.iter().all(|line| line.len() <= 60));
        assert_eq!(lines(bound, &[], Reader::PersonWithPinned), ["listening on 127.0.0.1:4000"]);
    }

    #[test]
    fn what_keeps_the_server_from_recording_is_pinned() {
        let load = Load { connections: 0, games: 0, error: Some("the disk is full".into()) };
        let pinned = pinned_lines("127.0.0.1:4000".parse().unwrap(), None, &load);
        assert_eq!(pinned.last().map(String::as_str), Some("Nothing can be recorded now: the disk is full."));
    }

    #[test]
    fn an_address_can_be_said() {
        for (address, said) in [
            ("192.168.1.7:7646", Some("Say it aloud: 192 dot 168 dot 1 dot 7")),
            ("10.0.0.2:4000", Some("Say it aloud: 10 dot 0 dot 0 dot 2, port 4000")),
            ("[2001:db8::1]:4000", None),
        ] {
            assert_eq!(said_aloud(address.parse().unwrap()).as_deref(), said);
        }
    }

    #[test]
    fn a_server_on_all_networks_is_reached_from_here_at_the_loopback() {
        for (bound, reached) in
            [("0.0.0.0:1", "127.0.0.1:1"), ("[::]:1", "[::1]:1"), ("127.0.0.2:1", "127.0.0.2:1")]
        {
            assert_eq!(here(bound.parse().unwrap()), reached.parse().unwrap());
        }
    }

    #[test]
    fn a_server_on_all_networks_says_each_address_of_this_machine() {
        let bound = "0.0.0.0:4000";
        let (lines, others) = (lines_at(bound), lan::reachable(bound.parse().unwrap()));
        assert_eq!(lines[0], format!("listening on {bound}"));
        // A machine without a network has no address; one line in their place says so.
        assert_eq!(lines.len(), 2 + others.len().max(1));
        for other in others {
            assert!(lines.contains(&invitation(other)), "{other}: {lines:?}");
        }
    }
}
