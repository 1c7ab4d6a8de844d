//! The outgoing side of one connection, to which all tasks of its lobby write.

mod outbox;
#[cfg(test)]
pub(super) mod tests;

use std::io::{self, IoSlice};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use outbox::Outbox;
pub(super) use outbox::{Closing, CommitMark, Recorded};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

use super::limits::AddressLimits;
use super::names::NameClaim;
use super::socket::Outgoing;
use crate::lobby::Name;
use crate::number::millis;
use crate::wire::{Farewell, ToClient, encode};

/// A connection's socket, and what could not be written to it yet.
///
/// A message is written to the socket by the task that sends it. Only what the socket does not take waits,
/// and is written by the connection's own task when the socket is ready again. A message that depends on an
/// unrecorded event is deferred until the event is recorded, and so is all that is sent after it.
#[derive(Debug)]
pub(super) struct Connection {
    socket: Outgoing,
    /// Given back when the socket is closed; `None` for a connection inside this process, and for one of another server.
    _place: Option<OwnedSemaphorePermit>,
    /// The rate limits of its address.
    limits: Arc<AddressLimits>,
    /// When the connection was accepted.
    since: Instant,
    /// Whether its client is connected to another server, which carries it here.
    is_carried: bool,
    /// When the last request came over it, in milliseconds after `since`.
    last_request: AtomicU64,
    /// Whether its seat is in a game that is being played.
    is_playing: AtomicBool,
    /// Whether the host has muted it.
    is_muted: AtomicBool,
    /// The name of its client; of no claim before the welcome.
    name: Mutex<Weak<NameClaim>>,
    /// Held for one write at most, which never blocks.
    outbox: Mutex<Outbox>,
}

impl Connection {
    pub(super) fn new(
        socket: Outgoing,
        limits: Arc<AddressLimits>,
        place: Option<OwnedSemaphorePermit>,
        is_carried: bool,
    ) -> Self {
        Self {
            socket,
            _place: place,
            limits,
            since: Instant::now(),
            is_carried,
            last_request: AtomicU64::default(),
            is_playing: AtomicBool::default(),
            is_muted: AtomicBool::default(),
            name: Mutex::default(),
            outbox: Mutex::default(),
        }
    }

    /// The address of the other end, as the limits count it.
    pub(super) fn address(&self) -> IpAddr {
        self.limits.address()
    }

    /// The rate limits of that address.
    pub(super) fn limits(&self) -> &Arc<AddressLimits> {
        &self.limits
    }

    /// Whether its client is connected to another server, which carries it here.
    pub(super) fn is_carried(&self) -> bool {
        self.is_carried
    }

    /// Notes that a request has arrived.
    pub(super) fn note_request(&self) {
        self.last_request.store(millis(self.since.elapsed()), Ordering::Relaxed);
    }

    /// Whether its seat is in a game that is being played.
    pub(super) fn set_playing(&self, is_playing: bool) {
        self.is_playing.store(is_playing, Ordering::Relaxed);
    }

    /// Notes the name of its client, who was welcomed.
    pub(super) fn set_name(&self, name: &Arc<NameClaim>) {
        *self.name.lock() = Arc::downgrade(name);
    }

    /// The name of its client; `None` before the welcome and after the end.
    pub(super) fn name(&self) -> Option<Name> {
        self.name.lock().upgrade().map(|name| name.name().clone())
    }

    /// Whether the host has muted it, apart from its address.
    pub(super) fn is_muted(&self) -> bool {
        self.is_muted.load(Ordering::Relaxed)
    }

    /// Mutes it until it ends, or takes that back.
    pub(super) fn set_muted(&self, is_muted: bool) {
        self.is_muted.store(is_muted, Ordering::Relaxed);
    }

    /// How long no request has arrived.
    pub(super) fn idle(&self) -> Duration {
        let last = Duration::from_millis(self.last_request.load(Ordering::Relaxed));
        self.since.elapsed().saturating_sub(last)
    }

