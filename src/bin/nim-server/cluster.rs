//! Flags for a server that is a node of a cluster, and what follows from them.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use nim::cluster::about::About;
use nim::cluster::engine::etcd::EtcdOptions;
use nim::cluster::keys::NodeName;
use nim::cluster::node::{LEASE, LONGEST_LEASE};
use nim::cluster::tls::NodeTls;
use nim::lan;

use crate::etcd::{EtcdFlags, endpoint, read, read_key};

/// The name of a node whose machine has no usable name.
const NAMELESS: &str = "node";

/// Flags for a node of a cluster.
#[derive(Debug, Args)]
pub(crate) struct ClusterFlags {
    /// Be a node of the cluster that keeps all games in this etcd: the addresses of its servers, as in
    /// http://10.0.0.1:2379,http://10.0.0.2:2379. The data folder then has this node's archive of finished games
    #[arg(long, env = "NIM_CLUSTER", value_name = "URL", value_delimiter = ',', value_parser = endpoint, conflicts_with = "memory")]
    cluster: Vec<String>,

    /// The name of this node, which no other node has: letters, digits, and - _ . [default: the name of this
    /// machine]
    #[arg(long, env = "NIM_NODE_NAME", value_name = "NAME", requires = "cluster")]
    node_name: Option<NodeName>,

    /// Where clients reach this node, as HOST:PORT: they are told, and go to another node when they lose theirs;
    /// none behind a balancer [default: the address of this server, or none if only this machine can reach it]
    #[arg(long, env = "NIM_ADVERTISE", value_name = "HOST:PORT", requires = "cluster", value_parser = advertised)]
    advertise: Option<Advertised>,

    /// Where the other nodes reach this one, on a private network; they bring their clients to its lobbies
    /// [default: any free port of 127.0.0.1, for nodes on the same machine]
    #[arg(long, env = "NIM_CLUSTER_BIND", value_name = "ADDRESS:PORT", requires = "cluster")]
    cluster_bind: Option<SocketAddr>,

    /// How many seconds etcd may hear nothing of this node before the others take over its lobbies, 1 to 10. With more,
    /// games survive longer pauses of etcd's disk, and players of a node that hangs wait longer
    #[arg(long, env = "NIM_CLUSTER_LEASE", value_name = "SECONDS", default_value_t = LEASE.as_secs(), requires = "cluster", value_parser = clap::value_parser!(u64).range(LEASE.as_secs()..=LONGEST_LEASE.as_secs()))]
    cluster_lease: u64,

    /// The certificate of the authority of all nodes: connections between nodes are then by TLS, and only with nodes
    /// that have a certificate of it. The authority is to be the cluster's own, as the names in certificates are not
    /// compared
    #[arg(long, env = "NIM_CLUSTER_CA", value_name = "FILE", requires_all = ["cluster", "cluster_cert", "cluster_key"])]
    cluster_ca: Option<PathBuf>,

    /// The certificate of this node for other nodes
    #[arg(long, env = "NIM_CLUSTER_CERT", value_name = "FILE", requires_all = ["cluster_ca", "cluster_key"])]
    cluster_cert: Option<PathBuf>,

    /// The key of this certificate
    #[arg(long, env = "NIM_CLUSTER_KEY", value_name = "FILE", requires_all = ["cluster_ca", "cluster_cert"])]
    cluster_key: Option<PathBuf>,

    #[command(flatten)]
    etcd: EtcdFlags,
}

/// Whether clients are told where they reach this node.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Advertised {
    None,
    At(String),
}

fn advertised(text: &str) -> Result<Advertised, String> {
    if text == "none" {
        return Ok(Advertised::None);
    }
    let parts = text.rsplit_once(':').filter(|(host, port)| {
        let is_port = port.parse::<u16>().is_ok_and(|port| port > 0);
        !host.is_empty() && text.len() <= 255 && host.chars().all(|char| char.is_ascii_graphic()) && is_port
    });
    parts.map(|_| Advertised::At(text.into())).ok_or_else(|| "write HOST:PORT, or none".into())
}

