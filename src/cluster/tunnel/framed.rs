//! A tunnel: a stream of bytes in frames over another stream. It does not know what the bytes mean.

use std::fmt;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::frame::{FrameReader, FrameWriter};
use super::mac::MacKey;

/// The most bytes that are read of the connection at once.
const READ: usize = 4 * 1024;

/// A connection between two nodes that carries the bytes of one client.
///
/// What is read is what the other node wrote, or an error that holds
/// [`FrameError`](super::FrameError): of kind [`InvalidData`](io::ErrorKind::InvalidData) if somebody changed
/// anything on the way, of kind [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) if the connection was cut. Only a
/// shutdown at the other node ends the stream without an error; bytes then still go in the other direction.
///
/// A write takes at most [`MAX_CONTENT`](super::MAX_CONTENT) bytes, and what the connection does not take at once
/// waits for the next write or flush. So flush before waiting for an answer. Each direction holds less than two
/// frames, and nothing while it is silent.
pub struct Tunnel<S> {
    stream: S,
    incoming: FrameReader,
    outgoing: FrameWriter,
    /// Frames that the connection has not taken yet.
    waiting: BytesMut,
    is_shut: bool,
}

impl<S> Tunnel<S> {
    /// A tunnel over this connection, with the keys of what comes in and of what goes out.
    pub(super) fn new(stream: S, incoming: MacKey, outgoing: MacKey) -> Self {
        Self {
            stream,
            incoming: FrameReader::new(incoming),
            outgoing: FrameWriter::new(outgoing),
            waiting: BytesMut::new(),
            is_shut: false,
        }
    }
}

impl<S> fmt::Debug for Tunnel<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What clients say is no business of a log.
        f.debug_struct("Tunnel").field("is_shut", &self.is_shut).finish_non_exhaustive()
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Tunnel<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        while buffer.remaining() > 0 && !this.incoming.give(buffer)? {
            let mut space = [MaybeUninit::uninit(); READ];
            let mut arrived = ReadBuf::uninit(&mut space);
            ready!(Pin::new(&mut this.stream).poll_read(context, &mut arrived))?;
            this.incoming.add(arrived.filled());
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> Tunnel<S> {
    /// Writes all frames that wait.
    fn poll_waiting(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.waiting.is_empty() {
            let count = ready!(Pin::new(&mut self.stream).poll_write(context, &self.waiting))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.waiting.advance(count);
        }
        // A silent connection keeps no memory.
        self.waiting = BytesMut::new();
        Poll::Ready(Ok(()))
    }

    /// Goes on with what was written, and with the shutdown if there was one.
    pub(super) fn poll_rest(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.is_shut { Pin::new(self).poll_shutdown(context) } else { Pin::new(self).poll_flush(context) }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Tunnel<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(bytes)])
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.is_shut {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        if parts.iter().all(|part| part.is_empty()) {
            return Poll::Ready(Ok(0));
        }
        ready!(this.poll_waiting(context))?;
        let count = this.outgoing.write(parts, &mut this.waiting);
        match this.poll_waiting(context) {
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Ready(Ok(())) | Poll::Pending => Poll::Ready(Ok(count)),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_waiting(context))?;
        Pin::new(&mut this.stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.is_shut {
            this.outgoing.end(&mut this.waiting);
            this.is_shut = true;
        }
        ready!(this.poll_waiting(context))?;
        Pin::new(&mut this.stream).poll_shutdown(context)
    }
}
