//! The archive: each node keeps every closed lobby of the cluster in its own SQLite, so that records, their list and
//! pruning are as on one machine.
//!
//! A closed lobby has a key `d/<lobby>`, and stays in its head and pages until every archiver has it. Each says in
//! `a/<node>` up to which revision it has recorded all lobbies that were closed, in a [checked] value of version 1,
//! and it survives the node:
//!
//! ```text
//! +---------------+----------------------------+
//! | u64: revision | u64: when it said so, in   |   high byte first
//! |               | ms since 1970              |
//! +---------------+----------------------------+
//! ```
//!
//! Any node then deletes the keys of the lobby. A damaged lobby stays in etcd. A node that does not live and has said
//! nothing for [`FORGOTTEN_AFTER`] is waited for no longer.

mod archiver;
mod deleting;
mod mark;
mod own_lobbies;
mod store;
#[cfg(test)]
mod tests;

pub use archiver::Archiver;
pub use deleting::{FORGOTTEN_AFTER, KEPT_AFTER_ARCHIVING};
pub use mark::bad_marks;
pub use store::ArchiveStore;
