//! Which addresses of servers a client is told. One of a private network means another machine, or none, to a client that
//! comes from elsewhere: it would show its ticket there.

use std::net::{IpAddr, SocketAddr};

/// Whether a client at this address may be told of a server at this HOST:PORT.
pub(super) fn may_be_told(server: &str, client: IpAddr) -> bool {
    let ip = server.parse().map(|server: SocketAddr| server.ip());
    is_private(client) || !ip.is_ok_and(is_private)
}

/// Whether this address has a meaning in its own network alone.
fn is_private(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => ip.is_private() || ip.is_link_local() || ip.is_loopback(),
        IpAddr::V6(ip) => ip.is_unique_local() || ip.is_unicast_link_local() || ip.is_loopback(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_a_private_network_is_told_only_to_who_comes_from_one() {
        let private = [
            "192.168.1.7:7646",
            "10.0.0.1:7646",
            "172.16.3.4:7646",
            "169.254.1.1:7646",
            "127.0.0.1:7646",
            "[fd00::7]:7646",
            "[fe80::7]:7646",
            "[::1]:7646",
            "[::ffff:192.168.1.7]:7646",
        ];
        let public = ["203.0.113.9:7646", "[2001:db8::7]:7646", "games.example:7646", "games.example"];
        for client in ["198.51.100.4", "2001:db8::4", "::ffff:198.51.100.4"] {
            let client = client.parse().unwrap();
            assert!(private.iter().all(|server| !may_be_told(server, client)), "{client}");
            assert!(public.iter().all(|server| may_be_told(server, client)), "{client}");
        }
        for client in ["192.168.1.4", "127.0.0.1", "fd00::4", "::1", "::ffff:10.0.0.4"] {
            let client = client.parse().unwrap();
            assert!(private.iter().chain(&public).all(|server| may_be_told(server, client)), "{client}");
        }
    }
}
