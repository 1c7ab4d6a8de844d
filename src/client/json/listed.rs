//! A game in a list of records, for scripts.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::part::Ending;
use super::vocabulary::{Kind, Level};
use crate::client::records::Found;
use crate::client::words::records::ending;
use crate::lobby::{Code, Name};
use crate::record::Sitter;

/// A game of which there is a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    /// By what it is asked for: its name on the server, or the file's.
    pub game: String,
    /// The code that its lobby had.
    pub code: Code,
    /// What was played.
    pub variant: String,
    /// When it began, in UTC.
    pub started: String,
    /// Who had the first move.
    pub first: PlayedBy,
    /// Who sat opposite.
    pub second: PlayedBy,
    /// How strong a bot played there, if one did.
    pub level: Level,
    /// How it ended; `None` if it goes on.
    pub result: Option<Ending>,
    /// Whether it was played from a seat of this person.
    pub mine: bool,
}

/// Somebody who played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayedBy {
    /// What they were called.
    pub name: Name,
    /// Person or bot.
    pub kind: Kind,
}

impl From<&Found> for Listed {
    fn from(found: &Found) -> Self {
        let player = |Sitter { name, kind }: &Sitter| PlayedBy { name: name.clone(), kind: (*kind).into() };
        let result = found.result.map(|result| Ending {
            winner: result.outcome.winner().map(Into::into),
            cause: result.cause.into(),
            words: ending(found),
        });
        Self {
            game: found.name.clone(),
            code: found.code,
            variant: found.variant.clone(),
            started: found.started.to_string(),
            first: player(&found.players.first),
            second: player(&found.players.second),
            level: found.level.into(),
            result,
            mine: found.mine,
        }
    }
}

/// Writes a game, as one line.
pub fn write_listed(out: &mut impl Write, found: &Found) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Listed::from(found))?;
    out.write_all(b"\n")
}
