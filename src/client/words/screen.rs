//! The sentences that only the screen shows: what keys do, questions before something that cannot be undone,
//! and headings.

use super::names::{is_you, move_name};
use super::nearby::trip;
use super::{agreement, game};
use crate::client::model::Viewpoint;
use crate::client::session::ConnectionStatus;
use crate::client::text::spoken_time;
use crate::game::Side;
use crate::game::any::{Board, Move, Variant};
use crate::game::notation::shown;
use crate::lobby::{BadCode, Code, Lobby, Phase};
use crate::wire::{Access, Listing, LobbyState, MAX_PASSWORD};

/// The notice after a key that means nothing now; `help` is the key of the help.
pub fn no_such_key(help: &str) -> String {
    format!("This key does nothing here; {help} shows those that do.")
}

/// The title of the list of actions.
pub const ALL_ACTIONS: &str = "All you can do now";

/// Before the text that is typed there.
pub const FIND_ACTION: &str = "Find:";

/// No action there has the typed text.
pub const NO_SUCH_ACTION: &str = "Nothing that you can do now has this in its name.";

/// Who reads what is typed as a chat message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// The other player.
    Opponent,
    /// The other watchers; players do not read what watchers say.
    Watchers,
    /// Nobody: there is no other watcher.
    NoWatcher,
    /// Nobody: there is no other player.
    Nobody,
    /// Nobody before the connection is back.
    NotNow,
}

/// The question before a chat message.
pub fn say(readers: Readers) -> &'static str {
    match readers {
        Readers::Opponent => "Say:",
        Readers::Watchers => "Say to the watchers:",
        Readers::NoWatcher => "Say (there is no other watcher to read it):",
        Readers::Nobody => "Say (nobody reads it now):",
        Readers::NotNow => "Say (once the server is back):",
    }
}

/// The notice after the keys of hints and of the learn panel where the conditions allow none.
pub const HINTS_OFF: &str = "Hints are off in this game.";

/// The same while a game is paused.
pub const NO_HINTS_IN_PAUSE: &str = "No hints while the game is paused.";

/// The notice while the first request is not answered yet.
pub const ONE_MOMENT: &str = "One moment …";

/// The notice after a chat message that begins with a slash and is no command.
pub const SLASH_COMMANDS: &str = "Type /mute NAME or /unmute NAME, or /kick NAME to remove a watcher.";

/// The prompt of a password, which is not shown.
pub fn password_of(code: Code) -> String {
    format!("Password of {code} (Esc cancels):")
}

/// A typed text is no lobby's code. Fits into a line of the smallest screen, and so does the next.
pub fn no_code(bad: &BadCode) -> String {
    match bad.misspelt() {
        Some((word, meant)) => format!("No code has {}. Did you mean {meant}?", shown(word)),
        None => "That is no code of a lobby; one looks like brave-otter.".to_owned(),
    }
}

/// There is no lobby with the typed code; this one is perhaps meant.
pub fn did_you_mean(code: Code) -> String {
    format!("No lobby has this code. Did you mean {code}?")
}

/// The password that was typed is not that of the lobby.
pub const WRONG_PASSWORD: &str = "That is not the password. Type it again, or press Esc to cancel.";

/// The typed text cannot be a password.
pub fn password_too_long() -> String {
    format!("A password has {MAX_PASSWORD} bytes at most.")
}

/// The line above the list of lobbies.
pub fn hall(shown: usize, all: usize, filter: &str) -> String {
    let lobbies = |count: usize| if count == 1 { "1 lobby".to_owned() } else { format!("{count} lobbies") };
    if filter.is_empty() {
        format!("The hall: {}", lobbies(all))
    } else {
        format!("The hall: {shown} of {} with {filter:?}", lobbies(all))
    }
}

/// Shown in the hall after the status of a lost connection.
pub const LOST_IN_HALL: &str = "The list is out of date; it is updated once the server is back.";

/// The details of a lobby in the list: what one can do there, and the rules of its game with the stones as
/// `sign` draws them.
pub fn detail(listing: &Listing, is_own: bool, sign: impl Fn(&Board, Side) -> &'static str) -> String {
    // The text of a variant comes from the network: only one that can be read back is shown.
    let rules = listing.variant.as_str().parse::<Variant>().map_or_else(
        |_| String::new(),
        |variant| drawn(&variant.rules(), Side::BOTH.map(|side| sign(&variant.start(), side))),
    );
    let way_in = if is_own { OWN_SEAT.to_owned() } else { entrance(listing.access()) };
    format!("{way_in} {rules}")
}

