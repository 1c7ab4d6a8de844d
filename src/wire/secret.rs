//! A word that opens a lobby to those who know it.

use std::fmt;

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

use crate::lobby::Text;

/// The most bytes of a password: longer ones keep nobody out better, and nobody types them twice.
pub const MAX_PASSWORD: usize = 64;

/// A password. It stands in no log.
#[derive(Clone, Serialize, Deserialize)]
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

    /// Whether there is nothing to know, so that everybody does.
    pub fn is_empty(&self) -> bool {
        self.0.as_str().is_empty()
    }
}

impl PartialEq for Secret {
    /// Takes the same time wherever two of the same length differ, so that nothing is learnt from how
    /// long a refusal takes.
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str().as_bytes().ct_eq(other.0.as_str().as_bytes()).into()
    }
}

impl Eq for Secret {}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_equal_to_itself_alone_and_stands_in_no_log() {
        let secret = Secret::of("open sesame").unwrap();
        assert_eq!(secret.bytes(), b"open sesame");
        assert_eq!(secret, Secret::of("open sesame").unwrap());
        for other in ["open sesam", "open sesame ", "Open sesame"] {
            assert_ne!(secret, Secret::of(other).unwrap(), "{other}");
        }
        assert_eq!(format!("{secret:?}"), "Secret(…)");
        assert!(Secret::of("").is_none() && Secret::of(&"x".repeat(MAX_PASSWORD + 1)).is_none());
    }
}
