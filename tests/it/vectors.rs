//! The golden bytes in `proto/vectors`, compared with the code that writes and reads them.
//!
//! `NIM_BLESS=1` rewrites the files with the bytes of the values; nothing else ever writes them.

use std::collections::HashSet;
use std::fmt::{Debug, Write};
use std::path::PathBuf;
use std::sync::LazyLock;

use bytes::BytesMut;
use nim::lobby::MAX_PAST;
use nim::wire::limits::{MAX_CHAT_LINES, MAX_FRAME, MAX_GAMES, MAX_LISTED};
use nim::wire::{self, HelloRefusal, ToClient, ToServer, VERSION};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::harness::campaign;

/// A message by its name, as bytes and as JSON.
#[derive(Debug, Deserialize)]
pub(crate) struct Vector {
    pub(crate) name: String,
    /// The whole frame. It is empty in a new entry until it is blessed.
    #[serde(default, deserialize_with = "hex")]
    pub(crate) hex: Vec<u8>,
    pub(crate) value: Value,
}

/// An invalid frame.
#[derive(Debug, Deserialize)]
pub(crate) struct Bad {
    pub(crate) name: String,
    pub(crate) from: Peer,
    #[serde(deserialize_with = "hex")]
    pub(crate) hex: Vec<u8>,
    pub(crate) why: String,
}

impl Bad {
    /// Whether only the length is wrong; then there is no body.
    pub(crate) fn is_too_long(&self) -> bool {
        self.hex.len() == 4 && self.hex[..4] != [0; 4]
    }
}

/// The invalid frames.
pub(crate) fn bad() -> Vec<Bad> {
    parse("bad.json")
}

/// The sender of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Peer {
    Client,
    Server,
}

pub(crate) static TO_SERVER: LazyLock<Vec<Vector>> = LazyLock::new(|| load::<ToServer>("to_server.json"));
pub(crate) static TO_CLIENT: LazyLock<Vec<Vector>> = LazyLock::new(|| load::<ToClient>("to_client.json"));

/// Whether to rewrite the files.
pub(crate) fn blessing() -> bool {
    std::env::var_os("NIM_BLESS").is_some_and(|word| word == "1")
}

/// The path of a file of `proto`.
pub(crate) fn proto(file: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "proto", file].iter().collect()
}

pub(crate) fn read(file: &str) -> String {
    std::fs::read_to_string(proto(file)).unwrap_or_else(|error| panic!("proto/{file}: {error}"))
}

