//! What could not be written to a connection yet, in order. It knows frames and marks, and no people.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::task::{Context, Poll, Waker, ready};

use bytes::{Buf, Bytes};

use crate::server::commit::{CommitMark, Recorded};
use crate::server::socket::Outgoing;
use crate::wire::{Farewell, first_body, frame_length};

/// The most frames that are written at once: what comes of one request, and the first of what waits for a
/// slow client.
const MAX_TOGETHER: usize = 8;

/// Why nothing more is written.
#[derive(Debug, Clone)]
pub(in crate::server) enum Closing {
    /// The server ends it.
    Farewell(Farewell),
    /// The socket does not work any more.
    Broken,
}

/// The frames that wait, and who sees to them.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    /// What could not be written yet; `None` if there is nothing, as is so most of the time for most
    /// connections.
    rest: Option<Box<Rest>>,
    /// Nothing more is taken: the connection is to be ended with this word, or is broken.
    pub(super) closing: Option<Closing>,
    /// The connection's own task, which is to see to what waits.
    task: Option<Waker>,
}

/// Frames that could not be written yet.
#[derive(Debug, Default)]
struct Rest {
    /// What may be told, in order: the first one may have been begun.
    waiting: VecDeque<Bytes>,
    /// Messages that follow once the journal has reached each frame's mark.
    held: VecDeque<(CommitMark, Bytes)>,
    /// Of both together.
    bytes: usize,
}

impl Outbox {
    /// How many bytes wait and are held.
    pub(super) fn bytes(&self) -> usize {
        self.rest.as_ref().map_or(0, |rest| rest.bytes)
    }

    /// The mark for which the last frame is held, if any is.
    pub(super) fn last_mark(&self) -> Option<CommitMark> {
        self.rest.as_ref()?.held.back().map(|(mark, _)| *mark)
    }

    /// Whether something waits that may be told.
    pub(super) fn has_waiting(&self) -> bool {
        self.rest.as_ref().is_some_and(|rest| !rest.waiting.is_empty())
    }

    pub(super) fn hold(&mut self, mark: CommitMark, frame: Bytes) {
        let rest = self.rest.get_or_insert_default();
        rest.bytes += frame.len();
        rest.held.push_back((mark, frame));
    }

    /// Whether anything of what is held may be told now.
    pub(super) fn release(&mut self, recorded: &Recorded) -> bool {
        self.rest.as_mut().is_some_and(|rest| rest.release(recorded))
    }

    /// What is held is never told.
    pub(super) fn let_go(&mut self) {
        if let Some(rest) = &mut self.rest {
            rest.held.clear();
            rest.count();
        }
    }

    pub(super) fn push(&mut self, frame: Bytes) {
        // Of nothing no byte would ever be written.
        if !frame.is_empty() {
            let rest = self.rest.get_or_insert_default();
            rest.bytes += frame.len();
            rest.waiting.push_back(frame);
        }
    }

    /// Writes a frame if nothing waits; what the socket does not take waits after all else.
    pub(super) fn write_or_push(&mut self, socket: &Outgoing, mut frame: Bytes) {
        // An error shows itself again when the rest is written.
        if !self.has_waiting()
            && let Ok(written) = socket.try_write(&[IoSlice::new(&frame)])
        {
            frame.advance(written);
        }
        self.push(frame);
    }

    /// Writes what waits, as far as the socket takes it; `true` if nothing waits any more.
    pub(super) fn flush(&mut self, socket: &Outgoing) -> io::Result<bool> {
        let Some(rest) = &mut self.rest else { return Ok(true) };
        while !rest.waiting.is_empty() {
            match rest.write(socket) {
                Ok(written) => rest.note_written(written),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        // The room for it is not kept.
        self.rest.take_if(|rest| rest.held.is_empty());
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

    /// Has this task woken when there is something for it to see to.
    pub(super) fn wake_later(&mut self, task: &Waker) {
        if !self.task.as_ref().is_some_and(|known| known.will_wake(task)) {
            self.task = Some(task.clone());
        }
    }

    /// Wakes the connection's own task; if it is not there yet, it looks before it waits.
    pub(super) fn wake(&mut self) {
        if let Some(task) = self.task.take() {
            task.wake();
        }
    }

    /// Drops every frame of which no byte has gone out; one that was begun has to be ended.
    pub(super) fn forget(&mut self) {
        if let Some(rest) = &mut self.rest {
            let begun = rest.waiting.front().is_some_and(|frame| !is_whole(frame));
            rest.waiting.truncate(usize::from(begun));
            rest.count();
        }
    }
}

impl Rest {
    fn count(&mut self) {
        let held = self.held.iter().map(|(_, frame)| frame);
        self.bytes = self.waiting.iter().chain(held).map(Bytes::len).sum();
    }

    /// Whether anything of what is held may be told now.
    fn release(&mut self, recorded: &Recorded) -> bool {
        let due = self.held.iter().take_while(|(mark, _)| recorded.has(*mark)).count();
        self.waiting.extend(self.held.drain(..due).map(|(_, frame)| frame));
        due > 0
    }

    /// Writes once, of several frames together.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A whole frame.
    fn frame() -> Bytes {
        Bytes::from_static(&[0, 0, 0, 2, 7, 7])
    }

    #[test]
    fn a_frame_that_was_begun_is_not_forgotten() {
        let mut outbox = Outbox::default();
        for _ in 0..3 {
            outbox.push(frame());
        }
        let rest = |outbox: &mut Outbox| outbox.rest.take().unwrap();
        let mut begun = rest(&mut outbox);
        begun.waiting[0].advance(1);
        begun.bytes -= 1;
        outbox.rest = Some(begun);
        outbox.forget();
        let begun = rest(&mut outbox);
        assert_eq!((begun.waiting.len(), begun.bytes), (1, 5));
        outbox.push(frame());
        outbox.forget();
        let whole = rest(&mut outbox);
        assert_eq!((whole.waiting.len(), whole.bytes), (0, 0));
    }
}
