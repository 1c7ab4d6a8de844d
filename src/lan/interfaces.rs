//! Which of this machine's network interfaces discovery uses, and the addresses at which others reach a
//! server. Knows no host.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use if_addrs::{IfAddr, Interface};

/// A network interface of this machine that the user has chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChosenInterface {
    /// By its name, such as `eth0`.
    Name(String),
    /// By one of its IP addresses.
    Address(IpAddr),
}

/// This machine has no such interface. Lists the names of those that exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this machine has no such network interface; it has {0}")]
pub struct UnknownInterface(String);

impl ChosenInterface {
    fn is(&self, interface: &Interface) -> bool {
        match self {
            Self::Name(name) => *name == interface.name,
            Self::Address(ip) => *ip == interface.ip(),
        }
    }
}

impl FromStr for ChosenInterface {
    type Err = UnknownInterface;

    /// Parses the name or an address of an interface. It is an error if none exists now.
    fn from_str(text: &str) -> Result<Self, UnknownInterface> {
        let chosen = text.parse().map_or_else(|_| Self::Name(text.into()), Self::Address);
        let all = interfaces();
        if all.iter().any(|interface| chosen.is(interface)) {
            return Ok(chosen);
        }
        let mut names: Vec<String> = all.into_iter().map(|interface| interface.name).collect();
        names.sort();
        names.dedup();
        Err(UnknownInterface(if names.is_empty() { "none".into() } else { names.join(", ") }))
    }
}

impl fmt::Display for ChosenInterface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(ip) => ip.fmt(f),
        }
    }
}

/// Selects interfaces: the chosen one, or by default all except loopback and point-to-point interfaces.
#[derive(Debug, Clone, Default)]
pub struct InterfaceFilter {
    chosen: Option<ChosenInterface>,
    /// The address to which a server is bound: it is reachable on no other interface.
    bound: Option<IpAddr>,
}

impl InterfaceFilter {
    /// The interfaces on which to look for hosts.
    pub fn for_browser(chosen: Option<ChosenInterface>) -> Self {
        Self { chosen, bound: None }
    }

    /// The interfaces on which to announce a server that is bound to this address.
    pub fn for_host(bound: SocketAddr, chosen: Option<ChosenInterface>) -> Self {
        Self { chosen, bound: Some(bound.ip()) }
    }

    /// Whether no interface of this machine is selected now.
    pub fn is_empty(&self) -> bool {
        self.selected().is_empty()
    }

    /// Whether only this machine uses the interfaces that are selected now.
    pub fn is_loopback(&self) -> bool {
        self.selected().iter().all(Interface::is_loopback)
    }

    /// Whether this interface is selected.
    pub(super) fn selects(&self, interface: &Interface) -> bool {
        let is_chosen = match &self.chosen {
            Some(chosen) => chosen.is(interface),
            None => !interface.is_loopback() && !interface.is_p2p(),
        };
        is_chosen && self.bound.is_none_or(|bound| is_reachable_at(bound, interface.ip()))
    }

    /// The interfaces that are selected now.
    pub(super) fn selected(&self) -> Vec<Interface> {
        interfaces().into_iter().filter(|interface| self.selects(interface)).collect()
    }
}

/// Whether an address is in the subnet of an interface.
pub(super) fn includes(interface: &Interface, ip: IpAddr) -> bool {
    match (&interface.addr, ip) {
        (IfAddr::V4(own), IpAddr::V4(ip)) => (own.ip.to_bits() ^ ip.to_bits()) & own.netmask.to_bits() == 0,
        (IfAddr::V6(own), IpAddr::V6(ip)) => (own.ip.to_bits() ^ ip.to_bits()) & own.netmask.to_bits() == 0,
        _ => false,
    }
}

/// All interfaces. Empty if the system cannot list them: then discovery finds nothing, but connecting by
/// address still works.
fn interfaces() -> Vec<Interface> {
    if_addrs::get_if_addrs().unwrap_or_default()
}

/// Whether a server bound to `bound` is reachable at `ip`. An IPv6 socket that is bound to all addresses
/// accepts IPv4 connections too.
fn is_reachable_at(bound: IpAddr, ip: IpAddr) -> bool {
    bound == ip || (bound.is_unspecified() && (bound.is_ipv6() || ip.is_ipv4()))
}

/// Whether another machine can use this address: a link-local IPv6 address needs a zone, which differs from
/// machine to machine.
pub(super) fn is_usable_elsewhere(ip: &IpAddr) -> bool {
    match ip {
        IpAddr::V4(_) => true,
        IpAddr::V6(ip) => !ip.is_unicast_link_local(),
    }
}

/// The addresses at which other machines reach a server bound to `bound`, IPv4 first. Empty if the server is
/// bound to the loopback interface.
pub fn reachable(bound: SocketAddr) -> Vec<SocketAddr> {
    if !bound.ip().is_unspecified() {
        return if bound.ip().is_loopback() { Vec::new() } else { vec![bound] };
    }
    reachable_among(interfaces().iter().map(Interface::ip), bound)
}

