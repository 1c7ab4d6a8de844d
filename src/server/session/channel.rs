//! A connection to another server, over which whole frames go both ways. It does not know what is in them.

use std::future::poll_fn;
use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::server::peers::PeerStream;
use crate::wire::{first_body, frame_length};

/// How much is read at once. The buffer is on the stack, so that a silent connection has none.
const READ_SIZE: usize = 4 * 1024;

/// The connection.
#[derive(Debug)]
pub(super) struct Channel {
    stream: Box<dyn PeerStream>,
    /// What has arrived, up to the end of a frame that is not whole yet.
    inbox: BytesMut,
    /// What is not written yet.
    outbox: BytesMut,
    /// Whether what was written may still be in a buffer of the stream.
    is_unflushed: bool,
}

impl Channel {
    pub(super) fn new(stream: Box<dyn PeerStream>) -> Self {
        Self { stream, inbox: BytesMut::new(), outbox: BytesMut::new(), is_unflushed: false }
    }

    /// Whether all frames were written, so that the next one has room.
    pub(super) fn has_room(&self) -> bool {
        self.outbox.is_empty()
    }

    /// Has a frame written when [`poll_send`](Self::poll_send) is called next.
    pub(super) fn put(&mut self, frame: &[u8]) {
        self.outbox.extend_from_slice(frame);
    }

    /// Writes what waits, as the stream takes it.
    pub(super) fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.outbox.is_empty() {
            match ready!(Pin::new(&mut self.stream).poll_write(context, &self.outbox))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                written => self.outbox.advance(written),
            }
            self.is_unflushed = true;
        }
        if self.is_unflushed {
            ready!(Pin::new(&mut self.stream).poll_flush(context))?;
            // A silent connection keeps no memory.
            (self.outbox, self.is_unflushed) = (BytesMut::new(), false);
        }
        Poll::Ready(Ok(()))
    }

    /// The next frame, with its length in front; an error at the end.
    pub(super) fn poll_frame(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Bytes>> {
        loop {
            let body = first_body(&self.inbox).map_err(|error| io::Error::other(error.to_string()))?;
            if let Some(length) = body.map(frame_length) {
                // A copy: a part of the buffer would keep all of it for a client that reads slowly.
                let frame = Bytes::copy_from_slice(&self.inbox[..length]);
                self.inbox.advance(length);
                return Poll::Ready(Ok(frame));
            }
            if self.inbox.is_empty() {
                self.inbox = BytesMut::new();
            }
            let mut scratch = [const { MaybeUninit::uninit() }; READ_SIZE];
            let mut scratch = ReadBuf::uninit(&mut scratch);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut scratch))?;
            if scratch.filled().is_empty() {
                return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
            }
            self.inbox.extend_from_slice(scratch.filled());
        }
    }

    /// Writes all that waits.
    pub(super) async fn send(&mut self) -> io::Result<()> {
        poll_fn(|context| self.poll_send(context)).await
    }

    /// Waits for the next frame.
    pub(super) async fn frame(&mut self) -> io::Result<Bytes> {
        poll_fn(|context| self.poll_frame(context)).await
    }
}
