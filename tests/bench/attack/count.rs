//! What attackers do and see, counted.

use serde::{Deserialize, Serialize};

/// What all of them together have done and seen.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Count {
    /// Connections that came about.
    pub(crate) connected: u64,
    /// Those that did not.
    pub(crate) unconnected: u64,
    pub(crate) bytes_sent: u64,
    pub(crate) welcome: u64,
    pub(crate) unwelcome: u64,
    pub(crate) refused: u64,
    pub(crate) goodbyes: u64,
    /// Connections that the server closed.
    pub(crate) closed: u64,
    /// Frames of any other kind.
    pub(crate) answered: u64,
}
