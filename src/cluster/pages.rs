//! Lobbies by slot: a head and pages of events for each, written in the background from the log, so that the log
//! stays short and a lobby is found without reading all logs.

mod checking;
mod cleaning;
mod ended;
mod guarded;
mod histories;
mod kept;
mod listing;
mod marks;
mod puts;
mod restored;
mod restoring;
mod room;
mod selecting;
#[cfg(test)]
mod tests;
mod value;
mod whole;
mod writing;

pub use checking::check_lobbies;
pub(crate) use checking::find;
pub use cleaning::delete_covered_logs;
pub use ended::{GameEnded, read_new_pages};
pub use histories::{Histories, History};
pub use kept::{KeptLobby, PAGE};
pub use restored::RestoredLobby;
pub use restoring::{Restored, restore};
pub use whole::{LobbyReader, Part, bytes_of};
pub use writing::{PageWriter, WRITE_AFTER};
