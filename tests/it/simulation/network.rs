//! The simulated network, behind the traits of server and client.

use std::fmt;
use std::io::{self, IoSlice};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use nim::client::dial::{Dial, Dialing, Stream};
use nim::client::{Address, Failure};
use nim::server::{Arrival, Listen, Socket};
use parking_lot::{Mutex, MutexGuard};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use turmoil::net::{TcpListener, TcpStream};

/// The server's port.
pub(super) const PORT: u16 = 7646;

/// The timeout for opening a connection.
const CONNECT: Duration = Duration::from_secs(2);

/// The listener of a simulated server.
pub(super) struct SimListener(TcpListener);

impl SimListener {
    pub(super) async fn open() -> io::Result<Self> {
        TcpListener::bind(("0.0.0.0", PORT)).await.map(Self)
    }
}

impl fmt::Debug for SimListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SimListener")
    }
}

impl Listen for SimListener {
    async fn accept(&self) -> io::Result<Arrival> {
        let (stream, peer) = self.0.accept().await?;
        let plug = SimSocket(Arc::new(Mutex::new(stream)));
        Ok(Arrival { incoming: Box::new(plug.clone()), outgoing: Box::new(plug), peer })
    }
}

/// The server's end of a simulated connection.
#[derive(Debug, Clone)]
struct SimSocket(Arc<Mutex<TcpStream>>);

impl SimSocket {
    fn stream(&self) -> MutexGuard<'_, TcpStream> {
        self.0.lock()
    }
}

impl AsyncRead for SimSocket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.stream()).poll_read(context, buffer)
    }
}

impl Socket for SimSocket {
    fn try_write(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let bytes: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied()).collect();
        self.stream().try_write(&bytes)
    }

    fn poll_writable(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let stream = self.stream();
        let writable = pin!(stream.writable());
        writable.poll(context)
    }

    fn shut(&self) -> io::Result<()> {
        let mut context = Context::from_waker(Waker::noop());
        match Pin::new(&mut *self.stream()).poll_shutdown(&mut context) {
            Poll::Ready(shut) => shut,
            Poll::Pending => Ok(()),
        }
    }
}

/// A client's dialer on the simulated network.
#[derive(Debug)]
pub(super) struct SimNetwork;

impl Dial for SimNetwork {
    fn dial<'a>(&'a self, address: &'a Address, default_port: u16) -> Dialing<'a> {
        Box::pin(async move {
            let port = address.port.unwrap_or(default_port);
            let failed = |why: String| Failure::Unreachable { address: address.clone(), port, why };
            let connecting = TcpStream::connect((address.host.as_str(), port));
            let connected = tokio::time::timeout(CONNECT, connecting).await;
            let stream = connected
                .map_err(|_| failed("no answer".into()))?
                .map_err(|error| failed(error.to_string()))?;
            Ok(Box::new(stream) as Box<dyn Stream>)
        })
    }
}
