//! A browser without a screen: a WebSocket, and the regions of the page as the script would have them.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use nim::wire::Ticket;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::StatusCode;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::harness::within;

/// The version of the page, as its script sends it.
pub(super) fn version() -> String {
    nim::web::page_version().to_owned()
}

/// A browser.
pub(super) struct Browser {
    socket: WebSocketStream<TcpStream>,
    /// The regions of the page, by their ids.
    pub(super) regions: BTreeMap<String, String>,
    pub(super) title: String,
    pub(super) path: String,
    pub(super) name: String,
    /// The seats that it keeps, by their codes.
    pub(super) seats: BTreeMap<String, Value>,
    /// The code of the lobby in which it has its seat.
    seated: String,
    /// The last text that it saved as a file, and the file's name.
    pub(super) saved: Option<(String, String)>,
    /// The number of its actions that are answered.
    pub(super) answered: u64,
    pub(super) reloads: bool,
    pub(super) is_over: bool,
}

/// Opens the WebSocket of a page, as a page of this origin.
pub(super) async fn open(server: SocketAddr, origin: &str) -> Result<WebSocketStream<TcpStream>, StatusCode> {
    open_at(server, "/assets/socket", Some(origin)).await
}

/// Opens a WebSocket, as a page of this origin or a program.
pub(super) async fn open_at(
    server: SocketAddr,
    path: &str,
    origin: Option<&str>,
) -> Result<WebSocketStream<TcpStream>, StatusCode> {
    open_as(server, &server.to_string(), path, origin).await
}

/// The same, where the host was asked for by this name.
async fn open_as(
    server: SocketAddr,
    host: &str,
    path: &str,
    origin: Option<&str>,
) -> Result<WebSocketStream<TcpStream>, StatusCode> {
    use tokio_tungstenite::tungstenite::Error;
    let stream = TcpStream::connect(server).await.unwrap();
    let mut request = format!("ws://{server}{path}").into_client_request().unwrap();
    request.headers_mut().insert("Host", host.parse().unwrap());
    if let Some(origin) = origin {
        request.headers_mut().insert("Origin", origin.parse().unwrap());
    }
    match within("the WebSocket", client_async(request, stream)).await {
        Ok((socket, _)) => Ok(socket),
        Err(Error::Http(response)) => Err(response.status()),
        Err(error) => panic!("{error}"),
    }
}

impl Browser {
    /// A browser that opens this path.
    pub(super) async fn at(server: SocketAddr, name: &str, path: &str) -> Self {
        Self::with_seats(server, name, path, &BTreeMap::new()).await
    }

    /// The same with seats that it keeps.
    pub(super) async fn with_seats(
        server: SocketAddr,
        name: &str,
        path: &str,
        seats: &BTreeMap<String, Value>,
    ) -> Self {
        Self::silent(server).await.opens(name, path, seats).await
    }

    /// A browser that opens this path of the host by this name.
    pub(super) async fn as_host(server: SocketAddr, host: &str, name: &str, path: &str) -> Self {
        let socket = open_as(server, host, "/assets/socket", Some(&format!("http://{host}"))).await.unwrap();
        Self::on(socket).opens(name, path, &BTreeMap::new()).await
    }

    async fn opens(mut self, name: &str, path: &str, seats: &BTreeMap<String, Value>) -> Self {
        let (path, query) =
            path.split_once('?').map_or((path, String::new()), |(path, query)| (path, format!("?{query}")));
        let hello = json!({
            "do": "hello", "version": version(), "name": name, "path": path, "query": query,
            "seats": seats.values().collect::<Vec<_>>(),
        });
        self.seats = seats.clone();
        self.send(hello).await;
        self
    }

    /// A browser that has not said anything yet.
    pub(super) async fn silent(server: SocketAddr) -> Self {
        Self::on(open(server, &format!("http://{server}")).await.unwrap())
    }

    fn on(socket: WebSocketStream<TcpStream>) -> Self {
        let (regions, seats) = (BTreeMap::new(), BTreeMap::new());
        let (title, path, name, seated) = Default::default();
        let (saved, answered, reloads, is_over) = (None, 0, false, false);
        Self { socket, regions, title, path, name, seats, seated, saved, answered, reloads, is_over }
    }

    pub(super) async fn send(&mut self, action: Value) {
        self.socket.send(Message::Text(action.to_string().into())).await.unwrap();
    }

    /// Does this, with these fields.
    pub(super) async fn does(&mut self, what: &str, fields: Value) {
        let mut action = fields;
        action["do"] = json!(what);
        self.send(action).await;
    }

