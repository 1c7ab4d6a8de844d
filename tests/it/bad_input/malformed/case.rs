//! One malformed thing, as it stands in a file.

use std::fs;
use std::path::Path;

use serde::Deserialize;

/// What somebody sends, where, and what must be heard.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    /// What is wrong in it.
    pub(super) name: String,
    pub(super) after: Place,
    /// Several writes, one behind the other.
    pub(super) send: Vec<Sent>,
    #[serde(default)]
    pub(super) then: Then,
    pub(super) answer: Vec<String>,
}

/// Where a connection is when the case begins.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "String")]
pub(super) enum Place {
    /// It has said nothing.
    Nothing,
    Hall,
    /// Alone in a lobby of `take:3:1`.
    Lobby,
    Watching,
    /// In a game of this variant against the bot, and to make the first move.
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

/// What comes behind what is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Then {
    /// A ping, which is answered if all is well.
    #[default]
    Ping,
    /// The end of all that is sent.
    Close,
    /// Nothing, for longer than anybody waits.
    Wait,
}

/// Bytes as a file has them: two hexadecimal digits a byte, and `78*300` for a byte that is repeated.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Sent(Vec<u8>);

impl std::ops::Deref for Sent {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl std::borrow::Borrow<[u8]> for Sent {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl TryFrom<String> for Sent {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let bytes: Option<Vec<Vec<u8>>> = text.split(' ').map(bytes).collect();
        Ok(Self(bytes.ok_or(format!("{text}: not bytes in hex"))?.concat()))
    }
}

/// The bytes of one word.
fn bytes(word: &str) -> Option<Vec<u8>> {
    let (digits, times) = word.split_once('*').unwrap_or((word, "1"));
    let byte = |at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
    Some(bytes?.repeat(times.parse().ok()?))
}

/// All of them, from all files.
pub(super) fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/malformed");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    let texts = files.iter().map(|path| fs::read_to_string(path).unwrap());
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    texts.flat_map(|text| text.lines().map(read).collect::<Vec<Case>>()).collect()
}
