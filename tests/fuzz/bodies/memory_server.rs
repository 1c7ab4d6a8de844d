//! A server and its connections in memory, without a network: all on one thread, and time advances only while
//! nothing else can run.

use std::fmt;
use std::future::Future;
use std::io::{self, IoSlice};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use nim::server::{Arrival, Config, Listen, Server, Socket};
use parking_lot::Mutex;
use tokio::io::{AsyncWriteExt, DuplexStream};
use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::storage::memory::Memory;

/// How much may be on its way to the server.
const ON_THE_WAY: usize = 64 * 1024;

/// For how long a server may go on when it is to stop: three seconds for those who do not take their goodbye,
/// and some.
const STOPS_WITHIN: Duration = Duration::from_secs(10);

/// Runs something on one thread, in a time that passes only while nothing else happens.
pub(crate) fn run(world: impl Future<Output = ()>) {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a thread and a clock are there").block_on(world);
}

/// Lets everybody do what there is to do.
pub(crate) async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

/// A server with connections in memory.
pub(crate) struct MemoryServer {
    arrivals: mpsc::UnboundedSender<Arrival>,
    /// `None` once it has been told to stop.
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<()>,
}

impl MemoryServer {
    /// Opens a server that goes on with the lobbies of this storage. All it has of chance is this seed;
    /// thoughts are thought at once.
    pub(crate) fn open(memory: &Memory, seed: u64, bots: bool) -> Self {
        let (arrivals, accepted) = mpsc::unbounded_channel();
        let accepted = Listener(tokio::sync::Mutex::new(accepted));
        let config = Config { seed, bots, thinkers: Some(0), ..Config::default() };
        let opened = Server::on_with_storage(accepted, config, Box::new(memory.clone()));
        let (server, found) = opened.expect("memory can always be read");
        assert_eq!(found.damaged, [], "all that was recorded can be trusted");
        let (stop, stopped) = oneshot::channel();
        let serving = tokio::spawn(server.run(async {
            let _ = stopped.await;
        }));
        Self { arrivals, stop: Some(stop), serving }
    }

    /// Somebody connects from this address.
    pub(crate) fn connect(&self, address: IpAddr) -> Line {
        let (here, there) = tokio::io::duplex(ON_THE_WAY);
        let said = Said::default();
        let arrival = Arrival {
            incoming: Box::new(there),
            outgoing: Box::new(said.clone()),
            peer: SocketAddr::new(address, 40_000),
        };
        assert!(self.arrivals.send(arrival).is_ok(), "the server takes connections in");
        Line { to_server: Some(here), said }
    }

    /// Has the server stop, which takes it a bounded time.
    pub(crate) async fn close(&mut self) {
        let told = self.stop.take().is_some_and(|stop| stop.send(()).is_ok());
        assert!(told, "the server has not stopped by itself");
        let stopped = tokio::time::timeout(STOPS_WITHIN, &mut self.serving).await;
        stopped.expect("the server stops in time").expect("the server has not panicked");
    }
}

/// A connection, seen from the client.
pub(crate) struct Line {
    /// `None` once the client has closed this direction.
    to_server: Option<DuplexStream>,
    said: Said,
}

impl Line {
    /// Says these bytes. They are dropped if the server does not listen any more.
    pub(crate) async fn say(&mut self, bytes: &[u8]) {
        if let Some(to_server) = &mut self.to_server
            && to_server.write_all(bytes).await.is_err()
        {
            self.to_server = None;
        }
    }

    /// Says nothing more.
    pub(crate) fn hush(&mut self) {
        self.to_server = None;
    }

    /// What the server has said since it was asked last.
    pub(crate) fn hear(&self) -> Vec<u8> {
        let mut ear = self.said.0.lock();
        let heard = std::mem::take(&mut ear.bytes);
        ear.wake();
        heard
    }

    /// Limits how many bytes may wait to be read.
    pub(crate) fn narrow(&self, room: usize) {
        self.said.0.lock().room = room;
    }

    /// Whether the server has closed its direction.
    pub(crate) fn is_over(&self) -> bool {
        self.said.0.lock().shut || Arc::strong_count(&self.said.0) == 1
    }
}

/// What a server says to one client.
#[derive(Debug, Clone, Default)]
struct Said(Arc<Mutex<Ear>>);

#[derive(Debug)]
struct Ear {
    bytes: Vec<u8>,
    /// How many bytes may wait here.
    room: usize,
    shut: bool,
    waker: Option<Waker>,
}

impl Default for Ear {
    fn default() -> Self {
        Self { bytes: Vec::new(), room: usize::MAX, shut: false, waker: None }
    }
}

impl Ear {
    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    fn is_full(&self) -> bool {
        self.bytes.len() >= self.room
    }
}

impl Socket for Said {
    fn try_write(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut ear = self.0.lock();
        assert!(!ear.shut, "nothing is sent after the end");
        if ear.is_full() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let before = ear.bytes.len();
        for part in parts {
            let room = ear.room - ear.bytes.len();
            ear.bytes.extend_from_slice(&part[..part.len().min(room)]);
        }
        Ok(ear.bytes.len() - before)
    }

    fn poll_writable(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut ear = self.0.lock();
        if ear.is_full() {
            ear.waker = Some(context.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(Ok(()))
    }

    fn shut(&self) -> io::Result<()> {
        self.0.lock().shut = true;
        Ok(())
    }
}

/// Where connections come in.
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
