//! The settings of a server, with their flags and environment variables.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use clap::builder::Resettable;
use clap::{Args, Command, FromArgMatches};
use ipnet::IpNet;

use crate::wire::limits::{FRAME_DEADLINE, HELLO_DEADLINE, MAX_GUESSES, MAX_SAID, SHORTEST_AWAY};

/// The default port.
pub const DEFAULT_PORT: u16 = 7646;
/// The upper bound of the limits on connections and lobbies: half the number of lobby codes, so that a free
/// code is always found.
const MAX_COUNT: usize = 500_000;

/// The upper bound of the limit on the journal of one address: a gigabyte in ten minutes.
const MAX_JOURNAL: i64 = 2_000;

/// The limits of the history of finished games.
#[derive(Debug, Clone, Copy)]
pub struct History {
    /// How long a closed lobby is kept.
    pub age: Duration,
    /// The maximum size of the journal in bytes.
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
    /// The address to listen on: ADDRESS:PORT, or an address alone; port 0 takes any free port.
    #[arg(long, env = "NIM_BIND", default_value_t = SocketAddr::from(([0, 0, 0, 0], DEFAULT_PORT)), value_parser = bind_address)]
    pub bind: SocketAddr,

    /// How long an empty seat waits for a person before a bot takes it, such as 20s or 600ms; a bare number is
    /// seconds.
    #[arg(long, env = "NIM_BOT_AFTER", default_value = "20s", value_name = "TIME", value_parser = duration)]
    pub bot_after: Duration,

    /// The minimum time of a bot's move, so that people can follow it.
    #[arg(long, env = "NIM_BOT_PACE", default_value = "600ms", value_name = "TIME", value_parser = duration)]
    pub bot_pace: Duration,

    /// The number of threads that compute bots' moves and hints [default: the number of cores minus one].
    // 0, which no flag can set, runs each job inline and blocks everything else: for a simulation, in which
    // no time may pass.
    #[arg(long, env = "NIM_THINKERS", value_name = "COUNT", value_parser = count)]
    pub thinkers: Option<usize>,

    /// How long the seats of disconnected players are kept if no other player waits for them.
    // Long enough to restart a machine, or to walk to the next network.
    #[arg(long, env = "NIM_SEATS_KEPT", default_value = "15m", value_name = "TIME", value_parser = duration)]
    pub seats_kept: Duration,

    /// How long paused games are kept while no player is connected.
    // Until the players' next free evening.
    #[arg(long, env = "NIM_PAUSED_KEPT", default_value = "7d", value_name = "TIME", value_parser = duration)]
    pub paused_kept: Duration,

    /// The maximum number of chat lines from one address in 10 seconds; 0 disables chat.
    #[arg(long, env = "NIM_MAX_LINES", default_value_t = MAX_SAID, value_name = "NUMBER")]
    pub max_lines: u32,

    /// How long a client may be silent before the server pings it.
    #[arg(long, env = "NIM_PING_AFTER", default_value = "15s", value_name = "TIME", value_parser = duration)]
    pub ping_after: Duration,

    /// How long a client may be silent before the server disconnects it; longer than --ping-after.
    #[arg(long, env = "NIM_GONE_AFTER", default_value = "45s", value_name = "TIME", value_parser = duration)]
    pub gone_after: Duration,

    /// The maximum number of connections.
    // As many as fit under the usual limit of 1,024 open files.
    #[arg(long, env = "NIM_MAX_CONNECTIONS", default_value_t = 1_000, value_name = "COUNT", value_parser = count)]
    pub max_connections: usize,

    /// The maximum number of connections from one address.
    // A class behind one router, with some windows each.
    #[arg(long, env = "NIM_MAX_CONNECTIONS_EACH", default_value_t = 250, value_name = "COUNT", value_parser = count)]
    pub max_connections_each: usize,

    /// The maximum number of new connections per second from one address; more wait up to 5 s.
    // A class that reconnects in the same second.
    #[arg(long, env = "NIM_MAX_HELLOS_EACH", default_value_t = 50, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_hellos_each: u32,

    /// The maximum number of requests per second from one address; beyond it, its connections are read more
    /// slowly.
    // More than any honest game needs, and enough for two bots that play each other as fast as they can.
    #[arg(long, env = "NIM_MAX_REQUESTS_EACH", default_value_t = 1_000, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_requests_each: u32,

    /// The maximum growth of the journal by one address in the long run, in KiB per second, and half an hour's
    /// worth at once; beyond it, its connections are read more slowly.
    // 56 MiB an hour: two thirds of a day until the default history is full of one address. It is some 250
    // moves a second.
    #[arg(long, env = "NIM_MAX_JOURNAL_EACH", default_value_t = 16, value_name = "KIB", value_parser = clap::value_parser!(u32).range(1..=MAX_JOURNAL))]
    pub max_journal_each: u32,

