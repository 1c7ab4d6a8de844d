//! What a connection has asked for that has to be thought of: a hint, or what a move was worth. One thing at a time.

use crate::server::think_pool::JobHandle;
use crate::wire::ToClient;

/// Something that is being thought of.
pub(super) struct Thinking {
    /// The client's number for the request.
    pub(super) id: u32,
    /// What it is about: a turn, or a move of a game that is over.
    pub(super) about: About,
    /// The answer, once it is there; `None` if there is none.
    pub(super) thought: JobHandle<Option<ToClient>>,
}

/// What is thought about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// The best move of this turn.
    Turn(u32),
    /// The move of this number.
    Move(u32),
}
