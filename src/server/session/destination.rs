//! Where a request in the hall leads: to a lobby, a new one or a quick match, in this server or in another one.

use std::future::pending;
use std::sync::Arc;

use crate::lobby::Code;
use crate::server::peers::{PeerId, Peers, Place};

/// What a client asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Destination {
    /// The lobby with this code.
    Lobby(Code),
    /// A new lobby.
    New,
    /// A quick match of the variant with this text.
    Match(String),
}

impl Destination {
    /// Where it is now.
    pub(super) fn place(&self, peers: &dyn Peers) -> Place {
        match self {
            Self::Lobby(code) => peers.place_of(*code),
            Self::New => peers.place_of_new(),
            Self::Match(variant) => peers.place_of_matches(variant),
        }
    }

    /// Whether it is not known yet which lobby it will be.
    pub(super) fn is_open(&self) -> bool {
        !matches!(self, Self::Lobby(_))
    }

    /// The code of the lobby, if it is known.
    pub(super) fn lobby(&self) -> Option<Code> {
        if let Self::Lobby(code) = self { Some(*code) } else { None }
    }

    /// Waits until it is not at that server any more.
    pub(super) async fn leaves(self, peer: PeerId, peers: Arc<dyn Peers>) {
        let mut changes = peers.changes();
        while self.place(&*peers) == Place::At(peer) {
            if changes.changed().await.is_err() {
                // Nothing changes any more.
                pending::<()>().await;
            }
        }
    }
}
