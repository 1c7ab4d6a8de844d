//! What a connection has asked for that has to be read first. One thing at a time.

use crate::server::librarian::{Answer, Waiting};

/// Something that is being read.
pub(super) struct Reading {
    /// The client's number for the request.
    pub(super) id: u32,
    /// The answer, once it is there.
    pub(super) answer: Waiting,
}

/// Waits for what is being read, for ever if it is nothing. `None` if it never comes.
pub(super) async fn read_of(reading: &mut Option<Reading>) -> Option<Answer> {
    match reading {
        Some(Reading { answer, .. }) => answer.await.ok(),
        None => std::future::pending().await,
    }
}
