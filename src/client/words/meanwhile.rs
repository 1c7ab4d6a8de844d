//! What happened in a game while its player was away, and its last move.

use serde::{Deserialize, Serialize};

use super::game::so_far;
use super::names::mover;
use super::screen;
use crate::client::model::Viewpoint;
use crate::lobby::{Lobby, NotatedMove, Phase};
use crate::number::saturating;

/// The most moves that are told; of more, only the last ones are.
const MAX_TOLD: usize = 12;

/// How a lobby stood when its player saw it last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Seen {
    /// The number of the next move, from 1; 0 if it was never seen.
    pub turn: u32,
    /// How many games had begun.
    pub games: u32,
    /// How many moves the game had.
    pub moves: u32,
    /// Whether the game was over.
    pub over: bool,
    /// Whether the game was paused.
    pub paused: bool,
}

impl Seen {
    /// How this lobby stands.
    pub fn of(lobby: &Lobby) -> Self {
        Self {
            turn: lobby.turn(),
            games: lobby.games(),
            moves: saturating(lobby.past().len()),
            over: matches!(lobby.phase(), Phase::Over { .. }),
            paused: lobby.is_paused(),
        }
    }
}

/// What happened since then; nothing for a lobby that was never seen.
pub fn meanwhile(lobby: &Lobby, seen: Seen, eyes: Viewpoint) -> Vec<String> {
    let now = Seen::of(lobby);
    if seen.turn == 0 {
        return Vec::new();
    }
    if now == seen {
        return vec!["Nothing has happened while you were away.".into()];
    }
    let is_new = now.games != seen.games;
    let another = is_new.then(|| "Another game began while you were away.".to_owned());
    let result = screen::result(lobby, eyes).filter(|_| is_new || !seen.over);
    let pause = match (seen.paused && !is_new, now.paused) {
        (false, true) => Some("The game is paused now.".to_owned()),
        (true, false) if !now.over => Some("The game is not paused any more.".to_owned()),
        _ => None,
    };
    [another, moves(lobby, seen, is_new, eyes), pause, result].into_iter().flatten().collect()
}

/// The moves since then.
fn moves(lobby: &Lobby, seen: Seen, is_new: bool, eyes: Viewpoint) -> Option<String> {
    let (now, made) = (Seen::of(lobby), lobby.made());
    let known = if is_new { 0 } else { seen.moves };
    if !is_new && now.moves.checked_sub(known) != now.turn.checked_sub(seen.turn) {
        let taken_back = "Moves were taken back while you were away.".to_owned();
        return Some(
            [Some(taken_back), so_far(lobby, eyes)].into_iter().flatten().collect::<Vec<_>>().join(" "),
        );
    }
    let new: Vec<&NotatedMove> = made.iter().skip(usize::try_from(known).ok()?).collect();
    let skipped = new.len().saturating_sub(MAX_TOLD);
    let before = if skipped == 0 { String::new() } else { format!("{skipped} moves, then ") };
    let told: Vec<String> = new[skipped..]
        .iter()
        .map(|made| format!("{}: {}", mover(lobby, made.side, made.hand, eyes), made.text))
        .collect();
    (!told.is_empty()).then(|| format!("While you were away: {before}{}.", told.join(", ")))
}

/// The last move of the present game, and who made it.
pub fn last_move(lobby: &Lobby, eyes: Viewpoint) -> Option<String> {
    let NotatedMove { text, side, hand } = lobby.last_made()?;
    Some(format!("Last move: {text} ({}).", mover(lobby, side, hand, eyes)))
}
