//! A browser as its script behaves: it says hello, does what a person does, and says once a second that it is
//! there. Of the page it keeps only what it needs to play.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context;
use futures_util::{SinkExt, StreamExt};
use nim::web::page_version;
use nim::wire::Ticket;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{WebSocketStream, client_async};

use super::metered::Metered;

/// The timeout of any answer.
pub(super) const PATIENCE: Duration = Duration::from_mins(1);

/// A browser.
pub(super) struct Browser {
    socket: WebSocketStream<Metered>,
    /// The path in the address bar.
    pub(super) path: String,
    /// The turn in which the page has buttons for moves.
    pub(super) turn: Option<u32>,
    /// The page offers another game.
    pub(super) is_over: bool,
}

impl Browser {
    /// Opens this path.
    pub(super) async fn at(server: SocketAddr, name: &str, path: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(server).await.context("could not connect")?;
        stream.set_nodelay(true)?;
        let mut request = format!("ws://{server}/assets/socket").into_client_request()?;
        request.headers_mut().insert("Origin", format!("http://{server}").parse()?);
        let (socket, _) = client_async(request, Metered::new(stream)).await?;
        let mut browser = Self { socket, path: String::new(), turn: None, is_over: false };
        let hello = json!({"do": "hello", "version": page_version(), "name": name, "path": path, "query": "", "seats": []});
        browser.send(hello.to_string()).await?;
        browser.until("the first page", |browser| !browser.path.is_empty()).await?;
        Ok(browser)
    }

    /// The bytes that it has read.
    pub(super) fn bytes(&self) -> u64 {
        self.socket.get_ref().bytes
    }

    async fn send(&mut self, text: String) -> anyhow::Result<()> {
        Ok(self.socket.send(Message::Text(text.into())).await?)
    }

    /// Does this, with these fields.
    pub(super) async fn does(&mut self, what: &str, mut fields: Value) -> anyhow::Result<()> {
        fields["do"] = what.into();
        self.send(fields.to_string()).await
    }

    /// Asks for a new seat.
    pub(super) async fn asks_for_seat(&mut self, what: &str, mut fields: Value) -> anyhow::Result<()> {
        fields["ticket"] = Ticket::random().to_hex().into();
        self.does(what, fields).await
    }

    /// Makes this move in the turn that is open.
    pub(super) async fn plays(&mut self, mv: &str) -> anyhow::Result<()> {
        let turn = self.turn.take().context("it is not this browser's turn")?;
        self.send(format!(r#"{{"do":"play","move":"{mv}","turn":{turn}}}"#)).await
    }

    /// Asks for another game.
    pub(super) async fn plays_again(&mut self) -> anyhow::Result<()> {
        self.is_over = false;
        self.send(r#"{"do":"again"}"#.to_owned()).await
    }

    /// Says that it is there.
    pub(super) async fn is_alive(&mut self) -> anyhow::Result<()> {
        self.send(r#"{"do":"alive"}"#.to_owned()).await
    }

    /// Takes the next message. Cancel safe.
    pub(super) async fn hear(&mut self) -> anyhow::Result<()> {
        let message = self.socket.next().await.context("the server closed a browser's connection")??;
        if let Message::Text(text) = message
            && !text.is_empty()
        {
            self.take(&serde_json::from_str(&text)?);
        }
        Ok(())
    }

    /// Hears until this is so.
    pub(super) async fn until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) -> anyhow::Result<()> {
        let hearing = async {
            while !is_so(self) {
                self.hear().await?;
            }
            Ok(())
        };
        timeout(PATIENCE, hearing).await.with_context(|| format!("no answer: {what}"))?
    }

    fn take(&mut self, update: &Value) {
        for region in update["html"].as_array().into_iter().flatten() {
            match (region[0].as_str(), region[1].as_str()) {
                (Some("moves"), Some(html)) => self.turn = turn(html),
                (Some("actions"), Some(html)) => self.is_over = html.contains("data-do=\"again\""),
                _ => {}
            }
        }
        if let Some(path) = update["path"].as_str() {
            path.clone_into(&mut self.path);
        }
    }
}

/// The turn of the first move that has a button.
fn turn(html: &str) -> Option<u32> {
    let (_, rest) = html.split_once("data-turn=\"")?;
    rest.split_once('"')?.0.parse().ok()
}
