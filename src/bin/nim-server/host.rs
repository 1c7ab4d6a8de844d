//! `nim-server host`: its flags, and the server that runs until it is told to stop.

use std::io::{IsTerminal, Write, stdout};
use std::net::SocketAddr;
use std::panic;
use std::time::Duration;

use anyhow::{Context, anyhow};
use clap::Args;
use nim::cli::seed;
use nim::lan::Announcer;
use nim::server::{
    Config, DEFAULT_MAX_CONNECTIONS, DEFAULT_MAX_CONNECTIONS_EACH, DEFAULT_MAX_HELLOS_EACH,
    DEFAULT_MAX_LOBBIES, DEFAULT_MAX_LOBBIES_EACH, DEFAULT_MAX_REQUESTS_EACH, DEFAULT_MAX_WATCHERS,
    DEFAULT_MAX_WATCHERS_EACH, DEFAULT_PORT, Server, duration,
};
use nim::wire::limits::{MAX_GUESSES, MAX_SAID};
use tracing_subscriber::filter::Targets;

use crate::qr_code::Canvas;
use crate::signals::{Interrupts, stopped};
use crate::start_screen::{self, Screen};
use crate::values::{bind_address, connections, yes_or_no};
use crate::{announcing, data, logging, status};

/// The least `--ping-after`: a shorter one would flood clients with pings.
const SHORTEST_PING: Duration = Duration::from_millis(100);

#[derive(Debug, Args)]
pub(crate) struct Host {
    /// Where to listen: ADDRESS:PORT, or an address alone; port 0 takes any that is free
    #[arg(long, env = "NIM_BIND", default_value_t = SocketAddr::from(([0, 0, 0, 0], DEFAULT_PORT)), value_parser = bind_address)]
    bind: SocketAddr,

    /// How long an empty seat waits for a person before the bot takes it, such as 20s or 600ms; a bare number
    /// is seconds
    #[arg(long, env = "NIM_BOT_AFTER", default_value = "20s", value_name = "TIME", value_parser = duration)]
    bot_after: Duration,

    /// How long a bot's move takes at least, so that people can follow it
    #[arg(long, env = "NIM_BOT_PACE", default_value = "600ms", value_name = "TIME", value_parser = duration)]
    bot_pace: Duration,

    /// How many threads think for bots and hints [default: one for each core but one]
    #[arg(long, env = "NIM_THINKERS", value_name = "COUNT", value_parser = connections)]
    thinkers: Option<usize>,

    /// Let no bot sit down, ever, nor stand in for anybody
    #[arg(long, env = "NIM_NO_BOTS", value_parser = yes_or_no)]
    no_bots: bool,

    /// Where all chance comes from (lobby codes, the bot's choice among equal moves), to repeat a run
    /// [default: a new one each time]
    #[arg(long, env = "NIM_SEED", value_name = "NUMBER", value_parser = seed)]
    seed: Option<u64>,

    #[command(flatten)]
    data: data::DataFlags,

    #[command(flatten)]
    announcing: announcing::Announcing,

    /// Show no QR code at the start
    #[arg(long, env = "NIM_NO_QR", value_parser = yes_or_no)]
    no_qr: bool,

    /// How long the seats of people who are away are kept if no other player waits for them
    #[arg(long, env = "NIM_SEATS_KEPT", default_value = "15m", value_name = "TIME", value_parser = duration)]
    seats_kept: Duration,

    /// How long paused games are kept while no player is connected
    #[arg(long, env = "NIM_PAUSED_KEPT", default_value = "7d", value_name = "TIME", value_parser = duration)]
    paused_kept: Duration,

    /// How many lines of chat a client may say in 10 seconds; 0 for no chat
    #[arg(long, env = "NIM_MAX_LINES", default_value_t = MAX_SAID, value_name = "NUMBER")]
    max_lines: u32,

    /// After how much silence of a client it is asked for a sign of life
    #[arg(long, env = "NIM_PING_AFTER", default_value = "15s", value_name = "TIME", value_parser = duration)]
    ping_after: Duration,

    /// After how much silence of a client its connection is lost; longer than --ping-after
    #[arg(long, env = "NIM_GONE_AFTER", default_value = "45s", value_name = "TIME", value_parser = duration)]
    gone_after: Duration,

    /// How many connections are served at once
    #[arg(long, env = "NIM_MAX_CONNECTIONS", default_value_t = DEFAULT_MAX_CONNECTIONS, value_name = "COUNT", value_parser = connections)]
    max_connections: usize,

    /// How many of them one address may have
    #[arg(long, env = "NIM_MAX_CONNECTIONS_EACH", default_value_t = DEFAULT_MAX_CONNECTIONS_EACH, value_name = "COUNT", value_parser = connections)]
    max_connections_each: usize,

    /// How many new connections a second one address may make; the next ones wait up to a second
    #[arg(long, env = "NIM_MAX_HELLOS_EACH", default_value_t = DEFAULT_MAX_HELLOS_EACH, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    max_hellos_each: u32,

    /// How many requests a second of one address are answered; a connection that asks for more is read more
    /// slowly
    #[arg(long, env = "NIM_MAX_REQUESTS_EACH", default_value_t = DEFAULT_MAX_REQUESTS_EACH, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    max_requests_each: u32,

    /// How many may watch one lobby; 0 if nobody may
    #[arg(long, env = "NIM_MAX_WATCHERS", default_value_t = DEFAULT_MAX_WATCHERS, value_name = "COUNT")]
    max_watchers: u16,

    /// How many of them may come from one address
    #[arg(long, env = "NIM_MAX_WATCHERS_EACH", default_value_t = DEFAULT_MAX_WATCHERS_EACH, value_name = "COUNT")]
    max_watchers_each: u16,

