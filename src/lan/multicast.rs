//! DNS-SD over multicast DNS (RFC 6763 and 6762): `_nim._tcp.local`. Knows what a host says of itself, and no more.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use mdns_sd::{IfKind, IfPredicate, Receiver, ResolvedService, ServiceDaemon, ServiceEvent, ServiceInfo};

use super::{Card, Reach};

/// What is announced and looked for.
const SERVICE: &str = "_nim._tcp.local.";

/// How long the daemon's thread may take over one thing on its way out.
const PATIENCE: Duration = Duration::from_millis(500);

/// How long to wait for the second goodbye: one alone may be lost on a wireless network.
const SECOND_GOODBYE: Duration = Duration::from_millis(200);

/// Our part of the multicast on these networks; its thread ends when this is dropped.
struct Daemon(ServiceDaemon);

impl Daemon {
    /// `None` where nothing in reach hears multicast, or the system does not allow it.
    fn start(reach: &Reach) -> Option<Self> {
        if !reach.networks().iter().any(super::reach::Network::is_shared) {
            return None;
        }
        Self::open(reach).inspect_err(|error| tracing::warn!(%error, "no multicast DNS")).ok()
    }

    fn open(reach: &Reach) -> mdns_sd::Result<Self> {
        let daemon = Self(ServiceDaemon::new()?);
        let reach = reach.clone();
        let taken = move |interface: &if_addrs::Interface| !interface.is_loopback() && reach.takes(interface);
        daemon.0.disable_interface(IfKind::All)?;
        daemon.0.enable_interface(IfKind::Predicate(IfPredicate::new(taken)))?;
        Ok(daemon)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // If its thread has ended already, so much the better.
        let _ = self.0.shutdown();
    }
}

/// A host that announces itself.
pub(super) struct Speaker {
    daemon: Daemon,
    full_name: Option<String>,
}

impl Speaker {
    /// Begins; `None` where nobody would hear it.
    pub(super) fn start(reach: &Reach) -> Option<Self> {
        Some(Self { daemon: Daemon::start(reach)?, full_name: None })
    }

    /// Announces this, in the place of what was announced before.
    pub(super) fn say(&mut self, card: &Card) {
        match service(card).and_then(|service| {
            let full_name = service.get_fullname().to_owned();
            self.daemon.0.register(service).map(|()| full_name)
        }) {
            Ok(full_name) => self.full_name = Some(full_name),
            Err(error) => tracing::warn!(%error, "not announced by multicast DNS"),
        }
    }

    /// Takes it back, so that nobody has to find out.
    pub(super) async fn say_goodbye(self) {
        let Some(taken_back) = self.full_name.as_ref().and_then(|name| self.daemon.0.unregister(name).ok())
        else {
            return;
        };
        // Where nothing answers in time there is nobody left to say it.
        let _ = tokio::time::timeout(PATIENCE, taken_back.recv_async()).await;
        tokio::time::sleep(SECOND_GOODBYE).await;
    }
}

/// The service as it is registered. Its addresses follow those of the interfaces.
fn service(card: &Card) -> mdns_sd::Result<ServiceInfo> {
    // A name of its own: the machine's may be announced by the system already, with addresses that are none of the server's.
    let machine = format!("nim-{}.local.", card.id);
    let properties = [
        ("id", card.id.to_string()),
        ("name", card.name.to_string()),
        ("version", card.version.to_string()),
        ("lobbies", card.open_lobbies.to_string()),
    ];
    let service = ServiceInfo::new(SERVICE, card.name.as_str(), &machine, "", card.port, &properties[..])?;
    Ok(service.enable_addr_auto())
}

/// Somebody who hears what is announced.
pub(super) struct Listener {
    /// Only kept, so that its thread goes on.
    _daemon: Daemon,
    events: Receiver<ServiceEvent>,
}

/// What was heard.
pub(super) enum Heard {
    /// A host, at these addresses, announced under this name.
    Host(Card, Vec<SocketAddr>, String),
    /// What was announced under this name is no more.
    Goodbye(String),
}

impl Listener {
    /// Begins; `None` where nothing can be heard.
    pub(super) fn start(reach: &Reach) -> Option<Self> {
        let daemon = Daemon::start(reach)?;
        let events = daemon.0.browse(SERVICE).ok()?;
        Some(Self { _daemon: daemon, events })
    }

    /// The next thing that is heard of hosts; `None` if nothing will be any more. Nothing is lost if the future is dropped.
    pub(super) async fn next(&self) -> Option<Heard> {
        loop {
            match self.events.recv_async().await.ok()? {
                ServiceEvent::ServiceResolved(service) => {
                    if let Some(heard) = read(&service) {
                        return Some(heard);
                    }
                }
                ServiceEvent::ServiceRemoved(_, full_name) => return Some(Heard::Goodbye(full_name)),
                _ => {}
            }
        }
    }
}

/// Reads what somebody announced; `None` if it is no host's.
fn read(service: &ResolvedService) -> Option<Heard> {
    let said = |key| service.get_property_val_str(key);
    let card = Card {
        id: said("id")?.parse().ok()?,
        name: said("name")?.parse().ok()?,
        version: said("version")?.parse().ok()?,
        port: Some(service.get_port()).filter(|port| *port > 0)?,
        open_lobbies: said("lobbies")?.parse().ok()?,
    };
    let addresses = service.get_addresses().iter().map(mdns_sd::ScopedIp::to_ip_addr);
    let addresses = addresses.filter(is_typed).map(|ip| SocketAddr::new(ip, card.port)).collect();
    Some(Heard::Host(card, addresses, service.get_fullname().to_owned()))
}

/// Whether the address works without a zone, which differs from machine to machine.
fn is_typed(ip: &IpAddr) -> bool {
    match ip {
        IpAddr::V4(_) => true,
        IpAddr::V6(ip) => !ip.is_unicast_link_local(),
    }
}
