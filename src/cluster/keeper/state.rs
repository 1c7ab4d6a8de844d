//! What the life of a node knows: the slots that it has, and its ways to the others.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::others::Others;
use crate::cluster::about::About;
use crate::cluster::engine::Engine;
use crate::cluster::keys::{Epoch, NodeName, Slot};
use crate::cluster::node::Membership;
use crate::cluster::paging::Pager;
use crate::cluster::places::Places;

/// The life of a node, before it runs.
#[derive(Debug)]
pub struct Keeper<L> {
    pub(super) engine: Arc<dyn Engine>,
    pub(super) membership: Membership,
    pub(super) name: NodeName,
    pub(super) about: About,
    pub(super) places: Arc<Places>,
    pub(super) pager: Pager,
    pub(super) lobbies: L,
    pub(super) others: Arc<dyn Others>,
    /// The other nodes that this one has reached, and those that it tries to reach, each by a task.
    pub(super) reached: BTreeSet<Epoch>,
    pub(super) tried: BTreeSet<Epoch>,
    pub(super) reaching: JoinSet<Option<Epoch>>,
    /// A task for each node that was reached, which notices its death.
    pub(super) attending: JoinSet<()>,
    /// The slots whose lobbies are in the server.
    pub(super) held: BTreeSet<Slot>,
    /// When slots may move again to a node that has joined.
    pub(super) next_move: Instant,
    /// Who asks that this node gives all away.
    pub(super) asked: mpsc::Receiver<oneshot::Sender<()>>,
    /// Whether it has done so, and takes nothing any more.
    pub(super) is_leaving: bool,
}

/// Asks the node to give all of its slots to others.
#[derive(Debug, Clone)]
pub struct Leaving(mpsc::Sender<oneshot::Sender<()>>);

impl Leaving {
    /// Returns once others have all slots of this node, or it is no member any more. A node that is alone keeps them.
    pub async fn give_all(&self) {
        let (done, given) = oneshot::channel();
        // Who is no member any more has nothing to give.
        if self.0.send(done).await.is_ok() {
            let _ = given.await;
        }
    }
}

impl<L> Keeper<L> {
    /// The life of a node that has joined under this name, and has said this of itself.
    pub fn new(
        engine: Arc<dyn Engine>,
        membership: Membership,
        (name, about): (NodeName, About),
        places: Arc<Places>,
        pager: Pager,
        (lobbies, others): (L, Arc<dyn Others>),
    ) -> (Self, Leaving) {
        let (sender, asked) = mpsc::channel(1);
        let (held, next_move, is_leaving) = (BTreeSet::new(), Instant::now(), false);
        let keeper = Self {
            engine,
            membership,
            name,
            about,
            places,
            pager,
            lobbies,
            others,
            reached: BTreeSet::new(),
            tried: BTreeSet::new(),
            reaching: JoinSet::new(),
            attending: JoinSet::new(),
            held,
            next_move,
            asked,
            is_leaving,
        };
        (keeper, Leaving(sender))
    }

    pub(super) fn epoch(&self) -> Epoch {
        self.membership.epoch()
    }

    /// What a log calls a node.
    pub(super) fn called(&self, epoch: Epoch) -> String {
        self.places.called(epoch)
    }
}
