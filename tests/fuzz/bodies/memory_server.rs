//! A server and its connections in memory, without a network. All run on one thread, and time advances only
//! while nothing else can run.

use std::fmt;
use std::future::Future;
use std::io::{self, IoSlice};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use nim::server::{Arrival, Config, Ended, Listen, Server, Socket};
use parking_lot::Mutex;
use tokio::io::{AsyncWriteExt, DuplexStream};
use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::storage::memory::Memory;

/// The capacity of a connection towards the server, in bytes.
const CAPACITY: usize = 64 * 1024;

/// The timeout of a stop: the server waits three seconds for clients that do not read their goodbye.
const STOPS_WITHIN: Duration = Duration::from_secs(10);

/// Runs a future on one thread with a paused clock, which advances only when every task waits.
pub(crate) fn run(world: impl Future<Output = ()>) {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a thread and a clock are there").block_on(world);
}

/// Lets all tasks run until they wait.
pub(crate) async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

/// A server with connections in memory.
pub(crate) struct MemoryServer {
    arrivals: mpsc::UnboundedSender<Arrival>,
    /// `None` once the server was told to stop.
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<Ended>,
}

impl MemoryServer {
    /// Starts a server with this storage. Its random numbers come from the seed, and bots compute on its own
    /// thread.
    pub(crate) fn open(memory: &Memory, seed: u64, bots: bool) -> Self {
        Self::open_with(memory, &Config { seed, bots, ..Config::default() })
    }

    /// The same with this configuration.
    pub(crate) fn open_with(memory: &Memory, config: &Config) -> Self {
        let (arrivals, accepted) = mpsc::unbounded_channel();
        let accepted = Listener(tokio::sync::Mutex::new(accepted));
        let config = Config { thinkers: Some(0), shortest_away: Duration::ZERO, ..config.clone() };
        let opened = Server::on_with_storage(accepted, config, Box::new(memory.clone()));
        let (server, found) = opened.expect("memory can always be read");
        assert_eq!(found.damaged, [], "no lobby is damaged");
        let (stop, stopped) = oneshot::channel();
        let serving = tokio::spawn(server.run(async {
            let _ = stopped.await;
        }));
        Self { arrivals, stop: Some(stop), serving }
    }

    /// A new connection from this address.
    pub(crate) fn connect(&self, address: IpAddr) -> ClientEnd {
        let (here, there) = tokio::io::duplex(CAPACITY);
        let server_end = ServerEnd::default();
        let arrival = Arrival {
            incoming: Box::new(there),
            outgoing: Box::new(server_end.clone()),
            peer: SocketAddr::new(address, 40_000),
        };
        assert!(self.arrivals.send(arrival).is_ok(), "the server accepts connections");
        ClientEnd { to_server: Some(here), server_end }
    }

    /// Stops the server and waits for its end.
    pub(crate) async fn close(&mut self) {
        let told = self.stop.take().is_some_and(|stop| stop.send(()).is_ok());
        assert!(told, "the server has not stopped by itself");
        let stopped = tokio::time::timeout(STOPS_WITHIN, &mut self.serving).await;
        stopped.expect("the server stops in time").expect("the server has not panicked");
    }
}

/// The client's end of a connection.
pub(crate) struct ClientEnd {
    /// `None` once the client has closed this direction.
    to_server: Option<DuplexStream>,
    server_end: ServerEnd,
}

impl ClientEnd {
    /// Sends these bytes. They are dropped if the server no longer reads.
    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        if let Some(to_server) = &mut self.to_server
            && to_server.write_all(bytes).await.is_err()
        {
            self.to_server = None;
        }
    }

    /// Closes the sending direction.
    pub(crate) fn close(&mut self) {
        self.to_server = None;
    }

    /// The bytes received since the last call.
    pub(crate) fn take_received(&self) -> Vec<u8> {
        let mut buffer = self.server_end.0.lock();
        let received = std::mem::take(&mut buffer.bytes);
        buffer.wake();
        received
    }

    /// Limits the bytes that may wait to be read.
    pub(crate) fn limit_buffer(&self, room: usize) {
        self.server_end.0.lock().room = room;
    }

    /// Whether the server has closed its direction.
    pub(crate) fn is_over(&self) -> bool {
        self.server_end.0.lock().shut || Arc::strong_count(&self.server_end.0) == 1
    }
}

/// The server's end of a connection, in which it writes.
#[derive(Debug, Clone, Default)]
struct ServerEnd(Arc<Mutex<Buffer>>);

#[derive(Debug)]
struct Buffer {
    bytes: Vec<u8>,
    /// The most bytes that may wait.
    room: usize,
    shut: bool,
    waker: Option<Waker>,
}

impl Default for Buffer {
    fn default() -> Self {
        Self { bytes: Vec::new(), room: usize::MAX, shut: false, waker: None }
    }
}

impl Buffer {
    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    fn is_full(&self) -> bool {
        self.bytes.len() >= self.room
    }
}

impl Socket for ServerEnd {
    fn try_write(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut buffer = self.0.lock();
        assert!(!buffer.shut, "nothing is sent after the end");
        if buffer.is_full() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let before = buffer.bytes.len();
        for part in parts {
            let room = buffer.room - buffer.bytes.len();
            buffer.bytes.extend_from_slice(&part[..part.len().min(room)]);
        }
        Ok(buffer.bytes.len() - before)
    }

    fn poll_writable(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut buffer = self.0.lock();
        if buffer.is_full() {
            buffer.waker = Some(context.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(Ok(()))
    }

    fn shut(&self) -> io::Result<()> {
        self.0.lock().shut = true;
        Ok(())
    }
}

/// Accepts the connections.
struct Listener(tokio::sync::Mutex<mpsc::UnboundedReceiver<Arrival>>);

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}

impl Listen for Listener {
    async fn accept(&self) -> io::Result<Arrival> {
        match self.0.lock().await.recv().await {
            Some(arrival) => Ok(arrival),
            None => std::future::pending().await,
        }
    }
}