fn parse<T: DeserializeOwned>(file: &str) -> Vec<T> {
    serde_json::from_str(&read(&format!("vectors/{file}"))).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn load<M: Serialize + DeserializeOwned>(file: &str) -> Vec<Vector> {
    if blessing() {
        std::fs::write(proto("vectors").join(file), remade::<M>(&parse(file))).unwrap();
    }
    parse(file)
}

/// The file's text with all bytes computed from the values, one entry per line.
fn remade<M: Serialize + DeserializeOwned>(vectors: &[Vector]) -> String {
    array(vectors.iter().map(|vector| {
        let message: M = value_of(vector);
        let value = serde_json::to_string(&message).unwrap();
        let name = serde_json::to_string(&vector.name).unwrap();
        format!(r#"{{"name": {name}, "hex": "{}", "value": {value}}}"#, digits(&wire::encode(&message)))
    }))
}

/// A JSON array with one item per line, so that differences can be read.
pub(crate) fn array(items: impl Iterator<Item = String>) -> String {
    format!("[\n{}\n]\n", items.collect::<Vec<_>>().join(",\n"))
}

fn value_of<M: DeserializeOwned>(vector: &Vector) -> M {
    serde_json::from_value(vector.value.clone()).unwrap_or_else(|error| panic!("{}: {error}", vector.name))
}

pub(crate) fn digits(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn hex<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    unhex(&text).ok_or_else(|| serde::de::Error::custom("not bytes in hex"))
}

/// The bytes of these hexadecimal digits.
pub(crate) fn unhex(digits: &str) -> Option<Vec<u8>> {
    let byte = |at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// A peer's result for a frame.
fn read_frame<M: DeserializeOwned>(frame: &[u8]) -> Result<M, String> {
    let mut buffer = BytesMut::from(frame);
    let body = wire::next_body(&mut buffer).map_err(|error| error.to_string())?;
    let body = body.expect("the frame is whole");
    assert!(buffer.is_empty(), "bytes follow the frame");
    wire::decode(&body).map_err(|error| error.to_string())
}

fn check<M: Serialize + DeserializeOwned + PartialEq + Debug>(vectors: &[Vector], file: &str) {
    for vector in vectors {
        let message: M = value_of(vector);
        assert_eq!(digits(&wire::encode(&message)), digits(&vector.hex), "written: {}", vector.name);
        assert_eq!(read_frame(&vector.hex), Ok(message), "read: {}", vector.name);
    }
    assert_eq!(read(&format!("vectors/{file}")), remade::<M>(vectors), "{file} is not as it would be made");
}

#[test]
fn messages_of_a_client_have_these_bytes() {
    check::<ToServer>(&TO_SERVER, "to_server.json");
}

#[test]
fn messages_of_the_server_have_these_bytes() {
    check::<ToClient>(&TO_CLIENT, "to_client.json");
}

#[test]
fn vector_names_are_unique() {
    let bad = bad();
    let good = TO_SERVER.iter().chain(TO_CLIENT.iter()).map(|vector| &vector.name);
    let mut seen = HashSet::new();
    for name in good.chain(bad.iter().map(|vector| &vector.name)) {
        assert!(seen.insert(name), "{name} is there twice");
    }
}

#[test]
fn bad_frames_are_not_read_as_messages() {
    for Bad { name, from, hex, why } in bad() {
        let refused = match from {
            Peer::Client => read_frame::<ToServer>(&hex).is_err(),
            Peer::Server => read_frame::<ToClient>(&hex).is_err(),
        };
        assert!(refused, "{name}: {why}");
    }
}

#[test]
fn no_prefix_of_a_message_is_a_message() {
    check_beginnings::<ToServer>(&TO_SERVER);
    check_beginnings::<ToClient>(&TO_CLIENT);
}

fn check_beginnings<M: DeserializeOwned>(vectors: &[Vector]) {
    for vector in vectors {
        let body = &vector.hex[4..];
        // Outside a campaign about a hundred places of each vector are tried.
        let every = if campaign::is_on() { 1 } else { body.len() / 100 + 1 };
        for end in (0..body.len()).step_by(every) {
            assert!(wire::decode::<M>(&body[..end]).is_err(), "{}, cut at {end}", vector.name);
        }
    }
}

/// The vector with this name, in which the list at this JSON pointer has this number of copies of its first
/// item.
fn with_as_many(name: &str, part: &str, count: usize, item: Option<Value>) -> ToClient {
    let vector = TO_CLIENT.iter().find(|vector| vector.name == name).unwrap();
    let mut value = vector.value.clone();
    let list = value.pointer_mut(part).and_then(Value::as_array_mut).unwrap();
    let item = item.unwrap_or_else(|| list[0].clone());
    *list = vec![item; count];
    serde_json::from_value(value).unwrap()
}

#[test]
fn the_longest_messages_fit_into_a_frame() {
    let largest = json!({"mv": {"Nim": {"pile": 255, "count": u64::MAX}}, "hand": "stand_in"});
    for message in [
        with_as_many("entered-with-the-longest-texts", "/Entered/lobby/past", MAX_PAST, Some(largest)),
        with_as_many("said-the-longest-line", "/Said", MAX_CHAT_LINES, None),
        with_as_many("lobbies-as-many-as-there-may-be", "/Hall/Lobbies/listed", MAX_LISTED, None),
        with_as_many("told-of-games-with-the-longest-texts", "/Games/games", MAX_GAMES, None),
    ] {
        let frame = wire::encode(&message);
        assert!(frame.len() <= 4 + MAX_FRAME, "{} bytes", frame.len());
        assert_eq!(read_frame(&frame), Ok(message));
    }
}

/// Never rewrite these bytes: programs of every version have to understand them.
#[test]
fn the_refusal_of_a_version_has_the_bytes_that_never_change() {
    let refusal = |yours: u16| {
        wire::encode(&ToClient::Unwelcome(HelloRefusal::Version {
            yours: yours.into(),
            ours: VERSION.into(),
        }))
    };
    assert_eq!(VERSION, 1);
    assert_eq!(refusal(2)[..], [0, 0, 0, 6, 1, 0, 2, 0, 1, 0]);
    assert_eq!(refusal(0xabcd)[..], [0, 0, 0, 6, 1, 0, 0xcd, 0xab, 1, 0]);
}

#[test]
fn a_hello_begins_with_the_bytes_that_never_change() {
    let hello = TO_SERVER.iter().find(|vector| vector.name == "hello-of-version-2").unwrap();
    assert_eq!(hello.hex[4..10], [0, b'n', b'i', b'm', 2, 0]);
}

/// The page says so, and that no writer should do it.
#[test]
fn a_number_in_more_bytes_than_needed_is_read() {
    for body in [&[3, 0xfb, 7, 0][..], &[3, 0xfc, 7, 0, 0, 0], &[0xfb, 3, 0, 7]] {
        assert_eq!(wire::decode(body), Ok(ToServer::Ping(7)), "{body:02x?}");
    }
}
