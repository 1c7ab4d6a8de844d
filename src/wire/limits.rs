//! The limits of the protocol: what a peer may send and how long it may take. Each has its reason here.

use std::time::Duration;

pub use crate::lobby::{MAX_CHAT, MAX_NAME_BYTES};

/// The most bytes of a frame's body. The longest message there is, a list of lobbies, needs about 14 KiB.
pub const MAX_FRAME: usize = 16 * 1024;

/// The most bytes that a decoded message may take: a small multiple of the largest frame, since
/// numbers are wider in memory than on the wire.
pub const MAX_DECODED: usize = 4 * MAX_FRAME;

/// The most bytes of a program's name and version in the welcome.
pub const MAX_SERVER_TEXT: usize = 64;

/// The most addresses of servers that a cluster tells its clients: more than a client tries before it gives up.
pub const MAX_SERVERS: usize = 24;

/// The most bytes of such an address, `HOST:PORT`: those of the longest name in the DNS, and of a port.
pub const MAX_SERVER_ADDRESS: usize = 260;

/// The most bytes of a sentence.
pub const MAX_SENTENCE: usize = 300;

/// The most lobbies in one message, so that it fits into a frame even with the longest texts.
pub const MAX_LISTED: usize = 16;

/// The most lines of chat in one message, so that it fits into a frame even with the longest lines.
pub const MAX_CHAT_LINES: usize = 32;

/// How long a new connection may take over its first message.
pub const HELLO_DEADLINE: Duration = Duration::from_secs(5);

/// How long the rest of a frame may take after its first byte.
pub const FRAME_DEADLINE: Duration = Duration::from_secs(10);

/// How long the peer is silent before a ping is sent.
pub const PING_AFTER: Duration = Duration::from_secs(15);

/// How long the peer is silent, three pings long, before it is considered gone.
pub const GONE_AFTER: Duration = Duration::from_secs(45);

/// How late a timer usually fires at most. If it fires later, this process was stopped, or the machine is too
/// busy: what arrived meanwhile is not read yet.
pub const LATE: Duration = Duration::from_millis(100);

/// How long a process that was stopped reads before it judges its peer: much longer than it takes to read what
/// has arrived.
pub const CATCH_UP: Duration = Duration::from_secs(1);

/// How many wrong codes, passwords and tickets one address may send within [`GUESSES_WITHIN`]:
/// enough typing errors for a class behind one router. The codes of private lobbies need no limit: there are
/// 2^37 of them.
pub const MAX_GUESSES: u32 = 60;

/// The time in which [`MAX_GUESSES`] may be wrong.
pub const GUESSES_WITHIN: Duration = Duration::from_mins(1);

/// How many events a server keeps for clients that reconnect: more than happen while a laptop changes
/// networks. A client that missed more gets a snapshot, which costs no more.
pub const KEPT_EVENTS: usize = 16;

/// How much longer the away rule waits for a silent connection than for a closed one: a wireless network that
/// loses a few packets is no absence.
pub const SILENT_LONGER: Duration = Duration::from_secs(30);

/// How many lines of chat one address may send within [`SAID_WITHIN`]: a class behind one router, each of whom
/// writes a line then. One of them alone cannot replace all lines that a room keeps within that time.
pub const MAX_SAID: u32 = 25;

/// The time in which [`MAX_SAID`] lines may be sent.
pub const SAID_WITHIN: Duration = Duration::from_secs(10);

/// The shortest time that a clock may give: nobody moves faster than that over a network.
pub const SHORTEST_CLOCK: Duration = Duration::from_secs(1);

/// The shortest time until the rule for absent players applies: a player who unplugs on purpose waits that long on
/// each turn, and a connection that is lost for a moment has no effect.
pub const SHORTEST_AWAY: Duration = Duration::from_secs(5);

/// The most games of a match, so that there is an end to it.
pub const MOST_GAMES: u8 = 99;

/// The most tickets that are shown with one request for records: as many as a client keeps, and 4 KiB of
/// them.
pub const MAX_TICKETS: usize = 256;

/// The most games in one message, so that it fits into a frame even with the longest texts.
pub const MAX_GAMES: usize = 16;

/// The most bytes of a record in one message.
pub const MAX_PART: usize = 8 * 1024;