/// The same for a server that is bound to all addresses, of which this machine has these.
fn reachable_among(addresses: impl Iterator<Item = IpAddr>, bound: SocketAddr) -> Vec<SocketAddr> {
    let is_link_local = |ip: &IpAddr| matches!(ip, IpAddr::V4(ip) if ip.is_link_local());
    let mut addresses: Vec<IpAddr> = addresses
        .filter(|ip| is_reachable_at(bound.ip(), *ip) && is_usable_elsewhere(ip))
        .filter(|ip| !ip.is_loopback() && !is_link_local(ip))
        .collect();
    addresses.sort_by_key(|ip| (ip.is_ipv6(), *ip));
    addresses.dedup();
    addresses.into_iter().map(|ip| SocketAddr::new(ip, bound.port())).collect()
}

#[cfg(test)]
mod tests {
    use if_addrs::{IfOperStatus, Ifv4Addr};

    use super::*;

    fn interface(name: &str, ip: [u8; 4], netmask: [u8; 4], is_p2p: bool) -> Interface {
        let (ip, netmask) = (ip.into(), netmask.into());
        Interface {
            name: name.into(),
            addr: IfAddr::V4(Ifv4Addr { ip, netmask, prefixlen: 24, broadcast: None }),
            index: None,
            oper_status: IfOperStatus::Up,
            is_p2p,
            #[cfg(windows)]
            adapter_name: String::new(),
        }
    }

    fn home() -> Interface {
        interface("eth0", [192, 168, 1, 7], [255, 255, 255, 0], false)
    }

    fn loopback() -> Interface {
        interface("lo", [127, 0, 0, 1], [255, 0, 0, 0], false)
    }

    fn host(bound: &str, chosen: Option<&str>) -> InterfaceFilter {
        let chosen = chosen.map(|name| ChosenInterface::Name(name.into()));
        InterfaceFilter::for_host(bound.parse().unwrap(), chosen)
    }

    #[test]
    fn a_server_on_the_loopback_is_announced_only_where_that_is_asked_for() {
        let here = host("127.0.0.1:7646", None);
        assert!(here.is_empty() && !here.selects(&loopback()) && !here.selects(&home()));
        let named = host("127.0.0.1:7646", Some("lo"));
        assert!(named.selects(&loopback()) && !named.selects(&home()));
    }

    #[test]
    fn a_server_is_announced_where_it_can_be_reached() {
        let tunnel = interface("tun0", [10, 8, 0, 2], [255, 255, 255, 0], true);
        let all = host("0.0.0.0:7646", None);
        assert!(all.selects(&home()) && !all.selects(&loopback()) && !all.selects(&tunnel));
        assert!(host("192.168.1.7:7646", None).selects(&home()));
        assert!(!host("192.168.1.8:7646", None).selects(&home()));
        assert!(!host("[2001:db8::1]:7646", None).selects(&home()));
        assert!(host("[::]:7646", None).selects(&home()));
        assert!(!host("0.0.0.0:7646", Some("eth1")).selects(&home()));
    }

    #[test]
    fn a_network_includes_its_own_addresses() {
        for (ip, is_there) in
            [("192.168.1.1", true), ("192.168.2.1", false), ("::1", false), ("8.8.8.8", false)]
        {
            assert_eq!(includes(&home(), ip.parse().unwrap()), is_there, "{ip}");
        }
    }

    #[test]
    fn an_unknown_interface_is_refused_with_the_names_of_all() {
        let refused = "no-such-interface".parse::<ChosenInterface>().unwrap_err().to_string();
        assert!(interfaces().iter().all(|interface| refused.contains(&interface.name)), "{refused}");
        assert!("192.0.2.1".parse::<ChosenInterface>().is_err());
    }

    #[test]
    fn a_server_is_reached_where_it_is_bound() {
        assert!(reachable(SocketAddr::from(([127, 0, 0, 1], 7646))).is_empty());
        let bound = SocketAddr::from(([192, 168, 1, 7], 7646));
        assert_eq!(reachable(bound), [bound]);
        let all = reachable(SocketAddr::from(([0, 0, 0, 0], 7646)));
        assert!(all.iter().all(|address| address.is_ipv4() && !address.ip().is_loopback()), "{all:?}");
    }

    #[test]
    fn a_server_on_all_networks_is_reached_at_every_address_that_works_elsewhere() {
        let all = [
            "::1",
            "127.0.0.1",
            "fe80::1",
            "2001:db8::1",
            "169.254.0.1",
            "192.168.1.7",
            "10.0.0.2",
            "10.0.0.2",
        ];
        let reachable = |bound: &str| {
            let addresses = all.iter().map(|ip| ip.parse().unwrap());
            let reachable = reachable_among(addresses, bound.parse().unwrap());
            reachable.iter().map(SocketAddr::to_string).collect::<Vec<_>>()
        };
        assert_eq!(reachable("0.0.0.0:4000"), ["10.0.0.2:4000", "192.168.1.7:4000"]);
        assert_eq!(reachable("[::]:4000"), ["10.0.0.2:4000", "192.168.1.7:4000", "[2001:db8::1]:4000"]);
    }
}
