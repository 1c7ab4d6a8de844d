//! `nim-server host`: its flags, and the server that runs until it is stopped.

use std::io::{Write, stdout};
use std::net::{Ipv4Addr, SocketAddr};
use std::panic;
use std::time::Duration;

use anyhow::{Context, anyhow};
use clap::Args;
use nim::cli::seed;
use nim::lan::Announcer;
use nim::server::admin::AdminPlace;
use nim::server::{Config, Server};
use tracing_subscriber::filter::Targets;

use crate::descriptors::FileNeeds;
use crate::log_limit::LineLimit;
use crate::pinned::Pinned;
use crate::signals::{Interrupts, stopping};
use crate::start_screen::{self, Offered, Reader};
use crate::values::yes_or_no;
use crate::web::WebFlags;
use crate::{announcing, data, descriptors, logging};

/// The minimum of `--ping-after`: a shorter time would flood clients with pings.
const SHORTEST_PING: Duration = Duration::from_millis(100);

#[derive(Debug, Args)]
pub(crate) struct HostFlags {
    #[command(flatten)]
    pub(crate) config: Config,

    /// Have no bots, neither as opponents nor as stand-ins
    #[arg(long, env = "NIM_NO_BOTS", value_parser = yes_or_no)]
    no_bots: bool,

    /// The seed of all random choices (codes of listed lobbies, a bot's choice among equal moves), to repeat
    /// a run [default: a new one each time]
    #[arg(long, env = "NIM_SEED", value_name = "NUMBER", value_parser = seed)]
    seed: Option<u64>,

    #[command(flatten)]
    pub(crate) data: data::DataFlags,

    #[command(flatten)]
    pub(crate) announcing: announcing::Announcing,

    #[command(flatten)]
    pub(crate) web: WebFlags,

    /// Serve metrics for Prometheus at this address: a port of this machine, such as 7647, or ADDRESS:PORT
    /// [default: no metrics]
    #[arg(long, env = "NIM_METRICS", value_name = "ADDRESS", value_parser = metrics_address)]
    pub(crate) metrics: Option<SocketAddr>,

    #[cfg(feature = "cluster")]
    #[command(flatten)]
    pub(crate) cluster: crate::cluster::ClusterFlags,

    /// The format of the log on standard error
    #[arg(long, env = "NIM_LOG_FORMAT", default_value = "text", value_enum)]
    log_format: logging::LogFormat,
}

/// Serves as the only server of its lobbies.
pub(crate) async fn serve(host: Box<HostFlags>, log: LineLimit, pinned: Pinned) -> anyhow::Result<()> {
    let mut interrupts = Interrupts::listen().context("could not listen for Ctrl-C")?;
    let mut config = host.config();
    let few_files = descriptors::fit(&mut config, FileNeeds::ALONE);
    let (mut server, kept) =
        host.data.serve(config, |error| refused_port("--bind", host.config.bind, error))?;
    let metrics = host.metrics.map(|metrics| serve_metrics(&mut server, metrics)).transpose()?;
    let metrics = metrics.map(|(_, words)| words);
    let address = server.address().context("the port was lost again")?;
    serve_admin(&mut server, host.data.admin_place(address.port()));
    host.web.serve(&server, address);
    let offered = host.web.offered(address);
    let (announcer, found_as) = host.announcing.start(address, server.open_lobbies());
    let words: Vec<String> = found_as.into_iter().chain(kept).chain(metrics).chain(few_files).collect();
    // A script may close the pipe after the first line, which is not an error.
    let _ = announce(offered, &words);
    let load = server.load();
    let leave = || announcer.iter().for_each(Announcer::stop);
    let stop = async {
        tokio::select! {
            () = interrupts.next() => {}
            () = start_screen::follow(&pinned, offered, load) => {}
        }
        pinned.clear();
        stopping(interrupts);
        leave();
    };
    let reports = tokio::spawn(log.clone().report_each_minute());
    server.run(stop).await;
    pinned.clear();
    reports.abort();
    log.report();
    if let Some(announcer) = announcer {
        announcer.stopped().await;
    }
    Ok(())
}

/// Serves the metrics at this address. Returns the bound address, and a line for the start screen.
pub(crate) fn serve_metrics(
    server: &mut Server,
    address: SocketAddr,
) -> anyhow::Result<(SocketAddr, String)> {
    let bound =
        server.serve_metrics(address).map_err(|error| anyhow!(refused_port("--metrics", address, &error)))?;
    Ok((bound, format!("Metrics are served at http://{bound}/metrics.")))
}

/// Takes the host's requests over the admin socket. Without it the server serves as well, and the log says why
/// there is none.
pub(crate) fn serve_admin(server: &mut Server, place: anyhow::Result<AdminPlace>) {
    let bound = place.and_then(|place| {
        server.serve_admin(&place).with_context(|| place.socket.display().to_string())?;
        Ok(place)
    });
    match bound {
        Ok(place) => tracing::info!(socket = %place.socket.display(), "nim-server admin and status work"),
        Err(error) => tracing::warn!("nim-server admin and status do not work: {error:#}"),
    }
}

/// Reads the address of metrics: an address with a port, or a port of this machine.
fn metrics_address(text: &str) -> Result<SocketAddr, String> {
    let here = text.parse().ok().map(|port: u16| SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port));
    let address = here.or_else(|| text.parse().ok());
    address.ok_or_else(|| "write a port of this machine as in 7647, or ADDRESS:PORT".into())
}

impl HostFlags {
    /// Fails if flags contradict each other.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.config.ping_after < SHORTEST_PING || self.config.gone_after <= self.config.ping_after {
            return Err(
                "--ping-after must be at least 100ms, and --gone-after must be longer than --ping-after"
                    .into(),
            );
        }
        #[cfg(feature = "cluster")]
        self.cluster.check()?;
        Ok(())
    }

    /// Serves in this way until the program is stopped.
    pub(crate) fn run<F>(
        self: Box<Self>,
        log: Targets,
        serve: impl FnOnce(Box<Self>, LineLimit, Pinned) -> F,
    ) -> anyhow::Result<()>
    where
        F: Future<Output = anyhow::Result<()>> + Send + 'static,
    {
        let pinned = Pinned::default();
        let log = logging::start(self.log_format, log, pinned.clone());
        let runtime =
            tokio::runtime::Builder::new_multi_thread().enable_all().build().context("could not start")?;
        // Accepting connections on the threads that serve them takes a tenth less memory.
        match runtime.block_on(runtime.spawn(serve(self, log, pinned))) {
            Ok(served) => served,
            Err(failed) => panic::resume_unwind(failed.into_panic()),
        }
    }

    pub(crate) fn config(&self) -> Config {
        let seed = self.seed.unwrap_or(self.config.seed);
        Config { bots: !self.no_bots, seed, ..self.config.clone() }
    }
}

/// Writes the start screen.
pub(crate) fn announce(offered: Offered, words: &[String]) -> std::io::Result<()> {
    let mut out = stdout().lock();
    for line in start_screen::lines(offered, words, Reader::of_stdout()) {
        writeln!(out, "{line}")?;
    }
    out.flush()
}

pub(crate) fn refused_port(flag: &str, address: SocketAddr, error: &std::io::Error) -> String {
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
                "{} is not an address of this machine; {flag} 0.0.0.0:{port} listens on all of them",
                address.ip()
            )
        }
        _ => format!("could not listen on {address}: {error}"),
    }
}
