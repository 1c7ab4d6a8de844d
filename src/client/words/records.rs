//! The sentences about recorded games: a table of games, and one game step by step.

use std::io;
use std::path::Path;

use crate::client::Address;
use crate::client::records::GameSummary;
use crate::client::text::{in_columns, marked, sentence};
use crate::game::{BySide, Side};
use crate::record::Record;
use crate::study::words::thousands;
use crate::system::ErrorText;

/// The heading of the games at this keyboard.
pub const HERE: &str = "Games that were played at this keyboard";

/// The heading of the games on a server.
pub fn there(address: &Address) -> String {
    format!("Games on {address} that are open to you")
}

/// The list is empty.
pub const NONE: &str = "No games yet.";

/// Added to the last line if there are more.
pub const OTHERS: &str = "There are others; nim-client record list finds them.";

/// The line of a record before its first step.
pub const START: &str = "The start";

/// The value of a move could not be computed.
pub const NOT_JUDGED: &str = "This move was not judged.";

/// Moves of a game that goes on are not judged on a page: that would be a hint.
pub const NOT_JUDGED_YET: &str = "Moves are judged once the game is over.";

/// Why a record may not be open to somebody, and what to do.
pub const WHO_MAY_READ: &str = "A game that everybody could watch has a record for everybody; that of another game is open to those who played it,     in the browser or on the computer that has their seat. The list has all that are open to you.";

/// A record with more steps than a page shows.
pub fn too_long(most: usize) -> String {
    format!("This record has more than {most} steps, too many for a page; nim-client record shows it.")
}

/// How to use the list, for the help.
pub const HOW_TO_LOOK: [&str; 2] = [
    "The arrow keys, Page Up and Page Down go through the list, and so does the wheel of the mouse; a click chooses a game, \
     and one more opens it.",
    "A server lists public games, and those that you played from this computer. All times are in UTC.",
];

/// How to go through a game, for the help.
pub const HOW_TO_READ: [&str; 3] = [
    "The arrow keys go through the game, and so does the wheel of the mouse; Home goes to its start and End to its end. With \
     a click on a line you are there.",
    "Beside each step is its time since the beginning of the turn.",
    "Below is the value of the move for the side that made it, with perfect play from there on, in how many moves (of either side), and why; and the same of a move that would have been better.",
];

/// The details of a game of the list.
pub fn about(game: &GameSummary) -> String {
    let players = Side::BOTH.map(|side| game.called(side)).join(" against ");
    let whole = format!("{}, {players}: {}.", game.variant, game.ending(None));
    format!("{whole} In {}, begun at {}.", game.code, game.started)
}

/// The line above a game that is open.
pub fn title(record: &Record, dot: &str) -> String {
    format!("{}  {dot}  game {} in {}", record.variant().text(), record.game(), record.code())
}

/// The text at the start of a record: the game that this one continues, if any, and the keys.
pub fn beginning(record: &Record) -> Vec<String> {
    let origin = record.origin();
    let origin =
        origin.map(|from| format!("It goes on from move {} of the record {}.", from.moves, from.record));
    let how = "The arrow keys go through the game; each move is shown with its value.".to_owned();
    origin.into_iter().chain([how]).collect()
}

/// How a game ended, or that it goes on. The first time, a bot's name is followed by its level.
pub fn end(record: &Record) -> String {
    let level = record.conditions().level;
    let marked = |side: Side| {
        let sitter = &record.players()[side];
        marked(&sitter.name, sitter.kind, level)
    };
    with_names(record, &sentence(&record.verdict()), marked)
}

/// A step of a record with the names of its players.
pub fn step(record: &Record, words: &str) -> String {
    // The sentence of a move has the level beside the side already.
    with_names(record, words, |side| record.players()[side].name.to_string())
}

/// A sentence of a record with the names of its players instead of their sides. The sentence itself has no
/// names. `marked` is the name the first time.
fn with_names(record: &Record, sentence: &str, marked: impl Fn(Side) -> String) -> String {
    let (mut named, mut rest) = (String::new(), sentence);
    let mut is_marked = BySide { first: false, second: false };
    let next = |rest: &str| {
        let places = Side::BOTH.map(|side| rest.find(word(side)).map(|at| (at, side)));
        places.into_iter().flatten().min_by_key(|(at, _)| *at)
    };
    while let Some((at, side)) = next(rest) {
        named.push_str(&rest[..at]);
        let again = std::mem::replace(&mut is_marked[side], true);
        named.push_str(&if again { record.players()[side].name.to_string() } else { marked(side) });
        rest = &rest[at + word(side).len()..];
    }
    named + rest
}

/// The name of a side in the sentences of a record.
fn word(side: Side) -> &'static str {
    match side {
        Side::First => "First",
        Side::Second => "Second",
    }
}

/// Who moves next.
pub fn next(record: &Record, side: Side) -> String {
    format!("{} moves next.", step(record, word(side)))
}

/// The progress of the search about a move.
pub fn thinking(looked: u64) -> String {
    format!("What was it worth? {} positions looked at.", thousands(&looked.to_string()))
}

/// The name of the file into which a record is written, unless another one is typed.
pub fn file_name(record: &Record) -> String {
    format!("{}-{}.txt", record.code(), record.game())
}

/// The file was written.
pub fn written(path: &Path) -> String {
    let whole = std::path::absolute(path);
    format!("It is in {} now.", whole.as_deref().unwrap_or(path).display())
}

/// The file was not written.
pub fn not_written(path: &Path, error: &io::Error) -> String {
    format!("{} cannot be written: {}.", path.display(), ErrorText(error))
}

/// The games as a table, with a line above them that says what the columns are; all times are in UTC.
pub fn table(games: &[GameSummary]) -> Vec<String> {
    let head = ["game", "began (UTC)", "lobby", "what was played, by whom, and how it ended"];
    let rows: Vec<Vec<String>> = games.iter().map(columns).collect();
    in_columns(&[vec![head.map(str::to_owned).to_vec()], rows].concat())
}

/// The columns of the games on the screen.
pub const COLUMNS: [&str; 3] = ["began (UTC)", "lobby", "what was played, by whom, how it ended"];

/// A game on the screen: when it began, its lobby, what was played by whom, and how it ended.
pub fn row(game: &GameSummary) -> [String; 4] {
    [began(game), game.code.to_string(), played(game), game.ending(None)]
}

fn columns(game: &GameSummary) -> Vec<String> {
    let rest = format!("{}: {}", played(game), game.ending(None));
    vec![game.name.clone(), began(game), game.code.to_string(), rest]
}

/// To the minute: that is enough to know a game again.
fn began(game: &GameSummary) -> String {
    let began = game.started.to_string();
    began.rsplit_once(':').map_or(began.as_str(), |(minute, _)| minute).to_owned()
}

fn played(game: &GameSummary) -> String {
    format!("{}, {}", game.variant, Side::BOTH.map(|side| game.called(side)).join(" against "))
}
