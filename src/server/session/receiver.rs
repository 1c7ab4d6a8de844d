//! The incoming side of one connection: frames, deadlines and signs of life.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use tokio::time::{Instant, Sleep};
use tokio_util::sync::CancellationToken;

use super::{End, FOR_BROWSERS};
use crate::server::config::Config;
use crate::server::link::{Closing, Link};
use crate::wire::{Farewell, Frames, HelloRefusal, ToClient};

/// How much is read at once: some hundred moves, or the longest frame in a few reads.
const READ_SIZE: usize = 4 * 1024;

/// The words with which a browser or another program for web pages opens.
const HTTP_METHODS: [&[u8]; 10] =
    [b"GET ", b"POST", b"HEAD", b"PUT ", b"OPTI", b"CONN", b"DELE", b"TRAC", b"PATC", b"PRI "];

/// Reads frames off a connection, and in the meantime writes what waits for it, pings it when it is
/// silent, and notices that it is gone.
pub(super) struct Receiver {
    pub(super) link: Arc<Link>,
    stopping: CancellationToken,
    last_word: Farewell,
    frames: Frames,
    inbox: BytesMut,
    heard: Instant,
    /// Since when a frame is incomplete.
    partial: Option<Instant>,
    pinged: bool,
    /// The silence has been told of.
    told: bool,
    hello_deadline: Duration,
    frame_deadline: Duration,
    ping_after: Duration,
    gone_after: Duration,
    /// Looked at only when it fires, so that a frame that arrives re-arms nothing.
    alarm: Pin<Box<Sleep>>,
}

impl Receiver {
    /// A receiver that ends with this word once the server stops.
    pub(super) fn new(
        link: Arc<Link>,
        (stopping, last_word): (CancellationToken, Farewell),
        config: &Config,
    ) -> Self {
        let now = Instant::now();
        Self {
            link,
            stopping,
            last_word,
            frames: Frames::default(),
            inbox: BytesMut::new(),
            heard: now,
            partial: None,
            pinged: false,
            told: false,
            hello_deadline: config.hello_deadline,
            frame_deadline: config.frame_deadline,
            ping_after: config.ping_after,
            gone_after: config.gone_after,
            alarm: Box::pin(tokio::time::sleep_until(now + config.ping_after)),
        }
    }

    /// When something was last heard: all frames that were not yet looked at had arrived by then.
    pub(super) fn heard(&self) -> Instant {
        self.heard
    }

    /// The body of the first frame, which has to come soon.
    pub(super) async fn first_body(&mut self) -> Result<BytesMut, End> {
        match tokio::time::timeout(self.hello_deadline, self.first_frame()).await {
            Ok(Err(End::Farewell(Farewell::Stopping | Farewell::Kept))) => {
                Err(End::Unwelcome(HelloRefusal::Stopping))
            }
            Ok(body) => body,
            Err(_) => Err(End::Farewell(Farewell::NoHello)),
        }
    }

    async fn first_frame(&mut self) -> Result<BytesMut, End> {
        loop {
            if HTTP_METHODS.iter().any(|method| self.inbox.starts_with(method)) {
                return Err(End::Stranger(FOR_BROWSERS));
            }
            match self.frames.next(&mut self.inbox) {
                Ok(Some(body)) => return Ok(body),
                Ok(None) => {
                    self.receive().await?;
                }
                Err(_) => return Err(End::Stranger("")),
            }
        }
    }

    /// The body of the next frame, or that nothing has been heard for so long that somebody should know.
    pub(super) async fn body(&mut self) -> Result<Heard, End> {
        loop {
            let body =
                self.frames.next(&mut self.inbox).map_err(|_| End::Farewell(Farewell::FrameTooLong))?;
            if let Some(body) = body {
                self.partial = None;
                return Ok(Heard::Body(body));
            }
            self.note_partial();
            if let Received::Silence = self.receive().await? {
                return Ok(Heard::Silence(self.heard));
            }
        }
    }

    /// Sets the alarm for the rest of a frame of which some bytes are here.
    fn note_partial(&mut self) {
        if !self.frames.is_midway(&self.inbox) {
            // An idle connection holds no buffer.
            self.inbox = BytesMut::new();
        } else if self.partial.is_none() {
            let now = Instant::now();
            self.partial = Some(now);
            let due = self.alarm.deadline().min(now + self.frame_deadline);
            self.alarm.as_mut().reset(due);
        }
    }