    /// Asks for a new seat.
    pub(super) async fn asks_for_seat(&mut self, what: &str, mut fields: Value) {
        fields["ticket"] = json!(Ticket::random().to_hex());
        self.does(what, fields).await;
    }

    /// The next message of text; `None` at the end.
    pub(super) async fn hear(&mut self) -> Option<()> {
        let text = async {
            loop {
                match self.socket.next().await?.ok()? {
                    Message::Text(text) => return Some(text),
                    Message::Ping(_) => {}
                    _ => return None,
                }
            }
        };
        let text = within("a message", text).await?;
        if !text.is_empty() {
            self.take(&serde_json::from_str(&text).unwrap());
        }
        Some(())
    }

    fn take(&mut self, update: &Value) {
        for region in update["html"].as_array().into_iter().flatten() {
            let (id, html) = (region[0].as_str().unwrap(), region[1].as_str().unwrap());
            if id == "main" {
                self.regions.clear();
            }
            assert!(
                !html.contains("nim-client") && !html.contains(" --"),
                "words of the terminal in {id}: {html}"
            );
            self.regions.insert(id.to_owned(), html.to_owned());
        }
        for lines in update["more"].as_array().into_iter().flatten() {
            let region = self.regions.get_mut(lines[0].as_str().unwrap()).expect("a list to add to");
            region.push_str(lines[1].as_str().unwrap());
        }
        let text = |key: &str| update[key].as_str().map(str::to_owned);
        self.title = text("title").unwrap_or_else(|| std::mem::take(&mut self.title));
        self.path = text("path").unwrap_or_else(|| std::mem::take(&mut self.path));
        self.name = text("name").unwrap_or_else(|| std::mem::take(&mut self.name));
        if let Some(code) = update["keep"]["code"].as_str() {
            self.seats.insert(code.to_owned(), update["keep"].clone());
            code.clone_into(&mut self.seated);
        }
        if let (Some(seat), true) = (self.seats.get_mut(&self.seated), update["seen"].is_object()) {
            seat["seen"] = update["seen"].clone();
        }
        if let Some(text) = update["download"]["text"].as_str() {
            self.saved = Some((update["download"]["name"].as_str().unwrap().to_owned(), text.to_owned()));
        }
        for code in update["forget"].as_array().into_iter().flatten() {
            self.seats.remove(code.as_str().unwrap());
        }
        self.answered = update["answered"].as_u64().unwrap_or(self.answered);
        self.reloads |= update["reload"] == true;
        self.is_over |= update["over"] == true;
    }

    /// What a region shows.
    pub(super) fn region(&self, id: &str) -> &str {
        self.regions.get(id).map_or("", String::as_str)
    }

    /// Waits until this region contains this.
    pub(super) async fn shows(&mut self, id: &str, text: &str) {
        let late = Instant::now() + Duration::from_secs(30);
        while !self.region(id).contains(text) {
            assert!(Instant::now() < late, "{text:?} does not come in {id}: {}", self.region(id));
            let heard = self.hear().await;
            assert!(heard.is_some(), "the page ended without {text:?} in {id}: {}", self.region(id));
        }
    }

    /// The moves that have a button now, and their turn.
    pub(super) fn moves(&self) -> Vec<(String, u64)> {
        let buttons = self.region("moves").split("<button").skip(1);
        let value = |button: &str, key: &str| {
            let (_, rest) = button.split_once(&format!("{key}=\"")).unwrap();
            rest.split_once('"').unwrap().0.to_owned()
        };
        let is_move = |button: &&str| button.contains("data-move");
        buttons
            .filter(is_move)
            .map(|button| (value(button, "data-move"), value(button, "data-turn").parse().unwrap()))
            .collect()
    }

    /// Makes the first move that has a button, as soon as it is its turn; false if the game is over. It is made again where
    /// the page says so, since the game was moving to another server.
    pub(super) async fn moves_first(&mut self) -> bool {
        while self.moves().is_empty() {
            if self.region("actions").contains("data-do=\"again\"") {
                return false;
            }
            assert!(self.hear().await.is_some(), "the page ended: {:?}", self.regions);
        }
        let (mv, turn) = self.moves().swap_remove(0);
        let play = json!({"move": mv, "turn": turn});
        self.does("play", play.clone()).await;
        // The answer comes first.
        self.regions.remove("moves");
        while !self.regions.contains_key("moves") {
            self.hear().await.unwrap();
            if self.region("notice").contains("Try it again") {
                self.regions.remove("notice");
                tokio::time::sleep(Duration::from_millis(20)).await;
                self.does("play", play.clone()).await;
            }
        }
        true
    }

    /// Makes the first move of each turn, until the game is over.
    pub(super) async fn plays_to_the_end(&mut self) {
        while self.moves_first().await {}
    }
}
