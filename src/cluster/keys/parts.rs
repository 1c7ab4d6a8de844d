//! The parts of which keys are made: names of nodes, epochs, numbers of segments, slots.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use crate::cluster::engine::Revision;
use crate::lobby::Code;

/// A node's name, which its host chooses: 1 to 32 ASCII letters, digits, `-`, `_` and `.`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeName(String);

/// A text that is no name of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a node's name has 1 to 32 letters, digits, and - _ .")]
pub struct BadNodeName;

impl NodeName {
    /// The most bytes of a name.
    pub const MAX: usize = 32;
}

impl FromStr for NodeName {
    type Err = BadNodeName;

    fn from_str(text: &str) -> Result<Self, BadNodeName> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let is_name = (1..=Self::MAX).contains(&text.len()) && text.bytes().all(fits);
        if is_name { Ok(Self(text.into())) } else { Err(BadNodeName) }
    }
}

impl fmt::Display for NodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// One life of a node, from joining to the end of its lease: the create revision of its key. No two lives have
/// the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(pub Revision);

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0.0)
    }
}

/// The number of a segment in its log, from 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seq(pub u64);

impl Seq {
    /// The number after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A part of all lobbies, which one node owns: one of [`Slot::COUNT`], by the lobby's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u8);

impl Slot {
    /// How many there are.
    pub const COUNT: usize = 256;

    /// The slot of a code: the first byte of the SHA-256 of the code as text, such as `brave-otter`.
    pub fn of(code: Code) -> Self {
        Self::of_text(&code.to_string())
    }

    /// The slot of any other text, such as that of a variant.
    pub fn of_text(text: &str) -> Self {
        Self(Sha256::digest(text)[0])
    }

    /// All slots.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..=u8::MAX).map(Self)
    }
}

/// The number with exactly so many hexadecimal digits, none of them a capital letter.
pub(super) fn digits(text: &str, count: usize) -> Option<u64> {
    let is_number = text.len() == count && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_number.then(|| u64::from_str_radix(text, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slot_of_a_code_is_the_first_byte_of_its_sha_256() {
        // By `printf %s brave-otter | sha256sum`.
        for (code, slot) in [
            ("brave-otter", 0x1b),
            ("amber-badger", 0xe6),
            ("young-zebra", 0x3d),
            ("brave-otter-17", 0xa4),
            ("brave-otter-k7m2x", 0x67),
        ] {
            assert_eq!(Slot::of(code.parse().unwrap()), Slot(slot), "{code}");
        }
        let codes =
            (0..64).flat_map(|a| (0..64).map(move |b| Code::from_bits(u16::from_be_bytes([a, b]), 0)));
        let mut count = [0; Slot::COUNT];
        codes.for_each(|code| count[usize::from(Slot::of(code).0)] += 1);
        assert!(count.iter().all(|count| (2..=34).contains(count)), "{count:?}");
    }

    #[test]
    fn a_node_has_a_short_plain_name() {
        for name in ["A", "node-1.example_x", &"x".repeat(32)] {
            assert_eq!(name.parse::<NodeName>().map(|parsed| parsed.to_string()), Ok(name.to_owned()));
        }
        for name in ["", "a b", "a/b", "ä", &"x".repeat(33)] {
            assert_eq!(name.parse::<NodeName>(), Err(BadNodeName));
        }
    }
}
