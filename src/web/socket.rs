//! The WebSocket of one browser: messages in both directions.

use std::sync::Arc;

use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::action::{self, PageAction};
use super::browser::{Browser, NoSession};
use super::host::{Host, Visitor};
use super::line::{HELLO_DEADLINE, Line, ticks};
use super::own_address::OwnAddress;
use super::update::Update;
use super::upgrade::Socket;
use super::view;
use super::wall::{self, Wall};
use crate::client::Failure;
use crate::wire::HelloRefusal;

/// What an action on a page costs, in moves: the page is drawn anew.
const ACTION: u32 = 20;

/// Serves a browser until it goes, or its session ends.
pub(super) async fn serve(socket: Socket, visitor: Visitor, address: OwnAddress, host: Arc<dyn Host>) {
    let mut line = Line::new(socket, Arc::clone(&visitor.registration));
    let Ok(Some(hello)) = timeout(HELLO_DEADLINE, first(&mut line)).await else { return };
    let Some(hello) = action::hello(&hello) else { return refuse(line, &NoSession::OtherVersion).await };
    if wall::is_wall(&hello) {
        return Box::pin(serve_wall(line, visitor, &address, &host)).await;
    }
    // From now on the browser's session counts as its connection.
    visitor.registration.end();
    // What is only needed at the beginning takes no memory later.
    let mut browser = match Box::pin(Browser::open(hello, visitor.peer, address, &host)).await {
        Ok(browser) => browser,
        Err(why) => return refuse(line, &why).await,
    };
    let mut tick = ticks();
    loop {
        if !send(&mut line, browser.update()).await || browser.is_over() {
            return;
        }
        tokio::select! {
            biased;
            () = browser.next() => {}
            heard = hear(&mut line) => match heard {
                // What it takes to act is not kept by those who do not.
                Some(Some(action)) => Box::pin(browser.act(action)).await,
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

/// Tells a page why it has no session.
async fn refuse(mut line: Line, why: &NoSession) {
    if send(&mut line, not_open(why)).await {
        line.close().await;
    }
}

/// What a page without a session is told.
fn not_open(why: &NoSession) -> Update {
    match why {
        NoSession::OtherVersion => Update { reload: true, ..Update::default() },
        NoSession::Failed(failure) => Update {
            html: vec![("main", view::not_open(failure).into_string())],
            over: matches!(failure, Failure::Unwelcome(HelloRefusal::Banned)),
            ..Update::default()
        },
    }
}

/// Serves a page that shows all games at once.
async fn serve_wall(mut line: Line, visitor: Visitor, address: &OwnAddress, host: &Arc<dyn Host>) {
    visitor.registration.end();
    let mut wall = match Box::pin(Wall::open(visitor.peer, address, host)).await {
        Ok(wall) => wall,
        Err(why) => return refuse(line, &why).await,
    };
    let mut tick = ticks();
    loop {
        if !send(&mut line, wall.update()).await || wall.is_over() {
            return;
        }
        tokio::select! {
            biased;
            () = wall.next() => {}
            heard = hear(&mut line) => match heard {
                Some(Some(PageAction::Hold)) => wall.hold(),
                Some(_) => {}
                None => return,
            },
            _ = tick.tick() => if !line.is_alive().await {
                return;
            },
        }
    }
}

/// The first message of the script.
async fn first(line: &mut Line) -> Option<Utf8Bytes> {
    loop {
        let text = line.hear().await?;
        if !text.is_empty() {
            return Some(text);
        }
    }
}

/// The next message: an action, or only a sign of life. `None` at the end, or if it is no message of the script.
/// Cancel safe but for the answer to a sign of life.
async fn hear(line: &mut Line) -> Option<Option<PageAction>> {
    let text = line.hear().await?;
    if text.is_empty() {
        return Some(None);
    }
    match serde_json::from_str(&text).ok()? {
        // In a box it takes no memory of those who are silent.
        PageAction::Alive => Box::pin(line.send(String::new())).await.then_some(None),
        action => {
            line.charge(ACTION);
            Some(Some(action))
        }
    }
}

/// Sends an update. Returns whether the browser took it in time. Only its text is kept meanwhile.
fn send(line: &mut Line, update: Update) -> impl Future<Output = bool> {
    let text = update.json();
    drop(update);
    async {
        match text {
            Some(text) => line.send(text).await,
            None => true,
        }
    }
}
