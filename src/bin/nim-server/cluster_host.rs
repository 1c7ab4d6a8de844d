//! A host that is a node of a cluster: it joins, serves, and joins anew if others have taken over from it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow};
use nim::cluster::archive::ArchiveStore;
use nim::cluster::engine::EngineMaker;
use nim::cluster::engine::etcd::{Etcd, SeenHealth, check_one_cluster};
use nim::cluster::network::Tcp;
use nim::cluster::runtime::{ClusterNode, NodeOptions};
use nim::cluster::tls::NodeTls;
use nim::lan::Announcer;
use nim::server::{Config, Ended, Server};
use tokio::net::TcpListener;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use crate::data::keep_acts;
use crate::descriptors::{self, FileNeeds};
use crate::host::{HostFlags, announce, refused_port, serve_admin, serve_metrics};
use crate::log_limit::LineLimit;
use crate::pinned::Pinned;
use crate::signals::{Interrupts, stopping};
use crate::start_screen;
use crate::values::count;

/// How long the others may take to get all slots of a node that is stopped. Beyond it they take over as if it had
/// died.
const GIVE_WITHIN: Duration = Duration::from_secs(5);

/// The pause before a node that cannot join tries it again.
const REJOIN_PAUSE: Duration = Duration::from_secs(1);

/// How long a node that joins anew waits for a port that is in use: another program may have taken it for a moment.
const REBIND_WITHIN: Duration = Duration::from_secs(10);

/// How long a program that starts tries to join while etcd does not answer: longer than etcd needs for a new leader.
const FIRST_WITHIN: Duration = Duration::from_secs(5);

/// What the program says at its end when a part of it has failed.
const FAILED: &str =
    "a part of this node has failed, as the log says; the other nodes go on with its lobbies. Start it again";

