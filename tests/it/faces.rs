//! What people read of each game: its rules, its drawn positions, its prompts, the answers to wrong moves,
//! and the reasons for results. Each game has a sheet in a file, to be read from the top to the bottom.

use std::fmt::Write;

use insta::assert_snapshot;
use nim::game::Why;
use nim::game::any::{Board, Variant};

/// A game, played by typed lines; wrong lines get an answer.
fn sheet(game: &str, typed: &str) -> String {
    let variant: Variant = game.parse().unwrap();
    let opener = variant.seats("the first side", "the second side").first;
    let mut sheet =
        format!("{variant}: {}\n{}\n{opener} is the opener's.\n", variant.name(), variant.rules());
    let mut board = variant.start();
    look_at(&mut sheet, &board);
    for line in typed.split(", ") {
        board = answered(&mut sheet, board, line);
    }
    sheet
}

fn look_at(sheet: &mut String, board: &Board) {
    write!(sheet, "\n{}\n[{}]\n", board.draw(), board.write_position()).unwrap();
    match board.finish() {
        None => writeln!(sheet, "{:?}: {}", board.turn(), board.prompt()).unwrap(),
        Some(finish) => {
            let why = match finish.why {
                Why::Side { side, you, name } => format!("{side:?}: you {you}; anna {name}"),
                Why::Board(words) => words.into(),
            };
            writeln!(sheet, "{:?}: {why}", finish.outcome).unwrap();
        }
    }
}

fn answered(sheet: &mut String, board: Board, line: &str) -> Board {
    match board.read_move(line) {
        Err(bad) => {
            writeln!(sheet, "> {line}\n{bad}").unwrap();
            board
        }
        Ok(mv) => {
            writeln!(sheet, "> {line}\n{}", board.write_move(mv)).unwrap();
            let board = board.play(mv).unwrap();
            look_at(sheet, &board);
            board
        }
    }
}

/// Each game, and its typed lines, separated by commas.
const SHEETS: [(&str, &str, &str); 18] = [
    ("java-tech", "java-tech:7", "0, 4, x, 1 from b, 3, take 1, 2, 2, 1"),
    ("take-normal", "take:6:2:normal", "3, 2, 2 from a, a 1, 1, 1"),
    ("take-at-will", "take:3:3:misere", "4, 2"),
    ("take-one", "take:2:1", "2, 1, 1"),
    ("zero-sum", "zero-sum:4", "5, 1, 1, 1, 1"),
    ("nim", "nim:3-4-5", "3, 2 from d, 4 from a, 0 from a, 9, c 5, 3 from a, b b, 1 1, 5, take 4 from b"),
    ("nim-bounded", "nim:1-60-2:max=2:misere", "1, 3 from b, 1 from a, 2 from a, 2 from b, 3"),
    ("nim-bounded-largely", "nim:7-8:max=5", "6 from a, 5 from b, 6"),
    ("nim-one-from-each", "nim:1-2:max=1", "1, 2 from b, 1 from a, 1, 1"),
    ("one-two-ten", "one-two-ten", "0, 3, 1 from b, add 2, 1, 2, 2, 2, 2, 1"),
    ("even-or-odd", "even-or-odd:5", "0, 9, x, 2, 3, 1, 1"),
    ("even-or-odd-drawn", "even-or-odd:4", "2, 1, 2, 1"),
    ("even-or-odd-one", "even-or-odd:1", "1"),
    ("tic-tac-toe", "tic-tac-toe", "0, 10, five, 5, 5, 1, 2, 3, 8"),
    ("tic-tac-toe-drawn", "tic-tac-toe", "1, 2, 3, 5, 4, 6, 8, 7, 9"),
    ("connect-four", "connect-four", "0, 8, d, 4, 4, 4, 4, 4, 4, 4, 3, 3, 2, 2, 1"),
    ("pong-hau-ki", "pong-hau-ki", "a, z, 1, 5, 2, 3, 4"),
    ("mu-torere", "mu-torere", "a, 9, 1, 2, 3, 8"),
];

#[test]
fn every_game_has_rules_drawings_prompts_and_answers_to_any_line() {
    for (name, game, typed) in SHEETS {
        assert_snapshot!(name, sheet(game, typed));
    }
}

