//! Every sentence that a person sees of a game: who sits where, what happened, how it ended, what can be typed.
//!
//! Knows no screen; text comes out line by line.

use crate::game::any::{Move, Variant};
use crate::game::{Outcome, Side, Why};
use crate::lobby::{
    BotRule, Cause, Departure, Event, GameResult, Hints, Kind, Lobby, Name, Phase, Player, PlayerId,
};
use crate::wire::{Listing, LobbyState};

/// Through whose eyes a lobby is described.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewpoint {
    /// One player's, who is "you".
    Player(PlayerId),
    /// Nobody's: all players are called by their names.
    Outside,
}

/// A name as it is shown, with the mark that no person's name can hold.
pub fn marked(name: &Name, kind: Kind) -> String {
    match kind {
        Kind::Person => name.to_string(),
        Kind::Bot => format!("{name} [bot]"),
    }
}

/// What happened, in lines for people. `before` and `after` are the lobby around the event.
pub fn happened(event: &Event, before: &Lobby, after: &Lobby, eyes: Viewpoint) -> Vec<String> {
    match event {
        Event::Sat { player, .. } => sat(player, eyes),
        Event::Started { swap, .. } => started(after, *swap, eyes),
        Event::Moved { player, mv, .. } => moved(before, after, *player, *mv, eyes),
        Event::Ended { result } => vec![ended(after, *result, eyes)],
        Event::AgainWanted { side } => again_wanted(before, after, *side, eyes),
        Event::Left { side, how } => left(before, after, *side, *how, eyes),
        Event::Closed => Vec::new(),
    }
}

/// The player at this seat, as they are called through these eyes in the middle of a sentence.
fn called(lobby: &Lobby, side: Side, eyes: Viewpoint) -> String {
    match &lobby.seats()[side] {
        Some(player) if eyes == Viewpoint::Player(player.id) => "you".into(),
        Some(player) => marked(&player.name, player.kind),
        None => "nobody".into(),
    }
}

fn is_you(lobby: &Lobby, side: Side, eyes: Viewpoint) -> bool {
    lobby.seats()[side].as_ref().is_some_and(|player| eyes == Viewpoint::Player(player.id))
}

/// "You do" or "anna does": the name first, the verb in its person.
fn says(lobby: &Lobby, side: Side, eyes: Viewpoint, you: &str, other: &str) -> String {
    if is_you(lobby, side, eyes) {
        format!("You {you}")
    } else {
        format!("{} {other}", called(lobby, side, eyes))
    }
}

fn sat(player: &Player, eyes: Viewpoint) -> Vec<String> {
    match eyes {
        Viewpoint::Player(you) if you == player.id => Vec::new(),
        _ => vec![format!("{} sits down.", marked(&player.name, player.kind))],
    }
}

fn started(lobby: &Lobby, swapped: bool, eyes: Viewpoint) -> Vec<String> {
    let first = says(lobby, Side::First, eyes, "start", "starts");
    let swap = if swapped { "Sides are swapped. " } else { "" };
    let players = format!("{} against {}", named(lobby, Side::First), named(lobby, Side::Second));
    let mut lines = vec![String::new(), format!("{}: {players}. {swap}{first}.", lobby.variant())];
    lines.extend(rules(lobby));
    lines.extend([String::new(), lobby.board().draw()]);
    lines
}

/// The rules, a line for each sentence.
pub fn rules(lobby: &Lobby) -> Vec<String> {
    lobby.variant().rules().split_inclusive(". ").map(|sentence| sentence.trim_end().to_owned()).collect()
}

fn named(lobby: &Lobby, side: Side) -> String {
    called(lobby, side, Viewpoint::Outside)
}

fn moved(before: &Lobby, after: &Lobby, player: PlayerId, mv: Move, eyes: Viewpoint) -> Vec<String> {
    let text = before.board().write_move(mv);
    let mover = match before.side_of(player) {
        Some(side) if is_you(before, side, eyes) => "You".into(),
        Some(side) => called(before, side, eyes),
        None => "Somebody".into(),
    };
    vec![format!("{mover}: {text}"), String::new(), after.board().draw()]
}

/// The result in one sentence: who won, and why.
pub fn ended(lobby: &Lobby, result: GameResult, eyes: Viewpoint) -> String {
    let verdict = match result.outcome {
        Outcome::Draw => "Draw".into(),
        Outcome::Win(side) if is_you(lobby, side, eyes) => "You won".into(),
        Outcome::Win(side) if is_you(lobby, !side, eyes) => "You lost".into(),
        Outcome::Win(side) => format!("{} won", called(lobby, side, eyes)),
    };
    let because = match (result.cause, result.outcome) {
        (Cause::Rules, _) => lobby.board().finish().map(|finish| why(lobby, finish.why, eyes)),
        (Cause::Repetition, _) => Some("the position came up for the third time".into()),
        (Cause::Resigned, Outcome::Win(side)) => Some(format!("{} resigned", called(lobby, !side, eyes))),
        (Cause::Left, Outcome::Win(side)) => Some(format!("{} left", called(lobby, !side, eyes))),
        (Cause::Resigned | Cause::Left, Outcome::Draw) => None,
    };
    because.map_or_else(|| format!("{verdict}."), |because| format!("{verdict}: {because}."))
}

fn why(lobby: &Lobby, why: Why, eyes: Viewpoint) -> String {
    match why {
        Why::Side { side, you, .. } if is_you(lobby, side, eyes) => format!("you {you}"),
        Why::Side { side, name, .. } => format!("{} {name}", called(lobby, side, eyes)),
        Why::Board(words) => words.into(),
    }
}

