//! DNS-SD over multicast DNS (RFC 6763 and 6762): the service `_nim._tcp.local`. `proto/DISCOVERY.md`
//! describes its records. The only file that names `mdns_sd`.

use std::net::SocketAddr;
use std::time::Duration;

use mdns_sd::{IfKind, IfPredicate, Receiver, ResolvedService, ServiceDaemon, ServiceEvent, ServiceInfo};

use super::host_list::{Host, HostId};
use super::interfaces::{InterfaceFilter, is_usable_elsewhere};
use super::label::{HostName, Version};

/// The service type.
const SERVICE: &str = "_nim._tcp.local.";

/// How long the daemon's thread may take to withdraw a service.
const WITHDRAW_DEADLINE: Duration = Duration::from_millis(500);

/// How long to wait for the second goodbye: one alone may be lost on a wireless network.
const SECOND_GOODBYE: Duration = Duration::from_millis(200);

/// What a host announces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostInfo {
    /// Identifies this run of the host.
    pub id: HostId,
    /// The host's name.
    pub name: HostName,
    /// The version of its program.
    pub version: Version,
    /// The TCP port on which games are hosted; never 0.
    pub port: u16,
    /// The number of lobbies that anybody may join; 65,535 stands for more too.
    pub open_lobbies: u16,
}

/// The thread that speaks multicast DNS; it ends when this is dropped.
struct Daemon(ServiceDaemon);

impl Daemon {
    /// `None` if the filter selects no network, or if the system does not allow multicast.
    fn start(interfaces: &InterfaceFilter) -> Option<Self> {
        if interfaces.is_empty() {
            return None;
        }
        Self::open(interfaces).inspect_err(|error| tracing::warn!(%error, "no multicast DNS")).ok()
    }

    fn open(interfaces: &InterfaceFilter) -> mdns_sd::Result<Self> {
        let daemon = Self(ServiceDaemon::new()?);
        let filter = interfaces.clone();
        let selected = IfPredicate::new(move |interface| filter.selects(interface));
        daemon.0.disable_interface(IfKind::All)?;
        daemon.0.enable_interface(IfKind::Predicate(selected))?;
        Ok(daemon)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // This fails only if the thread has ended already.
        let _ = self.0.shutdown();
    }
}

/// Publishes a host.
pub(super) struct Publisher {
    daemon: Daemon,
    full_name: Option<String>,
}

impl Publisher {
    /// `None` where multicast DNS is not available.
    pub(super) fn start(interfaces: &InterfaceFilter) -> Option<Self> {
        Some(Self { daemon: Daemon::start(interfaces)?, full_name: None })
    }

    /// Publishes this, in place of what was published before.
    pub(super) fn publish(&mut self, info: &HostInfo) {
        let published = service(info).and_then(|service| {
            let full_name = service.get_fullname().to_owned();
            self.daemon.0.register(service).map(|()| full_name)
        });
        match published {
            Ok(full_name) => self.full_name = Some(full_name),
            Err(error) => tracing::warn!(%error, "not announced by multicast DNS"),
        }
    }

    /// Says goodbye, so that others need not wait until the records expire.
    pub(super) async fn withdraw(self) {
        let withdrawn = self.full_name.as_ref().and_then(|name| self.daemon.0.unregister(name).ok());
        let Some(withdrawn) = withdrawn else { return };
        // A late answer changes nothing: the program ends.
        let _ = tokio::time::timeout(WITHDRAW_DEADLINE, withdrawn.recv_async()).await;
        tokio::time::sleep(SECOND_GOODBYE).await;
    }
}

/// The service as it is registered. Its addresses follow those of the interfaces.
fn service(info: &HostInfo) -> mdns_sd::Result<ServiceInfo> {
    // Not the machine's own name, which the system may announce with addresses on which the server does not
    // listen.
    let machine = format!("nim-{}.local.", info.id);
    let properties = [
        ("id", info.id.to_string()),
        ("name", info.name.to_string()),
        ("version", info.version.to_string()),
        ("lobbies", info.open_lobbies.to_string()),
    ];
    let service = ServiceInfo::new(SERVICE, info.name.as_str(), &machine, "", info.port, &properties[..])?;
    Ok(service.enable_addr_auto())
}

