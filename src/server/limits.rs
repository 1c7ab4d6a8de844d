//! The limits of each address, and eviction where a total is reached. Knows no sockets and no messages.
//!
//! The whole model: each address has a [token bucket](bucket) for new connections, one for requests, and one
//! for refusals and wrong guesses; beyond it the request is refused or the connection is read more slowly.
//! `session/hall.rs` has the prices of requests, and `session/lobby.rs` the bucket of each connection for
//! chat. Each address has a maximum of connections, lobbies and watchers. Where a total is reached,
//! [one](eviction) of the address that has most is evicted, if that address has more than the newcomer's.

mod address;
mod bucket;
mod eviction;

pub(super) use address::{AddressLimits, MAX_WAIT, RateLimits, TooFast, address_key};
pub(super) use eviction::{Holder, choose_evicted};
