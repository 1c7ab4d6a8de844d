//! A connection inside this process, by which the web site reaches the server as any other client does.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::{Buf, BytesMut};
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::socket::{Incoming, Outgoing, Socket};

/// The bytes that wait in one direction before the writer has to wait: as many as a socket's send buffer holds.
const CAPACITY: usize = 64 * 1024;

/// One end of the connection.
#[derive(Debug)]
pub struct Pipe {
    incoming: Half,
    outgoing: Half,
}

impl Pipe {
    /// Both ends of a new connection.
    pub fn pair() -> (Self, Self) {
        let [there, back] = [(); 2].map(|()| Arc::<Mutex<Queue>>::default());
        let end = |incoming: &Arc<_>, outgoing: &Arc<_>| Self {
            incoming: Half(Arc::clone(incoming)),
            outgoing: Half(Arc::clone(outgoing)),
        };
        (end(&back, &there), end(&there, &back))
    }

    /// Its two directions, as the server uses them.
    pub(super) fn split(self) -> (Incoming, Outgoing) {
        (Box::new(self.incoming), Box::new(self.outgoing))
    }
}

/// One direction of the connection, as one end sees it. Dropping it closes the direction.
#[derive(Debug)]
struct Half(Arc<Mutex<Queue>>);

/// The bytes on their way in one direction.
#[derive(Debug, Default)]
struct Queue {
    bytes: BytesMut,
    is_closed: bool,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

impl Queue {
    fn close(&mut self) {
        self.is_closed = true;
        self.reader.take().into_iter().chain(self.writer.take()).for_each(Waker::wake);
    }

    /// Takes as many of these bytes as fit.
    fn write(&mut self, bytes: &[u8]) -> usize {
        let count = bytes.len().min(CAPACITY.saturating_sub(self.bytes.len()));
        self.bytes.extend_from_slice(&bytes[..count]);
        count
    }
}

impl Half {
    fn poll_read(&self, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let mut queue = self.0.lock();
        if queue.bytes.is_empty() && !queue.is_closed {
            queue.reader = Some(context.waker().clone());
            return Poll::Pending;
        }
        let count = queue.bytes.len().min(buffer.remaining());
        buffer.put_slice(&queue.bytes[..count]);
        queue.bytes.advance(count);
        if queue.bytes.is_empty() {
            // A silent connection keeps no memory.
            queue.bytes = BytesMut::new();
        }
        queue.writer.take().into_iter().for_each(Waker::wake);
        Poll::Ready(Ok(()))
    }

    fn try_write(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut queue = self.0.lock();
        if queue.is_closed {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let count = parts.iter().map(|part| queue.write(part)).sum();
        if count == 0 && parts.iter().any(|part| !part.is_empty()) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        queue.reader.take().into_iter().for_each(Waker::wake);
        Ok(count)
    }

    fn poll_writable(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut queue = self.0.lock();
        if queue.bytes.len() < CAPACITY || queue.is_closed {
            return Poll::Ready(());
        }
        queue.writer = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Half {
    fn drop(&mut self) {
        self.0.lock().close();
    }
}

impl AsyncRead for Half {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Self::poll_read(&self, context, buffer)
    }
}

impl Socket for Half {
    fn try_write(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.try_write(parts)
    }

    fn poll_writable(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_writable(context).map(Ok)
    }

    fn shut(&self) -> io::Result<()> {
        self.0.lock().close();
        Ok(())
    }
}

impl AsyncRead for Pipe {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.incoming.poll_read(context, buffer)
    }
}

impl AsyncWrite for Pipe {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        std::task::ready!(self.outgoing.poll_writable(context));
        match self.outgoing.try_write(&[IoSlice::new(bytes)]) {
            // Somebody else has filled it in between.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                context.waker().wake_by_ref();
                Poll::Pending
            }
            written => Poll::Ready(written),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.outgoing.shut())
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn what_one_end_writes_the_other_reads_and_a_dropped_end_is_an_end_of_file() {
        let (mut one, mut other) = Pipe::pair();
        one.write_all(b"move").await.unwrap();
        let mut read = [0; 4];
        other.read_exact(&mut read).await.unwrap();
        assert_eq!(&read, b"move");
        other.write_all(b"last").await.unwrap();
        drop(other);
        let mut rest = Vec::new();
        one.read_to_end(&mut rest).await.unwrap();
        assert_eq!(rest, b"last");
        assert_eq!(one.write_all(b"late").await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }

    #[tokio::test]
    async fn a_writer_waits_while_the_other_end_does_not_read() {
        let (one, mut other) = Pipe::pair();
        let (_incoming, outgoing) = one.split();
        let much = vec![7; CAPACITY + 1];
        assert_eq!(outgoing.try_write(&[IoSlice::new(&much)]).unwrap(), CAPACITY);
        let full = outgoing.try_write(&[IoSlice::new(&much)]).unwrap_err();
        assert_eq!(full.kind(), io::ErrorKind::WouldBlock);
        let writable = std::future::poll_fn(|context| outgoing.poll_writable(context));
        let mut read = vec![0; CAPACITY];
        let (writable, all) = tokio::join!(writable, other.read_exact(&mut read));
        assert_eq!((writable.is_ok(), all.unwrap()), (true, CAPACITY));
    }
}
