//! The thread that copies the file beside the journal, SQLite's write-ahead log, into the journal, which SQLite
//! calls a checkpoint.
//!
//! A checkpoint syncs both files to the disk, which takes some milliseconds. If the connection that records did it,
//! players would wait as long for their moves. It does so only where this thread falls behind.

use std::path::Path;
use std::sync::mpsc::{self, SyncSender};
use std::thread::{self, JoinHandle};

use rusqlite::{Connection, Result};

use super::connect::connect;

/// After this number of transactions the thread copies what they wrote: some megabytes.
pub(super) const TRANSACTIONS: u32 = 512;

/// The size of the log in pages, 16 MB, at which the connection that records copies the rest itself. SQLite begins the log
/// anew only once all of it is copied, and while moves are recorded without a pause, the thread never sees that.
const MOST_PAGES: u32 = 4_096;

/// Copies the log into the journal now and then, until it is dropped.
#[derive(Debug)]
pub(super) struct WalCopier {
    /// Transactions since the last copy began.
    transactions: u32,
    /// `None` once it is dropped.
    begin: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl WalCopier {
    /// Starts the thread for this journal, and leaves to it what the connection that records did until now.
    pub(super) fn start(recording: &Connection, journal: &Path) -> Result<Self> {
        recording.pragma_update_and_check(None, "wal_autocheckpoint", MOST_PAGES, |_| Ok(()))?;
        let connection = connect(journal)?;
        let (begin, copies) = mpsc::sync_channel(1);
        let thread = thread::Builder::new().name("journal copier".into()).spawn(move || {
            // A copy that fails is made later: the log keeps everything, and the connection that records reports the
            // error of the disk when it meets it.
            for () in copies {
                copy(&connection);
            }
        });
        // Without a thread the connection that records does all of it.
        Ok(Self { transactions: 0, begin: Some(begin), thread: thread.ok() })
    }

    /// Counts a transaction. Wakes the thread when it is time.
    pub(super) fn count(&mut self) {
        self.transactions += 1;
        if self.transactions >= TRANSACTIONS {
            self.transactions = 0;
            // If one waits already, it copies these transactions, too.
            self.begin.as_ref().map(|begin| begin.try_send(()));
        }
    }
}

/// Copies what is in the log so far. Nobody has to wait for it.
fn copy(connection: &Connection) {
    let _ = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
}

impl Drop for WalCopier {
    fn drop(&mut self) {
        drop(self.begin.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was reported by the thread itself.
            let _ = thread.join();
        }
    }
}
