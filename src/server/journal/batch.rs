//! What waits to be recorded together, and for whom. It knows no storage.

use std::mem;
use std::sync::Arc;

use super::Mark;
use crate::server::connection::Connection;
use crate::server::storage::Entry;

/// What is recorded together.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) entries: Vec<Entry>,
    /// Those who are told of it.
    pub(super) recipients: Vec<Arc<Connection>>,
    /// When the requests arrived of which it comes.
    pub(super) arrivals: Vec<tokio::time::Instant>,
    pub(super) mark: Mark,
}

impl Batch {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.recipients.is_empty()
    }

    /// All that is in it; what is put in next has greater marks.
    pub(super) fn take(&mut self) -> Self {
        let mark = self.mark;
        mem::replace(self, Self { mark, ..Self::default() })
    }

    /// Puts what was taken out back in front.
    pub(super) fn put_back(&mut self, first: Self) {
        put_in_front(&mut self.entries, first.entries);
        put_in_front(&mut self.recipients, first.recipients);
        put_in_front(&mut self.arrivals, first.arrivals);
    }
}

fn put_in_front<T>(all: &mut Vec<T>, first: Vec<T>) {
    let behind = mem::replace(all, first);
    all.extend(behind);
}
