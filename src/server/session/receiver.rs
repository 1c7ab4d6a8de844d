//! The incoming side of one connection: frames, deadlines and signs of life.

use std::future::poll_fn;
use std::io;
use std::mem::{MaybeUninit, replace, take};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};
use tokio::time::{Instant, Sleep, timeout, timeout_at};

use super::end::{End, before_the_welcome};
use crate::lobby::Text;
use crate::server::app::App;
use crate::server::connection::Connection;
use crate::server::connections::Admitted;
use crate::server::proxied;
use crate::server::socket::Incoming;
use crate::wire::limits::{CATCH_UP, LATE};
use crate::wire::{
    Farewell, HallRequest, Malformed, ToClient, ToServer, ToServerKind, body_of, decode, first_body,
    frame_length, next_body,
};

/// The answer to a browser where there is no web site.
pub(super) const FOR_BROWSERS: &str = concat!(
    "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n",
    "This is a nim game server, not a web site: play here with `nim-client connect HOST:PORT`.\n",
);

/// How much is read at once: some hundred moves, or the longest frame in a few reads. The buffer is on the
/// stack, so that a silent connection has none.
const READ_SIZE: usize = 4 * 1024;

/// The first bytes of a browser or another HTTP client.
const HTTP_METHODS: [&[u8]; 10] =
    [b"GET ", b"POST", b"HEAD", b"PUT ", b"OPTI", b"CONN", b"DELE", b"TRAC", b"PATC", b"PRI "];

/// Whether a connection that begins so speaks HTTP.
pub(super) fn is_http(start: &[u8]) -> bool {
    HTTP_METHODS.iter().any(|method| start.starts_with(method))
}

/// Where a client comes from, which its server tells other servers.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClientOrigin {
    /// Its address and port.
    pub(super) address: SocketAddr,
    /// Whether it has said hello to another server, which passes all bytes on.
    pub(super) is_carried: bool,
}

/// Reads frames off a connection, and in the meantime writes what waits for it, pings it when it is
/// silent, and notices that it is gone.
pub(super) struct Receiver {
    pub(super) app: Arc<App>,
    /// RAII registration in `Connections`.
    pub(super) admitted: Admitted,
    pub(super) connection: Arc<Connection>,
    /// Where the client comes from; `None` where there are no other servers.
    pub(super) origin: Option<Box<ClientOrigin>>,
    pub(super) incoming: Incoming,
    /// Bytes that have arrived and are not decoded yet.
    pub(super) inbox: BytesMut,
    /// When bytes last arrived: all frames in the inbox had arrived by then.
    pub(super) last_received: Instant,
    /// Since when the peer has been silent: since bytes last arrived, or since reading was last resumed.
    silent_since: Instant,
    /// Since when a frame is incomplete.
    partial: Option<Instant>,
    /// Whether no ping is due until bytes arrive: one was sent, or the peer has said nothing yet.
    pinged: bool,
    /// Whether the silence was reported.
    silence_reported: bool,
    /// Checked only when it fires, so that an arriving frame re-arms nothing.
    alarm: Pin<Box<Sleep>>,
    /// The alarm was put off, since it fired late.
    was_put_off: bool,
    /// Nothing is read until this fires.
    pause: Option<Pin<Box<Sleep>>>,
}

impl Receiver {
    pub(super) fn new(
        app: Arc<App>,
        admitted: Admitted,
        connection: Arc<Connection>,
        incoming: Incoming,
    ) -> Self {
        let now = Instant::now();
        let ping_after = app.config.ping_after;
        Self {
            app,
            admitted,
            connection,
            origin: None,
            incoming,
            inbox: BytesMut::new(),
            last_received: now,
            silent_since: now,
            partial: None,
            pinged: true,
            silence_reported: false,
            alarm: Box::pin(tokio::time::sleep_until(now + ping_after)),
            was_put_off: false,
            pause: None,
        }
    }

    /// Whether the client has said hello to another server, which passes all bytes on.
    pub(super) fn is_carried(&self) -> bool {
        self.origin.as_ref().is_some_and(|origin| origin.is_carried)
    }

    /// Returns the body of the first frame, which has a deadline.
    pub(super) async fn first_body(&mut self) -> Result<BytesMut, End> {
        self.first_body_in_time().await.map_err(|end| match before_the_welcome(end) {
            End::Farewell(_) if self.inbox.is_empty() => End::Unheard,
            end => end,
        })
    }

    async fn first_body_in_time(&mut self) -> Result<BytesMut, End> {
        poll_fn(|context| self.poll_paused(context)).await?;
        let due = Instant::now() + self.app.config.hello_deadline;
        let mut first = timeout_at(due, self.first_frame()).await;
        if first.is_err() && is_late(due) {
            first = timeout(CATCH_UP, self.first_frame()).await;
        }
        first.unwrap_or(Err(End::Farewell(Farewell::NoHello)))
    }

