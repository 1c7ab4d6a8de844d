//! The settings of a server, with their flags and environment variables.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use clap::builder::Resettable;
use clap::{Args, Command, FromArgMatches};

use crate::wire::limits::{FRAME_DEADLINE, HELLO_DEADLINE, MAX_GUESSES, MAX_SAID};

/// The port that is used unless another one is named.
pub const DEFAULT_PORT: u16 = 7646;
/// The most connections or lobbies that a host may ask for: half as many as there are codes for lobbies, so
/// that a free code is always found.
const MAX_COUNT: usize = 500_000;

/// How much of the past is kept.
#[derive(Debug, Clone, Copy)]
pub struct History {
    /// How long a closed lobby is kept.
    pub age: Duration,
    /// How many bytes the journal may take.
    pub bytes: u64,
}

impl Default for History {
    /// A year, and a gibibyte.
    fn default() -> Self {
        Self { age: Duration::from_hours(365 * 24), bytes: 1 << 30 }
    }
}

/// The settings of a server. `///` is the help text of a flag; `//` comments explain its default.
#[derive(Debug, Clone, Args)]
pub struct Config {
    /// Where to listen: ADDRESS:PORT, or an address alone; port 0 takes any that is free.
    #[arg(long, env = "NIM_BIND", default_value_t = SocketAddr::from(([0, 0, 0, 0], DEFAULT_PORT)), value_parser = bind_address)]
    pub bind: SocketAddr,

    /// How long an empty seat waits for a person before the bot takes it, such as 20s or 600ms; a bare number
    /// is seconds.
    #[arg(long, env = "NIM_BOT_AFTER", default_value = "20s", value_name = "TIME", value_parser = duration)]
    pub bot_after: Duration,

    /// How long a bot's move takes at least, so that people can follow it.
    #[arg(long, env = "NIM_BOT_PACE", default_value = "600ms", value_name = "TIME", value_parser = duration)]
    pub bot_pace: Duration,

    /// How many threads think for bots and hints [default: one for each core but one].
    // 0, which no flag can set, runs each job inline while all else waits, as in a simulation, where no time
    // may pass.
    #[arg(long, env = "NIM_THINKERS", value_name = "COUNT", value_parser = count)]
    pub thinkers: Option<usize>,

    /// How long the seats of people who are away are kept if no other player waits for them.
    // Long enough to restart a machine, or to walk to the next network.
    #[arg(long, env = "NIM_SEATS_KEPT", default_value = "15m", value_name = "TIME", value_parser = duration)]
    pub seats_kept: Duration,

    /// How long paused games are kept while no player is connected.
    // Until people have an evening again.
    #[arg(long, env = "NIM_PAUSED_KEPT", default_value = "7d", value_name = "TIME", value_parser = duration)]
    pub paused_kept: Duration,

    /// How many lines of chat a client may say in 10 seconds; 0 for no chat.
    #[arg(long, env = "NIM_MAX_LINES", default_value_t = MAX_SAID, value_name = "NUMBER")]
    pub max_lines: u32,

    /// After how much silence of a client it is asked for a sign of life.
    #[arg(long, env = "NIM_PING_AFTER", default_value = "15s", value_name = "TIME", value_parser = duration)]
    pub ping_after: Duration,

    /// After how much silence of a client its connection is lost; longer than --ping-after.
    #[arg(long, env = "NIM_GONE_AFTER", default_value = "45s", value_name = "TIME", value_parser = duration)]
    pub gone_after: Duration,

    /// How many connections are served at once.
    // As many as fit under the usual limit of 1,024 open files.
    #[arg(long, env = "NIM_MAX_CONNECTIONS", default_value_t = 1_000, value_name = "COUNT", value_parser = count)]
    pub max_connections: usize,

    /// How many of them one address may have.
    // A class behind one router, with some windows each.
    #[arg(long, env = "NIM_MAX_CONNECTIONS_EACH", default_value_t = 250, value_name = "COUNT", value_parser = count)]
    pub max_connections_each: usize,

    /// How many new connections a second one address may make; the next ones wait up to a second.
    // A whole class that comes back in the same second.
    #[arg(long, env = "NIM_MAX_HELLOS_EACH", default_value_t = 100, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_hellos_each: u32,

    /// How many requests a second of one address are answered; a connection that asks for more is read more
    /// slowly.
    // More than any honest games need, and two bots that play against themselves as fast as they can.
    #[arg(long, env = "NIM_MAX_REQUESTS_EACH", default_value_t = 4_000, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_requests_each: u32,

