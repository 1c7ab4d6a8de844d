//! What a person who looks at another window is told: the title of the window, and one line after the screen
//! is closed.

use super::leaving::NOTHING_KEPT;
use super::names::{called, is_you};
use super::{agreement, game};
use crate::client::Address;
use crate::client::failure::Kept;
use crate::client::model::MyLobby;
use crate::game::Outcome;
use crate::lobby::{Code, Offer, Phase};

/// The title of a window without a game, and the end of any other.
pub const PROGRAM: &str = "nim";

/// The title in the hall, and while nothing is known yet.
pub fn elsewhere(is_lost: bool) -> String {
    title(if is_lost { "connection lost" } else { "the hall" })
}

/// The title in a lobby.
pub fn in_lobby(mine: &MyLobby, is_lost: bool) -> String {
    title(&in_short(mine, is_lost))
}

/// Whose turn it is, what is asked, or how the game ended, in a few words that change only with the game.
pub fn in_short(mine: &MyLobby, is_lost: bool) -> String {
    let (lobby, eyes) = (&mine.lobby, mine.viewpoint());
    match lobby.phase() {
        _ if is_lost => "connection lost".to_owned(),
        Phase::Waiting => "waiting for an opponent".to_owned(),
        Phase::Closed => "closed".to_owned(),
        Phase::Over { result, .. } => match result.outcome {
            Outcome::Draw => "draw".to_owned(),
            Outcome::Win(side) if is_you(lobby, side, eyes) => "you won".to_owned(),
            Outcome::Win(side) if is_you(lobby, !side, eyes) => "you lost".to_owned(),
            Outcome::Win(side) => format!("{} won", called(lobby, side, eyes)),
        },
        Phase::Playing => playing(mine),
    }
}

fn playing(mine: &MyLobby) -> String {
    let (lobby, eyes) = (&mine.lobby, mine.viewpoint());
    let offered = lobby.offer().filter(|open| !is_you(lobby, open.side, eyes));
    if let Some(open) = offered {
        let what = match open.offer {
            Offer::Draw => "offers a draw",
            Offer::Takeback => "asks for a takeback",
            Offer::Pause => "asks for a pause",
        };
        return format!("{} {what}", called(lobby, open.side, eyes));
    }
    match lobby.to_move().and_then(|player| lobby.side_of(player.id)) {
        _ if lobby.is_paused() => "paused".to_owned(),
        Some(side) if is_you(lobby, side, eyes) => "your turn".to_owned(),
        Some(side) => format!("{}'s turn", called(lobby, side, eyes)),
        None => lobby.variant().text(),
    }
}

fn title(what: &str) -> String {
    format!("{what} - {PROGRAM}")
}

/// The line after leaving a game, or a match, that is over: the result, and how to see the record. `server` is `None` at
/// home, where games without a move and games of two bots have no record.
pub fn after(mine: &MyLobby, server: Option<&Address>) -> Option<String> {
    let lobby = &mine.lobby;
    let Phase::Over { result, .. } = lobby.phase() else { return None };
    let ended = game::ended(lobby, result, mine.viewpoint());
    if let Some(ended) = agreement::match_ended(lobby, mine.viewpoint()).filter(|_| mine.you().is_some()) {
        return Some(format!("{ended} {}", see_again("its last game", lobby.code(), server)));
    }
    Some(match server {
        None if mine.you().is_none() => ended,
        None if lobby.past().next().is_none() => format!("{ended} {NOTHING_KEPT}"),
        _ => format!("{ended} {}", see_again("it", lobby.code(), server)),
    })
}

/// The line after leaving a game, or a match, that was given up.
pub fn after_giving_up(mine: &MyLobby, server: Option<&Address>) -> String {
    let (game, last) = match Kept::of(&mine.lobby) {
        Kept::Match => ("match", "its last game"),
        Kept::Game | Kept::Seat => ("game", "it"),
    };
    format!("You gave the {game} up. {}", see_again(last, mine.lobby.code(), server))
}

/// The command that shows the record of the newest game in a lobby.
fn see_again(what: &str, code: Code, server: Option<&Address>) -> String {
    let server = server.map_or_else(String::new, |server| format!("--server {server} "));
    format!("See {what} again with nim-client record replay {server}{code}.")
}
