//! One connection to a server: the hello, then messages in both directions.

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

/// A connection over which the server has welcomed the client.
#[derive(Debug)]
pub struct Connection {
    stream: Box<dyn Stream>,
    inbox: BytesMut,
    /// The number of the last request.
    requests: u32,
    last_received: Instant,
    pinged: bool,
    ping_after: Duration,
    gone_after: Duration,
    /// Measures the round-trip time, if that is wanted.
    meter: Option<RoundTripMeter>,
}

impl Connection {
    /// Sends the hello as `name` over a stream to `address`. Returns the connection and the name that the
    /// server gave.
    pub async fn open(
        stream: Box<dyn Stream>,
        address: &Address,
        name: &str,
    ) -> Result<(Self, Name), Failure> {
        let mut connection = Self {
            stream,
            inbox: BytesMut::new(),
            requests: 0,
            last_received: Instant::now(),
            pinged: false,
            ping_after: crate::wire::limits::PING_AFTER,
            gone_after: crate::wire::limits::GONE_AFTER,
            meter: None,
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

    /// Starts measuring the round-trip time.
    pub fn measure(&mut self) {
        self.meter.get_or_insert_with(RoundTripMeter::new);
    }

    /// Whether the round-trip time is measured.
    pub fn is_measured(&self) -> bool {
        self.meter.is_some()
    }

    /// The last measured round-trip time.
    pub fn round_trip(&self) -> Option<Duration> {
        self.meter.as_ref()?.round_trip()
    }

    /// The next message. Pings are answered here; a pong is returned only if it measures the round-trip time.
    /// Returns an error if the server is silent for too long.
    ///
    /// Cancel safe.
    pub async fn next(&mut self) -> Result<ToClient, Failure> {
        loop {
            let silent = self.last_received + if self.pinged { self.gone_after } else { self.ping_after };
            let measured = self.meter.as_ref().and_then(RoundTripMeter::due);
            let due = measured.map_or(silent, |measured| measured.min(silent));
            match tokio::time::timeout_at(due, self.read()).await {
                Ok(Ok(ToClient::Ping(number))) => self.send(&ToServer::Pong(number)).await?,
                Ok(Ok(ToClient::Pong(number))) => {
                    if self.meter.as_mut().is_some_and(|meter| meter.answered(number)) {
                        return Ok(ToClient::Pong(number));
                    }
                }
                Ok(Ok(ToClient::Goodbye(word))) => return Err(Failure::Goodbye(word)),
                Ok(message) => return message,
                Err(_) if due < silent => {
                    if let Some(meter) = &mut self.meter {
                        let number = meter.begin();
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

    /// The next message, skipping those of an unknown kind.
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
            self.last_received = Instant::now();
            self.pinged = false;
        }
    }

    /// How long nothing has been received, and after how long the connection counts as lost.
    pub fn silence(&self) -> (Duration, Duration) {
        (self.last_received.elapsed(), self.gone_after)
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

/// The failure of a broken connection, with one text for all errors that mean that the server closed it.
fn broken(error: io::Error) -> Failure {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    Failure::Broken(match error.kind() {
        kind @ (BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof) => {
            io::Error::new(kind, "the server closed it")
        }
        _ => error,
    })
}
