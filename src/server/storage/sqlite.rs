//! The journal in a folder, in SQLite's WAL mode: a file that other tools can open too. `proto/JOURNAL.md`
//! describes it.
//!
//! A batch of entries is one transaction. Every row carries a checksum. A journal is checked when it is
//! opened; a damaged one is set aside, and all rows that can be read and verified are copied into a new
//! one.
//!
//! Reading order: [`schema`] has the tables and [`row`] the checksum; [`recording`] writes rows, [`loading`]
//! reads open lobbies at the start and [`reading`] reads the past; [`open_file`] recognises and opens a file,
//! [`recovery`] replaces a damaged one; [`pruning`] chooses what goes, and [`removal`] removes it; [`whole`] writes
//! lobbies that come from elsewhere; [`reserve`] is given up on a full disk; [`wal`] copies the file beside the
//! journal into it; [`journal`] ties them together.

mod backup;
mod check;
mod connect;
mod error;
mod files;
mod games;
mod journal;
mod loading;
mod open_file;
mod pruning;
mod reading;
mod recording;
mod recovery;
mod removal;
mod reserve;
mod row;
mod schema;
mod wal;
mod whole;

pub use backup::backup;
pub use check::{MAX_FINDINGS, Report, check};
pub use connect::Durability;
pub use journal::Sqlite;
pub use whole::{LastEvent, Written};
