//! Why a node cannot join, as sentences for its host.

use crate::cluster::engine::EngineError;
use crate::cluster::format::Format;
use crate::cluster::keys::NodeName;

/// Why a node cannot join.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JoinError {
    /// Another living node has this name.
    #[error(
        "another node of the cluster is called {0} and is alive: give this one a name of its own with --node-name"
    )]
    InUse(NodeName),
    /// The node's key has no lease, so that it never ends.
    #[error(
        "the key `{key}` in etcd says that a node called {name} is alive, and no node wrote it: if no other node is called \
         so, `etcdctl del {key}`"
    )]
    Unleased {
        /// The name.
        name: NodeName,
        /// The key with the namespace before it.
        key: String,
    },
    /// It does not know the format that is written.
    #[error(
        "what lies in etcd has format {written}, and this release knows formats up to {newest}: install the release that the \
         other nodes have, or had last"
    )]
    TooOld {
        /// The format that is written.
        written: Format,
        /// The newest one that this node knows.
        newest: Format,
    },
    /// Another node does not know the formats that this one writes.
    #[error(
        "node {node} knows formats up to {newest}, and this release writes {oldest} and later ones: update that node first, \
         if need be to a release between the two"
    )]
    TooNew {
        /// The other node.
        node: NodeName,
        /// The newest format that it knows.
        newest: Format,
        /// The oldest one that this node writes.
        oldest: Format,
    },
    /// The key of the format is damaged.
    #[error(
        "the format that nodes write, the key `{key}` in etcd, is damaged: {why}; put the newest format there that the \
         releases of all nodes know, which is 1 for the first one: `etcdctl put {key} 1`"
    )]
    DamagedFormat {
        /// The key with the namespace before it.
        key: String,
        /// What is wrong, as the end of a sentence.
        why: String,
    },
    /// The others speak TLS, and this node does not.
    #[error(
        "node {0} speaks TLS with other nodes, and this one has no certificates: start it with --cluster-ca, --cluster-cert \
         and --cluster-key"
    )]
    NeedsTls(NodeName),
    /// The others do not speak TLS.
    #[error(
        "node {0} speaks no TLS with other nodes, and this one speaks nothing else: stop all nodes, and start all with \
         --cluster-ca, --cluster-cert and --cluster-key"
    )]
    NoTls(NodeName),
    /// etcd does not do what was asked.
    #[error(transparent)]
    Engine(#[from] EngineError),
}
