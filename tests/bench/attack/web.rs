//! What attackers send to the web site: requests, and messages of pages.

use fastrand::Rng;
use nim::lobby::Code;
use nim::web::page_version;

/// A whole request, the beginning of one, and a header of one.
pub(super) const GET: &str = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
pub(super) const HALF: &str = "GET / HTTP/1.1\r\nHost: localhost\r\n";
pub(super) const HEADER: &str = "X-Long: 0123456789012345678901234567890123456789\r\n";

/// The request for a WebSocket.
pub(super) const UPGRADE: &str = "GET /assets/socket HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n\
    Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

/// The number of guessed codes; they repeat.
const GUESSES: usize = 50;

/// The number of lines of the tree that are opened.
const LINES: usize = 100;

/// A message of a page as a WebSocket frame (RFC 6455, section 5.2), masked with zeros.
pub(super) fn message(text: &str) -> Vec<u8> {
    const FIN_AND_TEXT: u8 = 0x81;
    const MASKED: u8 = 0x80;
    const LENGTH_IN_TWO_BYTES: u8 = 126;
    let mut frame = vec![FIN_AND_TEXT];
    match u8::try_from(text.len()) {
        Ok(length) if length < LENGTH_IN_TWO_BYTES => frame.push(MASKED | length),
        _ => {
            frame.push(MASKED | LENGTH_IN_TWO_BYTES);
            frame.extend(u16::try_from(text.len()).unwrap_or(u16::MAX).to_be_bytes());
        }
    }
    frame.extend([0; 4]);
    frame.extend(text.as_bytes());
    frame
}

/// A page of this path: its WebSocket, and its hello.
pub(super) fn page(path: &str) -> Vec<u8> {
    let hello = format!(
        r#"{{"do":"hello","version":"{}","name":"raider","path":"{path}","query":"","seats":[]}}"#,
        page_version()
    );
    [UPGRADE.as_bytes(), &message(&hello)].concat()
}

/// A program that speaks JSON, and opens a lobby.
pub(super) fn program() -> Vec<u8> {
    let hello = message(r#"{"do":"hello","name":"raider"}"#);
    let new = message(r#"{"do":"new","variant":"java-tech:21"}"#);
    [UPGRADE.replace("/assets/socket", "/api").as_bytes(), &hello, &new].concat()
}

/// What a program asks that sits in a lobby.
pub(super) fn questions() -> Vec<u8> {
    [message(r#"{"do":"why"}"#), message(r#"{"do":"terms"}"#)].concat()
}

/// A dialog opened and closed.
pub(super) fn dialogs() -> Vec<u8> {
    [message(r#"{"do":"ask","about":"resign"}"#), message(r#"{"do":"close"}"#)].concat()
}

/// Lines of a tree, each opened.
pub(super) fn opened_lines() -> Vec<u8> {
    let open = |node| message(&format!(r#"{{"do":"learn-open","node":{node}}}"#));
    (1..LINES).flat_map(open).collect()
}

/// Requests for the pages of guessed codes.
pub(super) fn guessed_paths() -> Vec<u8> {
    let mut chance = Rng::new();
    let get = |_| {
        let code = Code::from_bits(chance.u16(..), chance.u8(..));
        format!("GET /{code} HTTP/1.1\r\nHost: localhost\r\n\r\n").into_bytes()
    };
    (0..GUESSES).flat_map(get).collect()
}
