//! What a connection has asked for that has to be read first. One thing at a time.

use crate::server::record_service::Waiting;

/// Something that is being read.
pub(super) struct Reading {
    /// The client's number for the request.
    pub(super) id: u32,
    /// The answer, once it is there.
    pub(super) answer: Waiting,
}