    /// How many may watch one lobby; 0 if nobody may.
    // A class.
    #[arg(long, env = "NIM_MAX_WATCHERS", default_value_t = 50, value_name = "COUNT")]
    pub max_watchers: u16,

    /// How many of them may come from one address.
    // A class behind one router, and some room for others.
    #[arg(long, env = "NIM_MAX_WATCHERS_EACH", default_value_t = 40, value_name = "COUNT")]
    pub max_watchers_each: u16,

    /// How many lobbies can be open at once.
    // With the seats that are kept for those who are away there may be more of them than connections, and
    // each takes some kilobytes.
    #[arg(long, env = "NIM_MAX_LOBBIES", default_value_t = 10_000, value_name = "COUNT", value_parser = count)]
    pub max_lobbies: usize,

    /// How many of them people at one address may have opened.
    // Twice as many as they have connections.
    #[arg(long, env = "NIM_MAX_LOBBIES_EACH", default_value_t = 500, value_name = "COUNT", value_parser = count)]
    pub max_lobbies_each: usize,

    /// How many wrong codes and passwords a minute are answered of one address; other refusals count as a
    /// 200th of one.
    #[arg(long, env = "NIM_MAX_GUESSES", default_value_t = MAX_GUESSES, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_guesses: u32,

    /// Whether bots sit down at all.
    #[arg(skip = true)]
    pub bots: bool,

    /// The seed of all random choices: the codes of lobbies and the bots' choice among equal moves.
    #[arg(skip = fastrand::u64(..))]
    pub seed: u64,

    /// How long a new connection may take over its first message.
    #[arg(skip = HELLO_DEADLINE)]
    pub hello_deadline: Duration,

    /// How long the rest of a frame may take once its first byte has come.
    #[arg(skip = FRAME_DEADLINE)]
    pub frame_deadline: Duration,

    /// Whether the players are the host. They then see the host's text of a storage error, with paths and
    /// advice, and two of them may share a keyboard.
    #[arg(skip)]
    pub plays_at_home: bool,

    /// How much of the past is kept, if anything is recorded.
    #[arg(skip)]
    pub history: History,

    /// Whether time during which the server was suspended, or the machine too busy for it, is not charged to
    /// any player. It is measured by this machine's time, so it makes no sense where tokio's time is
    /// simulated.
    #[arg(skip = true)]
    pub forgives_stops: bool,
}

impl Config {
    /// Whether everything happens on one thread, in simulated time.
    pub(super) fn is_simulated(&self) -> bool {
        self.thinkers == Some(0)
    }
}

impl Default for Config {
    /// The defaults of all flags, whatever the environment says, and a random seed.
    fn default() -> Self {
        let flags = Self::augment_args(Command::new("default")).mut_args(|flag| flag.env(Resettable::Reset));
        // Every flag has a default that can be read, so this never ends the program.
        Self::from_arg_matches(&flags.get_matches_from([""])).unwrap_or_else(|error| error.exit())
    }
}

/// Parses an address, with the default port if it names none.
fn bind_address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(ip) = text.parse::<IpAddr>() {
        return Ok(SocketAddr::new(ip, DEFAULT_PORT));
    }
    text.parse().map_err(|_| {
        let port = text.rsplit_once(':').and_then(|(_, port)| port.parse().ok()).unwrap_or(DEFAULT_PORT);
        format!(
            "an IP address is needed, and :PORT behind it if you like: 127.0.0.1:{port} is for this machine (localhost) \
             alone, 0.0.0.0:{port} for every network that it is on"
        )
    })
}

fn count(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=MAX_COUNT).contains(count));
    count.ok_or_else(|| format!("write a number from 1 to {MAX_COUNT}"))
}

/// Parses a time as a host types it: `20s`, `600ms`, `1m 30s`; a bare number is seconds. At most 49 days, the
/// longest time that the protocol can express.
pub fn duration(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().map(Duration::from_secs);
    let duration = seconds.or_else(|| humantime::parse_duration(text).ok());
    let short = duration.filter(|duration| duration.as_millis() <= u128::from(u32::MAX));
    short.ok_or_else(|| "write a time as in 20s or 600ms, at most 49 days".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::limits::{GONE_AFTER, PING_AFTER};

    #[test]
    fn both_ends_of_a_connection_are_silent_for_the_same_times() {
        let Config { ping_after, gone_after, .. } = Config::default();
        assert_eq!((ping_after, gone_after), (PING_AFTER, GONE_AFTER));
    }

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
