//! The password on a lobby's door: the password in the form in which it is kept, and, once somebody has said it, as it is.

use std::sync::OnceLock;

use crate::server::app::App;
use crate::server::storage::PasswordHash;
use crate::wire::Secret;

/// Opens for whoever knows the password.
#[derive(Debug)]
pub(in crate::server) struct LobbyPassword {
    hash: PasswordHash,
    /// Known since the server was started: a guess costs next to nothing then.
    password: OnceLock<Secret>,
}

impl LobbyPassword {
    /// A password that this password opens.
    pub(in crate::server) fn of(password: &Secret) -> Self {
        Self { hash: PasswordHash::of(password, App::random()), password: password.clone().into() }
    }

    /// The password of a lobby that was kept.
    pub(super) fn kept(hash: PasswordHash) -> Self {
        Self { hash, password: OnceLock::new() }
    }

    /// What is kept of it.
    pub(super) fn hash(&self) -> PasswordHash {
        self.hash
    }

    /// Whether this opens it.
    pub(super) fn opens(&self, said: Option<&Secret>) -> bool {
        let Some(said) = said else { return false };
        if let Some(password) = self.password.get() {
            return password == said;
        }
        let opens = self.hash.fits(said);
        if opens {
            let _ = self.password.set(said.clone());
        }
        opens
    }
}
