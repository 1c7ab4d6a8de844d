//! Finds hosts: receives announcements and keeps the list of them.

use std::collections::VecDeque;

use super::InterfaceFilter;
use super::host_list::{Change, Host, HostList};
use super::mdns::{Announcement, Listener};

/// Listens for hosts until it is dropped.
pub struct Browser {
    interfaces: InterfaceFilter,
    listener: Option<Listener>,
    hosts: HostList,
    changes: VecDeque<Change>,
}

impl Browser {
    /// Starts to listen on these interfaces. Where multicast DNS is not available, no host is ever found.
    pub fn start(interfaces: InterfaceFilter) -> Self {
        let listener = Listener::start(&interfaces);
        Self { interfaces, listener, hosts: HostList::default(), changes: VecDeque::new() }
    }

    /// The hosts, in the order in which they were found.
    pub fn hosts(&self) -> impl Iterator<Item = &Host> {
        self.hosts.iter()
    }

    /// The next change of the list. Cancel safe.
    pub async fn next(&mut self) -> Change {
        loop {
            if let Some(change) = self.changes.pop_front() {
                return change;
            }
            let announcement = match &self.listener {
                Some(listener) => listener.next().await,
                None => std::future::pending().await,
            };
            match announcement {
                Some(announcement) => self.note(announcement),
                None => self.listener = None,
            }
        }
    }

    fn note(&mut self, announcement: Announcement) {
        self.changes.extend(match announcement {
            Announcement::Host(service, mut host) => {
                let networks = self.interfaces.networks();
                let is_near = |ip| networks.iter().any(|network| network.includes(ip));
                host.addresses.retain(|address| is_near(address.ip()));
                self.hosts.insert(service, host)
            }
            Announcement::Goodbye(service) => self.hosts.remove(&service),
        });
    }
}
