//! What can go wrong with storage.

/// A storage error, with one text for the host and one for players.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{cause}")]
pub struct StorageError {
    /// For the host: what is wrong, where, and what to do about it.
    pub cause: String,
    /// For players, who see none of the host's files: what is wrong, as the end of a sentence.
    pub told: &'static str,
}

impl StorageError {
    /// What players are told where recorded bytes are not what was written.
    pub const DAMAGED: &str = "the journal was damaged";

    /// Whether recorded bytes are not what was written, so that a retry would not help.
    pub fn is_damage(&self) -> bool {
        self.told == Self::DAMAGED
    }

    /// An error of which players are told no more than that the journal cannot be used.
    pub fn of_host(cause: impl Into<String>) -> Self {
        Self::new("the journal cannot be used", cause)
    }

    /// An error with a text for players and one for the host.
    pub fn new(told: &'static str, cause: impl Into<String>) -> Self {
        Self { cause: cause.into(), told }
    }
}
