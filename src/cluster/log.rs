//! A node's log in etcd: batches of entries in segments, appended only while the node is a member.

mod appending;
#[cfg(test)]
mod encodings;
mod entry;
mod reading;
mod segment;
#[cfg(test)]
mod tests;

pub use appending::{Appending, Log, Outcome, Recorded};
pub use entry::{BadEntry, read_entry, write_entry};
pub use reading::{LogReader, ReadError, RecordedBatch, logs};
pub(crate) use reading::{logs_at, start_value};
pub use segment::{BadSegment, Batch, MAX_SEGMENT, entries_of};