/// Serves as a node until the program is stopped.
pub(crate) async fn serve(host: Box<HostFlags>, log: LineLimit, pinned: Pinned) -> anyhow::Result<()> {
    let interrupts = Interrupts::listen().context("could not listen for Ctrl-C")?;
    let mut config = Config { history: host.data.history(), ..host.config() };
    let few_files = descriptors::fit(&mut config, FileNeeds::NODE);
    let (archive, folder, words) = host.data.archive()?;
    let (etcd, tls, health) = (host.cluster.etcd()?, host.cluster.node_tls()?, SeenHealth::default());
    // A node of the wrong cluster would play alone, and nobody would know why.
    check_one_cluster(&etcd).await?;
    let _asking = AbortOnDropHandle::new(tokio::spawn(health.clone().follow(etcd.clone())));
    let mut lives = Lives {
        words: words.into_iter().chain(few_files).collect(),
        archive,
        ports: (config.bind, host.cluster.bind(), host.metrics),
        config,
        folder,
        engines: Etcd::maker(etcd),
        tls,
        health,
        pinned: pinned.clone(),
        is_first: true,
        interrupts: Some(interrupts),
        host,
    };
    let reports = tokio::spawn(log.clone().report_each_minute());
    let served = loop {
        match lives.next().await {
            Ok(true) => {}
            Ok(false) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    pinned.clear();
    reports.abort();
    log.report();
    served
}

/// All lives of this node, one after the other.
struct Lives {
    host: Box<HostFlags>,
    config: Config,
    engines: EngineMaker,
    tls: Option<NodeTls>,
    health: SeenHealth,
    archive: ArchiveStore,
    folder: PathBuf,
    /// Where clients, nodes and the metrics are served; in the first life as the flags say.
    ports: (SocketAddr, SocketAddr, Option<SocketAddr>),
    /// More lines for the start screen.
    words: Vec<String>,
    pinned: Pinned,
    is_first: bool,
    /// Until the program is stopped.
    interrupts: Option<Interrupts>,
}

impl Lives {
    /// Serves until the program is stopped or others have taken over. Returns whether it is to join anew.
    async fn next(&mut self) -> anyhow::Result<bool> {
        // Who cannot reach the port of a living node takes the node for dead.
        let nodes = self.listen_for_nodes().await?;
        // In later lives clients are not to wait while the node joins: another one may serve them.
        let early = if self.is_first { Some(self.listen_for_clients().await?) } else { None };
        let Some(mut node) = self.join().await? else { return Ok(false) };
        let clients = match early {
            Some(clients) => clients,
            None => self.listen_for_clients().await?,
        };
        let server = self.server(clients, &node).await?;
        let announcer = self.show(&server, &node);
        node.start((server.member(), server.shared_rules()), self.archive.clone(), Box::new(nodes));
        let ended = self.run(server, &node, announcer.as_ref()).await;
        if let Some(announcer) = announcer {
            announcer.stopped().await;
        }
        let is_fenced_off = node.membership().check().is_err();
        if let Err(error) = node.leave().await {
            tracing::debug!(%error, "the lease will end by itself");
        }
        self.is_first = false;
        let joins_anew = joins_anew(ended, self.interrupts.is_none(), is_fenced_off)?;
        if joins_anew {
            tracing::warn!("other nodes have taken over from this one; it joins anew");
        }
        Ok(joins_anew)
    }

    /// Binds the port for clients, from the second life on that of the first.
    async fn listen_for_clients(&mut self) -> anyhow::Result<TcpListener> {
        listen("--bind", &mut self.ports.0, self.is_first).await
    }

    /// The same for the port for other nodes.
    async fn listen_for_nodes(&mut self) -> anyhow::Result<TcpListener> {
        listen("--cluster-bind", &mut self.ports.1, self.is_first).await
    }

    /// Joins, however long that takes from the second life on. Returns nothing if the program is stopped meanwhile.
    async fn join(&mut self) -> anyhow::Result<Option<ClusterNode>> {
        let about = self.host.cluster.about(self.ports.0, self.ports.1)?;
        let first_number = self.archive.next_number()?;
        let options = NodeOptions {
            name: self.host.cluster.name(),
            about,
            network: Arc::new(Tcp),
            tls: self.tls.clone(),
            lease: self.host.cluster.lease(),
            first_number,
            health: self.health.clone(),
        };
        let began = Instant::now();
        loop {
            let joined = tokio::select! {
                () = stopped(self.interrupts.as_mut()) => return Ok(None),
                joined = ClusterNode::join(Arc::clone(&self.engines), options.clone()) => joined,
            };
            match joined {
                Ok(node) => return Ok(Some(node)),
                Err(error) if self.is_first && error.is_in_doubt() && began.elapsed() < FIRST_WITHIN => {
                    tracing::warn!("this node cannot join yet: {error}");
                }
                Err(error) if self.is_first => {
                    let url = self.host.cluster.url();
                    return Err(error).with_context(|| format!("this node cannot join the cluster at {url}"));
                }
                Err(error) => tracing::error!("this node cannot join anew yet: {error}"),
            }
            tokio::time::sleep(REJOIN_PAUSE).await;
        }
    }

    /// The server of this life.
    async fn server(&mut self, listener: TcpListener, node: &ClusterNode) -> anyhow::Result<Server> {
        let storage = Box::new(node.storage(self.archive.clone())?);
        let (mut server, _) = Server::on_with_peers(listener, self.config.clone(), storage, node.peers())?;
        keep_acts(&server, &self.folder)?;
        if let Some(address) = &mut self.ports.2 {
            let (bound, words) = bind(self.is_first, || serve_metrics(&mut server, *address)).await?;
            *address = bound;
            self.words.extend(self.is_first.then_some(words));
        }
        let address = self.ports.0;
        serve_admin(&mut server, self.host.data.admin_place(address.port()));
        self.host.web.serve(&server, address);
        Ok(server)
    }

    /// Shows the start screen in the first life, and announces the server.
    fn show(&self, server: &Server, node: &ClusterNode) -> Option<Announcer> {
        let address = self.ports.0;
        let (announcer, found_as) = self.host.announcing.start(address, server.open_lobbies());
        let (name, url) = (self.host.cluster.name(), self.host.cluster.url());
        let nodes = count(node.nodes(), "node", "nodes");
        if self.is_first {
            let archived = format!("Finished games are archived in {}.", self.folder.display());
            let joined = format!("Node {name} of the cluster at {url}; {nodes}.");
            let words = found_as.into_iter().chain([joined, archived]).chain(self.words.iter().cloned());
            // A script may close the pipe after the first line, which is not an error.
            let _ = announce(self.host.web.offered(address), &words.collect::<Vec<_>>());
        } else {
            tracing::info!("node {name} has joined anew; {nodes}");
        }
        announcer
    }

    /// Runs the server.
    async fn run(&mut self, server: Server, node: &ClusterNode, announcer: Option<&Announcer>) -> Ended {
        let (offered, load) = (self.host.web.offered(self.ports.0), server.load());
        let leaves = server.leaves();
        let (interrupts, pinned) = (&mut self.interrupts, &self.pinned);
        let stop = async {
            tokio::select! {
                () = stopped(interrupts.as_mut()) => {}
                () = node.membership().fenced_off() => return,
                () = start_screen::follow(pinned, offered, load) => {}
                () = leaves => {}
            }
            pinned.clear();
            interrupts.take().into_iter().for_each(stopping);
            announcer.inspect(|announcer| announcer.stop());
            if tokio::time::timeout(GIVE_WITHIN, node.give_all()).await.is_err() {
                tracing::warn!(
                    "the other nodes did not get all lobbies of this one in time; they take them over"
                );
            }
        };
        server.run(stop).await
    }
}

/// Whether a node whose server has ended in this way joins anew. It does not once the program was stopped.
fn joins_anew(ended: Ended, is_stopped: bool, is_fenced_off: bool) -> anyhow::Result<bool> {
    match ended {
        Ended::Failed => Err(anyhow!(FAILED)),
        Ended::Stopped | Ended::FencedOff => Ok(is_fenced_off && !is_stopped),
    }
}

/// Binds the port of this address, which a flag names. The address has the port from then on.
async fn listen(flag: &str, address: &mut SocketAddr, is_first: bool) -> anyhow::Result<TcpListener> {
    let words = |error| anyhow!(refused_port(flag, *address, &error));
    let listener = bind(is_first, || Server::listen(*address).map_err(words)).await?;
    *address = listener.local_addr().context("the port was lost again")?;
    Ok(listener)
}

/// Binds a port in this way. From the second life on this is tried for some seconds: the program is not to end since the
/// port is in use for a moment.
async fn bind<T>(is_first: bool, mut port: impl FnMut() -> anyhow::Result<T>) -> anyhow::Result<T> {
    let began = Instant::now();
    loop {
        match port() {
            Err(error) if !is_first && began.elapsed() < REBIND_WITHIN => {
                tracing::warn!("this node cannot go on yet: {error}");
            }
            bound => return bound,
        }
        tokio::time::sleep(REJOIN_PAUSE).await;
    }
}

/// Returns once the program is to stop.
async fn stopped(interrupts: Option<&mut Interrupts>) {
    match interrupts {
        Some(interrupts) => interrupts.next().await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A port that is in use, and what has it.
    fn in_use() -> (TcpListener, SocketAddr) {
        let other = Server::listen("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = other.local_addr().unwrap();
        (other, address)
    }

    #[test]
    fn a_node_joins_anew_if_others_have_taken_over_and_one_that_has_failed_ends_with_an_error() {
        let joins = |ended, is_stopped, is_fenced_off| joins_anew(ended, is_stopped, is_fenced_off).ok();
        for ended in [Ended::Stopped, Ended::FencedOff] {
            assert_eq!(joins(ended, false, true), Some(true));
            assert_eq!(joins(ended, true, true), Some(false));
            assert_eq!(joins(ended, false, false), Some(false));
        }
        for (is_stopped, is_fenced_off) in [(false, false), (false, true), (true, false), (true, true)] {
            assert_eq!(joins(Ended::Failed, is_stopped, is_fenced_off), None);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_that_joins_anew_waits_some_seconds_for_a_port_that_is_in_use() {
        let (other, mut address) = in_use();
        let began = Instant::now();
        let is_free = async {
            tokio::time::sleep(REBIND_WITHIN / 2).await;
            drop(other);
        };
        let (listener, ()) = tokio::join!(listen("--bind", &mut address, false), is_free);
        assert_eq!(listener.unwrap().local_addr().unwrap(), address);
        assert!(began.elapsed() < REBIND_WITHIN / 2 + REJOIN_PAUSE * 2, "{:?}", began.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_that_starts_waits_for_no_port_and_one_that_joins_anew_not_without_end() {
        let (_other, mut address) = in_use();
        for (is_first, within) in [(true, Duration::ZERO), (false, REBIND_WITHIN + REJOIN_PAUSE)] {
            let began = Instant::now();
            let error = listen("--cluster-bind", &mut address, is_first).await.unwrap_err().to_string();
            assert!(error.contains("is in use") && error.contains("--cluster-bind"), "{error}");
            assert!(began.elapsed() <= within, "{is_first}: {:?}", began.elapsed());
        }
    }
}
