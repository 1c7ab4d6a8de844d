//! A node as a whole: it joins, gives the server its journal and its peers, and keeps all tasks of its life.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

use super::about::About;
use super::accepting::Accepting;
use super::engine::{Engine, EngineError, EngineMaker};
use super::keeper::{Keeper, Leaving};
use super::keys::NodeName;
use super::node::{JoinError, Living, Membership, Node};
use super::orders::{Orders, carry_out_orders};
use super::paging::{Pager, Paging, RecordedSender};
use super::peering::Peering;
use super::places::Places;
use super::shared::{Names, Numbers};
use super::stat::keep_stat;
use super::storage::{ArchiveMaker, ClusterStorage};
use super::suspicion::Suspicion;
use super::tunnel::{SecretError, SharedSecret};
use crate::server::storage::StorageError;
use crate::server::{Member, Peers};

/// Why a node cannot start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// It cannot join.
    #[error(transparent)]
    Join(#[from] JoinError),
    /// It does not get the secret of the cluster.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// etcd does not answer.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// What a node is called, and what it says of itself.
#[derive(Debug, Clone)]
pub struct NodeOptions {
    /// Its name.
    pub name: NodeName,
    /// What others are to know.
    pub about: About,
    /// How long its lease lasts without being kept alive, in whole seconds.
    pub lease: Duration,
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
    pub async fn join(maker: EngineMaker, options: NodeOptions) -> Result<Self, StartError> {
        let engines = Engines { own: maker(), maker };
        let engine = &engines.own;
        let secret = SharedSecret::read_or_create(&**engine).await?;
        let NodeOptions { name, about, lease } = &options;
        let node = Node::join(Arc::clone(engine), name, about.value(), *lease).await?;
        let membership = node.membership().clone();
        let (places, numbers) = (Arc::<Places>::default(), Numbers::default());
        places.set_nodes(&Living::read(&**engine).await?);
        numbers.take_block(&**engine, &membership).await?;
        let suspicion = Suspicion::new(Arc::clone(engine), Arc::clone(&places), &about.machine);
        let (machine, names) = (about.machine.clone(), Names::default());
        let (paging, pager, recorded) = Paging::new((engines.maker)(), membership.clone());
        let orders = Orders::new(Arc::clone(engine), membership.clone(), Arc::clone(&places));
        let peering = Peering { membership, secret, places, suspicion, machine, numbers, names, orders };
        let peering = Arc::new(peering);
        let mut this =
            Self { node, engines, options, peering, pager, recorded, leaving: None, tasks: Vec::new() };
        this.spawn(paging.run());
        this.keep_shared();
        Ok(this)
    }

    /// Keeps what all nodes share.
    fn keep_shared(&mut self) {
        let Peering { membership, numbers, names, .. } = &*self.peering;
        let (engine, membership) = (Arc::clone(&self.engines.own), membership.clone());
        let (numbers, names) = (numbers.clone(), names.clone());
        self.spawn({
            let (engine, membership) = (Arc::clone(&engine), membership.clone());
            async move {
                numbers.run(engine, membership).await;
            }
        });
        self.spawn(async move {
            names.run(engine, membership).await;
        });
    }

    fn spawn(&mut self, task: impl Future<Output = ()> + Send + 'static) {
        self.tasks.push(AbortOnDropHandle::new(tokio::spawn(task)));
    }

    /// The journal of this life. There is one.
    ///
    /// # Errors
    ///
    /// If the system has no means for it.
    pub fn storage(&self, archive: ArchiveMaker) -> Result<ClusterStorage, StorageError> {
        let membership = self.membership().clone();
        ClusterStorage::new(&self.engines.maker, membership, self.recorded.clone(), archive)
    }

    /// The other nodes.
    pub fn peers(&self) -> Arc<dyn Peers> {
        Arc::clone(&self.peering) as _
    }

    /// Starts to take over slots for this server, says how it is, and lets in the clients of other nodes.
    pub fn start(&mut self, member: Member, tunnels: TcpListener) {
        self.serve_hosts(&member);
        let Peering { membership, places, secret, .. } = &*self.peering;
        let (membership, places, secret) = (membership.clone(), Arc::clone(places), secret.clone());
        let accepting =
            Accepting { listener: tunnels, secret, own: membership.epoch(), places: Arc::clone(&places) };
        let said = (self.options.name.clone(), self.options.about.clone());
        let engine = Arc::clone(&self.engines.own);
        let (keeper, leaving) =
            Keeper::new(engine, membership.clone(), said, places, self.pager.clone(), member.clone());
        self.leaving = Some(leaving);
        self.spawn(keeper.run());
        self.spawn(async move {
            tokio::select! {
                () = membership.fenced_off() => {}
                () = accepting.run(move |client| member.connect(client)) => {}
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
