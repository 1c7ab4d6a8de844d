//! The sentences of the learn panel: which position it is about, what a move is worth and why, and what it
//! cost.

use super::names::{called, mover};
use crate::client::model::Viewpoint;
use crate::client::text::sentence;
use crate::game::any::{Board, Position};
use crate::game::{BySide, Side};
use crate::lobby::{Hand, Lobby, Phase};
use crate::number::saturating;
use crate::study::branches::Branch;
use crate::study::words::count_moves;
use crate::study::words::thousands;
use crate::study::{Known, Verdict};

/// The tree has reached its largest size.
pub const FULL: &str = "There is no room for more of this tree; go on from a later position.";

/// The notice after the key of the turning points where there are none.
pub const NO_TURNING_POINTS: &str = "There are no turning points.";

/// The same while moves are still being judged.
pub const NO_TURNING_POINTS_YET: &str = "No turning point is found yet.";

/// A typed move that is not in the tree.
pub const NOT_LISTED: &str = "This move is not listed here.";

/// The reason for that.
const TOO_LARGE: &str = "How soon is not known: the game is too large to be searched to its end.";

/// The legends of the signs beside the moves, the longest one first.
const LEGENDS: [&str; 2] = [
    "W win, L loss, D draw for who makes that move, in so many moves; +1: the first side wins",
    "W win, L loss, D draw for who moves; +1: first side wins",
];

/// The same if some move is marked as cut. A cut move may have a value: it is searched for the panel, though
/// not by alpha-beta.
const LEGENDS_WITH_CUT: [&str; 3] = [
    "W win, L loss, D draw for who makes that move; +1: the first side wins; cut: a search need not look here",
    "W win, L loss, D draw for who moves; +1: first wins; cut: no need to look",
    "W win, L loss for who moves; cut: a search can skip it",
];

/// The legends if it is not known how soon the game ends.
const LEGENDS_OF_LARGE: [&str; 3] = [
    "W win, L loss for who makes that move; ?: too large to count; +1: the first side wins",
    "W win, L loss for who moves; ?: too large to count; +1: first side wins",
    "W win, L loss for who moves; ?: too large to count",
];

/// The same if some move is marked as cut.
const LEGENDS_OF_LARGE_WITH_CUT: [&str; 3] = [
    "W win, L loss for who makes that move; ?: too large to count; cut: a search need not look here",
    "W win, L loss for who moves; ?: too large to count; cut: no need to look",
    "W win, L loss for who moves; ?: large; cut: skip it",
];

/// The legends of the signs, the longest one first: whether a number of moves is not known, and whether some
/// move is marked as cut.
pub fn legends(is_large: bool, has_cut: bool) -> &'static [&'static str] {
    match (is_large, has_cut) {
        (false, false) => &LEGENDS,
        (false, true) => &LEGENDS_WITH_CUT,
        (true, false) => &LEGENDS_OF_LARGE,
        (true, true) => &LEGENDS_OF_LARGE_WITH_CUT,
    }
}

/// The keys of the panel, for the help.
pub const HOW_TO_GO: [&str; 8] = [
    "The arrow keys go through the tree: right opens a move, left closes it. With the mouse, click a line, and its sign to \
     open and close it.",
    "Enter and clicks never make a move here. A move can be made by its own key when it is your turn and the tree begins at \
     the position on the board.",
    "W, L and D say how the game ends for the side that makes that move, and in how many moves, of either side. +1, 0 and -1 \
     say the same for the side that moves first in the game.",
    "A question mark stands for the number of moves where the game is too large to be searched to its end: who wins is \
     certain then, but not how soon.",
    "A turning point is a move that turned a win into a draw or a loss, or a draw into a loss. The accuracy of a player is \
     the share of moves that were none.",
    "Page Up, Page Down, Home, End and the wheel scroll the list too. Type a move, such as 3, and Enter goes to it.",
    "A star marks the best moves, unless all moves are equally good. \"made\" marks the move of the game. \"cut\" marks what a \
     search by alpha-beta need not look at: it goes through the moves in this order and knows enough before. A value beside it \
     is exact all the same.",
    "The board shows the position of the line on which you are.",
];

/// Which position the panel is about.
pub fn about(lobby: &Lobby, (ply, plies): (usize, usize)) -> String {
    match lobby.made().get(ply) {
        Some(made) => {
            let who = mover(lobby, made.side, made.hand, Viewpoint::Spectator);
            format!("Move {} of {plies}: {} ({who})", ply + 1, made.text)
        }
        None if plies == 0 => "The start of the game".to_owned(),
        None if lobby.phase() == Phase::Playing => format!("The position now, after move {plies}"),
        None => format!("After move {plies}"),
    }
}

/// The first line of the tree: what is left, where that is one number, and who is to move.
pub fn root(lobby: &Lobby, board: &Board) -> String {
    if board.finish().is_some() {
        return "the end of the game".to_owned();
    }
    let turn = format!("{} to move", called(lobby, board.turn(), Viewpoint::Spectator));
    let position = board.write_position();
    let count = position.split(' ').next().unwrap_or_default();
    match board.position() {
        _ if board.variant().name() == "one-two-ten" => format!("count {count}, {turn}"),
        Position::Nim(nim) if nim.piles().len() == 1 => format!("{count} left, {turn}"),
        Position::EvenOrOdd(_) => format!("{count} left, {turn}"),
        _ => turn,
    }
}

