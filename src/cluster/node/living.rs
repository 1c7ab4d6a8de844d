//! Who is alive, and thereby whose logs are sealed.

use std::collections::BTreeMap;

use bytes::Bytes;

use crate::cluster::engine::{Engine, EngineError, Key, RangeReader, Revision};
use crate::cluster::keys::{self, Epoch, NodeName};

/// The most bytes that a node says of itself.
const MAX_ABOUT: usize = 1_024;

/// The members as of a revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Living {
    /// The revision.
    pub revision: Revision,
    /// Each member with its name and what it says of itself.
    pub nodes: BTreeMap<Epoch, (NodeName, Bytes)>,
}

/// A log to which nothing can be appended any more, since its node was no member at a revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sealed {
    epoch: Epoch,
    since: Revision,
}

impl Living {
    /// Reads who is a member now.
    pub async fn read(engine: &dyn Engine) -> Result<Self, EngineError> {
        let mut reader = RangeReader::of_prefix(engine, &Key::from(keys::NODES), MAX_ABOUT);
        let mut nodes = BTreeMap::new();
        while let Some(page) = reader.next().await? {
            for found in page {
                if let Some(name) = keys::node_of(&found.key) {
                    nodes.insert(Epoch(found.created), (name, found.value));
                }
            }
        }
        Ok(Self { revision: reader.revision().unwrap_or_default(), nodes })
    }

    /// The log of this epoch, if it is sealed.
    pub fn sealed(&self, epoch: Epoch) -> Option<Sealed> {
        // An epoch of the future may still begin.
        let is_sealed = epoch.0 <= self.revision && !self.nodes.contains_key(&epoch);
        is_sealed.then_some(Sealed { epoch, since: self.revision })
    }
}

impl Sealed {
    /// Whose log it is.
    pub fn epoch(self) -> Epoch {
        self.epoch
    }

    /// A revision at which it was sealed.
    pub fn since(self) -> Revision {
        self.since
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::engine::memory::MemoryEtcd;
    use crate::cluster::node::{LEASE, Node};

    #[tokio::test(start_paused = true)]
    async fn a_log_is_sealed_once_its_node_is_no_member_any_more() {
        let etcd = MemoryEtcd::default();
        let client = etcd.client();
        let join = async |name: &str| {
            Node::join(etcd.client(), &name.parse().unwrap(), &crate::cluster::sample::about(), LEASE)
                .await
                .unwrap()
        };
        let (one, other) = (join("a").await, join("b").await);
        let epochs = [&one, &other].map(|node| node.membership().epoch());
        let living = Living::read(&*client).await.unwrap();
        assert_eq!(living.nodes.keys().copied().collect::<Vec<_>>(), epochs);
        assert_eq!(living.nodes[&epochs[0]], ("a".parse().unwrap(), crate::cluster::sample::about().value()));
        assert!(epochs.iter().all(|epoch| living.sealed(*epoch).is_none()));
        assert_eq!(living.sealed(Epoch(living.revision.next())), None);
        one.leave().await.unwrap();
        let again = join("a").await.membership().epoch();
        let living = Living::read(&*client).await.unwrap();
        assert_eq!(living.sealed(epochs[0]).map(Sealed::epoch), Some(epochs[0]));
        assert!(living.sealed(epochs[1]).is_none() && living.sealed(again).is_none());
    }
}
