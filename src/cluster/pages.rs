//! Lobbies by slot: a head and pages of events for each, written in the background from the log, so that the log
//! stays short and a lobby is found without reading all logs.

mod checking;
mod cleaning;
mod closed;
mod guarded;
mod histories;
mod kept;
mod marks;
mod restoring;
#[cfg(test)]
mod tests;
mod value;
mod writing;

pub use checking::check_lobbies;
pub(crate) use checking::find;
pub use cleaning::delete_covered_logs;
pub use closed::{ClosedLobby, read_closed};
pub use histories::{Histories, History};
pub use kept::{KeptLobby, PAGE};
pub use restoring::{Restored, RestoredLobby, restore};
pub use writing::{PageWriter, WRITE_AFTER};
