//! Leaving a game in progress: what happens to it while its player is away, and the question whether to keep
//! it or to give it up.

use super::names::called;
use crate::client::failure::{Kept, Resumable};
use crate::client::model::MyLobby;
use crate::client::seats::MAX_AGE;
use crate::client::text::{spoken, spoken_time};
use crate::game::Side;
use crate::lobby::{ClockRule, Code, Lobby, WhenAway};

/// The question at a terminal, after [`what_is_kept`].
pub fn question(lobby: &Lobby, may_keep: bool) -> String {
    let game = thing(lobby);
    if may_keep {
        format!("Keep the {game} for later, give it up, or stay? [keep]: ")
    } else {
        format!("Give the {game} up, or stay? [stay]: ")
    }
}

/// What is left: a game, or a match between two of its games.
fn thing(lobby: &Lobby) -> &'static str {
    if lobby.is_between_games() { "match" } else { "game" }
}

/// The answer was none of the three.
pub const ANSWERS: &str = "Type keep, give up or stay.";

/// The title of the question on the screen.
pub fn title(lobby: &Lobby) -> &'static str {
    if lobby.is_between_games() { "Leave this match?" } else { "Leave this game?" }
}

/// What giving the game up does, for the screen; `is_lost` is the connection.
pub fn giving_up(lobby: &Lobby, is_lost: bool) -> String {
    let when = if is_lost { " as soon as the connection is back" } else { "" };
    if lobby.is_between_games() {
        format!("If you give the match up, it ends undecided{when}.")
    } else {
        format!("If you give the game up, you lose it{when}.")
    }
}

/// What happens to the game if its player leaves and keeps it, a sentence each.
pub fn what_is_kept(mine: &MyLobby, kept: Resumable) -> Vec<String> {
    const RESUMED: &str = "nim-client resume returns to it.";
    let Some(side) = mine.side() else { return Vec::new() };
    let game = thing(&mine.lobby);
    match kept {
        Resumable::Nothing => vec![format!("The {game} cannot be kept: your seat is not saved.")],
        Resumable::Game => {
            vec![format!("The {game} stops here, and is kept for {}.", spoken_time(MAX_AGE)), RESUMED.into()]
        }
        Resumable::Seat => meanwhile(mine, side).into_iter().chain([RESUMED.to_owned()]).collect(),
    }
}

/// What happens to a game on a server while its player is away, a sentence each.
pub fn without_seat_words(mine: &MyLobby) -> Vec<String> {
    mine.side().map(|side| meanwhile(mine, side)).unwrap_or_default()
}

/// What the server does with the game in the meantime.
fn meanwhile(mine: &MyLobby, side: Side) -> Vec<String> {
    let lobby = &mine.lobby;
    let kept = spoken_time(lobby.kept_for());
    if lobby.is_between_games() {
        return vec![format!("The match waits for you. Your seat is kept for {kept}.")];
    }
    let is_client = lobby.is_client(!side);
    if !is_client || !lobby.is_here(!side) {
        let waits = match (lobby.is_paused(), is_client) {
            (true, _) => "The game stays paused",
            (false, true) => "The game stands still until one of you is back",
            (false, false) => "The game waits for you",
        };
        return vec![format!("{waits}. It is kept for {kept}.")];
    }
    let name = called(lobby, !side, mine.viewpoint());
    let then =
        if lobby.is_paused() { vec!["The game stays paused.".into()] } else { without_you(lobby, &name) };
    then.into_iter().chain([format!("If {name} leaves too, the game is kept for {kept}.")]).collect()
}

/// What happens in a game that goes on, while the opponent of this name is there.
fn without_you(lobby: &Lobby, opponent: &str) -> Vec<String> {
    let rule = lobby.conditions().away;
    let (level, after) = (rule.level, spoken(rule.closed_after));
    let then = match rule.then {
        WhenAway::Wait => "The game waits for you.".into(),
        WhenAway::StandIn => format!("A stand-in [bot, {level}] plays for you after {after}."),
        WhenAway::Forfeit => format!("On your turn {opponent} may claim the game after {after}."),
    };
    let has_clock = lobby.conditions().clock != ClockRule::None;
    let clock = has_clock.then(|| "Your clock keeps running.".to_owned());
    [then].into_iter().chain(clock).collect()
}

/// Nothing is left of a game at this keyboard without a move.
pub const NOTHING_KEPT: &str = "There is no move to keep, so there is no record.";

/// The player has left a lobby that waits for an opponent, which closes it.
pub fn closed(code: Code) -> String {
    format!("You closed the lobby {code}.")
}

/// The player has left this lobby and keeps the game. While the opponent is there, a bot may move for the player.
pub fn is_kept(mine: &MyLobby) -> String {
    let lobby = &mine.lobby;
    let rule = lobby.conditions().away;
    let goes_on = mine.side().is_some_and(|side| lobby.is_client(!side) && lobby.is_here(!side));
    let is_played = goes_on && !lobby.is_between_games() && !lobby.is_paused();
    if is_played && rule.then == WhenAway::StandIn {
        let (level, after) = (rule.level, spoken(rule.closed_after));
        return format!(
            "The game is kept, and a bot ({level}) moves for you after {after}: nim-client resume {} returns to it.",
            lobby.code()
        );
    }
    Kept::of(lobby).in_words(lobby.code())
}
