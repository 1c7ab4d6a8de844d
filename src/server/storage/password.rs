//! Hashes of lobby passwords.

use std::cell::RefCell;
use std::fmt;

use argon2::{Algorithm, Argon2, Block, Params, Version};
use subtle::ConstantTimeEq;

use crate::wire::{Secret, random_bytes};

/// Memory of one hash in KiB, with one pass: about a millisecond, short enough to block a session's thread,
/// and a thousand times the cost of a plain digest for an attacker with a copy of the journal.
const MEMORY: u32 = 1_024;

thread_local! {
    /// The memory, allocated once per thread: allocated for each hash, it would fragment the heap.
    static BLOCKS: RefCell<Vec<Block>> = const { RefCell::new(Vec::new()) };
}

/// A password's Argon2id hash, after its salt.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PasswordHash([u8; 48]);

/// How many of these bytes are the salt.
const SALT: usize = 16;

impl PasswordHash {
    /// The hash of a new password.
    pub fn new(password: &Secret) -> Self {
        Self::of(password, random_bytes())
    }

    /// The hash of a password. The salt is to be random.
    pub fn of(password: &Secret, salt: [u8; SALT]) -> Self {
        let mut bytes = [0; 48];
        bytes[..SALT].copy_from_slice(&salt);
        fill(&mut bytes[SALT..], password, &salt);
        Self(bytes)
    }

    /// Whether the password has this hash. Compares in constant time.
    pub fn fits(&self, password: &Secret) -> bool {
        let mut other = *self;
        fill(&mut other.0[SALT..], password, &self.0[..SALT]);
        self.0.ct_eq(&other.0).into()
    }

    /// The hash that was stored as these bytes.
    pub fn from_bytes(bytes: &[u8; 48]) -> Self {
        Self(*bytes)
    }

    /// The bytes to store.
    pub fn bytes(&self) -> [u8; 48] {
        self.0
    }
}

/// Puts the hash of a password with this salt into `hash`.
fn fill(hash: &mut [u8], password: &Secret, salt: &[u8]) {
    #[expect(clippy::expect_used, reason = "the cost is a constant within the bounds, and the tests use it")]
    let cost = Params::new(MEMORY, 1, 1, Some(hash.len())).expect("the cost is possible");
    let count = cost.block_count();
    let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, cost);
    let hashed = BLOCKS.with_borrow_mut(|blocks| {
        blocks.resize(count, Block::new());
        argon.hash_password_into_with_memory(password.bytes(), salt, hash, blocks)
    });
    #[expect(
        clippy::expect_used,
        reason = "passwords, salts and hashes of these lengths are within the bounds"
    )]
    hashed.expect("the lengths are possible");
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(…)")
    }
}
