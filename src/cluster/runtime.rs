//! A node as a whole: it joins, gives the server its journal and its peers, and keeps all tasks of its life.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use tokio_util::task::AbortOnDropHandle;

use super::about::About;
use super::accepting::{ACCEPTING_FILES, Accepting};
use super::archive::{ArchiveStore, Archiver};
use super::bans::share_bans;
use super::directory::share_lists;
use super::doubt::Doubt;
use super::draining::share_drain;
use super::engine::etcd::{ETCD_FILES, SeenHealth};
use super::engine::{Engine, EngineError, EngineMaker, only_forward};
use super::keeper::{Keeper, Leaving};
use super::keys::NodeName;
use super::names::Names;
use super::network::{NodeListener, NodeNetwork};
use super::node::{FencedOff, JoinError, Living, Membership, Node, WriteError};
use super::numbers::{Numbers, NumbersError};
use super::orders::{Orders, carry_out_orders};
use super::paging::{Pager, Paging, RecordedSender};
use super::peering::{PEERING_FILES, Peering};
use super::places::Places;
use super::stat::keep_stat;
use super::storage::ClusterStorage;
use super::suspicion::Suspicion;
use super::tls::NodeTls;
use super::tunnel::{SecretError, SharedSecret};
use crate::server::storage::{LobbyId, StorageError};
use crate::server::{Member, Peers, SharedRules};

/// How many open files a node needs beside those of a server and of tunnels.
pub const NODE_FILES: usize = ACCEPTING_FILES + PEERING_FILES + ETCD_FILES;

/// The pause before etcd is asked again which format is written.
const FORMAT_PAUSE: Duration = Duration::from_secs(1);

/// Why a node cannot start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// It cannot join.
    #[error(transparent)]
    Join(#[from] JoinError),
    /// It does not get the secret of the cluster.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// It gets no numbers for lobbies.
    #[error(transparent)]
    Numbers(#[from] NumbersError),
    /// etcd does not answer.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl StartError {
    /// Whether etcd did not answer, so that the same may succeed in a moment.
    pub fn is_in_doubt(&self) -> bool {
        match self {
            Self::Engine(error)
            | Self::Join(JoinError::Engine(error))
            | Self::Secret(SecretError::Engine(error))
            | Self::Numbers(NumbersError::Write(WriteError::Engine(error))) => error.is_in_doubt(),
            _ => false,
        }
    }
}

/// What a node is called, and what it says of itself.
#[derive(Debug, Clone)]
pub struct NodeOptions {
    /// Its name.
    pub name: NodeName,
    /// What others are to know.
    pub about: About,
    /// How it reaches the other nodes.
    pub network: Arc<dyn NodeNetwork>,
    /// Its certificates, where nodes speak TLS with each other.
    pub tls: Option<NodeTls>,
    /// How long its lease lasts without being kept alive, in whole seconds.
    pub lease: Duration,
    /// A number that is higher than that of any lobby in the node's archive: after a loss of all that etcd had, numbers
    /// would begin anew otherwise.
    pub first_number: LobbyId,
    /// How etcd is, for the metrics.
    pub health: SeenHealth,
}

/// One life of a node: from joining until it leaves, or others have taken over from it. Dropping it ends all of its
/// tasks, and its lease then ends by itself.
#[derive(Debug)]
pub struct ClusterNode {
    node: Node,
    engines: Engines,
    options: NodeOptions,
    peering: Arc<Peering>,
    pager: Pager,
    recorded: RecordedSender,
    leaving: Option<Leaving>,
    tasks: Vec<AbortOnDropHandle<()>>,
}

/// The ways to etcd: that of this node's tasks, and one for each further runtime.
struct Engines {
    maker: EngineMaker,
    own: Arc<dyn Engine>,
}

impl std::fmt::Debug for Engines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.own.fmt(f)
    }
}

