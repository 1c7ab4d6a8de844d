//! Opens streams to a server: over TCP, or over another network that implements [`Dial`].

use std::fmt::Debug;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use super::{Address, Failure};

/// How long connecting to one address may take: long for a local network, short for a person.
const CONNECT_DEADLINE: Duration = Duration::from_secs(5);

/// The bytes that the system keeps for a server that does not read: as many as the client itself keeps, and
/// much less than the megabytes that it would take by itself.
const SEND_BUFFER: usize = 64 * 1024;

/// A connection in both directions.
pub trait Stream: AsyncRead + AsyncWrite + Debug + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Debug + Send + Unpin> Stream for T {}

/// A future stream, or the failure.
pub type Dialing<'a> = Pin<Box<dyn Future<Output = Result<Box<dyn Stream>, Failure>> + Send + 'a>>;

/// A network over which to connect.
pub trait Dial: Debug + Send + Sync {
    /// Connects to this address, or to `default_port` there if it names none.
    fn dial<'a>(&'a self, address: &'a Address, default_port: u16) -> Dialing<'a>;
}

/// The operating system's network.
#[derive(Debug, Clone, Copy)]
pub struct Tcp;

impl Dial for Tcp {
    fn dial<'a>(&'a self, address: &'a Address, default_port: u16) -> Dialing<'a> {
        Box::pin(async move {
            let port = address.port.unwrap_or(default_port);
            let found = look_up(&address.host, port).await?;
            let stream = connect(found).await.map_err(|error| Failure::Unreachable {
                address: address.clone(),
                port,
                why: reason(&error),
            })?;
            // A move is one small frame that somebody waits for. If this fails, moves are a little slower.
            let _ = stream.set_nodelay(true);
            // If this fails, the client notices later that the server does not read.
            let _ = SockRef::from(&stream).set_send_buffer_size(SEND_BUFFER);
            Ok(Box::new(stream) as Box<dyn Stream>)
        })
    }
}

/// Resolves a host's name to at least one address.
async fn look_up(host: &str, port: u16) -> Result<Vec<SocketAddr>, Failure> {
    let unknown = |why: &str| Failure::Unknown { host: host.into(), why: why.into() };
    let found = tokio::net::lookup_host((host, port)).await.map_err(|error| unknown(&error.to_string()))?;
    let found: Vec<SocketAddr> = found.collect();
    if found.is_empty() { Err(unknown("the name stands for no address")) } else { Ok(found) }
}

/// Tries these addresses in order; the first connection counts.
async fn connect(addresses: Vec<SocketAddr>) -> io::Result<TcpStream> {
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the name stands for no address");
    for address in addresses {
        match tokio::time::timeout(CONNECT_DEADLINE, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => failure = error,
            Err(_) => failure = io::Error::new(io::ErrorKind::TimedOut, "no answer"),
        }
    }
    Err(failure)
}

/// The reason as text for a person.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "nothing listens on that port".into(),
        io::ErrorKind::TimedOut => format!("no answer within {} seconds", CONNECT_DEADLINE.as_secs()),
        _ => error.to_string(),
    }
}
