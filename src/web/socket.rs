//! The WebSocket of one browser: messages in both directions, deadlines and sizes.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use tokio::time::{Instant, timeout};

use super::action::PageAction;
use super::browser::Browser;
use super::host::{Host, Visitor};
use super::own_address::OwnAddress;
use super::update::Update;
use super::wall::{self, Wall};

/// The most bytes of a message of the script.
const MAX_MESSAGE: usize = 4 * 1024;

/// The most bytes that wait for a browser that does not read.
const MAX_WAITING: usize = 256 * 1024;

/// How much is read at once: the library's own buffer would be much larger.
const BUFFER: usize = 4 * 1024;

/// How long the first message may take.
const HELLO_DEADLINE: Duration = Duration::from_secs(5);

/// How long a browser may take to read what is sent to it.
const WRITE_DEADLINE: Duration = Duration::from_secs(10);

/// How often what the page says of time is looked at.
const TICK: Duration = Duration::from_secs(1);

/// How long a browser may be silent before it is pinged, and before its session ends. A browser answers pings by
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

/// Serves a browser until it goes, or its session ends.
pub(super) async fn serve(socket: WebSocket, visitor: Visitor, address: OwnAddress, host: Arc<dyn Host>) {
    let mut line = Line { socket, heard: Instant::now(), pinged: false };
    let Ok(Some(hello)) = timeout(HELLO_DEADLINE, line.first()).await else { return };
    if wall::is_wall(&hello) {
        return serve_wall(line, hello, visitor, &address, &host).await;
    }
    let Some(mut browser) = Browser::open(hello, visitor.peer, address, &host).await else {
        let reload = Update { reload: true, ..Update::default() };
        line.send(&reload).await;
        return;
    };
    // From now on the browser's session counts as its connection.
    visitor.registration.end();
    let mut tick = tokio::time::interval_at(Instant::now() + TICK, TICK);
    loop {
        let update = browser.update();
        let is_over = update.over;
        if !update.is_empty() && !line.send(&update).await || is_over {
            return;
        }
        tokio::select! {
            biased;
            () = browser.next() => {}
            heard = line.hear() => match heard {
                Some(Some(action)) => browser.act(action).await,
                Some(None) => {}
                None => return,
            },
            _ = tick.tick() => if !line.is_alive().await {
                return;
            },
        }
    }
}

/// Serves a page that shows all games at once.
async fn serve_wall(
    mut line: Line,
    hello: PageAction,
    visitor: Visitor,
    address: &OwnAddress,
    host: &Arc<dyn Host>,
) {
    let Some(mut wall) = Wall::open(hello, visitor.peer, address, host).await else { return };
    visitor.registration.end();
    let mut tick = tokio::time::interval_at(Instant::now() + TICK, TICK);
    loop {
        let update = wall.update();
        if !update.is_empty() && !line.send(&update).await || update.over {
            return;
        }
        tokio::select! {
            biased;
            () = wall.next() => {}
            heard = line.hear() => if heard.is_none() {
                return;
            },
            _ = tick.tick() => if !line.is_alive().await {
                return;
            },
        }
    }
}

/// The WebSocket, and when the browser was last heard from.
struct Line {
    socket: WebSocket,
    heard: Instant,
    pinged: bool,
}

impl Line {
    /// The first message of the script.
    async fn first(&mut self) -> Option<PageAction> {
        loop {
            if let Some(action) = self.hear().await? {
                return Some(action);
            }
        }
    }

    /// The next message: an action, or only a sign of life. `None` at the end, or if it is no message of the
    /// script. Cancel safe but for the answer to a sign of life.
    async fn hear(&mut self) -> Option<Option<PageAction>> {
        let message = self.socket.recv().await?.ok()?;
        (self.heard, self.pinged) = (Instant::now(), false);
        match message {
            Message::Text(text) => match serde_json::from_str(&text).ok()? {
                PageAction::Alive => self.write(Message::Text("".into())).await.then_some(None),
                action => Some(Some(action)),
            },
            Message::Ping(_) | Message::Pong(_) => Some(None),
            Message::Binary(_) | Message::Close(_) => None,
        }
    }

    /// Pings a silent browser. Returns whether it may still be there.
    async fn is_alive(&mut self) -> bool {
        let silent = self.heard.elapsed();
        if silent >= PING_AFTER && !std::mem::replace(&mut self.pinged, true) {
            return self.write(Message::Ping("".into())).await;
        }
        silent < GONE_AFTER
    }

    /// Sends an update. Returns whether the browser took it in time.
    async fn send(&mut self, update: &Update) -> bool {
        let Ok(text) = serde_json::to_string(update) else { return false };
        self.write(Message::Text(text.into())).await
    }

    async fn write(&mut self, message: Message) -> bool {
        matches!(timeout(WRITE_DEADLINE, self.socket.send(message)).await, Ok(Ok(())))
    }
}