impl ClusterNode {
    /// Joins the cluster. The node owns nothing before it is started.
    ///
    /// # Errors
    ///
    /// If another node has its name, or etcd does not do what was asked.
    pub async fn join(maker: EngineMaker, mut options: NodeOptions) -> Result<Self, StartError> {
        let maker = only_forward(maker);
        let engines = Engines { own: maker(), maker };
        let engine = &engines.own;
        let secret = SharedSecret::read_or_create(&**engine).await?;
        options.about.tls = options.tls.is_some();
        let NodeOptions { name, about, network, tls, lease, first_number, health } = &options;
        let node = Node::join(Arc::clone(engine), name, about, *lease).await?;
        let membership = node.membership().clone();
        let (places, numbers) = (Arc::<Places>::default(), Numbers::from_number(*first_number));
        places.set_nodes(&Living::read(&**engine).await?);
        numbers.take_block(&**engine, &membership).await?;
        let suspicion =
            Suspicion::new(Arc::clone(engine), Arc::clone(network), Arc::clone(&places), &about.machine);
        let network = Arc::clone(network);
        let (machine, tls, names) = (about.machine.clone(), tls.clone(), Names::default());
        let (paging, pager, recorded) = Paging::new((engines.maker)(), membership.clone());
        let orders = Orders::new(Arc::clone(engine), membership.clone(), Arc::clone(&places));
        let health = health.clone();
        let peering = Peering {
            membership,
            network,
            secret,
            tls,
            places,
            suspicion,
            machine,
            numbers,
            names,
            orders,
            health,
        };
        let peering = Arc::new(peering);
        let mut this =
            Self { node, engines, options, peering, pager, recorded, leaving: None, tasks: Vec::new() };
        this.spawn(paging.run());
        this.keep_shared();
        this.follow_format();
        Ok(this)
    }

    /// Follows which format is written.
    fn follow_format(&mut self) {
        let Peering { membership, places, .. } = &*self.peering;
        let (engine, membership) = (Arc::clone(&self.engines.own), membership.clone());
        let places = Arc::clone(places);
        self.spawn(async move {
            let mut changes = places.changes();
            loop {
                let nodes = places.nodes();
                let newest = nodes.values().map(|(_, about)| about.formats.1).min();
                if newest.is_some_and(|newest| newest > membership.format())
                    && let Err(error) = membership.raise_format(&*engine).await
                {
                    tracing::debug!(%error, "it is not known which format is written");
                    tokio::time::sleep(FORMAT_PAUSE).await;
                    continue;
                }
                // The sender lives as long as the places.
                if membership.check().is_err() || changes.changed().await.is_err() {
                    return;
                }
            }
        });
    }

    /// Keeps what all nodes share.
    fn keep_shared(&mut self) {
        let Peering { membership, numbers, names, .. } = &*self.peering;
        let (engine, membership) = (Arc::clone(&self.engines.own), membership.clone());
        let (numbers, names) = (numbers.clone(), names.clone());
        self.spawn_shared(numbers.run(Arc::clone(&engine), membership.clone()));
        self.spawn_shared(names.run(engine, membership));
    }

    fn spawn(&mut self, task: impl Future<Output = ()> + Send + 'static) {
        self.tasks.push(AbortOnDropHandle::new(tokio::spawn(task)));
    }

    /// The journal of this life. There is one.
    ///
    /// # Errors
    ///
    /// If the system has no means for it.
    pub fn storage(&self, archive: ArchiveStore) -> Result<ClusterStorage, StorageError> {
        let membership = self.membership().clone();
        ClusterStorage::new(&self.engines.maker, membership, self.recorded.clone(), archive)
    }

    /// The other nodes.
    pub fn peers(&self) -> Arc<dyn Peers> {
        Arc::clone(&self.peering) as _
    }

