//! What runs over a connection between two nodes: a handshake by which both know each other, then the bytes of
//! one client in frames that nobody on the way can change. It knows nothing of lobbies, and does not hide the
//! bytes: without TLS around it, the network between nodes has to be private.
//!
//! The handshake is the mutual authentication in three passes of ISO/IEC 9798-4, with HMAC-SHA256 (RFC 2104) as
//! its check function. All its messages have a fixed length. Numbers have their high byte first.
//!
//! | message | bytes | what |
//! |---|---|---|
//! | hello, of the node that accepts | 1 | the [format](super::format) |
//! | | 8 | the epoch of this node |
//! | | 32 | the challenge: fresh random bytes |
//! | answer, of the node that dials | 1 | the same format |
//! | | 8 | the epoch of this node |
//! | | 8 | the epoch of the node that it means to reach |
//! | | 32 | the nonce: fresh random bytes |
//! | | 1 | the family of the client's address: 4 or 6 |
//! | | 16 | the client's address; an IPv4 address has 12 zeros behind it |
//! | | 2 | the client's port |
//! | | 32 | MAC over the hello and the answer so far |
//! | verdict, of the node that accepts | 1 | 0: welcome; 1: another node was meant; 2: the dialer is not living |
//! | | 32 | MAC over the hello, the whole answer and the verdict so far |
//!
//! A peer that does not know the secret gets no verdict: the connection ends.
//!
//! Then both directions carry frames. A direction ends with a frame without bytes, as with `close_notify` in TLS
//! (RFC 8446, section 6.1), so that a cut connection cannot pass for an end.
//!
//! | frame | bytes | what |
//! |---|---|---|
//! | length | 2 | how many bytes of the client follow: 1 to 16,384; 0 for the end |
//! | content | the length | the client's bytes |
//! | MAC | 16 | the first half of the MAC over the number of the frame (8 bytes, from 0 in each direction) and the content |
//!
//! All keys come from the secret by HKDF-SHA256 (RFC 5869):
//!
//! | key of the MACs of | salt | info |
//! |---|---|---|
//! | the answer | none | `nim tunnel: answer` |
//! | the verdict | none | `nim tunnel: verdict` |
//! | frames to the node that accepts | challenge, nonce | `nim tunnel: frames to the acceptor` |
//! | frames to the node that dials | challenge, nonce | `nim tunnel: frames to the dialer` |

mod frame;
mod framed;
mod halves;
mod handshake;
mod mac;
mod message;
mod secret;
#[cfg(test)]
mod tests;

pub use frame::{FrameError, MAX_CONTENT};
pub use framed::Tunnel;
pub use halves::{TunnelGuard, TunnelReader, TunnelWriter};
pub use handshake::{Accepted, HandshakeError, Introduction, accept, dial};
pub use secret::{SecretError, SharedSecret};
