//! Secrets: the ticket with which a player returns to a seat, and the password of a lobby.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::lobby::Text;

/// 128 random bits that a client makes for one seat. The server learns their [hash](TokenHash) when the
/// client asks for the seat, and the ticket itself only when the client comes back. Tickets appear in no
/// log.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Ticket([u8; 16]);

impl Ticket {
    /// A new ticket that nobody can guess.
    ///
    /// # Panics
    ///
    /// If the system has no random bytes, which no supported system does once it has started.
    pub fn random() -> Self {
        Self(random_bytes())
    }

    /// The ticket with these bits.
    pub const fn of(bits: [u8; 16]) -> Self {
        Self(bits)
    }

    /// The bits.
    pub const fn bits(&self) -> [u8; 16] {
        self.0
    }

    /// The bits as 32 hexadecimal digits, the first byte first.
    pub fn to_hex(&self) -> String {
        format!("{:032x}", u128::from_be_bytes(self.0))
    }

    /// Reads what [`to_hex`](Self::to_hex) writes.
    pub fn from_hex(digits: &str) -> Option<Self> {
        let is_hex = digits.len() == 32 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let bits = u128::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
        Some(Self(bits.to_be_bytes()))
    }

    /// The hash by which a server knows the ticket.
    pub fn hash(&self) -> TokenHash {
        TokenHash(Sha256::digest(self.0).into())
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ticket(…)")
    }
}

/// The SHA-256 of a [`Ticket`]'s 16 bytes. It proves nothing: a copy of a server's journal, which holds
/// hashes alone, opens no seat.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    /// The hash with these bytes.
    pub const fn of(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    pub const fn bytes(&self) -> [u8; 32] {
        self.0
    }
}

impl PartialEq for TokenHash {
    /// Compares in constant time.
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for TokenHash {}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenHash(…)")
    }
}

/// The most bytes of a password: longer ones keep nobody out better, and nobody types them twice.
pub const MAX_PASSWORD: usize = 64;

/// A password. It appears in no log. A server compares only hashes of passwords.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Secret(Text<MAX_PASSWORD>);

impl Secret {
    /// The password as it was typed; `None` if it is empty or too long.
    pub fn of(text: &str) -> Option<Self> {
        let text = Text::try_from(text.to_owned()).ok()?;
        Some(Self(text)).filter(|secret| !secret.is_empty())
    }

    /// The password itself, to be hashed.
    pub fn bytes(&self) -> &[u8] {
        self.0.as_str().as_bytes()
    }

    /// Whether the password is empty.
    pub fn is_empty(&self) -> bool {
        self.0.as_str().is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Random bytes that nobody can guess.
///
/// # Panics
///
/// If the system has no random bytes, which no supported system does once it has started.
pub(crate) fn random_bytes<const COUNT: usize>() -> [u8; COUNT] {
    let mut bytes = [0; COUNT];
    #[expect(
        clippy::expect_used,
        reason = "every system that this runs on has random bytes once it has started"
    )]
    getrandom::fill(&mut bytes).expect("the system has random bytes");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_of_tickets_that_differ_in_one_bit_are_not_equal() {
        let hash = Ticket::of([7; 16]).hash();
        assert_eq!(hash, Ticket::of([7; 16]).hash());
        for bit in 0..128 {
            let mut bits = [7; 16];
            bits[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(hash, Ticket::of(bits).hash(), "bit {bit}");
        }
    }

    #[test]
    fn the_hash_is_the_sha_256_of_the_sixteen_bytes() {
        let digits = Ticket::of([0; 16]).hash().bytes().map(|byte| format!("{byte:02x}")).concat();
        assert_eq!(digits, "374708fff7719dd5979ec875d56cd2286f6d3cf7ec317a3b25632aab28ec37bb");
    }

    #[test]
    fn tickets_and_hashes_appear_in_no_log() {
        let ticket = Ticket::of([0xab; 16]);
        assert_eq!(format!("{ticket:?} {:?}", ticket.hash()), "Ticket(…) TokenHash(…)");
    }

    #[test]
    fn a_password_has_a_bounded_length_and_stands_in_no_log() {
        let secret = Secret::of("open sesame").unwrap();
        assert_eq!(secret.bytes(), b"open sesame");
        assert_eq!(format!("{secret:?}"), "Secret(…)");
        assert!(Secret::of("").is_none() && Secret::of(&"x".repeat(MAX_PASSWORD + 1)).is_none());
    }
}
