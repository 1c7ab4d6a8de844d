//! The protocol's version, and the few bytes whose layout never changes, by which two programs of
//! different versions still understand that they do not understand each other.

use super::message::Magic;

/// The version of the protocol that this program speaks.
pub const VERSION: u16 = 1;

/// What the first body on a connection begins with, whatever its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// A hello of this version of the protocol.
    Hello(u16),
    /// Anything else: no client of this server.
    Stranger,
}

/// Looks at the first bytes of a connection's first body: `00`, the letters `nim`, and the version as two
/// bytes, the low one first.
pub fn opening(body: &[u8]) -> Opening {
    match body {
        [0, magic @ ..] if magic.len() >= 5 && magic[..3] == *Magic::BYTES => {
            Opening::Hello(u16::from_le_bytes([magic[3], magic[4]]))
        }
        _ => Opening::Stranger,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hello_is_known_by_its_letters_and_says_its_version_low_byte_first() {
        assert_eq!(opening(b"\0nim\x02\x01"), Opening::Hello(258));
        assert_eq!(opening(b"\0nim\x02\x01and whatever a later one says"), Opening::Hello(258));
        for stranger in [&b""[..], b"\0nim\x02", b"\x01nim\x02\x01", b"\0nin\x02\x01", b"GET / HTTP/1.1"] {
            assert_eq!(opening(stranger), Opening::Stranger, "{stranger:?}");
        }
    }
}
