//! One connection to a server: connect, hello, then messages in both directions.

use std::io;
use std::time::Duration;

use bytes::BytesMut;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::Instant;

use super::dial::Stream;
use super::round_trip::RoundTripMeter;
use super::{Address, Failure};
use crate::lobby::{Name, Text};
use crate::wire::{
    Greeting, HallRequest, LobbyRequest, Magic, Malformed, ToClient, ToServer, VERSION, decode, encode,
    next_body,
};

/// How long the server may take over its welcome.
const WELCOME_DEADLINE: Duration = Duration::from_secs(5);

/// How much is read at once.
const READ_SIZE: usize = 4 * 1024;

/// A connection that was welcomed.
#[derive(Debug)]
pub struct Connection {
    stream: Box<dyn Stream>,
    inbox: BytesMut,
    /// The number of the last request.
    requests: u32,
    heard: Instant,
    pinged: bool,
    ping_after: Duration,
    gone_after: Duration,
    /// How near the server is, if that is measured.
    pulse: Option<RoundTripMeter>,
}

impl Connection {
    /// Says hello as `name` over a stream that leads to `address`. Returns the connection and the name that
    /// the server gave.
    pub async fn open(
        stream: Box<dyn Stream>,
        address: &Address,
        name: &str,
    ) -> Result<(Self, Name), Failure> {
        let mut connection = Self {
            stream,
            inbox: BytesMut::new(),
            requests: 0,
            heard: Instant::now(),
            pinged: false,
            ping_after: crate::wire::limits::PING_AFTER,
            gone_after: crate::wire::limits::GONE_AFTER,
            pulse: None,
        };
        let name = connection.hello(address, name).await?;
        Ok((connection, name))
    }

    async fn hello(&mut self, address: &Address, name: &str) -> Result<Name, Failure> {
        let greeting = Greeting { magic: Magic, version: VERSION.into(), name: Text::cut(name) };
        self.send(&ToServer::Hello(greeting)).await?;
        let stranger = || Failure::Stranger(address.clone());
        let answer = tokio::time::timeout(WELCOME_DEADLINE, self.read()).await.map_err(|_| stranger())?;
        match answer {
            Ok(ToClient::Welcome { name, ping_after, gone_after, .. }) => {
                self.ping_after = Duration::from_millis(u64::from(ping_after.max(1)));
                self.gone_after = Duration::from_millis(u64::from(gone_after.max(1)));
                Ok(name)
            }
            Ok(ToClient::Unwelcome(refusal)) => Err(Failure::Unwelcome(refusal)),
            Ok(ToClient::Goodbye(word)) => Err(Failure::Goodbye(word)),
            Ok(_) | Err(Failure::Nonsense(_)) => Err(stranger()),
            Err(failure) => Err(failure),
        }
    }

    /// Measures from now on how near the server is.
    pub fn measure(&mut self) {
        self.pulse.get_or_insert_with(RoundTripMeter::new);
    }

    /// Whether that is measured.
    pub fn is_measured(&self) -> bool {
        self.pulse.is_some()
    }

    /// How long the server's last answer took that was measured.
    pub fn round_trip(&self) -> Option<Duration> {
        self.pulse.as_ref()?.round_trip()
    }

    /// The next message, apart from pings, which are answered here; a pong only where it says how near the
    /// server is. Waits as long as the server lives.
    ///
    /// Cancel safe.
    pub async fn next(&mut self) -> Result<ToClient, Failure> {
        loop {
            let silent = self.heard + if self.pinged { self.gone_after } else { self.ping_after };
            let measured = self.pulse.as_ref().and_then(RoundTripMeter::due);
            let due = measured.map_or(silent, |measured| measured.min(silent));
            match tokio::time::timeout_at(due, self.read()).await {
                Ok(Ok(ToClient::Ping(number))) => self.send(&ToServer::Pong(number)).await?,
                Ok(Ok(ToClient::Pong(number))) => {
                    if self.pulse.as_mut().is_some_and(|pulse| pulse.answered(number)) {
                        return Ok(ToClient::Pong(number));
                    }
                }
                Ok(Ok(ToClient::Goodbye(word))) => return Err(Failure::Goodbye(word)),
                Ok(message) => return message,
                Err(_) if due < silent => {
                    if let Some(pulse) = &mut self.pulse {
                        let number = pulse.begin();
                        self.send(&ToServer::Ping(number)).await?;
                    }
                }
                Err(_) if self.pinged => return Err(Failure::Silent(self.gone_after.as_secs())),
                Err(_) => {
                    self.pinged = true;
                    self.send(&ToServer::Ping(0)).await?;
                }
            }
        }
    }

    /// The next message that this release knows.
    async fn read(&mut self) -> Result<ToClient, Failure> {
        loop {
            let body = next_body(&mut self.inbox).map_err(Failure::nonsense)?;
            if let Some(body) = body {
                match decode(&body) {
                    Err(Malformed::Unknown(_)) => continue,
                    message => return message.map_err(Failure::nonsense),
                }
            }
            self.inbox.reserve(READ_SIZE);
            if self.stream.read_buf(&mut self.inbox).await.map_err(broken)? == 0 {
                return Err(broken(io::ErrorKind::UnexpectedEof.into()));
            }
            self.heard = Instant::now();
            self.pinged = false;
        }
    }

    /// For how long nothing has been heard from the server, and after how long its connection is taken for
    /// lost.
    pub fn silence(&self) -> (Duration, Duration) {
        (self.heard.elapsed(), self.gone_after)
    }

    async fn send(&mut self, message: &ToServer) -> Result<(), Failure> {
        self.stream.write_all(&encode(message)).await.map_err(broken)
    }

    /// Asks the hall. Returns the request's number, which a refusal repeats.
    pub async fn ask_hall(&mut self, request: HallRequest) -> Result<u32, Failure> {
        self.requests = self.requests.wrapping_add(1);
        self.send(&ToServer::Hall { id: self.requests, request }).await?;
        Ok(self.requests)
    }

    /// Asks the lobby. Returns the request's number, which a refusal repeats.
    pub async fn ask_lobby(&mut self, request: LobbyRequest) -> Result<u32, Failure> {
        self.requests = self.requests.wrapping_add(1);
        self.send(&ToServer::Lobby { id: self.requests, request }).await?;
        Ok(self.requests)
    }
}

/// How a connection broke: whatever the system calls it, a server that is gone has closed it.
fn broken(error: io::Error) -> Failure {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    Failure::Broken(match error.kind() {
        kind @ (BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof) => {
            io::Error::new(kind, "the server closed it")
        }
        _ => error,
    })
}
