//! Announces and finds hosts with DNS-SD over multicast DNS (RFC 6763 and 6762): the service
//! `_nim._tcp.local`. `proto/DISCOVERY.md` describes the records. No other file uses `mdns_sd`.

use std::net::SocketAddr;
use std::time::Duration;

use mdns_sd::{IfKind, IfPredicate, Receiver, ResolvedService, ServiceDaemon, ServiceEvent, ServiceInfo};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::host_list::{Change, Host, HostList};
use super::interfaces::{InterfaceFilter, includes, is_usable_elsewhere};

/// The service type.
const SERVICE: &str = "_nim._tcp.local.";

/// The minimum interval between announcements, since every machine on the network receives each.
pub const BETWEEN_ANNOUNCEMENTS: Duration = Duration::from_secs(5);

/// The deadline for sending the goodbye packets.
const GOODBYE_DEADLINE: Duration = Duration::from_secs(2);

/// The wait for the second goodbye packet, since a wireless network may lose the first.
const SECOND_GOODBYE: Duration = Duration::from_millis(200);

/// The multicast DNS thread. It ends when this is dropped.
struct Daemon(ServiceDaemon);

impl Daemon {
    /// `None` if the filter selects no interface, or if the system does not allow multicast.
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

    /// Publishes a host, and replaces its previous announcement. Returns the full name of its service.
    fn publish(&self, host: &Host) -> mdns_sd::Result<String> {
        let service = service(host)?;
        let full_name = service.get_fullname().to_owned();
        self.0.register(service).map(|()| full_name)
    }

    /// Sends goodbye packets, so that others need not wait until the records expire.
    async fn withdraw(&self, full_name: &str) {
        if let Ok(withdrawn) = self.0.unregister(full_name) {
            // An error is ignored: the server shuts down anyway.
            let _ = withdrawn.recv_async().await;
            sleep(SECOND_GOODBYE).await;
        }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // This fails only if the thread has already ended.
        let _ = self.0.shutdown();
    }
}

/// The service to register. Its addresses follow those of the interfaces.
fn service(host: &Host) -> mdns_sd::Result<ServiceInfo> {
    // Not the machine's own name: the system may announce that with addresses on which the server does not
    // listen.
    let machine = format!("nim-{}.local.", host.id);
    let properties = [
        ("id", host.id.to_string()),
        ("name", host.name.to_string()),
        ("version", host.version.to_string()),
        ("lobbies", host.open_lobbies.to_string()),
    ];
    let port = host.addresses.first().map_or(0, SocketAddr::port);
    let service = ServiceInfo::new(SERVICE, host.name.as_str(), &machine, "", port, &properties[..])?;
    Ok(service.enable_addr_auto())
}

