//! Why a move is the best, in words that fit every game: by its value alone. It knows no game's theory.

use crate::game::Game;
use crate::search::{Best, Grounds, Merit, Value, Verdict};

/// The reason for the moves in `best`, as a part of a sentence that follows one of them.
pub(super) fn of<G: Game>(position: &G, best: &Best<G::Move>) -> String {
    match best.grounds {
        Grounds::Searched { value: Value::Win(plies), .. } => winning(plies),
        Grounds::Searched { value: Value::Draw, merit } => drawing(merit).into(),
        Grounds::Searched { value: Value::Loss(_), merit } => losing(lesser_evil(position, merit)),
        Grounds::Proved(Verdict::Win) => "it wins against any defence".into(),
        Grounds::Proved(Verdict::Draw) => "it draws against perfect play".into(),
        Grounds::Proved(Verdict::Loss) => losing("this one leaves the most to be played"),
        Grounds::Estimated => {
            "nothing better was found, but the game is too large to search to its end".into()
        }
    }
}

/// A win in `plies`, told in the winner's own moves: the first and the last ply are the winner's.
fn winning(plies: u32) -> String {
    match plies.div_ceil(2) {
        0 | 1 => "it wins at once".into(),
        moves => format!("it wins in {moves} moves against any defence"),
    }
}

fn drawing(merit: Merit) -> &'static str {
    match merit {
        Merit::Result => "it draws; the others lose",
        Merit::Replies => "it draws, and leaves the most replies that lose",
        Merit::Length | Merit::Nothing => "it draws, and so does every other move",
    }
}

fn losing(lesser_evil: &str) -> String {
    format!("every move loses against perfect play; {lesser_evil}")
}

fn lesser_evil<G: Game>(position: &G, merit: Merit) -> &'static str {
    match merit {
        _ if position.move_count() == 1 => "this one is the only one there is",
        Merit::Length => "this one holds out longest",
        Merit::Replies => "this one leaves the fewest winning replies",
        Merit::Result | Merit::Nothing => "none is better than another",
    }
}
