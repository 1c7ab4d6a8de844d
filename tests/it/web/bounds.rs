//! What the web site bounds: time, sizes and numbers of connections.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use nim::server::{Config, Server};
use nim::web::Site;
use nim::web::host::{Registration, Visitor};
use nim::wire::Ticket;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{WebSocketStream, client_async};

use super::browser::{Browser, version};
use crate::harness::{TestServer, within};

/// The time in which a request's head, an answer to the WebSocket, or a message has to be taken: it is more.
const LONG: Duration = Duration::from_secs(15);

/// A registration that only counts what is charged.
#[derive(Debug, Default)]
struct Free(AtomicU32);

impl Registration for Free {
    fn end(&self) {}

    fn charge(&self, price: u32) -> Duration {
        self.0.fetch_add(price, Ordering::Relaxed);
        Duration::ZERO
    }
}

/// A web site whose connections need no network.
struct Indoors {
    site: Site,
    registration: Arc<Free>,
    _running: tokio::task::JoinHandle<nim::server::Ended>,
}

impl Indoors {
    fn start() -> Self {
        Self::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut Config)) -> Self {
        let server = Server::bind(TestServer::config(change)).unwrap();
        let made = Arc::new(OnceLock::new());
        server.serve_web(|entrance| {
            let site = Site::new(entrance, [], Vec::new());
            made.set(site.clone()).unwrap();
            Arc::new(site)
        });
        let running = tokio::spawn(server.run(std::future::pending()));
        Self { site: made.get().unwrap().clone(), registration: Arc::default(), _running: running }
    }

    /// A connection of a visitor.
    fn connect(&self) -> DuplexStream {
        let (near, far) = duplex(4 * 1024);
        let peer = SocketAddr::from((Ipv4Addr::LOCALHOST, 1));
        let registration: Arc<Free> = Arc::clone(&self.registration);
        let visitor = Visitor { peer, registration };
        tokio::spawn(self.site.clone().serve_connection(far, visitor));
        near
    }

    /// A page with these seats.
    async fn page(&self, path: &str, seats: &[Value]) -> WebSocketStream<DuplexStream> {
        let mut request = "ws://localhost/assets/socket".into_client_request().unwrap();
        request.headers_mut().insert("Origin", "http://localhost".parse().unwrap());
        let (mut socket, _) = client_async(request, self.connect()).await.unwrap();
        let hello = json!({
            "do": "hello", "version": version(), "name": "anna", "path": path, "query": "", "seats": seats,
        });
        socket.send(Message::Text(hello.to_string().into())).await.unwrap();
        socket
    }
}

/// Reads updates until one has this.
async fn until(socket: &mut WebSocketStream<DuplexStream>, key: &str) -> Value {
    let found = async {
        loop {
            let message = socket.next().await.expect("the page goes on").unwrap();
            let text = message.to_text().unwrap();
            let update: Value = if text.is_empty() { json!({}) } else { serde_json::from_str(text).unwrap() };
            if !update[key].is_null() {
                return update[key].clone();
            }
        }
    };
    timeout(4 * LONG, found).await.unwrap_or_else(|_| panic!("there is no {key}"))
}

