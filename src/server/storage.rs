//! Persistent storage: [`Storage`] is the interface of an engine, [`sqlite`] the one that is used.
//!
//! It knows no sockets and no running lobby. A stored lobby is its metadata, the bytes of each event, and the
//! owners of its seats; [`crate::lobby`] gives the events their meaning.

mod engine;
mod entry;
#[cfg(test)]
pub(super) mod fake;
mod password;
pub mod sqlite;

pub use engine::{Answer, Archive, GameCursor, MAX_READ, OwnSeats, PastGame, RemoteStorage, Storage};
pub use entry::{
    Bounds, Damage, Entry, Loaded, LobbyId, LobbyMeta, Note, Owner, Pruned, StorageError, StoredLobby,
    WallTime, check_seats, replay,
};
pub use password::PasswordHash;
pub use sqlite::Sqlite;
