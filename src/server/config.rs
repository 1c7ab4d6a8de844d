//! What a host chooses.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use crate::wire::limits::{FRAME_DEADLINE, GONE_AFTER, HELLO_DEADLINE, MAX_GUESSES, MAX_SAID, PING_AFTER};

/// The port that is used unless another one is named.
pub const DEFAULT_PORT: u16 = 7646;
/// How long a seat waits for a person before the bot takes it.
pub const DEFAULT_BOT_AFTER: Duration = Duration::from_secs(20);
/// How long a bot's move takes at least: a person can follow it, and does not wait for it.
pub const DEFAULT_BOT_PACE: Duration = Duration::from_millis(600);
/// How long seats are kept where nobody waits for those who are away: long enough for a machine to be started
/// again, and for a walk to the next network.
pub const DEFAULT_SEATS_KEPT: Duration = Duration::from_mins(15);
/// How long games that rest by agreement are kept while nobody is there: until people have an evening again.
pub const DEFAULT_PAUSED_KEPT: Duration = Duration::from_hours(7 * 24);
/// How many may watch one lobby: a class.
pub const DEFAULT_MAX_WATCHERS: u16 = 50;
/// How many of them may come from one address: a class behind one router, and some room for others.
pub const DEFAULT_MAX_WATCHERS_EACH: u16 = 40;
/// How many lobbies can be open at once: with the seats that are kept for those who are away there may be
/// more of them than connections, and each takes some kilobytes.
pub const DEFAULT_MAX_LOBBIES: usize = 10_000;
/// How many lobbies can be open at once that people at one address have opened: twice as many as they have
/// connections.
pub const DEFAULT_MAX_LOBBIES_EACH: usize = 500;
/// How many connections are served at once: as many as fit under the usual limit of 1,024 open files.
pub const DEFAULT_MAX_CONNECTIONS: usize = 1_000;
/// How many connections one address may have at once: a class behind one router, with some windows each.
pub const DEFAULT_MAX_CONNECTIONS_EACH: usize = 250;
/// How many new connections a second one address may make: a whole class that comes back in the same second.
pub const DEFAULT_MAX_HELLOS_EACH: u32 = 100;
/// How many requests a second of one address are answered: more than any honest games need, and two bots that
/// play against themselves as fast as they can.
pub const DEFAULT_MAX_REQUESTS_EACH: u32 = 4_000;
/// The most connections that a host may ask for: half as many as there are codes for lobbies, so that
/// a free code is always found.
pub const MOST_CONNECTIONS: usize = 500_000;

/// How much of what is over is kept.
#[derive(Debug, Clone, Copy)]
pub struct History {
    /// For how long a lobby is kept that is closed.
    pub age: Duration,
    /// How many bytes all of it may take.
    pub bytes: u64,
}

impl Default for History {
    /// A year, and a gibibyte.
    fn default() -> Self {
        Self { age: Duration::from_hours(365 * 24), bytes: 1 << 30 }
    }
}