    /// The maximum number of watchers of a lobby; 0 disables watching.
    // A class.
    #[arg(long, env = "NIM_MAX_WATCHERS", default_value_t = 50, value_name = "COUNT")]
    pub max_watchers: u16,

    /// The maximum number of watchers of a lobby from one address.
    // A class behind one router, and some room for others.
    #[arg(long, env = "NIM_MAX_WATCHERS_EACH", default_value_t = 40, value_name = "COUNT")]
    pub max_watchers_each: u16,

    /// The maximum number of open lobbies.
    // There may be more of them than connections, since seats of disconnected players are kept. Each lobby
    // takes some kilobytes.
    #[arg(long, env = "NIM_MAX_LOBBIES", default_value_t = 10_000, value_name = "COUNT", value_parser = count)]
    pub max_lobbies: usize,

    /// The maximum number of open lobbies created from one address.
    // Twice as many as its connections.
    #[arg(long, env = "NIM_MAX_LOBBIES_EACH", default_value_t = 500, value_name = "COUNT", value_parser = count)]
    pub max_lobbies_each: usize,

    /// The maximum number of wrong codes, passwords and tickets per minute from one address.
    #[arg(long, env = "NIM_MAX_GUESSES", default_value_t = MAX_GUESSES, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_guesses: u32,

    /// The address or network of a load balancer that is believed where a connection comes from: each of its
    /// connections has to begin with a header of the PROXY protocol, version 2.
    #[arg(long, env = "NIM_TRUSTED_PROXY", value_name = "NETWORK", value_delimiter = ',', value_parser = network)]
    pub trusted_proxy: Vec<IpNet>,

    /// Whether the server has bots.
    #[arg(skip = true)]
    pub bots: bool,

    /// The seed of all random choices: the codes of listed lobbies and a bot's choice among equal moves.
    #[arg(skip = fastrand::u64(..))]
    pub seed: u64,

    /// The deadline for the first message of a new connection.
    #[arg(skip = HELLO_DEADLINE)]
    pub hello_deadline: Duration,

    /// The deadline for a frame, from its first byte on.
    #[arg(skip = FRAME_DEADLINE)]
    pub frame_deadline: Duration,

    /// The shortest time until the rule for absent players applies that a lobby may have.
    #[arg(skip = SHORTEST_AWAY)]
    pub shortest_away: Duration,

    /// Whether the players are the host. They then see the host's text of a storage error, with paths and
    /// advice, and two of them may share a keyboard.
    #[arg(skip)]
    pub plays_at_home: bool,

    /// The limits of the history, if the server has a journal.
    #[arg(skip)]
    pub history: History,

    /// After how many recorded events all open lobbies write checkpoints.
    // A start then reads about as many events, which takes a tenth of a second. In that time a thousand
    // lobbies add a tenth to what is recorded.
    #[arg(skip = 50_000_usize)]
    pub checkpoint_after: usize,

    /// Whether no player is charged for time in which the server was suspended or the machine too busy. This
    /// uses the machine's clock, so it has to be off if tokio's time is simulated.
    #[arg(skip = true)]
    pub forgives_stops: bool,
}

impl Config {
    /// Whether this address is that of a load balancer that is trusted.
    pub(super) fn trusts_proxy(&self, address: IpAddr) -> bool {
        self.trusted_proxy.iter().any(|network| network.contains(&address.to_canonical()))
    }

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
            "an IP address is needed, optionally with :PORT: 127.0.0.1:{port} is for this machine (localhost) alone, \
             0.0.0.0:{port} for all its networks"
        )
    })
}

/// Parses a network as in 10.0.0.0/24, or the address of one machine.
fn network(text: &str) -> Result<IpNet, String> {
    let network = text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    network.map_err(|_| "write an address or a network, as in 10.0.0.7 or 10.0.0.0/24".into())
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
    fn a_trusted_proxy_is_an_address_or_a_network() {
        let config = Config {
            trusted_proxy: ["10.0.0.7", "fd00::/8"].map(|text| network(text).unwrap()).to_vec(),
            ..Config::default()
        };
        for (address, is_trusted) in [
            ("10.0.0.7", true),
            ("::ffff:10.0.0.7", true),
            ("fd00::9", true),
            ("10.0.0.8", false),
            ("::1", false),
        ] {
            assert_eq!(config.trusts_proxy(address.parse().unwrap()), is_trusted, "{address}");
        }
        for text in ["", "10.0.0", "10.0.0.0/33", "balancer"] {
            assert!(network(text).is_err(), "{text}");
        }
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
