//! The other nodes, as the life of a node needs them.

use std::fmt;

use crate::cluster::keys::Epoch;
use crate::server::Later;

/// The other nodes.
pub trait Others: fmt::Debug + Send + Sync + 'static {
    /// Waits until this node can carry clients to that one. Returns whether it can: that one may go first.
    fn until_reached(&self, epoch: Epoch) -> Later<'_, bool>;

    /// Keeps a connection to that node, and finds out whether it has died whenever that ends. Ready once it is living no
    /// more.
    fn until_gone(&self, epoch: Epoch) -> Later<'_, ()>;
}
