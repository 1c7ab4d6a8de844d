//! The worked session: played with a real server, stored as frames, and shown on its own page.

use nim::lobby::Moment;
use nim::wire::{BotWish, HallRequest, LobbyRequest, NewLobby, Ticket, ToClient, ToServer, decode, encode};

use super::reader::Reader;
use super::spaced;
use super::tables::{Page, Type};
use crate::harness::{TestServer, hello, take, terms};
use crate::vectors::{self, Peer};

/// One frame of the session.
#[derive(Debug)]
struct Frame {
    from: Peer,
    /// Its meaning in a sentence.
    what: &'static str,
    bytes: Vec<u8>,
}

const FILE: &str = "vectors/session.json";

/// The page that shows it.
const DRAWN: &str = "SESSION.md";

/// The client's messages, each with the server's answers, as sentences.
fn script() -> Vec<(&'static str, ToServer, &'static [&'static str])> {
    let play = |turn, count| LobbyRequest::Play { turn, mv: take(count) };
    let in_lobby = |id, request| ToServer::Lobby { id, request };
    let wish = NewLobby {
        bot: BotWish::AtOnce,
        seat: Ticket::of(std::array::from_fn(|at| u8::try_from(at).unwrap() * 0x11)).hash(),
        ..terms("java-tech:4")
    };
    vec![
        ("Anna says hello.", hello("anna"), &["She is welcome, and now in the hall."]),
        (
            "She opens a lobby: four objects, take 1 to 3, the player who takes the last one loses; the bot is to come at once.",
            ToServer::Hall { id: 1, request: HallRequest::Create(wish) },
            &[
                "She sits on the first side of a new lobby.",
                "The bot sits down on the second side.",
                "The game starts.",
            ],
        ),
        (
            "She tries to take all four.",
            in_lobby(2, play(1, 4)),
            &["That is refused, and it is still turn 1."],
        ),
        (
            "She takes three, and leaves one.",
            in_lobby(3, play(1, 3)),
            &["Her move has happened.", "The bot has to take the last one.", "So she has won."],
        ),
        ("She asks whether the server is still there.", ToServer::Ping(7), &["It is."]),
        (
            "She leaves the lobby.",
            in_lobby(4, LobbyRequest::Leave),
            &["She is in the hall again, and hangs up."],
        ),
    ]
}

async fn play() -> Vec<Frame> {
    let server = TestServer::with(|config| config.seed = 21);
    let (mut wire, mut frames) = (server.connect().await, Vec::new());
    for (what, message, answers) in script() {
        wire.send(&message).await;
        frames.push(Frame { from: Peer::Client, what, bytes: encode(&message).to_vec() });
        for what in answers {
            let heard = wire.read().await.unwrap_or_else(|| panic!("the server does not say: {what}"));
            frames.push(Frame { from: Peer::Server, what, bytes: encode(&settled(heard)).to_vec() });
        }
    }
    frames
}

/// The same message from a server whose clock is stopped.
fn settled(mut message: ToClient) -> ToClient {
    match &mut message {
        ToClient::Entered { lobby, now, .. } => {
            (lobby.began, *now) = (Moment::START, Moment::START);
        }
        ToClient::Lobby { at, .. } => *at = Moment::START,
        _ => {}
    }
    message
}

/// Plays the session, and compares it with both files; rewrites them first if requested.
pub(super) fn check(page: &Page) {
    let frames = tokio::runtime::Runtime::new().unwrap().block_on(play());
    for (name, made) in [(FILE, file(&frames)), (DRAWN, drawn(&vectors::read(DRAWN), page, &frames))] {
        if vectors::blessing() {
            std::fs::write(vectors::proto(name), &made).unwrap();
        }
        assert_eq!(vectors::read(name), made, "rewrite it with NIM_BLESS=1");
    }
}

fn file(frames: &[Frame]) -> String {
    vectors::array(frames.iter().map(|frame| {
        let from = serde_json::to_string(&frame.from).unwrap();
        let what = serde_json::to_string(frame.what).unwrap();
        let hex = vectors::digits(&frame.bytes);
        format!(r#"{{"from": {from}, "what": {what}, "hex": "{hex}", "value": {}}}"#, frame.value())
    }))
}

/// The page with the session in its only block.
fn drawn(text: &str, page: &Page, frames: &[Frame]) -> String {
    let (head, _) = text.split_once("```text\n").expect("the page has a block");
    let drawn: Vec<String> = frames.iter().map(|frame| frame.draw(page)).collect();
    format!("{head}```text\n{}\n```\n", drawn.join("\n\n"))
}

impl Frame {
    fn value(&self) -> String {
        let body = &self.bytes[4..];
        match self.from {
            Peer::Client => serde_json::to_string(&decode::<ToServer>(body).unwrap()),
            Peer::Server => serde_json::to_string(&decode::<ToClient>(body).unwrap()),
        }
        .unwrap()
    }

    /// A sentence, followed by the bytes and their meaning.
    fn draw(&self, page: &Page) -> String {
        let (head, body) = self.bytes.split_at(4);
        let (arrow, message) = match self.from {
            Peer::Client => ('>', "ToServer"),
            Peer::Server => ('<', "ToClient"),
        };
        let mut reader = Reader::new(page, body);
        reader.whole(&Type::Table(message.into())).unwrap();
        let mut lines = vec![format!("{arrow} {}", self.what)];
        lines.extend(rows(head, &format!("length of the body: {}", body.len())));
        for note in reader.notes {
            lines.extend(rows(&body[note.bytes], &note.words));
        }
        lines.join("\n")
    }
}

/// The number of bytes per line on the page.
const WIDTH: usize = 8;

/// The bytes on as many lines as they need, with the words on the first one.
fn rows(bytes: &[u8], words: &str) -> Vec<String> {
    let words = std::iter::once(words).chain(std::iter::repeat(""));
    let row = |(part, words): (&[u8], &str)| format!("  {:<26}{words}", spaced(part)).trim_end().to_string();
    bytes.chunks(WIDTH).zip(words).map(row).collect()
}
