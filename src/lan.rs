//! Hosts on the local network: the addresses under which others reach one, and how it is found without knowing any.
//! Knows no lobby and no game.
//!
//! A host says what is on its [`Card`]. An [`Announcer`] announces it by multicast DNS, and answers whoever asks by
//! broadcast, since some networks filter multicast; a [`Lookout`] hears the one and does the other, and keeps the list
//! of [`Host`]s that are there. Both stay within their [`Reach`]. Whatever comes from the network is somebody's word: it is cleaned,
//! cut and counted, and no host is believed to be on a network that this machine is not on.

mod announcer;
mod card;
pub mod datagram;
pub mod label;
pub mod lookout;
mod multicast;
mod reach;
pub mod roll;

pub use announcer::{Announcer, BETWEEN_ANNOUNCEMENTS};
pub use card::{Card, HostId};
pub use label::{HostName, Label, Version};
pub use lookout::{Lookout, round_trips};
pub use reach::{Chosen, NoInterface, Reach};
pub use roll::{Change, Host};

use std::net::{IpAddr, SocketAddr};

/// The addresses under which a server that is bound to `bound` can be reached from other machines, the
/// ones of the older protocol first. None for a server that only this machine can reach.
pub fn reachable(bound: SocketAddr) -> Vec<SocketAddr> {
    if !bound.ip().is_unspecified() {
        return if bound.ip().is_loopback() { Vec::new() } else { vec![bound] };
    }
    // Without a list of interfaces the host has to find its address otherwise; hosting works all the same.
    let interfaces = if_addrs::get_if_addrs().unwrap_or_default();
    offered(interfaces.iter().map(if_addrs::Interface::ip), bound)
}

/// Which of this machine's addresses another machine may try, with the port of a server that is bound to all of them.
fn offered(addresses: impl Iterator<Item = IpAddr>, bound: SocketAddr) -> Vec<SocketAddr> {
    let mut addresses: Vec<IpAddr> = addresses.filter(|ip| is_typed(*ip, bound.ip())).collect();
    addresses.sort_by_key(|ip| (ip.is_ipv6(), *ip));
    addresses.dedup();
    addresses.into_iter().map(|ip| SocketAddr::new(ip, bound.port())).collect()
}

/// Whether a person on another machine could type this address and reach a server bound to `bound`.
fn is_typed(ip: IpAddr, bound: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => !ip.is_loopback() && !ip.is_link_local(),
        // Link-local addresses need a zone that differs from machine to machine.
        IpAddr::V6(ip) => bound.is_ipv6() && !ip.is_loopback() && !ip.is_unicast_link_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_on_the_loopback_is_reached_by_nobody_else() {
        assert!(reachable(SocketAddr::from(([127, 0, 0, 1], 7646))).is_empty());
    }

    #[test]
    fn a_server_on_one_address_is_reached_there() {
        let bound = SocketAddr::from(([192, 168, 1, 7], 7646));
        assert_eq!(reachable(bound), [bound]);
    }

    #[test]
    fn a_server_on_all_networks_is_reached_at_every_address_that_works_elsewhere() {
        let here = [
            "::1",
            "127.0.0.1",
            "fe80::1",
            "2001:db8::1",
            "169.254.0.1",
            "192.168.1.7",
            "10.0.0.2",
            "10.0.0.2",
        ];
        let offered = |bound: &str| {
            let addresses = here.iter().map(|ip| ip.parse().unwrap());
            offered(addresses, bound.parse().unwrap()).iter().map(SocketAddr::to_string).collect::<Vec<_>>()
        };
        assert_eq!(offered("0.0.0.0:4000"), ["10.0.0.2:4000", "192.168.1.7:4000"]);
        assert_eq!(offered("[::]:4000"), ["10.0.0.2:4000", "192.168.1.7:4000", "[2001:db8::1]:4000"]);
    }

    #[test]
    fn no_loopback_address_is_offered_to_others() {
        let all = reachable(SocketAddr::from(([0, 0, 0, 0], 7646)));
        assert!(all.iter().all(|address| address.is_ipv4() && !address.ip().is_loopback()), "{all:?}");
    }
}
