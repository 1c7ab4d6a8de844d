//! Whether the others take this node for dead, while etcd does not answer it: a node that is cut off from etcd alone
//! would hold its clients back otherwise. It asks the other nodes by a [handshake](super::tunnel), in which they say
//! whether they take it for living. Where etcd is away altogether, they do.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::timeout;

use super::about::About;
use super::keys::Epoch;
use super::network::NodeNetwork;
use super::node::Membership;
use super::peering::dial_at;
use super::places::Places;
use super::tls::NodeTls;
use super::tunnel::{HandshakeError, Introduction, SharedSecret};

/// How often a node in doubt asks: its clients wait for that.
const EVERY: Duration = Duration::from_millis(500);

/// How long an answer may take.
const ANSWER_WITHIN: Duration = Duration::from_millis(400);

/// Finds out whether the others take this node for dead.
#[derive(Debug)]
pub struct Doubt {
    /// This node's membership.
    pub membership: Membership,
    /// How other nodes are reached.
    pub network: Arc<dyn NodeNetwork>,
    /// The secret of the cluster.
    pub secret: SharedSecret,
    /// The certificates of this node, where nodes speak TLS with each other.
    pub tls: Option<NodeTls>,
    /// Who is living, as far as known.
    pub places: Arc<Places>,
}

impl Doubt {
    /// Fences this node off once another one says that it is no member. Ends with the membership.
    pub async fn run(self) {
        while self.membership.check().is_ok() {
            tokio::time::sleep(EVERY).await;
            if !self.membership.is_certain() && self.is_taken_for_dead().await {
                tracing::warn!(
                    "etcd does not answer this node, and another one says that it was taken over from"
                );
                self.membership.fence_off();
            }
        }
    }

    async fn is_taken_for_dead(&self) -> bool {
        let nodes = self.places.nodes();
        let others = nodes.iter().filter(|(epoch, _)| **epoch != self.membership.epoch());
        let asked = others.map(|(epoch, (_, about))| timeout(ANSWER_WITHIN, self.ask(*epoch, about)));
        join_all(asked).await.into_iter().any(|answer| answer.unwrap_or(false))
    }

    /// Whether that node says that this one is no member.
    async fn ask(&self, other: Epoch, about: &About) -> bool {
        let proof = (&self.secret, self.tls.as_ref());
        let introduction =
            Introduction { dialer: self.membership.epoch(), meant: other, client: Introduction::NOBODY };
        matches!(
            dial_at(&*self.network, about.tunnel, proof, introduction).await,
            Err(HandshakeError::NotLiving(_))
        )
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tokio::net::TcpListener;

    use super::*;
    use crate::cluster::engine::Revision;
    use crate::cluster::engine::memory::MemoryEtcd;
    use crate::cluster::format::Format;
    use crate::cluster::network::Tcp;
    use crate::cluster::node::{LEASE, Living, Node};
    use crate::cluster::tunnel::accept;

    /// Whether a node that is cut off from etcd takes itself for dead, if another one takes it for living or not.
    async fn is_fenced_off(is_living: bool) -> bool {
        let (etcd, secret) = (MemoryEtcd::default(), SharedSecret::of([7; 32]));
        let client = etcd.client();
        let node = Node::join(client.clone(), &"a".parse().unwrap(), &crate::cluster::sample::about(), LEASE)
            .await
            .unwrap();
        let (other, listener) = (Epoch(Revision(99)), TcpListener::bind("127.0.0.1:0").await.unwrap());
        let about = About::new(listener.local_addr().unwrap(), None, "attic");
        let known = BTreeMap::from([(other, ("b".parse().unwrap(), about.value()))]);
        let places = Arc::<Places>::default();
        places.set_nodes(&Living { revision: Revision(99), nodes: known });
        client.cut_off();
        let membership = node.membership().clone();
        let (secret_of_all, network) = (secret.clone(), Arc::new(Tcp));
        let doubt =
            Doubt { membership: membership.clone(), network, secret: secret_of_all, tls: None, places };
        let asked = async {
            let (stream, _) = listener.accept().await.unwrap();
            let _ = accept(stream, &secret, (other, Format::FIRST), |_| is_living).await;
            // What follows from the answer.
            tokio::task::yield_now().await;
        };
        tokio::select! {
            () = doubt.run() => {}
            () = async { asked.await; let _ = timeout(EVERY, membership.fenced_off()).await; } => {}
        }
        membership.check().is_err()
    }

    #[tokio::test]
    async fn a_node_that_etcd_does_not_answer_believes_others_who_say_that_it_is_dead() {
        assert!(is_fenced_off(false).await);
        assert!(!is_fenced_off(true).await);
    }
}
