//! One connection to a server: the hello, then messages in both directions.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::task::yield_now;
use tokio::time::{Instant, timeout, timeout_at};

use super::dial::Stream;
use super::round_trip::RoundTripMeter;
use super::{Address, Failure};
use crate::lobby::{Name, Text};
use crate::wire::limits::{CATCH_UP, LATE};
use crate::wire::{
    ClientKind, Greeting, HallRequest, LobbyRequest, Magic, Malformed, ToClient, ToServer, VERSION, decode,
    encode, first_body, next_body,
};

/// How long the server may take over its welcome.
const WELCOME_DEADLINE: Duration = Duration::from_secs(5);

/// How long the server may take nothing of what waits for it. It pauses reading a connection that
/// asks too much for 5 seconds at most.
pub const WRITE_DEADLINE: Duration = Duration::from_secs(10);

/// The most bytes that wait for a server that does not read: thousands of requests, more than a person or a
/// script sends before it sees an answer.
pub const MAX_WAITING: usize = 64 * 1024;

/// How much is read at once.
const READ_SIZE: usize = 4 * 1024;

/// A connection over which the server has welcomed the client.
#[derive(Debug)]
pub struct Connection {
    stream: Box<dyn Stream>,
    inbox: BytesMut,
    /// What the system has not taken yet, in whole frames but for the first.
    outbox: BytesMut,
    /// When the server has to have taken more of the outbox.
    write_due: Instant,
    /// The number of the last request.
    requests: u32,
    /// The request that was sent behind the hello, until the session asks for it.
    first: Option<Box<HallRequest>>,
    last_received: Instant,
    /// The server is not judged before this.
    judge_from: Instant,
    /// When the server was pinged, if nothing has been received since.
    pinged: Option<Instant>,
    ping_after: Duration,
    gone_after: Duration,
    /// Measures the round-trip time, if that is wanted.
    meter: Option<RoundTripMeter>,
}

impl Connection {
    /// Sends the hello of this client over a stream to `address`. Returns the connection and the name that the
    /// server gave.
    pub async fn open(
        stream: Box<dyn Stream>,
        address: &Address,
        who: (&str, ClientKind),
    ) -> Result<(Self, Name), Failure> {
        Self::open_for(stream, address, who, None).await
    }

    /// The same with the first request to the hall behind the hello. [`ask_hall`](Self::ask_hall) then does not send it
    /// again. One of several servers waits for no name for a client that returns to its seat.
    pub(super) async fn open_for(
        stream: Box<dyn Stream>,
        address: &Address,
        (name, kind): (&str, ClientKind),
        first: Option<HallRequest>,
    ) -> Result<(Self, Name), Failure> {
        let mut connection = Self {
            stream,
            inbox: BytesMut::new(),
            outbox: BytesMut::new(),
            write_due: Instant::now(),
            requests: 0,
            first: first.map(Box::new),
            last_received: Instant::now(),
            judge_from: Instant::now(),
            pinged: None,
            ping_after: crate::wire::limits::PING_AFTER,
            gone_after: crate::wire::limits::GONE_AFTER,
            meter: None,
        };
        let name = connection.hello(address, name, kind).await?;
        Ok((connection, name))
    }

