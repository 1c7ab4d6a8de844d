//! The tutorial: the games of its three screens, and the screens as text.

use super::words::tutorial as words;
use crate::game::any::{Board, Variant};
use crate::study::Stop;
use crate::study::branches::{Branches, branches};
use crate::study::figure::text::TextOrder;
use crate::study::nim_pattern::Pattern;
use crate::study::tree::{FigureOptions, figure};

/// The game of the first screen.
const GAME: &str = "java-tech:7";

/// The puzzles of the second screen.
pub const PUZZLES: [&str; 4] = ["java-tech:4", "java-tech:7", "java-tech:12", "java-tech:20"];

/// The game whose tree the third screen shows.
const TREE: &str = "java-tech:4";

/// The columns of the text.
const WIDTH: usize = 80;

/// The start of the game on the first screen.
pub fn game() -> Board {
    start(GAME)
}

/// The position of a puzzle, from 0; the first one after the last.
pub fn puzzle(number: usize) -> Board {
    start(PUZZLES[number % PUZZLES.len()])
}

/// The root of the tree on the third screen.
pub fn root() -> Board {
    start(TREE)
}

fn start(game: &str) -> Board {
    game.parse::<Variant>().unwrap_or_default().start()
}

/// The moves of a position, with their values. The games here are small, so nobody waits for them.
pub fn moves(board: &Board) -> Option<Branches> {
    branches(board, &Stop::new())
}

/// The three screens as text.
pub fn text() -> String {
    let solved = (0..PUZZLES.len()).map(|number| {
        let board = puzzle(number);
        let best = moves(&board).into_iter().flat_map(|found| found.all).find(|branch| branch.best);
        let answer = best.map_or_else(String::new, |best| words::solution(&best));
        let [question, answer] =
            [words::puzzle(number, PUZZLES.len(), &board), answer].map(|text| filled(&text));
        format!("{question}\n{}\n{answer}\n", board.draw())
    });
    let ladder: Vec<String> =
        Pattern::of(&puzzle(PUZZLES.len() - 1)).into_iter().flat_map(Pattern::lines).collect();
    let first: Vec<String> = moves(&game()).iter().flat_map(|found| &found.all).map(words::leaving).collect();
    let whole = FigureOptions { depth: None, merged: false, max_nodes: 100 };
    let tree = figure(&root(), whole, &Stop::new()).and_then(|tree| tree.text(TextOrder::Pre));
    // The tree is small enough for every format.
    let tree = tree.unwrap_or_else(|refusal| refusal.to_string());
    let pages = [
        format!("{}\n\n{}\n{}\n", filled(&game().variant().rules()), game().draw(), first.join("\n")),
        format!(
            "{}\n\n{}\n{}\n",
            filled(words::LESSON),
            solved.collect::<Vec<_>>().join("\n"),
            ladder.join("\n")
        ),
        format!("{}\n\n{tree}", filled(words::TREE)),
    ];
    let pages = pages.iter().enumerate().map(|(page, text)| format!("{}\n\n{text}", words::heading(page)));
    format!("{}\n{}\n", pages.collect::<Vec<_>>().join("\n"), words::NEEDS_A_TERMINAL)
}

/// A text in lines.
fn filled(text: &str) -> String {
    textwrap::fill(text, WIDTH)
}