    /// Waits until some bytes have come, or until none have for too long.
    async fn receive(&mut self) -> Result<Received, End> {
        loop {
            let writes = self.link.is_waiting();
            tokio::select! {
                // What has come is heard before the clock is asked whether anything has; and a simulation goes twice the
                // same way.
                biased;
                () = self.stopping.cancelled() => return Err(End::Farewell(self.last_word.clone())),
                () = self.link.woken() => self.check_link()?,
                ready = self.link.writable(), if writes => {
                    ready.and_then(|()| self.link.flush()).map_err(|_| End::Gone)?;
                }
                ready = self.link.readable() => {
                    ready.map_err(|_| End::Gone)?;
                    if self.read()? {
                        return Ok(Received::Bytes);
                    }
                }
                () = &mut self.alarm => {
                    self.check_clock()?;
                    if self.is_missed() && !std::mem::replace(&mut self.told, true) {
                        return Ok(Received::Silence);
                    }
                }
            }
        }
    }

    /// Reads what is there; `false` if nothing was.
    fn read(&mut self) -> Result<bool, End> {
        self.inbox.reserve(READ_SIZE);
        match self.link.socket().try_read(&mut self.inbox) {
            Ok(0) => Err(End::Gone),
            Ok(_) => {
                self.heard = Instant::now();
                self.told = false;
                if std::mem::take(&mut self.pinged) {
                    // The alarm was set for when the peer would have been gone.
                    let due = self.alarm.deadline().min(self.heard + self.ping_after);
                    self.alarm.as_mut().reset(due);
                }
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(_) => Err(End::Gone),
        }
    }

    fn check_link(&self) -> Result<(), End> {
        match self.link.closing() {
            Some(Closing::Farewell(word)) => Err(End::Farewell(word)),
            Some(Closing::Broken) => Err(End::Gone),
            None => Ok(()),
        }
    }

    /// When whoever does not answer a ping is missed: after a sixth of the time that is left to them.
    fn missed_due(&self) -> Instant {
        self.heard + self.ping_after + self.gone_after.saturating_sub(self.ping_after) / 6
    }

    fn is_missed(&self) -> bool {
        self.pinged && self.missed_due() <= Instant::now()
    }

    /// Looks at everything that has a deadline, and sets the alarm for the next of them.
    fn check_clock(&mut self) -> Result<(), End> {
        let now = Instant::now();
        let rest_due = self.partial.map(|since| since + self.frame_deadline);
        let (ping_due, gone_due) = (self.heard + self.ping_after, self.heard + self.gone_after);
        if rest_due.is_some_and(|due| due <= now) {
            return Err(End::Farewell(Farewell::HalfFrame));
        }
        if gone_due <= now {
            return Err(End::Farewell(Farewell::Silent));
        }
        if ping_due <= now && !self.pinged {
            self.pinged = true;
            self.link.tell_at_once(&ToClient::Ping(0));
        }
        let next = match (self.pinged, self.told || self.is_missed()) {
            (false, _) => ping_due,
            (true, false) => self.missed_due(),
            (true, true) => gone_due,
        };
        self.alarm.as_mut().reset(rest_due.map_or(next, |due| due.min(next)));
        Ok(())
    }
}

/// What came in.
pub(super) enum Heard {
    /// The body of a frame.
    Body(BytesMut),
    /// Nothing since then, though the other side was pinged.
    Silence(Instant),
}

/// What the socket gave.
enum Received {
    Bytes,
    /// Nothing, for so long that somebody should know.
    Silence,
}

/// Writes what still waits, then reads and drops what the other side still sends, until it closes.
/// Closing while unread bytes are here could throw away the last word on its way.
pub(super) async fn finish(link: &Link, most: usize) -> io::Result<()> {
    while !link.flush()? {
        link.writable().await?;
    }
    link.socket().shut()?;
    let (mut scratch, mut drained) = (BytesMut::with_capacity(1024), 0);
    while drained < most {
        link.readable().await?;
        scratch.clear();
        match link.socket().try_read(&mut scratch) {
            Ok(0) => return Ok(()),
            Ok(count) => drained += count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
