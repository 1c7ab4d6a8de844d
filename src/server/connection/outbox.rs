//! The frames that could not be written to a connection yet, in order.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker, ready};

use bytes::{Buf, Bytes};

use crate::server::socket::Outgoing;
use crate::wire::{Farewell, first_body, frame_length};

/// The most frames in one write: those that one request causes, or the first that wait for a slow client.
const MAX_TOGETHER: usize = 8;

/// The most bytes that wait for a client that does not read: seconds of the busiest lobby, and little
/// enough that a thousand such clients cost the server 64 MiB.
pub(super) const MAX_WAITING: usize = 64 * 1024;

/// A point that the journal has to reach before something is sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::server) struct CommitMark(u64);

impl CommitMark {
    /// Advances to the next mark.
    pub(in crate::server) fn step(&mut self) {
        self.0 += 1;
    }
}

/// The last mark that the journal has reached.
#[derive(Debug, Default)]
pub(in crate::server) struct Recorded(AtomicU64);

impl Recorded {
    /// Whether it has reached this mark.
    pub(in crate::server) fn has(&self, mark: CommitMark) -> bool {
        self.0.load(Ordering::Acquire) >= mark.0
    }

    /// Notes that the journal has reached this mark.
    pub(in crate::server) fn reach(&self, mark: CommitMark) {
        self.0.store(mark.0, Ordering::Release);
    }
}

/// Why nothing more is written.
#[derive(Debug, Clone)]
pub(in crate::server) enum Closing {
    /// The server ends the connection.
    Farewell(Farewell),
    /// The socket does not work any more.
    Broken,
}

/// The frames that wait, and the task that writes them.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    /// Frames that may be sent, in order: the first one may be partly written.
    waiting: VecDeque<Bytes>,
    /// Frames that follow once the journal has reached the mark of each.
    deferred: VecDeque<(CommitMark, Bytes)>,
    /// How many bytes wait, deferred ones included.
    pub(super) bytes: usize,
    /// Set once no more frames are accepted: the connection is to be ended, or is broken.
    pub(super) closing: Option<Closing>,
    /// The connection's own task, which writes what waits.
    task: Option<Waker>,
}

impl Outbox {
    /// Whether there is room for this frame. A client that leaves more than [`MAX_WAITING`] bytes unread is
    /// disconnected.
    pub(super) fn admits(&mut self, frame: &Bytes) -> bool {
        let fits = self.bytes + frame.len() <= MAX_WAITING;
        if !fits {
            self.closing = Some(Closing::Farewell(Farewell::Behind));
        }
        fits
    }

    /// The mark for which the last frame is deferred, if any is.
    pub(super) fn last_mark(&self) -> Option<CommitMark> {
        self.deferred.back().map(|(mark, _)| *mark)
    }

    pub(super) fn defer(&mut self, mark: CommitMark, frame: Bytes) {
        self.bytes += frame.len();
        self.deferred.push_back((mark, frame));
    }

    /// Moves the deferred frames whose marks are reached to those that wait. Returns whether there were any.
    pub(super) fn release(&mut self, recorded: &Recorded) -> bool {
        let due = self.deferred.iter().take_while(|(mark, _)| recorded.has(*mark)).count();
        self.waiting.extend(self.deferred.drain(..due).map(|(_, frame)| frame));
        due > 0
    }

    /// Drops all deferred frames.
    pub(super) fn drop_deferred(&mut self) {
        self.deferred.clear();
        self.count();
    }

    pub(super) fn push(&mut self, frame: Bytes) {
        // An empty frame would never count as written.
        if !frame.is_empty() {
            self.bytes += frame.len();
            self.waiting.push_back(frame);
        }
    }

    /// Writes a frame if nothing waits; what the socket does not take waits after all else.
    pub(super) fn write_or_push(&mut self, socket: &Outgoing, mut frame: Bytes) {
        // An error occurs again when the rest is written.
        if self.waiting.is_empty()
            && let Ok(written) = socket.try_write(&[IoSlice::new(&frame)])
        {
            frame.advance(written);
        }
        self.push(frame);
    }

    /// Writes what waits, as far as the socket takes it; `true` if nothing waits any more.
    pub(super) fn flush(&mut self, socket: &Outgoing) -> io::Result<bool> {
        while !self.waiting.is_empty() {
            match self.write(socket) {
                Ok(written) => self.note_written(written),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        // Its memory is freed.
        self.waiting = VecDeque::new();
        Ok(true)
    }

    /// Writes all that waits, as the socket takes it.
    pub(super) fn poll_flush(
        &mut self,
        socket: &Outgoing,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        while !self.flush(socket)? {
            ready!(socket.poll_writable(context))?;
        }
        Poll::Ready(Ok(()))
    }

    /// Registers the task to wake when there is something to write.
    pub(super) fn wake_later(&mut self, task: &Waker) {
        if !self.task.as_ref().is_some_and(|known| known.will_wake(task)) {
            self.task = Some(task.clone());
        }
    }

    /// Wakes the connection's own task. One that is not registered yet looks before it waits.
    pub(super) fn wake(&mut self) {
        if let Some(task) = self.task.take() {
            task.wake();
        }
    }

    /// Drops every frame of which no byte was written; one that was begun has to be completed.
    pub(super) fn drop_unsent(&mut self) {
        let begun = self.waiting.front().is_some_and(|frame| !is_whole(frame));
        self.waiting.truncate(usize::from(begun));
        self.count();
    }

    fn count(&mut self) {
        let deferred = self.deferred.iter().map(|(_, frame)| frame);
        self.bytes = self.waiting.iter().chain(deferred).map(Bytes::len).sum();
    }

    /// Makes one write, of several frames together.
    fn write(&self, socket: &Outgoing) -> io::Result<usize> {
        let mut parts = [IoSlice::new(&[]); MAX_TOGETHER];
        for (part, frame) in parts.iter_mut().zip(&self.waiting) {
            *part = IoSlice::new(frame);
        }
        socket.try_write(&parts[..self.waiting.len().min(MAX_TOGETHER)])
    }

    fn note_written(&mut self, mut written: usize) {
        self.bytes -= written;
        while let Some(frame) = self.waiting.front_mut().filter(|_| written > 0) {
            let of_this = written.min(frame.len());
            frame.advance(of_this);
            written -= of_this;
            if frame.is_empty() {
                self.waiting.pop_front();
            }
        }
    }
}

/// Whether these bytes are a whole frame rather than the rest of one: the length in front says so.
fn is_whole(frame: &Bytes) -> bool {
    matches!(first_body(frame), Ok(Some(body)) if frame_length(body) == frame.len())
}