/// How a server is to behave.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where to listen. Port 0 takes any that is free.
    pub bind: SocketAddr,
    /// Whether bots sit down at all.
    pub bots: bool,
    /// How long a seat waits for a person before the bot takes it.
    pub bot_after: Duration,
    /// How long a bot's move takes at least.
    pub bot_pace: Duration,
    /// How many threads think; `None` for one for each core but one. With 0 a thought is thought on the spot
    /// while all else waits, as in a simulation, where no time may pass.
    pub thinkers: Option<usize>,
    /// What all chance comes from: the codes of lobbies and the bots' choice among equal moves.
    pub seed: u64,
    /// Whether players see the host's message about a storage error, since they are the host: what is
    /// wrong where, and what to do.
    pub plays_at_home: bool,
    /// How many connections are served at once.
    pub max_connections: usize,
    /// How many of them one address may have.
    pub max_connections_each: usize,
    /// How many new connections a second one address may make; the next ones wait up to a second.
    pub max_hellos_each: u32,
    /// How many may watch one lobby; 0 if nobody may.
    pub max_watchers: u16,
    /// How many of them may come from one address.
    pub max_watchers_each: u16,
    /// How many lobbies can be open at once.
    pub max_lobbies: usize,
    /// How many of them people at one address may have opened.
    pub max_lobbies_each: usize,
    /// How many requests a second of one address are answered; a connection that asks for more is read more
    /// slowly.
    pub max_requests_each: u32,
    /// How many wrong codes, passwords and tickets of one address are answered within a minute. Other
    /// refusals count as a 200th of one.
    pub max_guesses: u32,
    /// How long a new connection may take over its first message.
    pub hello_deadline: Duration,
    /// How long the rest of a frame may take once its first byte has come.
    pub frame_deadline: Duration,
    /// After how much silence a connection is pinged.
    pub ping_after: Duration,
    /// After how much silence a connection is gone.
    pub gone_after: Duration,
    /// How long the seats of those who are away are kept where nobody waits for them.
    pub seats_kept: Duration,
    /// How long games that rest by agreement are kept while nobody is there.
    pub paused_kept: Duration,
    /// How many lines of chat a connection may say within [`SAID_WITHIN`](crate::wire::limits::SAID_WITHIN);
    /// 0 if there is no chat.
    pub max_lines: u32,
    /// How much of what is over is kept, where anything is recorded.
    pub history: History,
    /// Whether time in which the server was stopped, or the machine too busy for it, is nobody's. It is
    /// measured by this machine's time, so it makes no sense where tokio's is another.
    pub forgives_stops: bool,
}

impl Config {
    /// Whether everything is to happen on one thread, and in a time that is not this machine's.
    pub(super) fn is_simulated(&self) -> bool {
        self.thinkers == Some(0)
    }
}

impl Default for Config {
    /// All interfaces, the default port, a seed from the operating system.
    fn default() -> Self {
        Self {
            bind: SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), DEFAULT_PORT),
            bots: true,
            bot_after: DEFAULT_BOT_AFTER,
            bot_pace: DEFAULT_BOT_PACE,
            thinkers: None,
            plays_at_home: false,
            seed: fastrand::u64(..),
            max_connections: DEFAULT_MAX_CONNECTIONS,
            max_connections_each: DEFAULT_MAX_CONNECTIONS_EACH,
            max_hellos_each: DEFAULT_MAX_HELLOS_EACH,
            max_watchers: DEFAULT_MAX_WATCHERS,
            max_watchers_each: DEFAULT_MAX_WATCHERS_EACH,
            max_lobbies: DEFAULT_MAX_LOBBIES,
            max_lobbies_each: DEFAULT_MAX_LOBBIES_EACH,
            max_requests_each: DEFAULT_MAX_REQUESTS_EACH,
            max_guesses: MAX_GUESSES,
            hello_deadline: HELLO_DEADLINE,
            frame_deadline: FRAME_DEADLINE,
            ping_after: PING_AFTER,
            gone_after: GONE_AFTER,
            seats_kept: DEFAULT_SEATS_KEPT,
            paused_kept: DEFAULT_PAUSED_KEPT,
            max_lines: MAX_SAID,
            history: History::default(),
            forgives_stops: true,
        }
    }
}

/// Reads a time as a host types it: `20s`, `600ms`, `1m 30s`; a bare number is seconds. At most 49 days,
/// which is as long as the protocol can say.
pub fn duration(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().map(Duration::from_secs);
    let duration = seconds.or_else(|| humantime::parse_duration(text).ok());
    let short = duration.filter(|duration| duration.as_millis() <= u128::from(u32::MAX));
    short.ok_or_else(|| "write a time as in 20s or 600ms, at most 49 days".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_unit_or_is_seconds() {
        for (text, milliseconds) in
            [("20s", 20_000), ("600ms", 600), ("3", 3_000), ("0", 0), ("1m 30s", 90_000)]
        {
            assert_eq!(duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "-1", "1.5", "soon", "99999999999999999999", "100000d"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
