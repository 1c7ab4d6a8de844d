//! The archive: each node keeps every lobby of the cluster in which a game has ended, or that is closed, in its own
//! SQLite, so that records, their list and pruning are as on one machine.
//!
//! A closed lobby has a key `d/<lobby>`, and stays in its head and pages until every archiver has it. Each says in
//! `a/<node>` up to which revision it has recorded all lobbies that were closed, in a [checked](super::checked) value
//! of version 1, and it survives the node:
//!
//! ```text
//! +---------------+----------------------------+
//! | u64: revision | u64: when it said so, in   |   high byte first
//! |               | ms since 1970              |
//! +---------------+----------------------------+
//! ```
//!
//! Any node then deletes the keys of the lobby. A damaged lobby stays in etcd. A node that does not live and has said
//! nothing for [`FORGOTTEN_AFTER`] is waited for no longer. While closed lobbies take too much of etcd, none is waited for that
//! has said nothing for five minutes.
//!
//! A lobby that stays open gets a key `e/<lobby>` once a game has ended there, which its owner writes together with its
//! head and pages, and again after each further game. Each archiver then records what the pages have and its archive
//! does not, and so does a node that comes later. Nobody waits for that: the key goes with the lobby.
//!
//! What an archive has of an open lobby is always its beginning. The rest is added once it is closed. Where the events do
//! not fit together, since etcd was restored from a backup, the lobby is recorded anew, unless it is
//! so long that it is read in parts.

mod archiver;
mod closed;
mod deleting;
mod ended;
mod long;
mod mark;
mod open_lobbies;
mod store;
#[cfg(test)]
mod tests;

pub use archiver::Archiver;
pub use deleting::{FORGOTTEN_AFTER, KEPT_AFTER_ARCHIVING};
pub use mark::bad_marks;
pub use store::ArchiveStore;