    /// Reads nothing for this time. Output is still written, and the connection can be ended.
    pub(super) fn pause_reading(&mut self, time: Duration) {
        let until = Instant::now() + time;
        if !time.is_zero() && self.pause.as_ref().is_none_or(|pause| pause.deadline() < until) {
            self.pause = Some(Box::pin(tokio::time::sleep_until(until)));
        }
    }

    /// Charges a message that is not refused for coming too fast.
    pub(super) fn count_sign(&mut self) {
        let pause = self.connection.limits().charge_always(1);
        self.pause_reading(pause);
    }

    /// Waits until reading may go on.
    fn poll_paused(&mut self, context: &mut Context<'_>) -> Poll<Result<(), End>> {
        let Some(pause) = &mut self.pause else { return Poll::Ready(Ok(())) };
        if let Poll::Ready(closing) = self.connection.poll_closing(context) {
            return Poll::Ready(Err(closing.into()));
        }
        ready!(pause.as_mut().poll(context));
        self.pause = None;
        self.silent_since = Instant::now();
        Poll::Ready(Ok(()))
    }

    async fn first_frame(&mut self) -> Result<BytesMut, End> {
        loop {
            if is_http(&self.inbox) {
                return Err(End::Browser);
            }
            match next_body(&mut self.inbox) {
                Ok(Some(body)) => return Ok(body),
                Ok(None) => {
                    poll_fn(|context| self.poll_receive(context)).await?;
                }
                Err(_) => {
                    if proxied::begins_with_header(&self.inbox) {
                        self.app.connections.note_proxy_header(self.connection.address());
                    }
                    return Err(End::Stranger("".into()));
                }
            }
        }
    }

    /// Whether a request to return to a seat has arrived and comes next.
    pub(super) fn has_return(&self) -> bool {
        let Ok(Some(body)) = first_body(&self.inbox) else { return false };
        ToServerKind::of(body) == Some(ToServerKind::Hall)
            && matches!(decode(body), Ok(ToServer::Hall { request: HallRequest::Return { .. }, .. }))
    }

    /// Returns the next message, or that the peer has been silent for too long.
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Result<Received, End>> {
        Poll::Ready(match ready!(self.poll_arrived(context))? {
            Arrived::Frame(length) => self.take_message(length).map(Received::Message),
            Arrived::Silence(since) => Ok(Received::Silence(since)),
        })
    }

    /// Waits until a whole frame is at the front of the inbox, or until the peer has been silent for too long.
    pub(super) fn poll_arrived(&mut self, context: &mut Context<'_>) -> Poll<Result<Arrived, End>> {
        ready!(self.poll_paused(context))?;
        loop {
            if let Some(length) = self.first_length()? {
                return Poll::Ready(Ok(Arrived::Frame(length)));
            }
            self.note_partial();
            if let Some(since) = ready!(self.poll_receive(context))? {
                return Poll::Ready(Ok(Arrived::Silence(since)));
            }
        }
    }

    /// The length of the frame at the front of the inbox; `None` if it is not whole yet.
    fn first_length(&self) -> Result<Option<usize>, End> {
        match first_body(&self.inbox) {
            Ok(body) => Ok(body.map(frame_length)),
            Err(_) => Err(End::Farewell(Farewell::FrameTooLong)),
        }
    }

    /// The frame of this length at the front of the inbox.
    pub(super) fn frame(&self, length: usize) -> &[u8] {
        &self.inbox[..length]
    }

    /// Removes the frame of this length from the inbox.
    pub(super) fn drop_frame(&mut self, length: usize) {
        self.inbox.advance(length);
        self.partial = None;
    }

    /// Removes the frame of this length from the inbox, and decodes it.
    pub(super) fn take_message(&mut self, length: usize) -> Result<ToServer, End> {
        let message = decode(body_of(self.frame(length)));
        self.drop_frame(length);
        message.map_err(|why: Malformed| End::Farewell(Farewell::Malformed(Text::cut(&why.to_string()))))
    }

    /// Takes a ping or a pong out of the inbox, if that is its first frame and reading is not paused.
    pub(super) fn take_sign(&mut self) -> Result<Option<ToServer>, End> {
        let Some(length) = self.first_length()?.filter(|_| self.pause.is_none()) else { return Ok(None) };
        match ToServerKind::of(body_of(self.frame(length))) {
            Some(ToServerKind::Ping | ToServerKind::Pong) => self.take_message(length).map(Some),
            _ => Ok(None),
        }
    }

    /// Notices the end of the connection while its requests have to wait, and writes what waits for it. Reads no more than
    /// [`READ_SIZE`] bytes ahead.
    pub(super) fn poll_ended(&mut self, context: &mut Context<'_>) -> Poll<End> {
        if let Err(end) = ready!(self.poll_paused(context)) {
            return Poll::Ready(end);
        }
        if let Poll::Ready(closing) = self.connection.poll_closing(context) {
            return Poll::Ready(closing.into());
        }
        while self.inbox.len() < READ_SIZE {
            if let Err(end) = ready!(self.poll_read(context)) {
                return Poll::Ready(end);
            }
        }
        Poll::Pending
    }

