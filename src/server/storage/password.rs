//! What is kept of a lobby's password: enough to check it, and too little to read it.

use std::cell::RefCell;
use std::fmt;

use argon2::{Algorithm, Argon2, Block, Params, Version};
use subtle::ConstantTimeEq;

use crate::wire::{Secret, random_bytes};

/// Kibibytes that one hash takes, in one round: about a millisecond, which a session can spend while others
/// wait, and a thousand times what a plain digest would cost an attacker who guesses with a copy of the
/// journal.
const MEMORY: u32 = 1_024;

thread_local! {
    /// That memory, once for each thread that needs it: allocated for each hash, it would fragment the heap.
    static BLOCKS: RefCell<Vec<Block>> = const { RefCell::new(Vec::new()) };
}

/// A password's Argon2id hash, and its salt.
#[derive(Clone, Copy)]
pub struct PasswordHash {
    salt: [u8; 16],
    hash: [u8; 32],
}

impl PasswordHash {
    /// The hash of a new password.
    pub fn new(password: &Secret) -> Self {
        Self::of(password, random_bytes())
    }

    /// The hash of a password. The salt is to be random.
    pub fn of(password: &Secret, salt: [u8; 16]) -> Self {
        Self { salt, hash: hash(password, &salt) }
    }

    /// Whether this is the password.
    pub fn fits(&self, password: &Secret) -> bool {
        self.hash.ct_eq(&hash(password, &self.salt)).into()
    }

    /// The hash that was stored as these bytes.
    pub fn from_bytes(bytes: &[u8; 48]) -> Self {
        let (mut salt, mut hash) = ([0; 16], [0; 32]);
        salt.copy_from_slice(&bytes[..16]);
        hash.copy_from_slice(&bytes[16..]);
        Self { salt, hash }
    }

    /// The bytes to store: the salt, and then the hash.
    pub fn bytes(&self) -> [u8; 48] {
        let mut bytes = [0; 48];
        bytes[..16].copy_from_slice(&self.salt);
        bytes[16..].copy_from_slice(&self.hash);
        bytes
    }
}

fn hash(password: &Secret, salt: &[u8; 16]) -> [u8; 32] {
    let mut hash = [0; 32];
    #[expect(clippy::expect_used, reason = "the cost is a constant within the bounds, and the tests use it")]
    let cost = Params::new(MEMORY, 1, 1, Some(hash.len())).expect("the cost is possible");
    let count = cost.block_count();
    let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, cost);
    let hashed = BLOCKS.with_borrow_mut(|blocks| {
        blocks.resize(count, Block::new());
        argon.hash_password_into_with_memory(password.bytes(), salt, &mut hash, blocks)
    });
    #[expect(
        clippy::expect_used,
        reason = "passwords, salts and hashes of these lengths are within the bounds"
    )]
    hashed.expect("the lengths are possible");
    hash
}

impl PartialEq for PasswordHash {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl Eq for PasswordHash {}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(…)")
    }
}