fn again_wanted(before: &Lobby, after: &Lobby, side: Side, eyes: Viewpoint) -> Vec<String> {
    if is_you(before, side, eyes) {
        let other_asked = matches!(before.phase(), Phase::Over { again, .. } if again[!side]);
        return match after.phase() {
            _ if other_asked => Vec::new(),
            Phase::Waiting => waiting(after),
            _ => vec![format!("You would like another game. Waiting for {}.", called(before, !side, eyes))],
        };
    }
    match &before.seats()[side] {
        // A bot plays again whenever it is asked, which needs no telling.
        Some(player) if player.kind == Kind::Bot => Vec::new(),
        _ => vec![format!("{} would like another game.", called(before, side, eyes))],
    }
}

fn left(before: &Lobby, after: &Lobby, side: Side, how: Departure, eyes: Viewpoint) -> Vec<String> {
    if is_you(before, side, eyes) {
        return Vec::new();
    }
    let name = called(before, side, eyes);
    let mut lines = vec![match how {
        Departure::Quit => format!("{name} has left."),
        Departure::Lost => format!("{name} is gone: the connection broke."),
    }];
    if after.phase() == Phase::Waiting {
        lines.extend(waiting(after));
    }
    lines
}

/// What a lobby waits for, and what happens if nobody comes.
pub fn waiting(lobby: &Lobby) -> Vec<String> {
    let bot = match lobby.conditions().bot {
        BotRule::Never => "No bot will take the seat.".into(),
        BotRule::After(wait) => format!("If nobody comes within {}, the bot takes the seat.", seconds(wait)),
    };
    vec![format!("Waiting in {} for somebody to play {}.", lobby.code(), lobby.variant()), bot]
}

/// Milliseconds as a person says them.
fn seconds(milliseconds: u32) -> String {
    match milliseconds {
        0..1_000 => format!("{milliseconds} ms"),
        _ => format!("{} s", milliseconds.div_ceil(1_000)),
    }
}

/// What somebody is told who has just sat down.
pub fn entered(lobby: &Lobby, you: PlayerId) -> Vec<String> {
    let alone = lobby.seats().iter().filter(|(_, seat)| seat.is_some()).count() == 1;
    if alone {
        let bot_comes = lobby.conditions().bot == BotRule::After(0);
        return if bot_comes { Vec::new() } else { waiting(lobby) };
    }
    let others = lobby.seats().iter().filter_map(|(_, seat)| seat.as_ref()).filter(|player| player.id != you);
    let names: Vec<String> = others.map(|player| marked(&player.name, player.kind)).collect();
    vec![format!("You sit down in {} with {}.", lobby.code(), names.join(" and "))]
}

/// One line of the list of lobbies.
pub fn listing(listing: &Listing) -> String {
    let name = |side: Side| listing.seats[side].as_ref().map(|(name, kind)| marked(name, *kind));
    let state = match listing.state {
        LobbyState::Open => "open",
        LobbyState::Playing => "playing",
        LobbyState::Over => "over",
    };
    let players: Vec<String> = Side::BOTH.into_iter().filter_map(name).collect();
    // The text of a variant comes from the network: only one that can be read back is shown.
    let variant =
        listing.variant.as_str().parse::<Variant>().map_or_else(|_| "?".into(), |variant| variant.text());
    format!("{:16} {state:8} {variant:24} {}", listing.code, players.join(" against "))
}

/// The best move and why.
pub fn hint(lobby: &Lobby, mv: Move, words: &str) -> String {
    format!("Hint: {}: {words}.", lobby.board().write_move(mv))
}

/// The question for a move.
pub fn move_question(lobby: &Lobby, eyes: Viewpoint) -> String {
    let who = match eyes {
        Viewpoint::Player(_) => "Your move".into(),
        Viewpoint::Outside => format!("{}'s move", called(lobby, lobby.board().turn(), eyes)),
    };
    format!("{who} ({}, or help): ", lobby.board().prompt())
}

/// What can be typed during a game.
pub fn help_in_game(lobby: &Lobby) -> Vec<String> {
    let hints = match lobby.conditions().hints {
        Hints::Nobody => "  hint      not allowed in this game",
        Hints::AgainstBots => "  hint      the best move and why, against a bot",
        Hints::Everyone => "  hint      the best move and why",
    };
    vec![
        format!("Type a move: {}. Or:", lobby.board().prompt()),
        "  rules     how this game is played".into(),
        "  board     show the board again".into(),
        hints.into(),
        "  resign    give this game up".into(),
        "  again     after the game: play another one, with the sides swapped".into(),
        "  leave     go back to the hall; a game that is going on is lost by it".into(),
        "  quit      leave, and end the program".into(),
    ]
}

/// What can be typed in the hall.
pub fn help_in_hall() -> Vec<String> {
    let mut lines = vec![
        "Type one of these:".to_owned(),
        "  CODE              join the lobby with this code, such as brave-otter".into(),
        "  quick GAME        join somebody who waits for this game, or wait for somebody".into(),
        "  new GAME          open a lobby; new GAME bot has the bot sit down at once".into(),
        "  list              the lobbies there are".into(),
        "  quit              leave".into(),
        "The games:".into(),
    ];
    lines.extend(Variant::forms().flat_map(|(form, words)| [format!("  {form}"), format!("      {words}")]));
    lines
}