/// The progress of a search, once it has begun to count.
pub fn thinking(looked: u64) -> String {
    if looked == 0 {
        return "Thinking; Esc stops it.".to_owned();
    }
    format!("Thinking: {} positions looked at; Esc stops it.", thousands(&looked.to_string()))
}

/// The number of listed moves, where there are more.
pub fn unlisted(listed: usize, all: u64) -> String {
    format!("{listed} of {} moves listed, the first of each pile", thousands(&all.to_string()))
}

/// The letter for a value.
pub fn letter(known: Known) -> &'static str {
    match known.verdict() {
        Verdict::Win => "W",
        Verdict::Draw => "D",
        Verdict::Loss => "L",
    }
}

/// The value for the first side.
pub fn number(known: Known, side: Side) -> &'static str {
    match (known.verdict(), side) {
        (Verdict::Draw, _) => "0",
        (Verdict::Win, Side::First) | (Verdict::Loss, Side::Second) => "+1",
        _ => "-1",
    }
}

/// The value of a move, its reason, and its cost if it was made in the game.
pub fn of_move(branch: &Branch, made: bool) -> Vec<String> {
    let Branch { name, value_text, reason, .. } = branch;
    let value = format!("{name}: {value_text}. {}", sentence(reason));
    let length = branch.known.and_then(why_no_length);
    [Some(value), made.then(|| of_made(branch)), length].into_iter().flatten().collect()
}

/// Why the length is not known.
fn why_no_length(known: Known) -> Option<String> {
    known.is_open_ended().then(|| TOO_LARGE.to_owned())
}

/// The position that the panel is about: who is to move, how it ends, what was made of it, and the best move.
pub fn of_position(
    lobby: &Lobby,
    board: &Board,
    known: Option<Known>,
    [made, best]: [Option<&Branch>; 2],
) -> Vec<String> {
    let who = called(lobby, board.turn(), Viewpoint::Spectator);
    let plies =
        known.and_then(Known::plies).map_or_else(String::new, |plies| format!(" in {}", count_moves(plies)));
    let end = match known.map(Known::verdict) {
        None => String::new(),
        Some(Verdict::Win) => format!(" and wins{plies} against any defence"),
        Some(Verdict::Draw) => " and draws with best play".to_owned(),
        Some(Verdict::Loss) => format!(" and loses{plies} against best play"),
    };
    // The best move has its reason with it.
    let best = best
        .filter(|_| !made.is_some_and(|made| made.best))
        .map(|best| format!("Best: {}. {}", best.name, sentence(&best.reason)));
    let turn = match board.finish() {
        Some(_) => "The game is over here.".to_owned(),
        None => format!("{who} is to move{end}."),
    };
    let length = known.and_then(why_no_length);
    [Some(turn), made.map(of_made_there), best, length].into_iter().flatten().collect()
}

/// Where a result was given away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurningPoint {
    /// The number of moves before it.
    pub number: usize,
    /// The side that gave it away.
    pub side: Side,
    /// Who made the move; `None` if the player resigned instead of moving.
    pub hand: Option<Hand>,
}

/// The turning points of a finished game, and the accuracy of each player: of how many of their own moves so
/// many kept the result. `left` is the number of moves that are not judged yet; until all are, there is no
/// accuracy.
pub fn of_game(lobby: &Lobby, points: &[TurningPoint], kept: BySide<(usize, usize)>, left: usize) -> String {
    let points: Vec<String> = points.iter().map(|point| turning_point(lobby, point)).collect();
    let points = if points.is_empty() { "none".to_owned() } else { points.join(", ") };
    if left > 0 {
        return format!(
            "Turning points so far: {points}. Still to judge: {}.",
            count_moves(saturating(left))
        );
    }
    let shares: Vec<String> =
        Side::BOTH.into_iter().filter_map(|side| share(lobby, side, kept[side])).collect();
    let accuracy =
        if shares.is_empty() { String::new() } else { format!(" Accuracy: {}.", shares.join(", ")) };
    format!("Turning points: {points}.{accuracy}")
}

fn turning_point(lobby: &Lobby, TurningPoint { number, side, hand }: &TurningPoint) -> String {
    match hand {
        Some(hand) => format!("move {} ({})", number + 1, mover(lobby, *side, *hand, Viewpoint::Spectator)),
        None => format!("the resignation ({})", called(lobby, *side, Viewpoint::Spectator)),
    }
}

/// A player resigned in this position, and so gave this result away.
pub fn resigned_here(lobby: &Lobby, side: Side, verdict: Verdict) -> String {
    let what = if verdict == Verdict::Win { "a win" } else { "a draw" };
    format!("{} resigned here, and so gave {what} away.", called(lobby, side, Viewpoint::Spectator))
}

/// The accuracy of a player in per cent, half of one rounded up; `None` if no move of theirs is judged.
fn share(lobby: &Lobby, side: Side, (kept, judged): (usize, usize)) -> Option<String> {
    let percent = (kept * 200 + judged).checked_div(judged * 2)?;
    Some(format!("{} {percent}%", called(lobby, side, Viewpoint::Spectator)))
}

/// What the move of the game cost, and why it was good, if it was.
fn of_made_there(branch: &Branch) -> String {
    let reason = if branch.best { format!(" {}", sentence(&branch.reason)) } else { String::new() };
    of_made(branch) + &reason
}

/// What the move of the game cost in this position.
fn of_made(branch: &Branch) -> String {
    format!("Made: {}, which {}.", branch.name, branch.cost)
}
