//! Why a move in a game of sliding stones is good: it shuts the other side in, or it is the only way not to be shut
//! in. It does not choose the move.

use crate::game::Game;
use crate::game::sliding::{Ground, Slide, Sliding};
use crate::search::{Stop, Value, WHOLE_GAME, retrograde};

/// Why `slide` is good, as a part of a sentence that follows it; `None` where its value alone says as much.
pub(super) fn reason<G: Ground>(before: &Sliding<G>, slide: Slide) -> Option<String> {
    if before.play(slide).ok()?.outcome().is_some() {
        return Some("it leaves no move: the other side is shut in".into());
    }
    let (mine, others): (Vec<_>, Vec<_>) =
        worths(before)?.into_iter().partition(|(other, _)| *other == slide);
    let losses: Option<Vec<u32>> = others.iter().map(|(_, worth)| plies_to_loss(*worth)).collect();
    let slowest = losses?.into_iter().max()?;
    mine.iter().any(|(_, worth)| *worth == Value::Draw).then(|| escaping(others.len(), slowest))
}

/// What every move is worth.
fn worths<G: Ground>(position: &Sliding<G>) -> Option<Vec<(Slide, Value)>> {
    // So few positions take no time, so nobody needs to stop it.
    let table = retrograde::solve(position, WHOLE_GAME, &Stop::new()).ok()?;
    let worth = |slide| Some((slide, table.value(&position.play(slide).ok()?)?.for_mover()));
    position.moves().map(worth).collect()
}

fn plies_to_loss(worth: Value) -> Option<u32> {
    match worth {
        Value::Loss(plies) => Some(plies),
        Value::Win(_) | Value::Draw => None,
    }
}

/// The only move that draws, beside `others` that lose in `plies` at the latest; each second ply is the winner's.
fn escaping(others: usize, plies: u32) -> String {
    let lose = if others == 1 { "the other move loses" } else { "the others lose" };
    match plies / 2 {
        0 | 1 => format!("it draws; {lose} to the very next move"),
        moves => format!("it draws; {lose} within {moves} moves"),
    }
}