impl ClusterFlags {
    /// Whether this server is a node of a cluster.
    pub(crate) fn is_on(&self) -> bool {
        !self.cluster.is_empty()
    }

    /// Fails if flags contradict each other.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.is_on() { self.etcd.check(&self.cluster) } else { self.etcd.check_unused() }
    }

    /// The addresses of etcd, for people.
    pub(crate) fn url(&self) -> String {
        self.cluster.join(",")
    }

    /// The name of this node.
    pub(crate) fn name(&self) -> NodeName {
        self.node_name.clone().unwrap_or_else(|| name_of(&machine()))
    }

    /// The address at which the port for other nodes is bound.
    pub(crate) fn bind(&self) -> SocketAddr {
        self.cluster_bind.unwrap_or_else(|| (Ipv4Addr::LOCALHOST, 0).into())
    }

    /// How long its lease lasts without being kept alive.
    pub(crate) fn lease(&self) -> Duration {
        Duration::from_secs(self.cluster_lease)
    }

    /// What this node says of itself, if clients and nodes are served at these addresses.
    pub(crate) fn about(&self, clients: SocketAddr, nodes: SocketAddr) -> anyhow::Result<About> {
        let tunnel = if nodes.ip().is_unspecified() {
            let first = lan::reachable(nodes).first().copied();
            first.context("this machine has no network; name an address with --cluster-bind ADDRESS:PORT")?
        } else {
            nodes
        };
        let clients = match &self.advertise {
            Some(Advertised::None) => None,
            Some(Advertised::At(text)) => Some(text.clone()),
            None => lan::reachable(clients).first().map(ToString::to_string),
        };
        Ok(About::new(tunnel, clients, &machine()))
    }

    /// How etcd is reached.
    ///
    /// # Errors
    ///
    /// If a file cannot be read.
    pub(crate) fn etcd(&self) -> anyhow::Result<EtcdOptions> {
        self.etcd.options(&self.cluster)
    }

    /// The certificates with which this node speaks to others, if it has some.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or is of no use.
    pub(crate) fn node_tls(&self) -> anyhow::Result<Option<NodeTls>> {
        let (Some(authority), Some(certificate), Some(key)) =
            (&self.cluster_ca, &self.cluster_cert, &self.cluster_key)
        else {
            return Ok(None);
        };
        let authority = read("--cluster-ca", authority)?;
        let certificate = read("--cluster-cert", certificate)?;
        Ok(Some(NodeTls::new(&authority, &certificate, &read_key("--cluster-key", key)?)?))
    }
}

/// The name of this machine, if it has one.
fn machine() -> String {
    whoami::hostname().unwrap_or_default()
}

/// The name of the node on a machine of this name.
fn name_of(machine: &str) -> NodeName {
    let fits = |char: &char| char.is_ascii_alphanumeric() || "-_.".contains(*char);
    let name: String = machine.chars().filter(fits).take(NodeName::MAX).collect();
    let nameless = || NAMELESS.parse();
    // The second one is a name.
    name.parse().or_else(|_| nameless()).unwrap_or_else(|_| unreachable!("{NAMELESS} is a name"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_called_as_its_machine_as_far_as_that_is_a_name() {
        for (machine, name) in
            [("attic", "attic"), ("Anna's Mac", "AnnasMac"), ("", "node"), ("日本", "node")]
        {
            assert_eq!(name_of(machine).to_string(), name);
        }
    }

    #[test]
    fn addresses_are_understood_or_refused() {
        assert_eq!(advertised("none"), Ok(Advertised::None));
        for good in ["nim.example:7646", "[2001:db8::1]:7646", "10.0.0.1:1"] {
            assert_eq!(advertised(good), Ok(Advertised::At(good.into())));
        }
        for bad in ["nim.example", ":7646", "a b:1", "a:0", "a:99999"] {
            assert!(advertised(bad).is_err(), "{bad}");
        }
    }
}