    /// When its last request arrived; `None` if its seat is in a game that is being played.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let is_idle = !self.is_playing.load(Ordering::Relaxed);
        is_idle.then(|| self.since + Duration::from_millis(self.last_request.load(Ordering::Relaxed)))
    }

    /// Sends one message.
    pub(super) fn send(&self, message: &ToClient) {
        self.send_frame(encode(message));
    }

    /// Sends a whole frame after all that was sent before: now if the socket takes it, else as soon as it
    /// does. A client that leaves more than `MAX_WAITING` bytes unread is disconnected.
    pub(super) fn send_frame(&self, frame: Bytes) {
        self.enqueue(|| None, frame, false);
    }

    /// Sends a frame after all others, and after this mark if there is one. The mark is computed under the
    /// lock, so that no frame is deferred for a mark that has been reached.
    fn enqueue(&self, mark: impl FnOnce() -> Option<CommitMark>, frame: Bytes, more: bool) {
        let mut outbox = self.outbox.lock();
        if outbox.closing.is_some() {
            return;
        }
        if outbox.admits(&frame) {
            if let Some(mark) = mark().max(outbox.last_mark()) {
                outbox.defer(mark, frame);
            } else if more {
                outbox.push(frame);
            } else {
                outbox.write_or_push(&self.socket, frame);
            }
        }
        if !more || outbox.closing.is_some() {
            self.flush_or_wake(outbox);
        }
    }

    /// Sends a message that has no place in the order, before all that is deferred. It counts against the
    /// backlog limit like any other.
    pub(super) fn send_out_of_band(&self, message: &ToClient) {
        let (frame, mut outbox) = (encode(message), self.outbox.lock());
        if outbox.closing.is_some() {
            return;
        }
        if outbox.admits(&frame) {
            outbox.push(frame);
        }
        self.flush_or_wake(outbox);
    }

    /// Whether any frame waits for the journal.
    pub(super) fn has_deferred(&self) -> bool {
        self.outbox.lock().last_mark().is_some()
    }

    fn flush_or_wake(&self, mut outbox: MutexGuard<'_, Outbox>) {
        if outbox.closing.is_none() {
            match outbox.flush(&self.socket) {
                Ok(true) => return,
                Ok(false) => {}
                Err(_) => outbox.closing = Some(Closing::Broken),
            }
        }
        outbox.wake();
    }

    /// Writes what waits whenever the socket takes some of it. Ready once the connection is to be closed.
    pub(super) fn poll_closing(&self, context: &mut Context<'_>) -> Poll<Closing> {
        let mut outbox = self.outbox.lock();
        loop {
            if let Some(closing) = &outbox.closing {
                return Poll::Ready(closing.clone());
            }
            outbox.wake_later(context.waker());
            match ready!(outbox.poll_flush(&self.socket, context)) {
                Ok(()) => return Poll::Pending,
                Err(_) => outbox.closing = Some(Closing::Broken),
            }
        }
    }

    /// Writes all that waits.
    pub(super) fn poll_flush(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.outbox.lock().poll_flush(&self.socket, context)
    }

    /// Writes bytes that are no frames, on a connection to which no frames are sent.
    pub(super) fn poll_write_past_outbox(
        &self,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.socket.poll_writable(context))?;
            match self.socket.try_write(parts) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                written => return Poll::Ready(written),
            }
        }
    }

    /// Shuts down the writing direction.
    pub(super) fn shut(&self) -> io::Result<()> {
        self.socket.shut()
    }

    /// Has the connection's own task end it with this goodbye. Later frames are dropped.
    pub(super) fn end(&self, word: Farewell) {
        let mut outbox = self.outbox.lock();
        outbox.closing.get_or_insert(Closing::Farewell(word));
        outbox.wake();
    }

    /// Whether the connection is to be closed.
    pub(super) fn is_ending(&self) -> bool {
        self.outbox.lock().closing.is_some()
    }

    /// Sends the goodbye as the last message; later frames are dropped. A client that reads too slowly loses
    /// what it did not read, so that the goodbye reaches it once it reads again.
    pub(super) fn send_goodbye(&self, word: &Farewell) {
        if *word == Farewell::Behind {
            self.outbox.lock().drop_unsent();
        }
        self.send_last(encode(&ToClient::Goodbye(word.clone())));
    }

    /// Sends these bytes last; later frames are dropped. Deferred messages are never sent: a client that
    /// returns receives them, if they were recorded.
    pub(super) fn send_last(&self, bytes: Bytes) {
        let mut outbox = self.outbox.lock();
        outbox.drop_deferred();
        outbox.push(bytes);
        outbox.closing.get_or_insert(Closing::Broken);
    }

    /// Sends a frame once `mark` is reached. With `more`, it is written together with the next frame, which
    /// has to follow immediately.
    pub(super) fn send_after_mark(&self, recorded: &Recorded, mark: CommitMark, frame: Bytes, more: bool) {
        self.enqueue(|| Some(mark).filter(|mark| !recorded.has(*mark)), frame, more);
    }

    /// Sends what was deferred for marks that are reached now.
    pub(super) fn release(&self, recorded: &Recorded) {
        let mut outbox = self.outbox.lock();
        if outbox.closing.is_none() && outbox.release(recorded) {
            self.flush_or_wake(outbox);
        }
    }
}
