//! What is kept of a ticket: enough to know it again, and too little to show it.

use std::fmt;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::wire::Ticket;

/// The SHA-256 of a ticket's 16 bytes. Whoever reads it in a copy of the journal comes back to nobody's seat by it.
#[derive(Clone, Copy)]
pub struct Seal([u8; 32]);

impl Seal {
    /// The seal of a ticket.
    pub fn of(ticket: &Ticket) -> Self {
        Self(Sha256::digest(ticket.bits()).into())
    }

    /// The seal that has been kept as these bytes.
    pub const fn kept(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes, to keep them.
    pub const fn bytes(&self) -> [u8; 32] {
        self.0
    }
}

impl PartialEq for Seal {
    /// Takes the same time wherever the two differ.
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for Seal {}

impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seal(…)")
    }
}