/// Parses an announcement. `None` if it is not valid.
fn parse(service: &ResolvedService) -> Option<Host> {
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

/// Announces a host until it is stopped or dropped.
#[derive(Debug)]
pub struct Announcer {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Announcer {
    /// Announces a host with the port of its first address, and again after each change of `open_lobbies`.
    /// `None` if the filter selects no interface, in which case no socket is opened, or if multicast DNS is
    /// not available.
    ///
    /// Must be called within a tokio runtime.
    pub fn start(
        host: Host,
        open_lobbies: watch::Receiver<u32>,
        interfaces: &InterfaceFilter,
    ) -> Option<Self> {
        let daemon = Daemon::start(interfaces)?;
        let stop = CancellationToken::new();
        let task = tokio::spawn(announce(host, open_lobbies, daemon, stop.clone()));
        Some(Self { stop, task })
    }

    /// Starts sending goodbye packets. [`Self::stopped`] waits for them.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// Sends goodbye packets, unless they were sent, and waits until that is done.
    pub async fn stopped(mut self) {
        self.stop.cancel();
        // After a timeout the records expire by themselves, within two minutes.
        let _ = timeout(GOODBYE_DEADLINE, &mut self.task).await;
    }
}

impl Drop for Announcer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Announces at once, and after each change of the number, at most once per [`BETWEEN_ANNOUNCEMENTS`].
async fn announce(
    mut host: Host,
    mut open_lobbies: watch::Receiver<u32>,
    daemon: Daemon,
    stop: CancellationToken,
) {
    let mut full_name = None;
    loop {
        host.open_lobbies = crate::number::saturating(*open_lobbies.borrow_and_update());
        match daemon.publish(&host) {
            Ok(published) => full_name = Some(published),
            Err(error) => tracing::warn!(%error, "not announced by multicast DNS"),
        }
        let next = Instant::now() + BETWEEN_ANNOUNCEMENTS;
        let changed = async {
            sleep_until(next).await;
            // The sender is dropped with the server; the last number stays.
            if open_lobbies.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = stop.cancelled() => break,
            () = changed => {}
        }
    }
    if let Some(full_name) = full_name {
        daemon.withdraw(&full_name).await;
    }
}

/// Discovers hosts until it is dropped.
pub struct Browser {
    interfaces: InterfaceFilter,
    /// The announcements, and the thread that receives them; `None` if it could not start or has ended.
    listener: Option<(Receiver<ServiceEvent>, Daemon)>,
    hosts: HostList,
}

impl Browser {
    /// Starts to listen on these interfaces. Finds no host if multicast DNS is not available.
    pub fn start(interfaces: InterfaceFilter) -> Self {
        let listener =
            Daemon::start(&interfaces).and_then(|daemon| Some((daemon.0.browse(SERVICE).ok()?, daemon)));
        Self { interfaces, listener, hosts: HostList::default() }
    }

    /// The hosts in the order of discovery.
    pub fn hosts(&self) -> impl Iterator<Item = &Host> {
        self.hosts.iter()
    }

    /// Waits for the next change of the list. Cancel safe.
    pub async fn next(&mut self) -> Change {
        loop {
            let event = match &self.listener {
                Some((events, _)) => events.recv_async().await,
                None => std::future::pending().await,
            };
            let change = match event {
                Ok(ServiceEvent::ServiceResolved(service)) => self.on_announcement(&service),
                Ok(ServiceEvent::ServiceRemoved(_, full_name)) => self.hosts.remove(&full_name),
                Ok(_) => None,
                Err(_) => {
                    self.listener = None;
                    None
                }
            };
            if let Some(change) = change {
                return change;
            }
        }
    }

    /// Adds or updates the announced host, with only the addresses in this machine's subnets.
    fn on_announcement(&mut self, service: &ResolvedService) -> Option<Change> {
        let mut host = parse(service)?;
        let networks = self.interfaces.selected();
        host.addresses.retain(|address| networks.iter().any(|network| includes(network, address.ip())));
        self.hosts.insert(service.get_fullname().to_owned(), host)
    }
}

#[cfg(test)]
mod tests {
    use super::super::host_list::HostId;
    use super::*;

    fn host() -> Host {
        Host {
            id: HostId(0x0123_4567_89ab_cdef),
            name: "anna's laptop".parse().unwrap(),
            version: "0.1.0".parse().unwrap(),
            addresses: vec![SocketAddr::from(([192, 168, 1, 7], 7646))],
            open_lobbies: 2,
        }
    }

    /// The host that these properties announce at one address.
    fn read_back(properties: &[(&str, &str)], port: u16) -> Option<Host> {
        let service = ServiceInfo::new(SERVICE, "x", "x.local.", "192.168.1.7", port, properties).unwrap();
        parse(&service.as_resolved_service())
    }

    #[test]
    fn what_a_host_announces_is_read() {
        let service = service(&host()).unwrap();
        let properties: Vec<(&str, &str)> =
            service.get_properties().iter().map(|property| (property.key(), property.val_str())).collect();
        assert_eq!(read_back(&properties, service.get_port()), Some(host()));
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
