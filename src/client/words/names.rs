//! What people and bots are called in sentences, depending on who reads them.

use crate::client::model::Viewpoint;
use crate::client::text::marked;
use crate::game::Side;
use crate::game::any::{Board, Move};
use crate::lobby::{Hand, Lobby, Player};
use crate::wire::Presence;

/// The marked name of a player.
pub(super) fn shown(player: &Player, lobby: &Lobby) -> String {
    marked(&player.name, player.kind, lobby.conditions().level)
}

/// A move in a sentence: where its notation is a bare number, with the word for it.
pub fn move_name(board: &Board, mv: Move) -> String {
    let text = board.write_move(mv);
    if matches!(mv, Move::ConnectFour(_)) { format!("column {text}") } else { text }
}

/// The player of this side, in the middle of a sentence.
pub(super) fn called(lobby: &Lobby, side: Side, eyes: Viewpoint) -> String {
    // A player who has left is still named.
    match (lobby.last_player(side), side) {
        (Some(player), _) if eyes == Viewpoint::Player(player.id) => "you".into(),
        (Some(player), _) => shown(player, lobby),
        (None, Side::First) => "the first side".into(),
        (None, Side::Second) => "the second side".into(),
    }
}

pub(super) fn is_you(lobby: &Lobby, side: Side, eyes: Viewpoint) -> bool {
    lobby.seats()[side].as_ref().is_some_and(|player| eyes == Viewpoint::Player(player.id))
}

/// "You do" or "anna does": the name, and the verb in its person.
pub(super) fn says(lobby: &Lobby, side: Side, eyes: Viewpoint, you: &str, other: &str) -> String {
    if is_you(lobby, side, eyes) {
        format!("You {you}")
    } else {
        format!("{} {other}", called(lobby, side, eyes))
    }
}

pub(super) fn named(lobby: &Lobby, side: Side) -> String {
    called(lobby, side, Viewpoint::Spectator)
}

/// Who makes a move of this side.
pub(super) fn mover(lobby: &Lobby, side: Side, hand: Hand, eyes: Viewpoint) -> String {
    let name = called(lobby, side, eyes);
    match hand {
        Hand::Own => name,
        Hand::StandIn => format!("stand-in [bot, {}] for {name}", lobby.conditions().away.level),
    }
}

/// The beginning of a sentence in the middle of another: names keep their capitals.
pub(super) fn lower(words: &str) -> String {
    match words.split_once(' ') {
        Some(("You", rest)) => format!("you {rest}"),
        Some(("Draw:", rest)) => format!("draw: {rest}"),
        _ => words.to_owned(),
    }
}

/// The mark after the name of a player who is away.
pub(super) fn mark(presence: Presence) -> &'static str {
    match presence {
        Presence::Here => "",
        Presence::Away => " [away]",
        Presence::StandIn => " [away, a bot stands in]",
    }
}