    /// How many lobbies can be open at once
    #[arg(long, env = "NIM_MAX_LOBBIES", default_value_t = DEFAULT_MAX_LOBBIES, value_name = "COUNT", value_parser = connections)]
    max_lobbies: usize,

    /// How many of them people at one address may have opened
    #[arg(long, env = "NIM_MAX_LOBBIES_EACH", default_value_t = DEFAULT_MAX_LOBBIES_EACH, value_name = "COUNT", value_parser = connections)]
    max_lobbies_each: usize,

    /// How many wrong codes and passwords a minute are answered of one address; other refusals count as a
    /// 200th of one
    #[arg(long, env = "NIM_MAX_GUESSES", default_value_t = MAX_GUESSES, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    max_guesses: u32,

    /// Tell what is going on in numbers, to `nim-server status` and Prometheus: a port of this machine, such
    /// as 7647, or ADDRESS:PORT [default: nowhere]
    #[arg(long, env = "NIM_METRICS", value_name = "ADDRESS", value_parser = status::address)]
    metrics: Option<SocketAddr>,

    /// How the log on standard error is written
    #[arg(long, env = "NIM_LOG_FORMAT", default_value = "text", value_enum)]
    log_format: logging::LogFormat,
}

async fn serve(host: Box<Host>) -> anyhow::Result<()> {
    let interrupts = Interrupts::listen().context("could not listen for Ctrl-C")?;
    let mut kept = host.data.serve(host.config(), |error| refused_port("--bind", host.bind, error))?;
    let metrics = host.metrics.map(|metrics| tell_metrics(&mut kept.server, metrics)).transpose()?;
    let address = kept.server.address().context("the port was lost again")?;
    let announced = host.announcing.start(address, kept.server.open_lobbies());
    let words: Vec<String> = announced.words.into_iter().chain(kept.words).chain(metrics).collect();
    // A script may close the pipe after the first line, which is not an error.
    let _ = announce(address, &words, host.screen());
    let leave = || announced.announcer.iter().for_each(Announcer::stop);
    let stop = async {
        stopped(interrupts).await;
        leave();
    };
    kept.server.run(stop).await;
    if let Some(announcer) = announced.announcer {
        announcer.stopped().await;
    }
    Ok(())
}

/// Serves the metrics at this address; returns a line that says so.
fn tell_metrics(server: &mut Server, address: SocketAddr) -> anyhow::Result<String> {
    let told =
        server.tell_metrics(address).map_err(|error| anyhow!(refused_port("--metrics", address, &error)))?;
    Ok(format!("Its numbers are told at http://{told}/metrics and by nim-server status {told}."))
}

impl Host {
    /// Fails if flags contradict each other.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.ping_after < SHORTEST_PING || self.gone_after <= self.ping_after {
            return Err("--ping-after is 100ms or more, and --gone-after is longer".into());
        }
        Ok(())
    }

    /// Serves until the program is told to stop.
    pub(crate) fn run(self: Box<Self>, log: Targets) -> anyhow::Result<()> {
        logging::start(self.log_format, log);
        let runtime =
            tokio::runtime::Builder::new_multi_thread().enable_all().build().context("could not start")?;
        // Connections are accepted on the threads that serve them, which takes a tenth less memory.
        match runtime.block_on(runtime.spawn(serve(self))) {
            Ok(served) => served,
            Err(failed) => panic::resume_unwind(failed.into_panic()),
        }
    }

    /// The terminal of the start screen, if there is one.
    fn screen(&self) -> Screen {
        let canvas = if self.no_qr { None } else { Canvas::of_stdout() };
        Screen { is_there: stdout().is_terminal(), canvas }
    }

    fn config(&self) -> Config {
        let mut config = Config {
            bind: self.bind,
            bots: !self.no_bots,
            bot_after: self.bot_after,
            bot_pace: self.bot_pace,
            thinkers: self.thinkers,
            seats_kept: self.seats_kept,
            paused_kept: self.paused_kept,
            max_lines: self.max_lines,
            ping_after: self.ping_after,
            gone_after: self.gone_after,
            max_connections: self.max_connections,
            max_connections_each: self.max_connections_each,
            max_hellos_each: self.max_hellos_each,
            max_watchers: self.max_watchers,
            max_watchers_each: self.max_watchers_each,
            max_lobbies: self.max_lobbies,
            max_lobbies_each: self.max_lobbies_each,
            max_requests_each: self.max_requests_each,
            max_guesses: self.max_guesses,
            ..Config::default()
        };
        if let Some(seed) = self.seed {
            config.seed = seed;
        }
        config
    }
}

/// Writes the start screen.
fn announce(address: SocketAddr, words: &[String], screen: Screen) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for line in start_screen::lines(address, words, screen) {
        writeln!(out, "{line}")?;
    }
    out.flush()
}

fn refused_port(flag: &str, address: SocketAddr, error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    let port = address.port();
    match error.kind() {
        ErrorKind::AddrInUse => format!(
            "port {port} is in use, perhaps by another nim-server; stop that one, or choose a port with {flag} {}:0 (any that is free)",
            address.ip()
        ),
        ErrorKind::PermissionDenied => {
            format!(
                "port {port} is not allowed for this user; choose one above 1023 with {flag} ADDRESS:PORT"
            )
        }
        ErrorKind::AddrNotAvailable => {
            format!(
                "{} is no address of this machine; {flag} 0.0.0.0:{port} listens on all of them",
                address.ip()
            )
        }
        _ => format!("could not listen on {address}: {error}"),
    }
}
