//! Games, positions and moves as text: what is printed can be read back, and wrong text gets an answer with
//! the right form.

use nim::game::Game;
use nim::game::any::{Board, Move, Variant};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use crate::fuzzed::bodies;

/// The largest pile and limit.
const MOST: u64 = 1_000_000_000_000_000_000;

fn variant(text: &str) -> Variant {
    text.parse().unwrap_or_else(|bad| panic!("{text}: {bad}"))
}

fn complaint(text: &str) -> String {
    match text.parse::<Variant>() {
        Ok(read) => panic!("{text} was read as {read}"),
        Err(bad) => bad.to_string(),
    }
}

/// A size of a pile or a limit: mostly small, sometimes as large as can be.
fn size() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 1..=12u64, 1 => 1..=MOST, 1 => Just(MOST)]
}

fn ending() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", ":normal", ":misere", ":misère", ":MISERE"])
}

/// A text of a variant, with and without its defaults.
fn variant_text() -> impl Strategy<Value = String> {
    let named = (prop::sample::select(vec!["java-tech", "zero-sum", "even-or-odd"]), option::of(size()));
    let alone =
        prop::sample::select(vec!["one-two-ten", "tic-tac-toe", "connect-four", "pong-hau-ki", "mu-torere"]);
    let piles = (vec(size(), 1..=16), option::of(size()), ending(), any::<bool>());
    prop_oneof![
        alone.prop_map(str::to_string),
        named.prop_map(|(name, pile)| pile.map_or(name.into(), |pile| format!("{name}:{pile}"))),
        (size(), size(), ending()).prop_map(|(pile, max, ending)| format!("take:{pile}:{max}{ending}")),
        piles.prop_map(|(piles, max, ending, max_first)| {
            let piles: Vec<String> = piles.iter().map(u64::to_string).collect();
            let max = max.map_or(String::new(), |max| format!(":max={max}"));
            let options = if max_first { max + ending } else { ending.to_string() + &max };
            format!("nim:{}{options}", piles.join("-"))
        }),
    ]
}

/// A text that resembles a variant.
fn nearly_a_variant() -> impl Strategy<Value = String> {
    "(java-tech|zero-sum|one-two-ten|take|nim|ni|even-or-odd|tic-tac-toe|connect-four|pong-hau-ki|mu-torere)?(:(max=|normal|misere|misère)?[0-9-]{0,22}){0,5}[: é]?"
}

/// A board after some moves of a variant's game.
fn board() -> impl Strategy<Value = Board> {
    (variant_text(), vec(any::<u16>(), 0..12)).prop_map(|(text, choices)| {
        choices.into_iter().fold(variant(&text).start(), |board, choice| {
            let Some(mv) = some_move(&board, choice) else { return board };
            board.play(mv).unwrap_or_else(|illegal| panic!("{board:?} {mv:?}: {illegal}"))
        })
    })
}

/// A text that resembles a position.
fn nearly_a_position() -> impl Strategy<Value = String> {
    "([0-9]{1,2}(-[0-9]){0,2}|[0-9]{1,2} [0-9]-[0-9]|[xo.]{3}(/[xo.]{3}){2}|[1-7]{1,20}|[0-8]{1,50}|[xo.]{4,10})( first| second)?"
}

/// A text that resembles a move.
fn nearly_a_move() -> impl Strategy<Value = String> {
    "(take )?[0-9]( from)?( [a-c])?|(square )?[a-d]?[0-9]|(column ?)?[0-9]|(from )?([1-9]|c|centre)( to |-| )([1-9]|c|centre)"
}

/// One of the first thousand legal moves; `None` once the game is over.
fn some_move(board: &Board, choice: u16) -> Option<Move> {
    let moves: Vec<Move> = board.position().moves().take(1_000).collect();
    moves.get(usize::from(choice).checked_rem(moves.len())?).copied()
}

proptest! {
    #[test]
    fn any_text_is_a_variant_that_reads_back_or_is_refused(
        text in prop_oneof![variant_text(), nearly_a_variant(), any::<String>()],
    ) {
        bodies::variant::body(text.as_bytes());
    }

    #[test]
    fn capitals_and_blanks_around_a_variant_do_not_matter(text in variant_text()) {
        prop_assert_eq!(variant(&format!("  {} \n", text.to_uppercase())), variant(&text));
    }

    #[test]
    fn positions_and_moves_read_back_and_any_text_is_one_or_refused(
        board in board(),
        position in option::of(prop_oneof![nearly_a_position(), "\\PC{0,20}"]),
        moves in vec(prop_oneof![nearly_a_move(), "\\PC{0,20}"], 0..4),
    ) {
        let position = position.unwrap_or_else(|| board.write_position());
        bodies::position::body(format!("{}\n{position}\n{}", board.variant(), moves.join("\n")).as_bytes());
    }
}

#[test]
fn every_form_that_is_shown_can_be_typed_without_its_options() {
    for (form, _) in Variant::forms() {
        let plain = form.split('[').next().unwrap_or(form).replace("PILE", "9").replace('K', "2");
        assert_eq!(variant(&plain).name(), plain.split(':').next().unwrap_or_default());
    }
}

#[test]
fn an_unknown_name_is_answered_with_all_forms() {
    let forms: Vec<&str> = Variant::forms().map(|(form, _)| form).collect();
    let there_are = format!("there are {}", forms.join(", "));
    for (text, start) in [
        ("", "no game is named; "),
        ("  :3", "no game is named; "),
        ("chess", "chess: no game has this name; "),
        ("ニム:3", "ニム: no game has this name; "),
        ("a\u{1b}[2Jb", "a\u{fffd}[2jb: no game has this name; "),
    ] {
        assert_eq!(complaint(text), format!("{start}{there_are}"));
    }
}

#[test]
fn other_names_of_a_game_are_understood() {
    for (typed, shown) in [
        ("ttt", "tic-tac-toe"),
        ("TicTacToe", "tic-tac-toe"),
        ("c4", "connect-four"),
        ("connect4", "connect-four"),
        ("subtraction", "java-tech:21"),
        ("subtraction:13", "java-tech:13"),
        ("one-or-two:8", "zero-sum:8"),
        ("race-to-ten", "one-two-ten"),
    ] {
        assert_eq!(variant(typed).text(), shown, "{typed}");
    }
}

#[test]
fn a_misspelt_name_is_answered_with_the_name_that_was_probably_meant() {
    for (typed, meant) in [
        ("tic-tak-toe", "tic-tac-toe"),
        ("tictactow", "tic-tac-toe"),
        ("conect-four", "connect-four"),
        ("connect-5", "connect-four"),
        ("javatech:21", "java-tech"),
        ("nimm", "nim"),
        ("nmi", "nim"),
        ("nmi:3-4-5", "nim"),
        ("pong", "pong-hau-ki"),
        ("substraction", "java-tech"),
    ] {
        let name = typed.split(':').next().unwrap();
        assert_eq!(complaint(typed), format!("{name}: no game has this name; did you mean {meant}?"));
    }
}

#[test]
fn a_very_long_text_is_refused_unread_and_not_repeated_whole() {
    let long = "nim:1".to_string() + &"-1".repeat(1_000_000);
    let said = complaint(&long);
    assert!(said.ends_with("…: a game's text has at most 400 characters"), "{said}");
    assert!(said.len() < 200);
}

#[test]
fn a_very_long_position_is_not_repeated_whole() {
    let said = variant("connect-four").read_position(&"1".repeat(100_000)).unwrap_err().to_string();
    assert_eq!(said, format!("{}…: move 7: column 1 is full", "1".repeat(40)));
}
