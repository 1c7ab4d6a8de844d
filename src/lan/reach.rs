//! Which of this machine's networks a host is to be found on, or looked for. Knows no host.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;

use if_addrs::{IfAddr, Interface};

/// An interface of this machine, by its name or an address that it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chosen {
    /// By its name, such as `eth0`.
    Name(String),
    /// By an address of it.
    Address(IpAddr),
}

/// This machine has no such interface.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this machine has no such network interface; it has {0}")]
pub struct NoInterface(String);

impl Chosen {
    fn is(&self, interface: &Interface) -> bool {
        match self {
            Self::Name(name) => *name == interface.name,
            Self::Address(ip) => *ip == interface.ip(),
        }
    }
}

impl FromStr for Chosen {
    type Err = NoInterface;

    /// Takes the name or an address of an interface that is there now.
    fn from_str(text: &str) -> Result<Self, NoInterface> {
        let chosen = text.parse().map_or_else(|_| Self::Name(text.into()), Self::Address);
        let here = interfaces();
        if here.iter().any(|interface| chosen.is(interface)) {
            return Ok(chosen);
        }
        let mut names: Vec<String> = here.into_iter().map(|interface| interface.name).collect();
        names.sort();
        names.dedup();
        Err(NoInterface(if names.is_empty() { "none".into() } else { names.join(", ") }))
    }
}

impl fmt::Display for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(ip) => ip.fmt(f),
        }
    }
}

/// The networks that are meant: all but the loopback and tunnels, or those of one interface.
#[derive(Debug, Clone, Default)]
pub struct Reach {
    chosen: Option<Chosen>,
    /// Where a server listens: nobody finds it on another network.
    bound: Option<IpAddr>,
}

/// A network that this machine is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Network {
    ip: IpAddr,
    mask: u128,
}

impl Reach {
    /// Where somebody looks for hosts: everywhere, or on one interface.
    pub fn of_seeker(chosen: Option<Chosen>) -> Self {
        Self { chosen, bound: None }
    }

    /// Where a server that is bound there is announced: everywhere that it can be reached from elsewhere, or on one
    /// interface.
    pub fn of_host(bound: SocketAddr, chosen: Option<Chosen>) -> Self {
        Self { chosen, bound: Some(bound.ip()) }
    }

    /// Whether there is no such network now.
    pub fn is_empty(&self) -> bool {
        self.networks().is_empty()
    }

    /// Whether this interface is one of them.
    pub(super) fn takes(&self, interface: &Interface) -> bool {
        let ip = interface.ip();
        let is_meant = match &self.chosen {
            Some(chosen) => chosen.is(interface),
            // What goes through a tunnel is not near.
            None => !interface.is_loopback() && !interface.is_p2p(),
        };
        is_meant && self.bound.is_none_or(|bound| listens(bound, ip))
    }

    /// These networks as they are now.
    pub(super) fn networks(&self) -> Vec<Network> {
        interfaces().iter().filter(|interface| self.takes(interface)).map(Network::of).collect()
    }
}

/// Without a list of interfaces there is nothing to be found, and hosting by address works all the same.
fn interfaces() -> Vec<Interface> {
    if_addrs::get_if_addrs().unwrap_or_default()
}

/// Whether a server that is bound there can be reached at this address.
fn listens(bound: IpAddr, ip: IpAddr) -> bool {
    match bound {
        _ if bound == ip => true,
        IpAddr::V4(_) => bound.is_unspecified() && ip.is_ipv4(),
        // A socket of the newer protocol that is bound to all addresses takes both.
        IpAddr::V6(_) => bound.is_unspecified(),
    }
}

impl Network {
    fn of(interface: &Interface) -> Self {
        let mask = match &interface.addr {
            IfAddr::V4(v4) => bits(v4.netmask.into()),
            IfAddr::V6(v6) => bits(v6.netmask.into()),
        };
        Self { ip: interface.ip(), mask }
    }

    /// Whether this address is on the network.
    pub(super) fn includes(&self, ip: IpAddr) -> bool {
        ip.is_ipv4() == self.ip.is_ipv4() && (bits(ip) ^ bits(self.ip)) & self.mask == 0
    }

    /// The address at which everybody on the network hears.
    pub(super) fn broadcast(&self) -> Option<Ipv4Addr> {
        let IpAddr::V4(ip) = self.ip else { return None };
        let mask = u32::try_from(self.mask).ok()?;
        Some(Ipv4Addr::from_bits(ip.to_bits() | !mask))
    }

    /// Whether multicast reaches anybody on it.
    pub(super) fn is_shared(&self) -> bool {
        !self.ip.is_loopback()
    }
}

fn bits(ip: IpAddr) -> u128 {
    match ip {
        IpAddr::V4(ip) => ip.to_bits().into(),
        IpAddr::V6(ip) => ip.to_bits(),
    }
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

    fn host(bound: &str, chosen: Option<Chosen>) -> Reach {
        Reach::of_host(bound.parse().unwrap(), chosen)
    }

    #[test]
    fn a_server_on_the_loopback_is_announced_nowhere_unless_that_is_asked_for() {
        let here = host("127.0.0.1:7646", None);
        assert!(here.is_empty() && !here.takes(&loopback()) && !here.takes(&home()));
        let named = host("127.0.0.1:7646", Some(Chosen::Name("lo".into())));
        assert!(named.takes(&loopback()) && !named.takes(&home()));
    }

    #[test]
    fn a_server_is_announced_where_it_can_be_reached() {
        let tunnel = interface("tun0", [10, 8, 0, 2], [255, 255, 255, 0], true);
        let all = host("0.0.0.0:7646", None);
        assert!(all.takes(&home()) && !all.takes(&loopback()) && !all.takes(&tunnel));
        assert!(host("192.168.1.7:7646", None).takes(&home()));
        assert!(!host("192.168.1.8:7646", None).takes(&home()));
        assert!(!host("[2001:db8::1]:7646", None).takes(&home()));
        assert!(host("[::]:7646", None).takes(&home()));
        assert!(host("0.0.0.0:7646", Some(Chosen::Name("tun0".into()))).takes(&tunnel));
        assert!(!host("0.0.0.0:7646", Some(Chosen::Address([10, 8, 0, 2].into()))).takes(&home()));
    }

    #[test]
    fn a_network_includes_its_own_and_has_one_address_for_all() {
        let network = Network::of(&home());
        for (ip, is_there) in
            [("192.168.1.1", true), ("192.168.2.1", false), ("::1", false), ("8.8.8.8", false)]
        {
            assert_eq!(network.includes(ip.parse().unwrap()), is_there, "{ip}");
        }
        assert_eq!(network.broadcast(), Some([192, 168, 1, 255].into()));
        assert_eq!(Network::of(&loopback()).broadcast(), Some([127, 255, 255, 255].into()));
    }

    #[test]
    fn an_interface_that_is_not_there_is_refused_with_those_that_are() {
        let refused = "no-such-interface".parse::<Chosen>().unwrap_err().to_string();
        let expected: Vec<String> = interfaces().into_iter().map(|interface| interface.name).collect();
        assert!(expected.iter().all(|name| refused.contains(name)), "{refused}");
        assert!("192.0.2.1".parse::<Chosen>().is_err());
    }
}
