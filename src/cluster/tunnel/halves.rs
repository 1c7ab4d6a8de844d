//! A tunnel as a server uses it: one task reads, and many write, none of which waits for the connection.

use std::fmt;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::oneshot;

use super::framed::Tunnel;
use crate::server::Socket;

/// The reading half. Its task also writes what the connection did not take when somebody wrote. Dropping it ends the
/// tunnel.
pub struct TunnelReader<S: AsyncWrite + Unpin> {
    shared: Arc<Mutex<Shared<S>>>,
    _ended: oneshot::Sender<()>,
}

/// The writing half.
pub struct TunnelWriter<S>(Arc<Mutex<Shared<S>>>);

/// Keeps the tunnel: dropping it cuts the tunnel, as the death of this node does.
pub struct TunnelGuard<S> {
    shared: Arc<Mutex<Shared<S>>>,
    ended: oneshot::Receiver<()>,
}

/// What both halves use. It is locked for one call, which never waits.
struct Shared<S> {
    /// `None` once it has ended.
    tunnel: Option<Tunnel<S>>,
    /// The task that reads.
    reader: Waker,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Tunnel<S> {
    /// Its halves, and what keeps it.
    pub fn split(self) -> (TunnelReader<S>, TunnelWriter<S>, TunnelGuard<S>) {
        let shared = Shared { tunnel: Some(self), reader: Waker::noop().clone() };
        let (shared, (ended, noticed)) = (Arc::new(Mutex::new(shared)), oneshot::channel());
        let reader = TunnelReader { shared: Arc::clone(&shared), _ended: ended };
        (reader, TunnelWriter(Arc::clone(&shared)), TunnelGuard { shared, ended: noticed })
    }
}

impl<S> TunnelGuard<S> {
    /// Waits until the reading half is dropped.
    pub async fn ended(&mut self) {
        // Nothing is ever sent.
        let _ = (&mut self.ended).await;
    }
}

impl<S> Drop for TunnelGuard<S> {
    fn drop(&mut self) {
        let mut shared = self.shared.lock();
        shared.tunnel = None;
        shared.reader.wake_by_ref();
    }
}

impl<S: AsyncWrite + Unpin> Drop for TunnelReader<S> {
    fn drop(&mut self) {
        if let Some(mut tunnel) = self.shared.lock().tunnel.take() {
            // If the connection does not take this now, it is cut.
            let _ = Pin::new(&mut tunnel).poll_shutdown(&mut Context::from_waker(Waker::noop()));
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for TunnelReader<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut shared = self.shared.lock();
        shared.reader.clone_from(context.waker());
        let Some(tunnel) = &mut shared.tunnel else { return Poll::Ready(Ok(())) };
        // An error occurs again when somebody writes.
        let _ = tunnel.poll_rest(context);
        Pin::new(tunnel).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> Shared<S> {
    /// Does this with the tunnel on behalf of the task that reads, which is woken when the connection takes more.
    fn with<T>(
        &mut self,
        work: impl FnOnce(Pin<&mut Tunnel<S>>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> io::Result<Poll<T>> {
        let tunnel = self.tunnel.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        match work(Pin::new(tunnel), &mut Context::from_waker(&self.reader)) {
            Poll::Ready(done) => done.map(Poll::Ready),
            Poll::Pending => Ok(Poll::Pending),
        }
    }
}

impl<S: AsyncWrite + Send + Unpin> Socket for TunnelWriter<S> {
    fn try_write(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut shared = self.0.lock();
        let Poll::Ready(count) = shared.with(|tunnel, context| tunnel.poll_write_vectored(context, parts))?
        else {
            return Err(io::ErrorKind::WouldBlock.into());
        };
        // What it does not take waits for the task that reads.
        let _ = shared.with(AsyncWrite::poll_flush)?;
        Ok(count)
    }

    fn poll_writable(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.0.lock().tunnel {
            Some(tunnel) => Pin::new(tunnel).poll_flush(context),
            None => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
        }
    }

    fn shut(&self) -> io::Result<()> {
        self.0.lock().with(AsyncWrite::poll_shutdown).map(drop)
    }
}

impl<S> fmt::Debug for TunnelWriter<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TunnelWriter(…)")
    }
}