/// Whether one can sit down or watch in a lobby, and whether that needs a password.
pub fn entrance(access: Access) -> String {
    let state = access.state.map(|state| match (state, access.watched) {
        (LobbyState::Open, _) => "A seat is free.",
        (LobbyState::Away, _) => "Its people are away.",
        (LobbyState::Over, true) => "The game there is over; you can watch.",
        (LobbyState::Over, false) => "The game there is over, and nobody may watch.",
        (LobbyState::Playing, true) => "Both seats are taken; you can watch.",
        (LobbyState::Playing, false) => "Both seats are taken, and nobody may watch.",
    });
    let locked = access.locked.then_some("It has a password.");
    state.into_iter().chain(locked).collect::<Vec<_>>().join(" ")
}

/// How to use the mouse in the help.
pub const HOW_TO_CLICK: &str = "A click on a line of this list does what it says.";

/// How to type, for the help.
pub const HOW_TO_TYPE: &str = "Backspace takes the last letter back, and Ctrl-U all of the line. F1 opens this list also where a ? is typed.";

/// How to use the hall, for the help.
pub const HOW_IN_THE_HALL: &str =
    "The arrow keys, the wheel or a click choose a lobby; a second click on it joins.";

/// A way into a lobby of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// To one's own saved seat.
    Return,
    /// To a free seat.
    Join,
    /// To watch.
    Watch,
}

/// What a second click on a lobby does.
pub fn once_more(entry: Entry) -> &'static str {
    match entry {
        Entry::Return => "One more click returns to your seat there.",
        Entry::Join => "One more click sits down there.",
        Entry::Watch => "One more click watches there.",
    }
}

/// The person has a saved seat in a lobby; its details follow.
const OWN_SEAT: &str = "You have a seat there.";

/// A game is paused; this key resumes it.
pub fn rests(key: &str) -> String {
    format!("The game is paused. Press {key} to resume it.")
}

/// How to choose a move, for the help.
pub const HOW_TO_CHOOSE: &str = "The arrow keys and digits choose a move, and Enter makes it; with the mouse, click where your stone is to go.";

/// The same for a game of counting.
pub const HOW_TO_COUNT_ON: &str = "The arrow keys and digits choose a move, and Enter makes it; with the mouse, click the point on the track that the count is \
    to reach.";

/// The same for a game that moves stones on the board.
pub const HOW_TO_SLIDE: &str = "The arrow keys and digits choose a stone, and Enter moves it to the free point; with the mouse, click the stone that is to go, \
    or the free point where only one can go there.";

/// The same for a game with piles.
pub const HOW_TO_PULL: &str = "The arrow keys, digits and the letter of a pile choose a move, and Enter makes it. With the mouse, drag across \
    those to take, and release outside the pile; Esc cancels.";

/// How to scroll the log, for the help of players and watchers.
pub const HOW_TO_SCROLL: &str = "The wheel, Page Up and Page Down scroll back through the messages.";

/// The part of a rules sentence that names the stones. Rules with other words keep their own signs: see
/// [`drawn`].
fn stones(first: &str, second: &str) -> String {
    format!("{first} for the first player and {second} for the second")
}

/// The rules with the stones as they are drawn. Replaces the sentence of `stones` as a text; rules with a
/// different wording stay as they are.
pub fn drawn(rules: &str, [first, second]: [&str; 2]) -> String {
    rules.replace(&stones("x", "o"), &stones(first, second))
}

/// What quitting does after the first screen, for the help.
pub const TO_FIRST_SCREEN: &str = "leave, and go back to the first screen";

/// The same in a sentence, for the help.
pub const TO_NEW_MATCH: &str = "play a new match of as many games, with the sides swapped";

/// The line above the board: the variant and the lobby.
pub fn title(lobby: &Lobby, dot: &str) -> String {
    let what = lobby.variant().text();
    format!("{what}  {dot}  {}", lobby.code())
}

/// The number of watchers, the number of the game and the score: complete, and then in ever shorter forms
/// that drop the least important part first. Empty parts are omitted.
pub fn company(lobby: &Lobby, eyes: Viewpoint) -> impl Iterator<Item = Vec<String>> {
    let watchers = match lobby.watchers() {
        0 => None,
        1 => Some("1 person watches".to_owned()),
        more => Some(format!("{more} people watch")),
    };
    let (best_of, played) = (lobby.conditions().best_of, lobby.score().games());
    // In a match the number of the game is shown; the current game is not in its score yet.
    let games = match best_of {
        0 => lobby.games(),
        _ => played + u32::from(lobby.phase() == Phase::Playing),
    };
    let game = (games > 1 || best_of > 1 && games > 0).then(|| match best_of {
        0 => format!("game {games}"),
        best_of => format!("game {games}, best of {best_of}"),
    });
    let score = move || (played > 0).then(|| format!("score: {}", agreement::counted(lobby, eyes)));
    let points = move || (played > 0).then(|| points(lobby, eyes));
    let short = move || {
        points().map(|points| match eyes {
            Viewpoint::Player(_) => format!("you {points}"),
            Viewpoint::Spectator => format!("score {points}"),
        })
    };
    let with_length = move || match points() {
        _ if best_of == 0 => short(),
        Some(points) => Some(format!("{points}, best of {best_of}")),
        None => Some(format!("best of {best_of}")),
    };
    // Most callers show the complete form: the others are made when they are asked for.
    (0..5).map(move |shorter| {
        let parts = match shorter {
            0 => [watchers.clone(), game.clone(), score()],
            1 => [None, game.clone(), score()],
            2 => [None, game.clone(), short()],
            3 => [None, None, with_length()],
            _ => [None, None, short()],
        };
        parts.into_iter().flatten().collect()
    })
}

