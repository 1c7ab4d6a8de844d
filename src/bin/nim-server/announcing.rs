//! Flags for discovery: whether, where and under which name a host is announced.

use std::net::SocketAddr;

use clap::Args;
use nim::lan::{Announcer, ChosenInterface, Host, HostId, HostName, InterfaceFilter};
use tokio::sync::watch;

use super::values::yes_or_no;

/// The host name of a machine without a usable name.
const NAMELESS: &str = "nim";

/// Flags for discovery.
#[derive(Debug, Args)]
pub(crate) struct Announcing {
    /// Do not announce this server on the network; others type its address
    #[arg(long, env = "NIM_NO_ANNOUNCE", value_parser = yes_or_no)]
    no_announce: bool,

    /// The name under which others find this server [default: the name of this machine]
    #[arg(long, env = "NIM_SERVER_NAME", value_name = "NAME")]
    server_name: Option<HostName>,

    /// Announce the server on this network interface only: its name, or an address of it [default: on all
    /// interfaces where others can reach the server]
    #[arg(long, env = "NIM_ANNOUNCE_ON", value_name = "INTERFACE")]
    announce_on: Option<ChosenInterface>,
}

impl Announcing {
    /// Announces a server at this address. Returns the announcer, and a line for the start screen.
    pub(crate) fn start(
        &self,
        address: SocketAddr,
        open_lobbies: watch::Receiver<u32>,
    ) -> (Option<Announcer>, Option<String>) {
        let host = if self.no_announce { None } else { self.host(address) };
        let Some(host) = host else { return (None, None) };
        let interfaces = InterfaceFilter::for_host(address, self.announce_on.clone());
        let found = self.found_as(&host.name, &interfaces);
        let announcer = Announcer::start(host, open_lobbies, &interfaces);
        let words = if announcer.is_some() { Some(found) } else { self.unreachable(address) };
        (announcer, words)
    }

    /// How the host is found on these interfaces. The loopback is announced on only if it was chosen.
    fn found_as(&self, name: &HostName, interfaces: &InterfaceFilter) -> String {
        match self.announce_on.as_ref().filter(|_| interfaces.is_loopback()) {
            Some(chosen) => format!("This machine finds it as {name}: nim-client connect --look-on {chosen}"),
            None => format!("Others on this network find it as {name}: nim-client connect"),
        }
    }

    /// The announced host.
    fn host(&self, address: SocketAddr) -> Option<Host> {
        Some(Host {
            id: HostId::random(),
            name: self.server_name.clone().or_else(machine_name)?,
            version: env!("CARGO_PKG_VERSION").parse().ok()?,
            addresses: vec![address],
            open_lobbies: 0,
        })
    }

    /// The message that the chosen interface cannot announce the server, if one was chosen.
    fn unreachable(&self, address: SocketAddr) -> Option<String> {
        let chosen = self.announce_on.as_ref()?;
        Some(format!("Nobody finds it: {} is not an address of {chosen} (--announce-on).", address.ip()))
    }
}

/// The host name of this machine, without its domain.
fn machine_name() -> Option<HostName> {
    let machine = whoami::hostname().unwrap_or_default();
    let first = machine.split('.').next().unwrap_or_default();
    HostName::clean(first).or_else(|_| HostName::clean(NAMELESS)).ok()
}
