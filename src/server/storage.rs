//! Where a server records what must not be lost, and reads it again: [`Storage`] is all that an engine has
//! to do.
//!
//! It knows no sockets and no lobby that is played in. A lobby is here what was recorded of it: how it was
//! opened, the bytes of each event, and who holds its seats. What that amounts to is for [`crate::lobby`]
//! to say.

mod engine;
mod entry;
mod password;
pub mod sqlite;

pub use engine::{Archive, GameCursor, MAX_READ, OwnSeats, PastGame, Storage};
pub use entry::{
    Bounds, Damage, Entry, LobbyId, LobbyMeta, Note, Owner, StorageError, StoredLobby, WallTime, check_seats,
    replay,
};
pub use password::PasswordHash;
pub use sqlite::Sqlite;
