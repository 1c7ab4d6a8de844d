//! The keys of a tunnel and the MACs under them, with the crates of `RustCrypto`. MACs are compared in constant
//! time.

use std::fmt;

use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::secret::SharedSecret;

/// The bytes of a whole MAC.
pub(super) const WHOLE: usize = 32;

/// The bytes of the MAC of a frame.
pub(super) const CUT: usize = 16;

/// What one key is for. No two purposes have the same key.
#[derive(Debug, Clone, Copy)]
pub(super) enum Purpose<'a> {
    Answer,
    Verdict,
    /// Frames, after a handshake with this challenge and this nonce.
    Frames(Toward, &'a [u8; 32], &'a [u8; 32]),
}

/// A direction of a tunnel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Toward {
    Acceptor,
    Dialer,
}

impl Purpose<'_> {
    fn info(self) -> &'static str {
        match self {
            Self::Answer => "nim tunnel: answer",
            Self::Verdict => "nim tunnel: verdict",
            Self::Frames(Toward::Acceptor, ..) => "nim tunnel: frames to the acceptor",
            Self::Frames(Toward::Dialer, ..) => "nim tunnel: frames to the dialer",
        }
    }

    fn salt(self) -> Option<Vec<u8>> {
        match self {
            Self::Answer | Self::Verdict => None,
            Self::Frames(_, challenge, nonce) => Some([*challenge, *nonce].concat()),
        }
    }
}

/// A key for MACs of one purpose. It appears in no log.
#[derive(Clone)]
pub(super) struct MacKey(Hmac<Sha256>);

impl MacKey {
    pub(super) fn derive(secret: &SharedSecret, purpose: Purpose<'_>) -> Self {
        let derivation = Hkdf::<Sha256>::new(purpose.salt().as_deref(), secret.bits());
        let mut key = [0; WHOLE];
        #[expect(clippy::expect_used, reason = "HKDF-SHA256 makes keys of up to 8,160 bytes")]
        derivation.expand(purpose.info().as_bytes(), &mut key).expect("the key is short enough");
        #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
        Self(Hmac::new_from_slice(&key).expect("HMAC takes keys of any length"))
    }

    /// The MAC over these parts, one behind the other.
    pub(super) fn whole(&self, parts: &[&[u8]]) -> [u8; WHOLE] {
        self.over(parts).finalize().into_bytes().into()
    }

    /// The first half of the MAC over these parts.
    pub(super) fn cut(&self, parts: &[&[u8]]) -> [u8; CUT] {
        let whole = self.whole(parts);
        std::array::from_fn(|at| whole[at])
    }

    /// Whether this is the whole MAC over these parts.
    pub(super) fn is_whole(&self, parts: &[&[u8]], mac: &[u8; WHOLE]) -> bool {
        self.over(parts).verify_slice(mac).is_ok()
    }

    /// Whether this is the first half of the MAC over these parts.
    pub(super) fn is_cut(&self, parts: &[&[u8]], mac: &[u8; CUT]) -> bool {
        self.over(parts).verify_truncated_left(mac).is_ok()
    }

    fn over(&self, parts: &[&[u8]]) -> Hmac<Sha256> {
        parts.iter().fold(self.0.clone(), Mac::chain_update)
    }
}

impl fmt::Debug for MacKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MacKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_purpose_has_a_key_of_its_own() {
        let (secret, one, other) = (SharedSecret::of([7; 32]), [1; 32], [2; 32]);
        let purposes = [
            Purpose::Answer,
            Purpose::Verdict,
            Purpose::Frames(Toward::Acceptor, &one, &other),
            Purpose::Frames(Toward::Dialer, &one, &other),
            Purpose::Frames(Toward::Dialer, &other, &one),
        ];
        let macs = purposes.map(|purpose| MacKey::derive(&secret, purpose).whole(&[b"x"]));
        let different: std::collections::BTreeSet<_> = macs.iter().collect();
        assert_eq!(different.len(), purposes.len());
    }

    #[test]
    fn a_mac_is_right_for_its_parts_alone() {
        let key = MacKey::derive(&SharedSecret::of([7; 32]), Purpose::Answer);
        let (whole, cut) = (key.whole(&[b"a", b"bc"]), key.cut(&[b"abc"]));
        assert_eq!(whole[..CUT], cut);
        assert!(key.is_whole(&[b"abc"], &whole) && key.is_cut(&[b"ab", b"c"], &cut));
        assert!(!key.is_whole(&[b"abd"], &whole) && !key.is_cut(&[b"abd"], &cut));
        assert_eq!(format!("{key:?}"), "MacKey(…)");
    }
}