/// The score in numbers: a player's own games first, for others in the order of the sides.
fn points(lobby: &Lobby, eyes: Viewpoint) -> String {
    let own = Side::BOTH.into_iter().find(|side| is_you(lobby, *side, eyes));
    let (score, first) = (lobby.score(), own.unwrap_or(Side::First));
    let drawn = if score.drawn == 0 { String::new() } else { format!(", drawn {}", score.drawn) };
    format!("{}:{}{drawn}", score.won[first], score.won[!first])
}

/// The mark after the name of a player, who is perhaps the person at this screen, and perhaps has the turn.
pub fn you(is_you: bool, has_turn: bool) -> &'static str {
    match (is_you, has_turn) {
        (true, true) => " (your turn)",
        (true, false) => " (you)",
        (false, _) => "",
    }
}

/// Below the result of a game against a bot: this key starts another game.
pub fn starts_another(lobby: &Lobby, key: &str) -> String {
    let what = if agreement::is_match_over(lobby) { "match" } else { "game" };
    format!("The {what} is over. {key} starts another.")
}

/// The status of the connection in short, for little room.
pub fn link_in_short(link: ConnectionStatus) -> String {
    match link {
        ConnectionStatus::Up(Some(time)) => trip(time),
        ConnectionStatus::Lost => "no server".to_owned(),
        other => self::link(other),
    }
}

/// The status of the connection to the server.
pub fn link(link: ConnectionStatus) -> String {
    match link {
        ConnectionStatus::Up(None) => "connected".to_owned(),
        ConnectionStatus::Up(Some(time)) => format!("connected, {}", trip(time)),
        ConnectionStatus::Silent(time) => format!("silent for {}", spoken_time(time)),
        ConnectionStatus::Lost => "connection lost".to_owned(),
    }
}

/// The label of the key of a move that waits for the server.
pub fn waits(mv: &str) -> String {
    format!("{mv} waits")
}

/// The move that is sent once the connection is back, and how to replace it.
pub fn held(lobby: &Lobby, mv: Move, chosen: Option<Move>) -> String {
    let later = format!("{} is made when the server is back.", move_name(lobby.board(), mv));
    match chosen.filter(|chosen| *chosen != mv) {
        Some(other) => format!("{later} Enter makes {} instead.", move_name(lobby.board(), other)),
        None => format!("{later} Choose again to change it."),
    }
}

/// The result of a game that is over, and the score.
pub fn result(lobby: &Lobby, eyes: Viewpoint) -> Option<String> {
    let Phase::Over { result, .. } = lobby.phase() else { return None };
    let score = agreement::score(lobby, eyes);
    Some([Some(game::ended(lobby, result, eyes)), score].into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// Added if the screen was large enough before: keys have no effect on a hidden screen.
pub const UNSEEN: &str = "Make it larger to go on. Until then Ctrl-C quits, and no other key does anything.";

/// The question about quitting in the middle of a game.
pub const QUIT_UNSEEN: &str =
    "Quit? Enter or Ctrl-C keeps the game for later, g gives it up and loses it, and any other key stays.";

/// The same where the game cannot be kept.
pub const QUIT_UNSEEN_WITHOUT_KEEPING: &str =
    "Quit? The game cannot be kept. g gives it up and loses it, and any other key stays.";

/// There is no connection, in the question how to leave.
pub const LOST: &str = "The connection is lost.";

/// The person leaves while the connection is lost. Fits into a line of the smallest screen.
pub const LEAVING: &str = "To leave now and keep the seat, quit again.";

/// The same for a watcher.
pub const LEAVING_NO_SEAT: &str = "To leave now, quit again.";

/// The person leaves, which waits for the server's answer. Fits into a line of the smallest screen.
pub const LEAVING_UNANSWERED: &str = "Leaving… To leave at once, quit again.";

/// The notice after a command that needs the connection while it is lost.
pub const NOT_NOW: &str = "That has to wait until the server is back.";

/// The terminal is too small for the screen.
pub fn too_small((columns, lines): (u16, u16), (least_columns, least_lines): (u16, u16)) -> String {
    format!(
        "The screen needs {least_columns} columns and {least_lines} lines, and this terminal has {columns} and {lines}."
    )
}
