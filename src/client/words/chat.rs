//! The sentences about watchers, chat messages, and reviewing a game together.

use super::game::returned;
use super::names::mover;
use crate::client::model::Viewpoint;
use crate::client::session::MuteOutcome;
use crate::lobby::{Code, Lobby, Name, PastMove};
use crate::wire::limits::MAX_CHAT;
use crate::wire::{ChatLine, ChatRoom, Review};

/// The client begins to watch.
pub fn watching(lobby: &Lobby) -> Vec<String> {
    let told = if lobby.games() == 0 { Vec::new() } else { returned(lobby, Viewpoint::Spectator) };
    [vec![format!("You watch in {}.", lobby.code())], told].concat()
}

/// A note for watchers at the line face.
pub const TYPE_HELP: &str = " Type help for a list of commands.";

/// The server gave the client another name, since somebody has this one: another person, or a seat of the person's
/// own in the lobby with this code.
pub fn called_here(wanted: &str, given: &Name, own: Option<Code>) -> String {
    match own {
        None => format!("The name {wanted} is taken here, so you are called {given}."),
        Some(code) => {
            format!("Your seat in {code} keeps the name {wanted}, so you are called {given} elsewhere.")
        }
    }
}

/// The players of a watched lobby are gone.
pub const CLOSED: &str = "The lobby is closed: its players are gone.";

/// The client watched, and was kicked.
pub const KICKED: &str = "The lobby's opener has kicked you; your address may not watch it any more.";

/// Somebody is muted, or heard again.
pub fn muted(name: &Name, muted: bool, muting: MuteOutcome) -> String {
    match (muted, muting) {
        (_, MuteOutcome::OwnName) => format!("{name} is your own name: only others can be muted."),
        (true, MuteOutcome::Changed(true)) => format!("{name} is muted."),
        (true, MuteOutcome::Changed(false)) => {
            format!("Nobody here is called {name}; if they come, they are muted.")
        }
        (true, MuteOutcome::Unchanged) => format!("{name} is muted already."),
        (false, MuteOutcome::Changed(_)) => format!("{name} is not muted any more."),
        (false, MuteOutcome::Unchanged) => format!("{name} was not muted."),
    }
}

/// There is no move to review.
pub const NO_MOVES: &str = "No move was made in that game: there is nothing to review.";

/// There are no more moves to review.
pub const ALL_REVIEWED: &str = "That was the last move. Type review 1 to begin again.";

/// A chat line is too long.
pub fn too_long(words: &str) -> String {
    let bytes = words.len();
    format!(
        "A line has {MAX_CHAT} bytes at most, and this one has {bytes}: say it in two, or in fewer words."
    )
}

/// A chat line.
pub fn said(line: &ChatLine) -> String {
    let room = match line.room {
        ChatRoom::Players => "",
        ChatRoom::Watchers => " (watching)",
    };
    format!("{}{room} says: {}", line.name, line.words)
}

/// What the host says to everybody.
pub fn host_said(words: &str) -> String {
    format!("The host says: {words}")
}

/// What a move was worth: `Move 5 of 9, anna: take 3 turned …`.
pub fn reviewed(lobby: &Lobby, review: &Review) -> String {
    let made = lobby.played(review.number).ok();
    let (mover, text) = made.map_or_else(
        || ("somebody".into(), String::new()),
        |(board, PastMove { mv, hand })| {
            (mover(lobby, board.turn(), hand, Viewpoint::Spectator), board.write_move(mv))
        },
    );
    format!("Move {} of {}, {mover}: {text} {}.", review.number, review.count, review.words)
}
