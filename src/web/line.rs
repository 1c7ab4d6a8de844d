//! A WebSocket with bounds: sizes, deadlines and a pace.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use bytes::Buf;
use futures_util::{SinkExt, StreamExt};
use tokio::io::AsyncWriteExt;
use tokio::time::{Instant, Interval, interval_at, sleep_until, timeout};
use tokio_tungstenite::tungstenite::protocol::frame::FrameHeader;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::{Bytes, Message, Utf8Bytes};

use super::host::Registration;
use super::upgrade::Socket;

/// How long the first message may take.
pub(super) const HELLO_DEADLINE: Duration = Duration::from_secs(5);

/// How long a visitor may take to close its end.
const CLOSE_DEADLINE: Duration = Duration::from_secs(2);

/// How often a silent visitor is looked at.
const TICK: Duration = Duration::from_secs(5);

/// How long a visitor may be silent before it is pinged, and before its session ends. A browser answers pings by
/// itself, also for a page that is not shown, but not on a phone that sleeps.
const PING_AFTER: Duration = Duration::from_secs(10);
const GONE_AFTER: Duration = Duration::from_secs(30);

/// Ready whenever a silent visitor is to be looked at.
pub(super) fn ticks() -> Interval {
    interval_at(Instant::now() + TICK, TICK)
}

/// A WebSocket, and when the visitor was last heard from.
#[derive(Debug)]
pub(super) struct Line {
    socket: Socket,
    registration: Arc<dyn Registration>,
    heard: Instant,
    /// Nothing is read before this.
    paused_until: Instant,
    pinged: bool,
}

impl Line {
    /// A line to a visitor who has just come.
    pub(super) fn new(socket: Socket, registration: Arc<dyn Registration>) -> Self {
        let now = Instant::now();
        Self { socket, registration, heard: now, paused_until: now, pinged: false }
    }

    /// The next text, which is charged to the address, or an empty one for another sign of life. `None` at the end, or
    /// after a message that is neither. Cancel safe.
    pub(super) async fn hear(&mut self) -> Option<Utf8Bytes> {
        if self.paused_until > self.heard {
            sleep_until(self.paused_until).await;
        }
        let message = self.socket.next().await?.ok()?;
        (self.heard, self.pinged) = (Instant::now(), false);
        self.charge(1);
        match message {
            Message::Text(text) => Some(text),
            Message::Ping(_) | Message::Pong(_) => Some(Utf8Bytes::default()),
            Message::Binary(_) | Message::Close(_) | Message::Frame(_) => None,
        }
    }

    /// Charges what the visitor asks for: it costs as much as `price` moves. If that is too much, what follows is read
    /// later.
    pub(super) fn charge(&mut self, price: u32) {
        self.paused_until = self.heard + self.registration.charge(price);
    }

    /// Pings a silent visitor. Returns whether it may still be there.
    pub(super) async fn is_alive(&mut self) -> bool {
        let silent = self.heard.elapsed();
        if silent >= PING_AFTER && !std::mem::replace(&mut self.pinged, true) {
            return self.control(Message::Ping(Bytes::new())).await;
        }
        silent < GONE_AFTER
    }

    /// Sends a text. Returns whether the visitor took it. It goes to the connection at once: the library would
    /// keep a buffer as long as the longest text for as long as the visitor is there.
    pub(super) async fn send(&mut self, text: String) -> bool {
        let (length, mut head) = (text.len() as u64, Vec::new());
        let header = FrameHeader { opcode: OpCode::Data(Data::Text), ..FrameHeader::default() };
        // What the library has to say comes first, such as the answer to a ping.
        if header.format(length, &mut head).is_err() || self.socket.flush().await.is_err() {
            return false;
        }
        self.socket.get_mut().write_all_buf(&mut head.chain(text.as_bytes())).await.is_ok()
    }

    /// Says that nothing follows, and reads on for a moment: a connection that is closed with something unread loses
    /// what was said last.
    pub(super) async fn close(mut self) {
        if self.control(Message::Close(None)).await {
            let _ =
                timeout(CLOSE_DEADLINE, async { while let Some(Ok(_)) = self.socket.next().await {} }).await;
        }
    }

    async fn control(&mut self, message: Message) -> bool {
        self.socket.send(message).await.is_ok()
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