#[test]
fn every_form_of_a_game_is_described_in_one_line() {
    let forms: Vec<String> = Variant::forms().map(|(form, words)| format!("{form}: {words}")).collect();
    assert_snapshot!("forms", forms.join("\n"));
}

/// Typed positions, right and wrong ones.
const POSITIONS: &[(&str, &[&str])] = &[
    (
        "even-or-odd",
        &["12 3-0 second", "15 0-0", " ", "15", "15 0", "15 0-0 third", "15 0-0 first x", "16 0-0"],
    ),
    ("even-or-odd", &["12 3-0", "15 0-0-0", "-1 8-8", "12 0-0", "11 4-0"]),
    ("tic-tac-toe", &["x.o/.x./...", "", "x", "x.o/.x.", "x.o/.x./..../", "xx.o/x./...", "x.o/.x./..z"]),
    (
        "tic-tac-toe",
        &["x.o.x....", "é.o/.x./...", "xx./.../...", "o../.../...", "xxx/ooo/...", "xxx/oo./o.."],
    ),
    ("tic-tac-toe", &["x.o/.xo/..x", "ooo/xx./xx."]),
    (
        "connect-four",
        &["4453", "-", "", "448", "4444444", "12121213", "4x4x4x4x4x4x4x4x4x4x4x4x4x4x4x4x4x4x4x4x4x4x4x"],
    ),
    (
        "pong-hau-ki",
        &["xx.oo second", "xx.oo", "", "xx.o", "xx.ooo", "xx?oo", "xx.oo third", "xx.oo first x"],
    ),
    ("pong-hau-ki", &["xxxoo", "xxooo", "xx..o"]),
    ("mu-torere", &[".xxxoooox second", "xxxxoooo."]),
];

/// Typed moves in these positions.
const MOVES: &[(&str, &str, &[&str])] = &[
    ("one-two-ten", "5", &["0", "5", "6", "1 from b", "add 1"]),
    ("one-two-ten", "9", &["2"]),
    ("one-two-ten", "10", &["1"]),
    ("even-or-odd", "15 0-0", &["2", " Take  2 ", "999", "taken", "4", "0"]),
    ("even-or-odd", "2 7-6", &["3"]),
    ("even-or-odd", "1 7-7", &["2"]),
    (
        "tic-tac-toe",
        ".../.../...",
        &["5", "b2", "B2", " square 9 ", "c3", "c1", "a3", "0", "256", "d1", "a4"],
    ),
    ("tic-tac-toe", ".../.x./...", &["2b", "b 2", "square", "five", "5"]),
    (
        "connect-four",
        "-",
        &["4", "column 4", " Column  4 ", "column4", "", "0", "8", "44", "column", "4 4", "d4"],
    ),
    ("connect-four", "444444", &["4"]),
    ("pong-hau-ki", "xx.oo", &["1", "from 1 to 3", "1-3", "1 3", "From 1 to the CENTRE", "1 center", "1 c"]),
    ("pong-hau-ki", "xx.oo", &[" 1 - 3 ", "3", "6", "1 2 3", "from to", "one"]),
    ("pong-hau-ki", ".xxoo", &["1"]),
    (
        "mu-torere",
        "xxxxoooo.",
        &["1", "from 1 to centre", "1-c", "1 center", "1 to the Pūtahi", "1 putahi", "2"],
    ),
];

#[test]
fn wrong_positions_and_moves_are_answered_with_the_right_form() {
    let mut sheet = String::new();
    let mut told = |text: &str, answer| writeln!(sheet, "{text:?}: {answer}").unwrap();
    for (game, texts) in POSITIONS {
        let variant: Variant = game.parse().unwrap();
        for text in *texts {
            let read = variant
                .read_position(text)
                .map(|board| format!("{}\n{}", board.write_position(), board.draw()));
            told(text, read.unwrap_or_else(|bad| bad.to_string()));
        }
    }
    for (game, position, texts) in MOVES {
        let board = game.parse::<Variant>().unwrap().read_position(position).unwrap();
        told(position, board.prompt());
        for text in *texts {
            told(text, board.read_move(text).map_or_else(|bad| bad.to_string(), |mv| board.write_move(mv)));
        }
    }
    assert_snapshot!("typed", sheet);
}
