//! `nim-server status`: shows the metrics of a running server.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;

mod report;

/// The default address of metrics.
const USUAL: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7647);

/// The time limit for an answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// The maximum number of bytes of an answer: many times more than a server writes.
const MOST: usize = 1 << 20;

/// The server to ask.
#[derive(Debug, Args)]
pub(crate) struct Status {
    /// The address of the server's metrics: the value of its --metrics
    #[arg(value_name = "ADDRESS", default_value_t = USUAL, value_parser = address)]
    address: SocketAddr,
}

impl Status {
    /// Fetches the metrics and prints them.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let asked = runtime.block_on(async { timeout(PATIENCE, ask(self.address)).await });
        let text = asked.unwrap_or_else(|_| bail!("{} did not answer in time", self.address))?;
        let lines = report::lines(&text)
            .with_context(|| format!("the answer of {} is not a list of metrics", self.address))?;
        lines.iter().try_for_each(|line| super::values::say(line))
    }
}

/// Reads the address of metrics: an address with a port, or a port of this machine.
pub(crate) fn address(text: &str) -> Result<SocketAddr, String> {
    let here = text.parse().ok().map(|port: u16| SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port));
    let address = here.or_else(|| text.parse().ok());
    address.ok_or_else(|| format!("write a port of this machine as in {}, or ADDRESS:PORT", USUAL.port()))
}

async fn ask(address: SocketAddr) -> anyhow::Result<String> {
    let stream = TcpStream::connect(address).await.with_context(|| {
        format!(
            "no nim-server serves metrics at {address}; start it with --metrics {}, or give another address",
            USUAL.port()
        )
    })?;
    let strange = || format!("the program at {address} does not answer like a nim-server with --metrics");
    let (mut asking, talk) = http1::handshake(TokioIo::new(stream)).await.with_context(strange)?;
    let talk = tokio::spawn(talk);
    let request = Request::get("/metrics").header("host", address.to_string()).body(Empty::<Bytes>::new())?;
    let response = asking.send_request(request).await.with_context(strange)?;
    if response.status() != StatusCode::OK {
        bail!("{}", strange());
    }
    // The error is that of a library, which says enough.
    let body = Limited::new(response.into_body(), MOST).collect().await.map_err(anyhow::Error::from_boxed);
    let bytes = body.with_context(strange)?.to_bytes();
    talk.abort();
    String::from_utf8(bytes.into()).with_context(strange)
}
