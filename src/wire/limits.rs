//! The limits of the protocol: what a peer may send and how long it may take. Each has its reason here.

use std::time::Duration;

/// The most bytes of a frame's body. The longest message there is, a list of lobbies, needs about 14 KiB.
pub const MAX_FRAME: usize = 16 * 1024;

/// The most bytes that a decoded message may take: a small multiple of the largest frame, since
/// numbers are wider in memory than on the wire.
pub const MAX_DECODED: usize = 4 * MAX_FRAME;

/// The most bytes of a name as it is asked for; cleaned, it is shorter. Room for every character at
/// its widest, and for some that will be dropped.
pub const MAX_NAME_BYTES: usize = 256;

/// The most bytes of a program's name and version in the welcome.
pub const MAX_SERVER_TEXT: usize = 64;

/// The most bytes of a sentence.
pub const MAX_SENTENCE: usize = 300;

/// The most lobbies in one message, so that it fits into a frame even if each has the longest of texts.
pub const MAX_LISTED: usize = 16;

/// How long a new connection may take over its first message.
pub const HELLO_DEADLINE: Duration = Duration::from_secs(5);

/// How long the rest of a frame may take once its first byte has come.
pub const FRAME_DEADLINE: Duration = Duration::from_secs(10);

/// After how much silence of the peer a ping is sent.
pub const PING_AFTER: Duration = Duration::from_secs(15);

/// After how much silence, three pings long, the peer is taken to be gone.
pub const GONE_AFTER: Duration = Duration::from_secs(45);