    async fn hello(&mut self, address: &Address, name: &str, kind: ClientKind) -> Result<Name, Failure> {
        let greeting = Greeting { magic: Magic, version: VERSION.into(), name: Text::cut(name), kind };
        let mut frames = encode(&ToServer::Hello(greeting)).to_vec();
        if let Some(request) = self.first.as_deref().cloned() {
            // In one piece, so that the server has both when it reads the hello.
            self.requests = 1;
            frames.extend_from_slice(&encode(&ToServer::Hall { id: 1, request }));
        }
        self.send_frames(&frames);
        let stranger = || Failure::Stranger(address.clone());
        let answer = timeout(WELCOME_DEADLINE, self.exchange()).await.map_err(|_| stranger())?;
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

    /// The next message. Writes what waits to be sent, and answers pings; a pong is returned only if it
    /// measures the round-trip time. Returns an error if the server is silent, or reads nothing, for too long.
    ///
    /// Cancel safe.
    pub async fn next(&mut self) -> Result<ToClient, Failure> {
        loop {
            let silent = self.silent_at();
            let unread = (!self.outbox.is_empty()).then_some(self.write_due);
            let judged = unread.map_or(silent, |unread| unread.min(silent)).max(self.judge_from);
            let measured = self.meter.as_ref().and_then(RoundTripMeter::due).unwrap_or(judged);
            match timeout_at(judged.min(measured), self.exchange()).await {
                Ok(Ok(ToClient::Ping(number))) => self.send(&ToServer::Pong(number)),
                Ok(Ok(ToClient::Pong(number))) => {
                    if self.meter.as_mut().is_some_and(|meter| meter.answered(number)) {
                        return Ok(ToClient::Pong(number));
                    }
                }
                Ok(Ok(ToClient::Goodbye(word))) => return Err(Failure::Goodbye(word)),
                Ok(message) => return message,
                Err(_) if measured < judged => {
                    if let Some(meter) = &mut self.meter {
                        let number = meter.begin();
                        self.send(&ToServer::Ping(number));
                    }
                }
                Err(_) if !self.has_passed(silent) => {}
                Err(_) if self.pinged.is_some() => return Err(Failure::Silent(self.gone_after.as_secs())),
                Err(_) => {
                    self.pinged = Some(Instant::now());
                    self.send(&ToServer::Ping(0));
                }
            }
            // Pings without end do not keep the client from anything else.
            yield_now().await;
        }
    }

    /// Whether a message has arrived that [`Self::next`] has not returned.
    pub fn has_unread(&self) -> bool {
        matches!(first_body(&self.inbox), Ok(Some(_)))
    }

    /// The next message, skipping those of an unknown kind. Meanwhile writes what waits to be sent.
    async fn exchange(&mut self) -> Result<ToClient, Failure> {
        loop {
            let body = next_body(&mut self.inbox).map_err(Failure::nonsense)?;
            if let Some(body) = body {
                match decode(&body) {
                    Err(Malformed::Unknown(_)) => {
                        yield_now().await;
                        continue;
                    }
                    message => return message.map_err(Failure::nonsense),
                }
            }
            if self.inbox.is_empty() {
                // A silent connection keeps no memory.
                self.inbox = BytesMut::new();
            }
            poll_fn(|context| self.poll_exchange(context)).await?;
            self.last_received = Instant::now();
            self.pinged = None;
        }
    }

    /// When the server is to be pinged if nothing comes, or counts as gone if it does not answer the ping. A ping may be
    /// sent late, since this process had no time: the server has as long to answer it.
    fn silent_at(&self) -> Instant {
        match self.pinged {
            None => self.last_received + self.ping_after,
            Some(at) => at + self.gone_after.saturating_sub(self.ping_after),
        }
    }

    /// Whether the server has let this deadline pass. Where it passed while this process was stopped, what
    /// has arrived is read first.
    fn has_passed(&mut self, due: Instant) -> bool {
        let (now, due) = (Instant::now(), due.max(self.judge_from));
        let is_late = now > due + LATE && due != self.judge_from;
        if is_late {
            self.judge_from = now + CATCH_UP;
        }
        due <= now && !is_late
    }

    /// Writes what waits, and reads some bytes. What the server said before it closed is read before a failure
    /// to write counts.
    fn poll_exchange(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        let written = self.poll_write(context);
        if self.outbox.len() > MAX_WAITING || (written.is_pending() && self.has_passed(self.write_due)) {
            return Poll::Ready(Err(Failure::Unread));
        }
        match (self.poll_read(context), written) {
            (Poll::Pending, Poll::Ready(Err(failure))) => Poll::Ready(Err(failure)),
            (read, _) => read,
        }
    }

    fn poll_read(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        let mut bytes = [0; READ_SIZE];
        let mut bytes = ReadBuf::new(&mut bytes);
        ready!(Pin::new(&mut self.stream).poll_read(context, &mut bytes)).map_err(broken)?;
        if bytes.filled().is_empty() {
            return Poll::Ready(Err(broken(io::ErrorKind::UnexpectedEof.into())));
        }
        self.inbox.extend_from_slice(bytes.filled());
        Poll::Ready(Ok(()))
    }

    /// Ready once nothing waits to be sent.
    fn poll_write(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        while !self.outbox.is_empty() {
            let written = Pin::new(&mut self.stream).poll_write(context, &self.outbox);
            match ready!(written).map_err(broken)? {
                0 => return Poll::Ready(Err(broken(io::ErrorKind::WriteZero.into()))),
                count => self.outbox.advance(count),
            }
            self.write_due = Instant::now() + WRITE_DEADLINE;
        }
        self.outbox = BytesMut::new();
        Poll::Ready(Ok(()))
    }

    /// How long nothing has been received, and after how long the connection counts as lost.
    pub fn silence(&self) -> (Duration, Duration) {
        (self.last_received.elapsed(), self.gone_after)
    }

    /// Sends a message without waiting: [`Self::next`] writes what the system does not take now, and reports
    /// a failure.
    fn send(&mut self, message: &ToServer) {
        self.send_frames(&encode(message));
    }

    fn send_frames(&mut self, frames: &[u8]) {
        if self.outbox.len() > MAX_WAITING {
            return;
        }
        if self.outbox.is_empty() {
            self.write_due = Instant::now() + WRITE_DEADLINE;
        }
        self.outbox.extend_from_slice(frames);
        let _ = self.poll_write(&mut Context::from_waker(Waker::noop()));
    }

    /// Closes the connection; it stays silent from now on.
    pub fn close(&mut self) {
        self.stream = Box::new(tokio::io::empty());
        self.outbox.clear();
    }

    /// Asks the hall. Returns the request's number, which a refusal repeats.
    pub fn ask_hall(&mut self, request: HallRequest) -> u32 {
        if self.first.take().is_some_and(|first| *first == request) {
            return self.requests;
        }
        self.requests = self.requests.wrapping_add(1);
        self.send(&ToServer::Hall { id: self.requests, request });
        self.requests
    }

    /// Whether the first request was sent behind the hello, and the session has not asked for it yet.
    pub(super) fn has_asked(&self) -> bool {
        self.first.is_some()
    }

    /// Asks the lobby. Returns the request's number, which a refusal repeats.
    pub fn ask_lobby(&mut self, request: LobbyRequest) -> u32 {
        self.requests = self.requests.wrapping_add(1);
        self.send(&ToServer::Lobby { id: self.requests, request });
        self.requests
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

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;
    use tokio::time::advance;

    use super::*;

    /// A connection to a server that says nothing after the welcome, and the server's end of it.
    async fn to_a_silent_server() -> (Connection, tokio::io::DuplexStream) {
        let (near, mut far) = tokio::io::duplex(4_096);
        let name = Name::clean("anna").unwrap();
        let server = Text::cut("nim");
        let welcome =
            ToClient::Welcome { version: VERSION, name, server, ping_after: 1_000, gone_after: 2_000 };
        far.write_all(&encode(&welcome)).await.unwrap();
        let address = "localhost".parse().unwrap();
        let opened = Connection::open(Box::new(near), &address, ("anna", ClientKind::Person)).await;
        (opened.unwrap().0, far)
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_is_silent_is_pinged_and_then_given_up() {
        let (mut connection, _far) = to_a_silent_server().await;
        let began = Instant::now();
        assert!(matches!(connection.next().await, Err(Failure::Silent(2))));
        let took = began.elapsed();
        assert!(took >= Duration::from_secs(2) && took < Duration::from_millis(2_100), "{took:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_is_pinged_late_has_as_long_to_answer() {
        let (mut connection, _far) = to_a_silent_server().await;
        let mut next = Box::pin(connection.next());
        let mut is_given_up_within =
            async |millis| timeout(Duration::from_millis(millis), &mut next).await.is_ok();
        assert!(!is_given_up_within(500).await);
        // The ping was due after a second, and this process had no time.
        advance(Duration::from_secs(1)).await;
        // What has arrived is read for a second, and then the server is pinged.
        assert!(!is_given_up_within(1_900).await);
        assert!(is_given_up_within(200).await);
    }
}
