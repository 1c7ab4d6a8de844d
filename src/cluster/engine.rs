//! The interface of the engine on which a cluster stands: a key-value store with revisions, transactions,
//! watches and leases, as etcd is. [`memory`] is one for tests and simulations, [`etcd`] the real one.

#[cfg(test)]
pub(crate) mod certificates;
#[cfg(test)]
mod contract;
mod error;
pub mod etcd;
mod forward;
mod interface;
mod key;
pub mod memory;
#[cfg(test)]
mod not_checked;
mod paging;
mod range;
#[cfg(test)]
pub(crate) mod real;
mod transaction;

pub use error::EngineError;
pub use forward::only_forward;
pub use interface::{Answer, Change, Changed, Engine, EngineMaker, Lease, Watch, WatchSender, watch_channel};
pub use key::{Key, LeaseId, Revision};
pub use paging::{MAX_ANSWER, MAX_PAGE, RangeReader};
pub use range::{KeyValue, Page, Range};
pub use transaction::{Compare, MAX_OPERATIONS, MAX_VALUE, Operation, Txn, TxnReply};
