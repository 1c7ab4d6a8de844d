//! The limits of each address, and eviction where a total is reached. Knows no sockets and no messages.
//!
//! `docs/LIMITS.md` has the whole model, which is this: each address has a [token bucket](bucket) for new
//! connections, one for requests, one for wrong guesses, one for bytes of the journal, and one for chat; beyond it the request is refused or the connection is read more slowly. `session/hall.rs` has the
//! prices of requests. Each address has a maximum of connections, lobbies and watchers. Where a total is
//! reached, [one](eviction) of the address that has most is evicted, if that has more than the newcomer's.

mod address;
mod bucket;
mod eviction;

pub(super) use address::{AddressLimits, MAX_DEBT, RateLimits};
pub use address::{address_key, address_text};
pub(super) use bucket::TooFast;
pub(super) use eviction::choose_evicted;
