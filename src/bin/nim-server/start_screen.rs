//! The output of a server when it starts to listen: the first line for programs, the rest for people.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use nim::lan;
use nim::server::DEFAULT_PORT;

/// The lines for a server that listens at `address`, with the lines of `words`. On a terminal, for people, there
/// is one for reading the address aloud.
pub(crate) fn lines(address: SocketAddr, words: &[String], is_terminal: bool) -> Vec<String> {
    let others = lan::reachable(address);
    let mut ways: Vec<String> = others.iter().copied().map(invitation).collect();
    if others.is_empty() {
        ways.push(format!("Only this machine can reach it: nim-client connect {}", typed(here(address))));
    }
    let aloud = others.first().filter(|_| is_terminal).and_then(|first| said_aloud(*first));
    let heading = [format!("listening on {address}")];
    let end = aloud.into_iter().chain(["Ctrl-C stops the server.".to_owned()]);
    heading.into_iter().chain(ways).chain(words.iter().cloned()).chain(end).collect()
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
        lines(address.parse().unwrap(), &[], false)
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
