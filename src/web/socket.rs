//! The WebSocket of one browser: messages in both directions, deadlines and sizes.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use tokio::time::{Instant, sleep_until, timeout};

use super::action::PageAction;
use super::browser::Browser;
use super::host::{Host, Registration, Visitor};
use super::update::Update;
use super::wall::{self, Wall};

/// The most bytes of a message of the script.
const MAX_MESSAGE: usize = 4 * 1024;

/// The most bytes that wait for a browser that does not read.
const MAX_WAITING: usize = 256 * 1024;

/// How much is read at once, which a silent browser keeps: the library's own buffer would be much larger.
const BUFFER: usize = 512;

/// How long the first message may take.
const HELLO_DEADLINE: Duration = Duration::from_secs(5);

/// How long a browser may take to read what is sent to it.
const WRITE_DEADLINE: Duration = Duration::from_secs(10);

/// How often a silent page is looked at. What a page says of time is looked at whenever it says that it is there, which
/// is once a second.
const TICK: Duration = Duration::from_secs(5);

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
pub(super) async fn serve(socket: WebSocket, visitor: Visitor, host: Arc<dyn Host>) {
    let mut line = Line::new(socket, Arc::clone(&visitor.registration));
    let Ok(Some(hello)) = timeout(HELLO_DEADLINE, line.first()).await else { return };
    if wall::is_wall(&hello) {
        return Box::pin(serve_wall(line, hello, visitor, &host)).await;
    }
    // From now on the browser's session counts as its connection.
    visitor.registration.end();
    // What is only needed at the beginning takes no memory later.
    let Some(mut browser) = Box::pin(Browser::open(hello, visitor.peer, &host)).await else {
        let reload = Update { reload: true, ..Update::default() };
        line.send(reload).await;
        return;
    };
    let mut tick = tokio::time::interval_at(Instant::now() + TICK, TICK);
    loop {
        let update = browser.update();
        let is_over = update.over;
        if !update.is_empty() && !line.send(update).await || is_over {
            return;
        }
        tokio::select! {
            biased;
            () = browser.next() => {}
            heard = line.hear() => match heard {
                Some(Some(action)) => browser.act(action).await,
                Some(None) => browser.note_time(),
                None => return,
            },
            _ = tick.tick() => {
                browser.note_time();
                if !line.is_alive().await {
                    return;
                }
            }
        }
    }
}

/// Serves a page that shows all games at once.
async fn serve_wall(mut line: Line, hello: PageAction, visitor: Visitor, host: &Arc<dyn Host>) {
    visitor.registration.end();
    let Some(mut wall) = Box::pin(Wall::open(hello, visitor.peer, host)).await else { return };
    let mut tick = tokio::time::interval_at(Instant::now() + TICK, TICK);
    loop {
        let update = wall.update();
        let is_over = update.over;
        if !update.is_empty() && !line.send(update).await || is_over {
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
    registration: Arc<dyn Registration>,
    heard: Instant,
    /// Nothing is read before this.
    paused_until: Instant,
    pinged: bool,
}

impl Line {
    fn new(socket: WebSocket, registration: Arc<dyn Registration>) -> Self {
        let now = Instant::now();
        Self { socket, registration, heard: now, paused_until: now, pinged: false }
    }

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
        if self.paused_until > self.heard {
            sleep_until(self.paused_until).await;
        }
        let message = self.socket.recv().await?.ok()?;
        (self.heard, self.pinged) = (Instant::now(), false);
        self.paused_until = self.heard + self.registration.charge();
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
    async fn send(&mut self, update: Update) -> bool {
        for text in update.messages() {
            if !self.write(Message::Text(text.into())).await {
                return false;
            }
        }
        true
    }

    async fn write(&mut self, message: Message) -> bool {
        matches!(timeout(WRITE_DEADLINE, self.socket.send(message)).await, Ok(Ok(())))
    }
}
