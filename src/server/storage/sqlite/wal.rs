//! The thread that copies the file beside the journal, SQLite's write-ahead log, into the journal, which SQLite
//! calls a checkpoint.
//!
//! A checkpoint syncs both files to the disk, which takes some milliseconds. If the connection that records did it,
//! players would wait as long for their moves. It does so only where this thread falls behind.

use std::ffi::c_int;
use std::path::Path;
use std::sync::mpsc::{self, SyncSender};
use std::thread::{self, JoinHandle};

use rusqlite::hooks::Wal;
use rusqlite::{Connection, Result};

use super::connect::connect;

/// After this number of further pages in the log, 4 MB, the thread copies them.
pub(super) const PAGES: c_int = 1_024;

/// The size of the log in pages, 16 MB, at which the connection that records copies the rest itself. SQLite begins
/// the log anew only once all of it is copied, and while moves are recorded without a pause, the thread never sees
/// that.
const MOST_PAGES: c_int = 4 * PAGES;

/// Copies the log into the journal now and then, until it is dropped.
#[derive(Debug)]
pub(super) struct WalCopier {
    /// Ends once the connection that records asks no more: it is to be [released](WalCopier::release) before.
    thread: Option<JoinHandle<()>>,
}

impl WalCopier {
    /// Starts the thread for this journal, and has the connection that records wake it.
    pub(super) fn start(recording: &mut Connection, journal: &Path) -> Result<Self> {
        let connection = connect(journal)?;
        let (wake, asked) = mpsc::sync_channel(1);
        let thread = thread::Builder::new().name("journal copier".into()).spawn(move || {
            for () in asked {
                // A copy that fails is made later: the log keeps everything, and the connection that records reports
                // the error of the disk when it meets it.
                let _ = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
            }
        });
        recording.wal_hook(Some(after_commit(wake)))?;
        // Without a thread the connection that records does all of it.
        Ok(Self { thread: thread.ok() })
    }

    /// Has the connection that records wake the thread no more.
    pub(super) fn release(recording: &mut Connection) -> Result<()> {
        recording.wal_hook(None::<fn(&mut Wal, c_int) -> Result<()>>)
    }
}

/// What the connection that records does after each commit, with so many pages in the log.
fn after_commit(wake: SyncSender<()>) -> impl FnMut(&mut Wal, c_int) -> Result<()> + Send + 'static {
    let mut asked_at = 0;
    move |log, pages| {
        // It is smaller if the log was begun anew.
        asked_at = asked_at.min(pages);
        if pages >= MOST_PAGES {
            // If the thread is copying just now, the next commit does it.
            let _ = log.checkpoint();
        } else if pages - asked_at >= PAGES {
            asked_at = pages;
            // If one is asked for already, it copies these pages, too.
            let _ = wake.try_send(());
        }
        Ok(())
    }
}

impl Drop for WalCopier {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was reported by the thread itself.
            let _ = thread.join();
        }
    }
}