    /// Starts to take over slots for this server, lets in the clients of other nodes, and shares what all nodes share:
    /// the list of lobbies, bans and mutes, and finished games, which go into this archive.
    pub fn start(
        &mut self,
        (member, rules): (Member, SharedRules),
        archive: ArchiveStore,
        tunnels: Box<dyn NodeListener>,
    ) {
        self.own_slots(member.clone(), tunnels);
        self.serve_hosts(&member);
        let (engine, membership) = (Arc::clone(&self.engines.own), self.membership().clone());
        let Peering { network, places, secret, tls, .. } = &*self.peering;
        let (secret, tls, places) = (secret.clone(), tls.clone(), Arc::clone(places));
        let network = Arc::clone(network);
        self.spawn(Doubt { membership: membership.clone(), network, secret, tls, places }.run());
        let archiver =
            Archiver::new(Arc::clone(&engine), membership.clone(), self.options.name.clone(), archive);
        self.spawn_shared(archiver.run());
        self.spawn_shared(share_bans(Arc::clone(&engine), membership.clone(), rules));
        self.spawn_shared(share_drain(Arc::clone(&engine), membership.clone(), member.clone()));
        self.spawn_shared(share_lists(engine, membership, member));
    }

    /// Spawns what ends with the membership.
    fn spawn_shared(&mut self, task: impl Future<Output = FencedOff> + Send + 'static) {
        self.spawn(async move {
            task.await;
        });
    }

    /// Takes over slots for this server, and lets in the clients of other nodes.
    fn own_slots(&mut self, member: Member, tunnels: Box<dyn NodeListener>) {
        let Peering { membership, places, secret, tls, .. } = &*self.peering;
        let (membership, places, secret) = (membership.clone(), Arc::clone(places), secret.clone());
        let (own, tls) = (membership.clone(), tls.clone());
        let accepting = Accepting { listener: tunnels, secret, tls, own, places: Arc::clone(&places) };
        let said = (self.options.name.clone(), self.options.about.clone());
        let (engine, others) = (Arc::clone(&self.engines.own), Arc::clone(&self.peering) as _);
        let (keeper, leaving) = Keeper::new(
            engine,
            membership.clone(),
            said,
            places,
            self.pager.clone(),
            (member.clone(), others),
        );
        self.leaving = Some(leaving);
        self.spawn(keeper.run());
        self.spawn(async move {
            tokio::select! {
                () = membership.fenced_off() => {}
                () = accepting.run(move |client| member.take_in(client)) => {}
            }
        });
    }

    /// Says for hosts how this node is, and carries out what those of other nodes ask.
    fn serve_hosts(&mut self, member: &Member) {
        let Peering { membership, places, .. } = &*self.peering;
        let (membership, places, engine) = (membership.clone(), Arc::clone(places), &self.engines.own);
        let (counting, acting) = (member.clone(), member.clone());
        let act = move |order: String| {
            let member = acting.clone();
            async move { tokio::task::spawn_blocking(move || member.carry_out(&order)).await.ok().flatten() }
        };
        let acting = carry_out_orders(Arc::clone(engine), membership.clone(), act);
        let telling = keep_stat(Arc::clone(engine), membership, places, move || counting.counts());
        self.spawn(acting);
        self.spawn(telling);
    }

    /// Gives all slots to the other nodes, if there are any. Clients are still served, by way of the others.
    pub async fn give_all(&self) {
        if let Some(leaving) = &self.leaving {
            leaving.give_all().await;
        }
    }

    /// Ends the membership, once the server has stopped.
    ///
    /// # Errors
    ///
    /// If etcd does not answer: the lease then ends by itself.
    pub async fn leave(self) -> Result<(), EngineError> {
        self.node.leave().await
    }

    /// What this node knows of its membership.
    pub fn membership(&self) -> &Membership {
        self.node.membership()
    }

    /// How many nodes are living, this one among them.
    pub fn nodes(&self) -> usize {
        self.peering.places.nodes().len()
    }
}
