//! The bounded list of discovered hosts, each listed once. Does no I/O.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use super::label::{HostName, Version};

/// The maximum number of hosts in the list: more than the machines of a classroom.
pub const MAX_HOSTS: usize = 64;

/// The maximum number of hosts at one address, so that one machine cannot fill the list.
pub const MAX_AT_ADDRESS: usize = 8;

/// The maximum number of addresses of a host: wired and wireless, IPv4 and IPv6.
pub const MAX_ADDRESSES: usize = 4;

/// A random number that a host chooses at each start. It identifies the host at all its addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostId(pub u64);

impl HostId {
    /// A new random id.
    pub fn random() -> Self {
        Self(fastrand::u64(..))
    }
}

impl fmt::Display for HostId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for HostId {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        u64::from_str_radix(text, 16).map(Self)
    }
}

/// A host on this network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Identifies this run of the host.
    pub id: HostId,
    /// The host's name. Not unique.
    pub name: HostName,
    /// The version of the host's program.
    pub version: Version,
    /// The host's addresses: at least one and at most [`MAX_ADDRESSES`], IPv4 first.
    pub addresses: Vec<SocketAddr>,
    /// The number of lobbies that anybody may join; 65,535 or more is shown as 65,535.
    pub open_lobbies: u16,
}

impl Host {
    fn is_at(&self, ip: IpAddr) -> bool {
        self.addresses.iter().any(|address| address.ip() == ip)
    }
}

/// A change of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A new host.
    Found(Host),
    /// A listed host has changed.
    Changed(Host),
    /// A host was removed.
    Gone(HostId),
}

/// The hosts with the names of their DNS-SD services, in the order of discovery.
#[derive(Debug, Default)]
pub(super) struct HostList(Vec<(String, Host)>);

impl HostList {
    /// The hosts.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Host> {
        self.0.iter().map(|(_, host)| host)
    }

    /// Adds or updates a host. `None` if nothing changes, if the host has no address, or if the list is full.
    pub(super) fn insert(&mut self, service: String, mut host: Host) -> Option<Change> {
        host.addresses.sort_by_key(|address| (address.is_ipv6(), *address));
        host.addresses.dedup();
        host.addresses.truncate(MAX_ADDRESSES);
        if host.addresses.is_empty() {
            return None;
        }
        if let Some((known_as, known)) = self.0.iter_mut().find(|(_, known)| known.id == host.id) {
            *known_as = service;
            let is_new = *known != host;
            known.clone_from(&host);
            return is_new.then_some(Change::Changed(host));
        }
        if !self.has_room(&host) {
            return None;
        }
        self.0.push((service, host.clone()));
        Some(Change::Found(host))
    }

    /// Removes the host with this service name.
    pub(super) fn remove(&mut self, service: &str) -> Option<Change> {
        let at = self.0.iter().position(|(known_as, _)| known_as == service)?;
        Some(Change::Gone(self.0.remove(at).1.id))
    }

    fn has_room(&self, host: &Host) -> bool {
        let count_at = |ip| self.iter().filter(|known| known.is_at(ip)).count();
        self.0.len() < MAX_HOSTS
            && host.addresses.iter().all(|address| count_at(address.ip()) < MAX_AT_ADDRESS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(last: u8) -> SocketAddr {
        SocketAddr::from(([192, 168, 1, last], 7646))
    }

    fn host(id: u64, addresses: &[SocketAddr]) -> Host {
        let (name, version) = ("laptop".parse().unwrap(), "0.1.0".parse().unwrap());
        Host { id: HostId(id), name, version, addresses: addresses.into(), open_lobbies: 0 }
    }

    #[test]
    fn a_host_is_found_once_then_changed_then_gone() {
        let mut list = HostList::default();
        let found = list.insert("laptop".into(), host(1, &[at(9), at(7), at(9)]));
        assert_eq!(found, Some(Change::Found(host(1, &[at(7), at(9)]))));
        assert_eq!(list.insert("laptop".into(), host(1, &[at(9), at(7)])), None, "nothing is new");
        let busier = Host { open_lobbies: 5, ..host(1, &[at(7)]) };
        let changed = list.insert("laptop (2)".into(), busier.clone());
        assert_eq!(changed, Some(Change::Changed(busier)));
        assert_eq!(list.remove("laptop"), None);
        assert_eq!(list.remove("laptop (2)"), Some(Change::Gone(HostId(1))));
        assert_eq!(list.iter().count(), 0);
    }

    #[test]
    fn a_flood_of_hosts_fills_the_list_and_no_more() {
        let mut list = HostList::default();
        for id in 0..1_000 {
            list.insert(format!("flood {id}"), host(id, &[at(7)]));
        }
        assert_eq!(list.iter().count(), MAX_AT_ADDRESS, "they are one machine");
        for id in 1_000..2_000 {
            list.insert(format!("flood {id}"), host(id, &[at((id % 100) as u8)]));
        }
        let all: Vec<SocketAddr> = (0..100).map(at).collect();
        list.insert("one".into(), host(1, &all));
        assert_eq!(list.iter().count(), MAX_HOSTS);
        assert!(list.iter().all(|host| host.addresses.len() <= MAX_ADDRESSES));
        assert_eq!(list.insert("nowhere".into(), host(3_000, &[])), None);
    }
}
