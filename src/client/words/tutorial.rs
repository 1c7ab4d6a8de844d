//! The sentences of the tutorial: the lesson of each screen, and the answers to what a pupil does.

use super::learn;
use crate::client::text::sentence;
use crate::game::any::{Board, Move};
use crate::game::{Outcome, Side};
use crate::study::branches::{Branch, Branches};

/// The titles of the screens.
pub const TITLES: [&str; 3] =
    ["The goal and the moves", "Why 1, 5, 9 and 13 lose", "The tree below a position"];

/// What to do on the first screen.
pub const PLAY: &str = "Choose with the arrow keys or a digit, and move with Enter. Then the other side moves, and plays as well as it can.";

/// The lesson of the second screen.
pub const LESSON: &str = "The last object loses, so leave 1. If you leave 5, you can leave 1 with your next move: whatever the other side \
                          takes, you take so many that both together make 4. In the same way 9 leads to 5. Find the move that wins.";

/// The lesson of the third screen.
pub const TREE: &str = "Below each move are the replies to it. The values come from the ends of the game: +1 if the first side wins, -1 \
                        if it loses. The first side chooses the largest value below, the second side the smallest.";

/// The legend of the tree.
pub const LEGEND: &str =
    "W, L: the side that makes the move wins or loses, in so many moves; cut: a search can skip it.";

/// Where the screens can be played.
pub const NEEDS_A_TERMINAL: &str = "In a terminal, nim-client tutorial lets you play these three screens.";

/// The answer to the key of the next screen on the last one.
pub const THAT_WAS_ALL: &str = "That was all. nim-client play begins a game.";

/// The answer to Esc on the first screen.
pub const QUIT: &str = "Esc once more, or q, ends the tutorial.";

/// The title of the help.
pub const HELP: &str = "What you can do here";

/// The keys, for the help.
pub const ABOUT_KEYS: [&str; 9] = [
    "Arrows\tchoose a move; on the third screen up and down go through the tree, right opens a line and left closes it",
    "Digits\tchoose a move",
    "Enter\tmake the move; after a right answer, go to the next puzzle; on the third screen, open all below",
    "u\ttake the move back",
    "r\tbegin the first game again",
    "n\tthe next screen, as Tab does",
    "b\tthe screen before, as Esc does",
    "?\tthis list, as F1 does",
    "q\tend the tutorial",
];

/// The heading of a screen, from 0.
pub fn heading(page: usize) -> String {
    format!("Tutorial {} of {}: {}", page + 1, TITLES.len(), TITLES.get(page).unwrap_or(&""))
}

/// The rules of the game on the first screen, and what to do.
pub fn first_lesson(board: &Board) -> String {
    format!("{} {PLAY}", board.variant().rules())
}

/// Whose turn it is on the first screen.
pub fn your_turn(board: &Board) -> String {
    format!("Your turn: {}.", left(board))
}

/// `5 are left`.
fn left(board: &Board) -> String {
    let position = board.write_position();
    let count = position.split(' ').next().unwrap_or_default();
    if count == "1" { "1 is left".to_owned() } else { format!("{count} are left") }
}

/// What the pupil and the other side did.
pub fn moved(before: &Board, mv: Move, reply: Option<(&Board, Move)>) -> String {
    let mine = format!("You: {}.", before.write_move(mv));
    match reply {
        Some((board, reply)) => format!("{mine} The other side: {}.", board.write_move(reply)),
        None => mine,
    }
}

/// How the game of the first screen ended for the pupil, who moves first.
pub fn ended(outcome: Outcome) -> &'static str {
    if outcome == Outcome::Win(Side::First) {
        "You win: the other side had to take the last object. Now see why that worked."
    } else {
        "You lose: you had to take the last object. Take a move back, or see how to win."
    }
}

/// The question of a puzzle, from 0.
pub fn puzzle(number: usize, all: usize, board: &Board) -> String {
    format!("Puzzle {} of {all}: {}. Which move wins?", number + 1, left(board))
}

/// The answer to a move that wins.
pub fn right(branch: &Branch) -> String {
    format!("Right: {}. {}", branch.name, sentence(&branch.reason))
}

/// The answer to a move that loses.
pub fn wrong(branch: &Branch) -> String {
    format!("That loses. {} Take it back and try another move.", sentence(&branch.reason))
}

/// The answer to the last puzzle: the rule behind all of them, in a sentence.
pub fn all_right(rule: &str) -> String {
    format!("Right, and that was the last puzzle. {rule}")
}

/// What a move in the game of the first screen gave away.
pub fn gave_away(branch: &Branch) -> String {
    format!("That loses. {}", sentence(&branch.reason))
}

/// The solution of a puzzle.
pub fn solution(branch: &Branch) -> String {
    format!("Answer: {}. {}", branch.name, sentence(&branch.reason))
}

/// A move and the number that it leaves.
pub fn leaving(branch: &Branch) -> String {
    format!("{}: {}.", branch.name, left(&branch.board))
}

/// The first line of the tree.
pub fn first_line(board: &Board) -> String {
    format!("{}, the {} side to move", left(board), called(board.turn()))
}

/// Why a position of the tree has its value. `below` are its moves; `None` at an end of the game.
pub fn of_node(board: &Board, below: Option<&Branches>) -> String {
    let turn = board.turn();
    let Some(below) = below else {
        let value = if board.finish().map(|finish| finish.outcome) == Some(Outcome::Win(Side::First)) {
            "+1: the first side wins"
        } else {
            "-1: the first side loses"
        };
        return format!(
            "The {} side has taken the last object, which loses. The value is {value}.",
            called(!turn)
        );
    };
    let number = |branch: &Branch| branch.known.map_or("?", |known| learn::number(known, turn));
    let values: Vec<&str> = below.all.iter().map(number).collect();
    let value = below.known.map_or("?", |known| learn::number(known, turn));
    let how = if turn == Side::First { "largest" } else { "smallest" };
    let side = called(turn);
    match values.as_slice() {
        [only] => format!("The {side} side has one move, of value {only}. So the value is {value}."),
        values => format!(
            "The {side} side is to move, and its moves have the values {}. It chooses the {how}: {value}.",
            values.join(", ")
        ),
    }
}

fn called(side: Side) -> &'static str {
    if side == Side::First { "first" } else { "second" }
}
