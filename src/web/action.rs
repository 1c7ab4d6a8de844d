//! What the script of the page sends: one JSON object a message.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::shell;
use crate::client::words::meanwhile::Seen;

/// A message of the script.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum PageAction {
    /// The first message: who this is, where the person is, and the seats that this browser keeps.
    Hello {
        /// The version of the page.
        #[expect(dead_code, reason = "it is read before all the rest")]
        version: String,
        /// The name to be called by.
        #[serde(default, deserialize_with = "known")]
        name: String,
        /// The path of the page, and what follows the question mark.
        path: String,
        query: String,
        /// The seats on this host.
        #[serde(default, deserialize_with = "all_known")]
        seats: Vec<KeptSeat>,
        /// The tickets of seats that were given up, which open the records of their games.
        #[serde(default, deserialize_with = "all_known")]
        tickets: Vec<String>,
        /// How the lobby stood that this page watched last, if it is that of the path.
        #[serde(default, deserialize_with = "known")]
        seen: Seen,
        /// Whether the browser keeps nothing beyond this tab.
        #[serde(default)]
        forgets: bool,
        /// Whether the page was connected a moment ago, and the person was not told that it is not any more.
        #[serde(default)]
        unnoticed: bool,
    },
    /// The browser is there.
    Alive,
    /// To be called by another name, in the hall.
    Rename {
        name: String,
    },
    /// To the first page.
    Home,
    /// A game against the bot, at once.
    PlayNow {
        game: String,
        ticket: String,
    },
    /// A lobby with these terms.
    New(Box<NewGame>),
    /// A game with somebody who waits for one.
    Quick {
        game: String,
        ticket: String,
    },
    /// A seat in this lobby.
    Join {
        code: String,
        ticket: String,
        #[serde(default)]
        password: String,
    },
    /// To watch this lobby.
    Watch {
        code: String,
        #[serde(default)]
        password: String,
    },
    /// The seat that this browser keeps in this lobby.
    Return {
        code: String,
        ticket: String,
        name: String,
    },
    /// A move in this turn.
    Play {
        #[serde(rename = "move")]
        mv: String,
        turn: u32,
    },
    Hint,
    Resign,
    Again,
    OfferDraw,
    OfferTakeback,
    OfferPause,
    Accept,
    Decline,
    Resume,
    Wait,
    WaitNoMore,
    Claim,
    Say {
        words: String,
    },
    /// To leave the lobby and to keep a seat with a game in it.
    LeaveAndKeep,
    /// To give the seat up.
    GiveUp,
    /// Explores a game without playing.
    Study {
        game: String,
    },
    /// What concerns records.
    Record {
        act: RecordAct,
        /// The name of the game, to open its record.
        #[serde(default)]
        game: String,
        /// The number of the step to go to.
        #[serde(default)]
        step: usize,
    },
    /// Opens the learn panel.
    Learn,
    /// Closes it.
    LearnClose,
    /// Goes to a line of the tree.
    LearnAt {
        node: usize,
    },
    /// Opens or closes a line of the tree.
    LearnOpen {
        node: usize,
    },
    /// Opens one level more of the tree.
    LearnDeepen,
    /// To the position before, or after, the next move of the game.
    LearnEarlier,
    LearnLater,
    /// To the next turning point.
    LearnJump,
    /// Stops to turn the pages of the wall, or goes on.
    Hold,
    /// Opens a dialog.
    Ask {
        about: Dialog,
    },
    /// Closes the dialog.
    Close,
    /// Closes the notice.
    Dismiss,
}

/// The first message, of a page of this version. What a page of another one says may have any shape.
pub(super) fn hello(text: &str) -> Option<PageAction> {
    #[derive(Deserialize)]
    struct Versioned {
        version: String,
    }

    let page: Versioned = serde_json::from_str(text).ok()?;
    if page.version != shell::version() {
        return None;
    }
    serde_json::from_str(text).ok()
}

/// What a browser has kept, if it has the shape of this version.
fn known<'de, T: DeserializeOwned + Default, D: Deserializer<'de>>(kept: D) -> Result<T, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(kept)?).unwrap_or_default())
}

/// Those of a list that have the shape of this version.
fn all_known<'de, T: DeserializeOwned, D: Deserializer<'de>>(kept: D) -> Result<Vec<T>, D::Error> {
    let Value::Array(all) = Value::deserialize(kept)? else { return Ok(Vec::new()) };
    Ok(all.into_iter().filter_map(|one| serde_json::from_value(one).ok()).collect())
}

/// The form for a new game. What is empty has its default.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewGame {
    pub(super) game: String,
    pub(super) ticket: String,
    /// Another game, typed.
    #[serde(default)]
    pub(super) typed: String,
    #[serde(default)]
    pub(super) opponent: String,
    #[serde(default)]
    pub(super) starts: String,
    #[serde(default)]
    pub(super) level: String,
    #[serde(default)]
    pub(super) hints: String,
    #[serde(default)]
    pub(super) away: String,
    #[serde(default, rename = "stand-in")]
    pub(super) stand_in: String,
    #[serde(default)]
    pub(super) after: String,
    #[serde(default)]
    pub(super) clock: String,
    #[serde(default, rename = "best-of")]
    pub(super) best_of: String,
    #[serde(default)]
    pub(super) watched: String,
    #[serde(default)]
    pub(super) listed: String,
    #[serde(default)]
    pub(super) password: String,
}

/// A seat that the browser keeps.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct KeptSeat {
    pub(super) code: String,
    pub(super) ticket: String,
    pub(super) name: String,
    /// What is played there, in words.
    #[serde(default, deserialize_with = "known")]
    pub(super) about: String,
    /// How it stood when it was last seen.
    #[serde(default, deserialize_with = "known")]
    pub(super) seen: Seen,
}

/// What can be done with records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RecordAct {
    /// Lists them.
    List,
    /// Lists more of them.
    More,
    /// Opens one.
    Open,
    /// Opens that of the game that was played last in this lobby.
    OfLobby,
    /// To the start.
    First,
    /// A step back.
    Back,
    /// A step forward.
    Forward,
    /// To the end.
    Last,
    /// To this step.
    At,
    /// Opens the learn panel at this position.
    Learn,
    /// Saves the record as a file.
    Save,
    /// Leaves the records.
    Close,
}

/// What is open over the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Dialog {
    /// The rules and the agreed conditions.
    Rules,
    /// How to leave.
    Leave,
    /// How to go on in another browser.
    Device,
    /// Whether to resign.
    Resign,
    /// Whether to offer a draw to a bot.
    Draw,
    /// Whether to claim the game.
    Claim,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_with_an_unknown_word_is_refused() {
        let read = |text: &str| serde_json::from_str::<PageAction>(text).is_ok();
        assert!(read(r#"{"do":"play","move":"take 3","turn":7}"#));
        assert!(read(r#"{"do":"ask","about":"leave"}"#));
        for text in [
            r#"{"do":"shout"}"#,
            r#"{"do":"play","move":"1","turn":7,"loud":true}"#,
            r#"{"move":"1"}"#,
            "[]",
            "",
        ] {
            assert!(!read(text), "{text}");
        }
    }
}