/// Receives announcements.
pub(super) struct Listener {
    /// Kept for its thread.
    _daemon: Daemon,
    events: Receiver<ServiceEvent>,
}

/// An announcement.
pub(super) enum Announcement {
    /// A host under this service name.
    Host(String, Host),
    /// The service of this name is gone.
    Goodbye(String),
}

impl Listener {
    /// `None` where multicast DNS is not available.
    pub(super) fn start(interfaces: &InterfaceFilter) -> Option<Self> {
        let daemon = Daemon::start(interfaces)?;
        let events = daemon.0.browse(SERVICE).ok()?;
        Some(Self { _daemon: daemon, events })
    }

    /// The next announcement; `None` if the daemon has ended. Cancel safe.
    pub(super) async fn next(&self) -> Option<Announcement> {
        loop {
            match self.events.recv_async().await.ok()? {
                ServiceEvent::ServiceResolved(service) => {
                    if let Some(host) = read(&service) {
                        return Some(Announcement::Host(service.get_fullname().to_owned(), host));
                    }
                }
                ServiceEvent::ServiceRemoved(_, full_name) => return Some(Announcement::Goodbye(full_name)),
                _ => {}
            }
        }
    }
}

/// Reads an announcement; `None` if it is not a host of this program.
fn read(service: &ResolvedService) -> Option<Host> {
    let property = |key| service.get_property_val_str(key);
    let port = Some(service.get_port()).filter(|port| *port > 0)?;
    let addresses = service.get_addresses().iter().map(mdns_sd::ScopedIp::to_ip_addr);
    Some(Host {
        id: property("id")?.parse().ok()?,
        name: property("name")?.parse().ok()?,
        version: property("version")?.parse().ok()?,
        addresses: addresses.filter(is_usable_elsewhere).map(|ip| SocketAddr::new(ip, port)).collect(),
        open_lobbies: property("lobbies")?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info() -> HostInfo {
        HostInfo {
            id: HostId(0x0123_4567_89ab_cdef),
            name: "anna's laptop".parse().unwrap(),
            version: "0.1.0".parse().unwrap(),
            port: 7646,
            open_lobbies: 2,
        }
    }

    /// Reads what these properties announce at one address.
    fn read_back(properties: &[(&str, &str)], port: u16) -> Option<Host> {
        let service = ServiceInfo::new(SERVICE, "x", "x.local.", "192.168.1.7", port, properties).unwrap();
        read(&service.as_resolved_service())
    }

    #[test]
    fn what_a_host_announces_is_read() {
        let service = service(&info()).unwrap();
        let properties: Vec<(&str, &str)> =
            service.get_properties().iter().map(|property| (property.key(), property.val_str())).collect();
        let host = read_back(&properties, service.get_port()).unwrap();
        let HostInfo { id, name, version, open_lobbies, .. } = info();
        let addresses = vec![SocketAddr::from(([192, 168, 1, 7], 7646))];
        assert_eq!(host, Host { id, name, version, addresses, open_lobbies });
        let page = include_str!("../../proto/DISCOVERY.md");
        for (key, value) in properties {
            assert!(page.contains(&format!("| `{key}` | `{value}` |")), "the page lacks {key}");
        }
    }

    #[test]
    fn a_wrong_announcement_is_no_host() {
        let all = [("id", "1f"), ("name", "x"), ("version", "1"), ("lobbies", "0")];
        assert!(read_back(&all, 1).is_some());
        assert_eq!(read_back(&all, 0), None);
        for (at, wrong) in [(0, "g"), (1, "\u{1b}\u{7}"), (2, ""), (3, "65536")] {
            let mut properties = all;
            properties[at].1 = wrong;
            assert_eq!(read_back(&properties, 1), None, "{properties:?}");
            assert_eq!(read_back(&[&all[..at], &all[at + 1..]].concat(), 1), None);
        }
        let dangerous = read_back(&[&[("name", "\u{1b}[2Jok")], &all[..1], &all[2..]].concat(), 1);
        assert_eq!(dangerous.unwrap().name.as_str(), "[2Jok");
    }
}