    /// Sets the alarm for the deadline of an incomplete frame.
    fn note_partial(&mut self) {
        if self.inbox.is_empty() {
            // A silent connection keeps no memory.
            self.inbox = BytesMut::new();
        } else if self.partial.is_none() {
            let now = Instant::now();
            self.partial = Some(now);
            let due = self.alarm.deadline().min(now + self.app.config.frame_deadline);
            self.alarm.as_mut().reset(due);
        }
    }

    /// Waits until bytes arrive, or until none have for too long; then it returns since when.
    ///
    /// Arrived bytes are read before any deadline is checked, which also keeps a simulation deterministic.
    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<Instant>, End>> {
        if let Poll::Ready(closing) = self.connection.poll_closing(context) {
            return Poll::Ready(Err(closing.into()));
        }
        if let Poll::Ready(read) = self.poll_read(context) {
            return Poll::Ready(read.map(|()| None));
        }
        while self.alarm.as_mut().poll(context).is_ready() {
            if self.put_off() {
                continue;
            }
            self.check_clock()?;
            if self.is_missed() && !replace(&mut self.silence_reported, true) {
                return Poll::Ready(Ok(Some(self.silent_since)));
            }
        }
        Poll::Pending
    }

    /// Reads the bytes that have arrived.
    fn poll_read(&mut self, context: &mut Context<'_>) -> Poll<Result<(), End>> {
        let mut scratch = [const { MaybeUninit::uninit() }; READ_SIZE];
        let mut scratch = ReadBuf::uninit(&mut scratch);
        let read = ready!(Pin::new(&mut self.incoming).poll_read(context, &mut scratch));
        if read.is_err() || scratch.filled().is_empty() {
            return Poll::Ready(Err(End::Gone));
        }
        self.inbox.extend_from_slice(scratch.filled());
        self.note_received();
        Poll::Ready(Ok(()))
    }

    fn note_received(&mut self) {
        self.last_received = Instant::now();
        self.silent_since = self.last_received;
        self.silence_reported = false;
        if take(&mut self.pinged) {
            // The alarm was set for when the peer would have been gone.
            let due = self.alarm.deadline().min(self.last_received + self.app.config.ping_after);
            self.alarm.as_mut().reset(due);
        }
    }

    /// When a client that does not answer a ping counts as silent: after a sixth of the time that it has
    /// left.
    fn missed_due(&self) -> Instant {
        let config = &self.app.config;
        self.silent_since + config.ping_after + config.gone_after.saturating_sub(config.ping_after) / 6
    }

    fn is_missed(&self) -> bool {
        self.pinged && self.missed_due() <= Instant::now()
    }

    /// Puts the alarm off once if it fires late, so that what has arrived is read before the peer is judged.
    fn put_off(&mut self) -> bool {
        self.was_put_off = !self.was_put_off && is_late(self.alarm.deadline());
        if self.was_put_off {
            self.alarm.as_mut().reset(Instant::now() + CATCH_UP);
        }
        self.was_put_off
    }

    /// Checks all deadlines, and sets the alarm for the next one.
    fn check_clock(&mut self) -> Result<(), End> {
        let (now, config) = (Instant::now(), &self.app.config);
        let rest_due = self.partial.map(|since| since + config.frame_deadline);
        let (ping_due, gone_due) =
            (self.silent_since + config.ping_after, self.silent_since + config.gone_after);
        if rest_due.is_some_and(|due| due <= now) {
            return Err(End::Farewell(Farewell::HalfFrame));
        }
        if gone_due <= now {
            return Err(End::Farewell(Farewell::Silent));
        }
        if ping_due <= now && !self.pinged {
            self.pinged = true;
            self.connection.send_out_of_band(&ToClient::Ping(0));
        }
        let next = match (self.pinged, self.silence_reported || self.is_missed()) {
            (false, _) => ping_due,
            (true, false) => self.missed_due(),
            (true, true) => gone_due,
        };
        self.alarm.as_mut().reset(rest_due.map_or(next, |due| due.min(next)));
        Ok(())
    }
}

/// Whether a timer for this instant fires late: this process was stopped meanwhile, and timers fire before the
/// network reports what has arrived.
fn is_late(due: Instant) -> bool {
    due.elapsed() > LATE
}

/// What has come from the peer.
pub(super) enum Arrived {
    /// A whole frame of this length, which is at the front of the inbox.
    Frame(usize),
    /// No bytes since this instant, although the client was pinged.
    Silence(Instant),
}

/// What the receiver returns.
pub(super) enum Received {
    Message(ToServer),
    /// No bytes since this instant, although the client was pinged.
    Silence(Instant),
}

/// Writes what still waits, then reads and drops what the client still sends, until it closes or has sent
/// this many bytes. Closing with unread bytes could discard the goodbye on its way.
pub(super) async fn finish(connection: &Connection, incoming: Incoming, most: u64) -> io::Result<()> {
    poll_fn(|context| connection.poll_flush(context)).await?;
    connection.shut()?;
    tokio::io::copy(&mut incoming.take(most), &mut tokio::io::sink()).await.map(drop)
}
