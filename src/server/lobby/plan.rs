//! What a new lobby is to be, and the password that opens it.

use std::sync::OnceLock;

use crate::game::any::{Board, Variant};
use crate::lobby::{Conditions, Origin};
use crate::server::storage::PasswordHash;
use crate::wire::Secret;

/// What a new lobby is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::server) struct Plan {
    pub(in crate::server) variant: Variant,
    pub(in crate::server) conditions: Conditions,
    /// Where games come from that do not begin as the variant does.
    pub(in crate::server) origin: Option<Origin>,
}

impl Plan {
    /// The board on which games begin.
    pub(in crate::server) fn start(&self) -> Board {
        let placed = self.origin.as_ref().and_then(|origin| origin.start(&self.variant).ok());
        placed.unwrap_or_else(|| self.variant.start())
    }
}

/// A lobby's password.
#[derive(Debug)]
pub(in crate::server) struct LobbyPassword {
    hash: PasswordHash,
    /// Known once somebody has said it since the server was started. Then a guess costs next to nothing.
    known: OnceLock<Secret>,
}

impl LobbyPassword {
    /// A new password.
    pub(in crate::server) fn new(password: &Secret) -> Self {
        Self { hash: PasswordHash::of(password, random()), known: password.clone().into() }
    }

    /// The password of a lobby that was stored.
    pub(super) fn stored(hash: PasswordHash) -> Self {
        Self { hash, known: OnceLock::new() }
    }

    /// What is stored of it.
    pub(super) fn hash(&self) -> PasswordHash {
        self.hash
    }

    /// Whether this is it.
    pub(super) fn is(&self, said: Option<&Secret>) -> bool {
        let Some(said) = said else { return false };
        if let Some(password) = self.known.get() {
            return password == said;
        }
        let opens = self.hash.fits(said);
        if opens {
            let _ = self.known.set(said.clone());
        }
        opens
    }
}

/// Random bytes.
fn random() -> [u8; 16] {
    let mut bytes = [0; 16];
    #[expect(
        clippy::expect_used,
        reason = "every system that this runs on has random bytes once it has started"
    )]
    getrandom::fill(&mut bytes).expect("the system has random bytes");
    bytes
}