#[tokio::test]
async fn a_page_without_a_session_says_why_and_what_helps() {
    let indoors = Indoors::with(|config| config.max_connections_each = 1);
    let mut anna = indoors.page("/", &[]).await;
    until(&mut anna, "html").await;
    for path in ["/", "/wall"] {
        let mut ben = indoors.page(path, &[]).await;
        let html = until(&mut ben, "html").await;
        let words = html[0][1].as_str().unwrap();
        assert!(words.contains("Your address has as many connections as the server allows, 1"), "{words}");
        assert!(words.contains("Close pages that nobody needs."), "{words}");
        // It comes back by itself.
        assert!(!matches!(ben.next().await, Some(Ok(Message::Text(_)))), "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_begins_and_does_not_end_is_closed() {
    let site = Indoors::start();
    let (mut slow, since) = (site.connect(), Instant::now());
    slow.write_all(b"GET / HTTP/1.1\r\nHost: local").await.unwrap();
    let mut told = Vec::new();
    slow.read_to_end(&mut told).await.unwrap();
    assert!(since.elapsed() < LONG, "{:?}", since.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_sent_byte_by_byte_is_closed_too() {
    let site = Indoors::start();
    let (mut slow, since) = (site.connect(), Instant::now());
    while slow.write_all(b"G").await.is_ok() {
        sleep(Duration::from_secs(1)).await;
        assert!(since.elapsed() < LONG, "the connection is still open");
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_is_kept_without_a_request_is_closed() {
    let site = Indoors::start();
    let mut kept = site.connect();
    kept.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let (mut page, since) = (Vec::new(), Instant::now());
    kept.read_to_end(&mut page).await.unwrap();
    assert!(page.starts_with(b"HTTP/1.1 200"));
    assert!(since.elapsed() < LONG, "{:?}", since.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_visitor_who_asks_on_and_reads_no_answer_is_dropped() {
    let site = Indoors::start();
    let (mut deaf, since) = (site.connect(), Instant::now());
    let asks = async { while deaf.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await.is_ok() {} };
    timeout(4 * LONG, asks).await.expect("the connection is closed");
    assert!(since.elapsed() < LONG, "{:?}", since.elapsed());
}

#[tokio::test(start_paused = true)]
async fn each_request_and_each_message_of_a_page_is_charged() {
    let site = Indoors::start();
    let mut page = site.page("/", &[]).await;
    until(&mut page, "name").await;
    for click in [json!({"do": "alive"}), json!({"do": "join", "code": "?", "ticket": ""})] {
        page.send(Message::Text(click.to_string().into())).await.unwrap();
    }
    until(&mut page, "html").await;
    let charged = site.registration.0.load(Ordering::Relaxed);
    assert_eq!(
        charged, 24,
        "the request for the WebSocket, the hello, two messages, and what one of them asks for"
    );
}

#[tokio::test(start_paused = true)]
async fn a_socket_that_does_not_say_hello_is_closed() {
    let site = Indoors::start();
    let mut request = "ws://localhost/assets/socket".into_client_request().unwrap();
    request.headers_mut().insert("Origin", "http://localhost".parse().unwrap());
    let (mut socket, _) = client_async(request, site.connect()).await.unwrap();
    let since = Instant::now();
    while socket.next().await.is_some_and(|message| message.is_ok()) {}
    assert!(since.elapsed() < LONG, "{:?}", since.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_browser_that_does_not_read_is_dropped_and_its_seat_is_kept() {
    let site = Indoors::start();
    let mut deaf = site.page("/", &[]).await;
    let play = json!({"do": "play-now", "game": "java-tech:21", "ticket": Ticket::random().to_hex()});
    deaf.send(Message::Text(play.to_string().into())).await.unwrap();
    let seat = until(&mut deaf, "keep").await;
    let clicks =
        [json!({"do": "ask", "about": "rules"}), json!({"do": "close"})].map(|click| click.to_string());
    let since = Instant::now();
    for click in clicks.iter().cycle() {
        if deaf.send(Message::Text(click.into())).await.is_err() {
            break;
        }
        assert!(since.elapsed() < 2 * LONG, "the connection is still open");
    }
    let path = format!("/{}", seat["code"].as_str().unwrap());
    let mut back = site.page(&path, std::slice::from_ref(&seat)).await;
    assert_eq!(until(&mut back, "keep").await["ticket"], seat["ticket"]);
}

#[tokio::test]
async fn a_message_that_is_too_long_ends_the_session_and_the_seat_is_kept() {
    let server = TestServer::with_web(|_| {});
    let mut anna = Browser::at(server.address(), "anna", "/").await;
    anna.asks_for_seat("play-now", json!({"game": "java-tech:21"})).await;
    anna.shows("players", "anna (you)").await;
    anna.does("say", json!({"words": "x".repeat(5_000)})).await;
    while anna.hear().await.is_some() {}
    let mut back = Browser::with_seats(server.address(), "anna", &anna.path, &anna.seats).await;
    back.shows("players", "anna (you)").await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn requests_that_do_not_end_are_no_more_than_an_address_may_have_connections() {
    const EACH: usize = 8;
    let server = TestServer::with_web(|config| config.max_connections_each = EACH);
    let mut open = Vec::new();
    for _ in 0..20 * EACH {
        let mut half = from(server.address(), Ipv4Addr::new(127, 0, 0, 2)).await;
        let _ = half.write_all(b"GET / HTTP/1.1\r\n").await;
        open.push(half);
    }
    // All but those that were admitted first are turned away.
    let mut ends = tokio::task::JoinSet::new();
    for mut half in open {
        ends.spawn(async move {
            // It may be cut.
            let _ = half.read_to_end(&mut Vec::new()).await;
            half
        });
    }
    for _ in 0..19 * EACH {
        within("the end of a connection", ends.join_next()).await.unwrap().unwrap();
    }
    server.still_serves().await;
}

/// A connection from this address: Linux has several of this machine.
#[cfg(target_os = "linux")]
async fn from(server: SocketAddr, address: Ipv4Addr) -> tokio::net::TcpStream {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind((address, 0).into()).unwrap();
    socket.connect(server).await.unwrap()
}

#[tokio::test]
async fn a_page_counts_as_one_connection_of_its_address() {
    let server = TestServer::with_web(|config| config.max_connections_each = 1);
    let mut anna = Browser::at(server.address(), "anna", "/").await;
    anna.shows("start", "Play now").await;
    anna.asks_for_seat("play-now", json!({"game": "java-tech:21"})).await;
    anna.shows("players", "anna (you)").await;
}

#[tokio::test]
async fn a_tree_on_a_page_grows_only_to_a_stated_size() {
    let server = TestServer::with_web(|_| {});
    let mut anna = Browser::at(server.address(), "anna", "/study/nim:9-9-9").await;
    anna.shows("learn", "data-node=\"27\"").await;
    while !anna.region("learn").contains("There is no room for more of this tree") {
        anna.does("learn-deepen", json!({})).await;
        // A sign of life is always answered, whether the tree has changed or not.
        anna.does("alive", json!({})).await;
        assert!(anna.hear().await.is_some(), "the page ended");
    }
}

#[tokio::test(start_paused = true)]
async fn news_of_the_lobbies_reach_a_thousand_pages_a_second_at_most() {
    let site = Indoors::start();
    let mut pages = Vec::new();
    for _ in 0..40 {
        let mut page = site.page("/", &[]).await;
        until(&mut page, "html").await;
        pages.push(page);
    }
    let mut opener = site.page("/", &[]).await;
    let new = json!({"do": "new", "game": "java-tech:21", "opponent": "people", "ticket": Ticket::random().to_hex()});
    opener.send(Message::Text(new.to_string().into())).await.unwrap();
    until(&mut opener, "keep").await;
    let mut told = Vec::new();
    for page in &mut pages {
        let news = until(page, "html").await.to_string();
        assert!(news.contains("A seat is free."), "{news}");
        told.push(Instant::now());
    }
    let took = told[told.len() - 1] - told[0];
    assert!(took >= Duration::from_millis(32), "{took:?} for forty pages");
}
