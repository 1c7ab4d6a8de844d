//! The WebSocket of one browser: messages in both directions, deadlines and sizes.

use std::net::SocketAddr;
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use tokio::time::{Instant, timeout};

use super::action::PageAction;
use super::browser::Browser;
use super::update::Update;
use crate::server::{Entrance, Registration};

/// The most bytes of a message of the script.
const MAX_MESSAGE: usize = 4 * 1024;

/// The most bytes that wait for a browser that does not read.
const MAX_WAITING: usize = 256 * 1024;

/// How much is read and written at once: the library's own buffers would be sixteen times as large.
const BUFFER: usize = 4 * 1024;

/// How long the first message may take.
const HELLO_DEADLINE: Duration = Duration::from_secs(5);

/// How long a browser may take to read what is sent to it.
const WRITE_DEADLINE: Duration = Duration::from_secs(10);

/// How often what the page says of time is looked at.
const TICK: Duration = Duration::from_secs(1);

/// Who opened a connection with HTTP.
#[derive(Debug, Clone)]
pub(super) struct Visitor {
    pub(super) peer: SocketAddr,
    pub(super) registration: Registration,
}

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
pub(super) async fn serve(mut socket: WebSocket, visitor: Visitor, entrance: Entrance) {
    let Ok(Some(hello)) = timeout(HELLO_DEADLINE, read(&mut socket)).await else { return };
    let Some(mut browser) = Browser::open(hello, visitor.peer, &entrance).await else {
        let reload = Update { reload: true, ..Update::default() };
        let _ = send(&mut socket, &reload).await;
        return;
    };
    // From now on the browser's session counts as its connection.
    visitor.registration.end();
    let mut tick = tokio::time::interval_at(Instant::now() + TICK, TICK);
    loop {
        let update = browser.update();
        let is_over = update.over;
        if !update.is_empty() && !send(&mut socket, &update).await || is_over {
            return;
        }
        tokio::select! {
            biased;
            () = browser.next() => {}
            action = read(&mut socket) => match action {
                Some(PageAction::Alive) => {
                    browser.note_alive();
                    if !answer_alive(&mut socket).await {
                        return;
                    }
                }
                Some(action) => browser.act(action).await,
                None => return,
            },
            _ = tick.tick() => {}
        }
    }
}

/// The next message of the script; `None` at the end, or if it is none.
async fn read(socket: &mut WebSocket) -> Option<PageAction> {
    loop {
        match socket.recv().await?.ok()? {
            Message::Text(text) => return serde_json::from_str(&text).ok(),
            Message::Ping(_) | Message::Pong(_) => {}
            Message::Binary(_) | Message::Close(_) => return None,
        }
    }
}

/// Tells the script that it was heard.
async fn answer_alive(socket: &mut WebSocket) -> bool {
    matches!(timeout(WRITE_DEADLINE, socket.send(Message::Text("".into()))).await, Ok(Ok(())))
}

/// Sends an update. Returns whether the browser took it in time.
async fn send(socket: &mut WebSocket, update: &Update) -> bool {
    let Ok(text) = serde_json::to_string(update) else { return false };
    matches!(timeout(WRITE_DEADLINE, socket.send(Message::Text(text.into()))).await, Ok(Ok(())))
}
