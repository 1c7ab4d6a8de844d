//! A script at the server's API: a WebSocket, and one JSON object a message.

use std::net::SocketAddr;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::http::StatusCode;

use super::browser::open_at;
use crate::harness::within;
use crate::json::event;

/// A script.
pub(super) struct ApiScript {
    socket: WebSocketStream<TcpStream>,
    /// The seat that it keeps, as its next hello names it.
    pub(super) seat: Option<(Value, Value)>,
}

impl ApiScript {
    /// A script that has not said anything yet. `origin` is that of a page.
    pub(super) async fn silent(server: SocketAddr, origin: Option<&str>) -> Result<Self, StatusCode> {
        Ok(Self { socket: open_at(server, "/api", origin).await?, seat: None })
    }

    /// A script that has said who it is.
    pub(super) async fn named(server: SocketAddr, name: &str) -> Self {
        let mut script = Self::silent(server, None).await.unwrap();
        script.sends(json!({"do": "hello", "name": name})).await;
        script
    }

    /// A script that asks for this seat.
    pub(super) async fn returning(server: SocketAddr, name: &str, seat: &(Value, Value)) -> Self {
        let mut script = Self::silent(server, None).await.unwrap();
        script.sends(json!({"do": "hello", "name": name, "code": seat.0, "ticket": seat.1})).await;
        script
    }

    pub(super) async fn sends(&mut self, request: Value) {
        self.sends_raw(Message::Text(request.to_string().into())).await;
    }

    pub(super) async fn sends_raw(&mut self, message: Message) {
        self.socket.send(message).await.unwrap();
    }

    /// The next event; `None` at the end.
    pub(super) async fn hears(&mut self) -> Option<Value> {
        let text = async {
            loop {
                match self.socket.next().await?.ok()? {
                    Message::Text(text) => return Some(text),
                    Message::Ping(_) => {}
                    _ => return None,
                }
            }
        };
        let event = event(&within("an event", text).await?);
        if event["event"] == "ticket" {
            self.seat = Some((event["code"].clone(), event["ticket"].clone()));
        }
        Some(event)
    }

    /// The next event of this name; others are skipped.
    pub(super) async fn until(&mut self, name: &str) -> Value {
        let mut skipped = Vec::new();
        loop {
            match self.hears().await {
                Some(event) if event["event"] == name => return event,
                Some(event) => skipped.push(event),
                None => panic!("no {name} after {skipped:?}"),
            }
        }
    }

    /// Whether nothing but these events follows.
    pub(super) async fn ends_after(&mut self, names: &[&str]) -> bool {
        let mut heard = Vec::new();
        while let Some(event) = self.hears().await {
            heard.push(event["event"].as_str().unwrap().to_owned());
        }
        heard == names
    }

    /// Makes the first legal move of each turn; returns the end of the game.
    pub(super) async fn plays_to_the_end(&mut self) -> Value {
        loop {
            let event = self.hears().await.expect("the game goes on");
            match event["event"].as_str().unwrap() {
                "your_turn" => self.sends(json!({"do": "play", "move": event["moves"][0]})).await,
                "ended" => return event,
                _ => {}
            }
        }
    }
}
