//! The list of lobbies of the whole cluster: each node writes the first entries of its own list, and shows those of
//! the others.
//!
//! The key `dir/<epoch>/<lobby>` is under the lease of the node whose epoch it has, and ends with it. Its value is a
//! [checked](super::checked) one of version 1: the address from which the lobby was opened and its entry, together one
//! message of [`wire`](crate::wire).

mod others;
mod own;
#[cfg(test)]
mod tests;
mod value;

use std::sync::Arc;

pub use self::others::Shown;
use self::others::show_others;
pub use self::own::MOST;
use self::own::write_own;
use super::engine::Engine;
use super::node::{FencedOff, Membership};
use crate::server::{Member, SharedListing};

/// Shares the list of this server with the other nodes, until this node is no member any more.
pub async fn share_lists(engine: Arc<dyn Engine>, membership: Membership, member: Member) -> FencedOff {
    let show = |shown| match shown {
        Shown::Listed(listing) => member.list(listing),
        Shown::Unlisted(lobby) => member.unlist(lobby),
    };
    share(engine, membership, || member.listings(MOST), show).await
}

/// The same with the list that `listings` returns: the entries of the other nodes go to `show`.
pub async fn share(
    engine: Arc<dyn Engine>,
    membership: Membership,
    listings: impl Fn() -> Vec<SharedListing>,
    show: impl FnMut(Shown),
) -> FencedOff {
    let others = show_others(Arc::clone(&engine), membership.epoch(), show);
    tokio::select! {
        () = membership.fenced_off() => FencedOff,
        off = write_own(engine, membership.clone(), listings) => off,
        never = others => match never {},
    }
}
