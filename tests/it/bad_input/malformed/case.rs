//! One malformed case, as its file describes it.

use std::fs;
use std::path::Path;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::vectors::unhex;

/// What the client sends, in which state, and the expected answer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    /// What is wrong with it.
    pub(super) name: String,
    pub(super) after: Place,
    /// Several writes, one after the other: two hexadecimal digits for a byte, and `78*300` for a repeated
    /// byte.
    #[serde(deserialize_with = "sent")]
    pub(super) send: Vec<Vec<u8>>,
    #[serde(default)]
    pub(super) then: Then,
    pub(super) answer: Vec<String>,
}

/// The state of the connection when the case begins.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "String")]
pub(super) enum Place {
    /// It has sent nothing.
    Nothing,
    Hall,
    /// Alone in a lobby of `take:3:1`.
    Lobby,
    Watching,
    /// In a game of this variant against the bot, and to move first.
    Game(String),
}

impl TryFrom<String> for Place {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Ok(match text.as_str() {
            "nothing" => Self::Nothing,
            "hall" => Self::Hall,
            "lobby" => Self::Lobby,
            "watching" => Self::Watching,
            _ => Self::Game(text.strip_prefix("game ").ok_or(format!("{text}: no such place"))?.to_owned()),
        })
    }
}

/// What follows the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Then {
    /// A ping; the server answers it if it accepts the input.
    #[default]
    Ping,
    /// The end of the stream.
    Close,
    /// Silence, until a deadline passes.
    Wait,
}

fn sent<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Vec<u8>>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    let write = |text: &String| Some(text.split(' ').map(bytes).collect::<Option<Vec<_>>>()?.concat());
    let writes: Option<_> = texts.iter().map(write).collect();
    writes.ok_or_else(|| D::Error::custom("not bytes in hex"))
}

/// The bytes of one word.
fn bytes(word: &str) -> Option<Vec<u8>> {
    let (digits, times) = word.split_once('*').unwrap_or((word, "1"));
    Some(unhex(digits)?.repeat(times.parse().ok()?))
}

/// The cases of all files.
pub(super) fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/malformed");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    let texts = files.iter().map(|path| fs::read_to_string(path).unwrap());
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    texts.flat_map(|text| text.lines().map(read).collect::<Vec<Case>>()).collect()
}
