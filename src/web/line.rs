//! A WebSocket with bounds: sizes, deadlines and a pace.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use tokio::time::{Instant, Interval, interval_at, sleep_until, timeout};

use super::host::Registration;

/// The most bytes of a message that is received.
const MAX_MESSAGE: usize = 4 * 1024;

/// The most bytes that wait for a visitor who does not read.
const MAX_WAITING: usize = 256 * 1024;

/// How much is read at once, which a silent visitor keeps: the library's own buffer would be much larger.
const BUFFER: usize = 512;

/// How long the first message may take.
pub(super) const HELLO_DEADLINE: Duration = Duration::from_secs(5);

/// How long a visitor may take to read what is sent to it.
const WRITE_DEADLINE: Duration = Duration::from_secs(10);

/// How long a visitor may take to close its end.
const CLOSE_DEADLINE: Duration = Duration::from_secs(2);

/// How often a silent visitor is looked at.
const TICK: Duration = Duration::from_secs(5);

/// How long a visitor may be silent before it is pinged, and before its session ends. A browser answers pings by
/// itself, also for a page that is not shown, but not on a phone that sleeps.
const PING_AFTER: Duration = Duration::from_secs(10);
const GONE_AFTER: Duration = Duration::from_secs(30);

/// An upgrade with bounds.
pub(super) fn bounded(upgrade: WebSocketUpgrade) -> WebSocketUpgrade {
    upgrade
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE)
        .read_buffer_size(BUFFER)
        .write_buffer_size(0)
        .max_write_buffer_size(MAX_WAITING)
}

/// Ready whenever a silent visitor is to be looked at.
pub(super) fn ticks() -> Interval {
    interval_at(Instant::now() + TICK, TICK)
}

/// A WebSocket, and when the visitor was last heard from.
#[derive(Debug)]
pub(super) struct Line {
    socket: WebSocket,
    registration: Arc<dyn Registration>,
    heard: Instant,
    /// Nothing is read before this.
    paused_until: Instant,
    pinged: bool,
}

impl Line {
    /// A line to a visitor who has just come.
    pub(super) fn new(socket: WebSocket, registration: Arc<dyn Registration>) -> Self {
        let now = Instant::now();
        Self { socket, registration, heard: now, paused_until: now, pinged: false }
    }

    /// The next text, which is charged to the address, or an empty one for another sign of life. `None` at the end, or after a message that is
    /// neither. Cancel safe.
    pub(super) async fn hear(&mut self) -> Option<Utf8Bytes> {
        if self.paused_until > self.heard {
            sleep_until(self.paused_until).await;
        }
        let message = self.socket.recv().await?.ok()?;
        (self.heard, self.pinged) = (Instant::now(), false);
        self.paused_until = self.heard + self.registration.charge();
        match message {
            Message::Text(text) => Some(text),
            Message::Ping(_) | Message::Pong(_) => Some(Utf8Bytes::default()),
            Message::Binary(_) | Message::Close(_) => None,
        }
    }

    /// Pings a silent visitor. Returns whether it may still be there.
    pub(super) async fn is_alive(&mut self) -> bool {
        let silent = self.heard.elapsed();
        if silent >= PING_AFTER && !std::mem::replace(&mut self.pinged, true) {
            return self.write(Message::Ping("".into())).await;
        }
        silent < GONE_AFTER
    }

    /// Sends a text. Returns whether the visitor took it in time.
    pub(super) async fn send(&mut self, text: String) -> bool {
        self.write(Message::Text(text.into())).await
    }

    /// Says that nothing follows, and reads on for a moment: a connection that is closed with something unread loses
    /// what was said last.
    pub(super) async fn close(mut self) {
        if self.write(Message::Close(None)).await {
            let _ =
                timeout(CLOSE_DEADLINE, async { while let Some(Ok(_)) = self.socket.recv().await {} }).await;
        }
    }

    async fn write(&mut self, message: Message) -> bool {
        matches!(timeout(WRITE_DEADLINE, self.socket.send(message)).await, Ok(Ok(())))
    }
}

/// Texts that wait until somebody has time for them, within a bound.
#[derive(Debug, Default)]
pub(super) struct WaitingTexts {
    texts: VecDeque<Utf8Bytes>,
    bytes: usize,
}

impl WaitingTexts {
    /// The most bytes that wait, and how many more each text counts.
    const MOST: usize = 16 * 1024;
    const EACH: usize = 64;

    /// Whether one more may wait.
    pub(super) fn has_room(&self) -> bool {
        self.bytes < Self::MOST
    }

    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// One more waits.
    pub(super) fn push(&mut self, text: Utf8Bytes) {
        self.bytes += text.len() + Self::EACH;
        self.texts.push_back(text);
    }

    /// The one that has waited longest.
    pub(super) fn pop(&mut self) -> Option<Utf8Bytes> {
        let text = self.texts.pop_front()?;
        self.bytes -= text.len() + Self::EACH;
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_wait_take_bounded_memory() {
        let mut waiting = WaitingTexts::default();
        let mut count = 0;
        while waiting.has_room() {
            waiting.push(Utf8Bytes::default());
            count += 1;
        }
        assert_eq!(count * WaitingTexts::EACH, WaitingTexts::MOST);
        while waiting.pop().is_some() {}
        assert!(waiting.has_room() && waiting.is_empty());
    }
}
