//! Games, positions and moves as text: what is printed can be read back, and what cannot be read is answered
//! with a sentence that says what would be right.

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

/// A text that is a variant, with and without its defaults.
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

/// A text that looks like a variant from afar.
fn nearly_a_variant() -> impl Strategy<Value = String> {
    "(java-tech|zero-sum|one-two-ten|take|nim|ni|even-or-odd|tic-tac-toe|connect-four|pong-hau-ki|mu-torere)?(:(max=|normal|misere|misère)?[0-9-]{0,22}){0,5}[: é]?"
}

/// A board some moves into a variant's game.
fn board() -> impl Strategy<Value = Board> {
    (variant_text(), vec(any::<u16>(), 0..12)).prop_map(|(text, choices)| {
        choices.into_iter().fold(variant(&text).start(), |board, choice| {
            let Some(mv) = some_move(&board, choice) else { return board };
            board.play(mv).unwrap_or_else(|illegal| panic!("{board:?} {mv:?}: {illegal}"))
        })
    })
}

/// A text that looks like a position from afar.
fn nearly_a_position() -> impl Strategy<Value = String> {
    "([0-9]{1,2}(-[0-9]){0,2}|[0-9]{1,2} [0-9]-[0-9]|[xo.]{3}(/[xo.]{3}){2}|[1-7]{1,20}|[0-8]{1,50}|[xo.]{4,10})( first| second)?"
}

/// A text that looks like a move from afar.
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
fn defaults_are_filled_in_when_a_variant_is_printed() {
    for (typed, printed) in [
        ("java-tech", "java-tech:21"),
        ("zero-sum", "zero-sum:11"),
        ("one-two-ten", "one-two-ten"),
        ("take:21:3", "take:21:3:normal"),
        ("even-or-odd", "even-or-odd:15"),
        ("Tic-Tac-Toe", "tic-tac-toe"),
        ("CONNECT-four", "connect-four"),
        ("pong-hau-ki", "pong-hau-ki"),
        ("mu-torere", "mu-torere"),
        ("Nim:3-4-5:MISÈRE:max=007", "nim:3-4-5:max=7:misere"),
    ] {
        assert_eq!(variant(typed).text(), printed);
    }
}

#[test]
fn a_size_out_of_bounds_is_told_the_bounds() {
    for (text, sentence) in [
        ("java-tech:0", "java-tech:0: a pile has 1 to 10^18 objects"),
        ("zero-sum:-1", "zero-sum:-1: not a number; a pile has 1 to 10^18 objects, as in zero-sum:11"),
        ("java-tech:1000000000000000001", "java-tech:1000000000000000001: a pile has 1 to 10^18 objects"),
        ("java-tech:٣", "java-tech:٣: not a number; a pile has 1 to 10^18 objects, as in java-tech:21"),
        ("java-tech:abc", "java-tech:abc: not a number; a pile has 1 to 10^18 objects, as in java-tech:21"),
        ("take:x:3", "take:x: not a number; a pile has 1 to 10^18 objects, as in take:21"),
        ("take:0:3", "take:0: a pile has 1 to 10^18 objects"),
        ("take:21:0", "take:21:0: K, the most that a move takes, is 1 to 10^18"),
        ("nim:3-0-5", "nim:3-0-5: \"0\" is not a pile: a pile has 1 to 10^18 objects"),
        ("nim:3--5", "nim:3--5: a pile is missing beside a hyphen; write the piles as in nim:3-4-5"),
        ("nim:3-", "nim:3-: a pile is missing beside a hyphen; write the piles as in nim:3-4-5"),
        (
            "nim:1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1",
            "nim:1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1: there are at most 16 piles",
        ),
        ("even-or-odd:0", "even-or-odd:0: there are 1 to 10^18 tokens in the middle"),
        (
            "even-or-odd:1000000000000000001",
            "even-or-odd:1000000000000000001: there are 1 to 10^18 tokens in the middle",
        ),
        ("nim:3-4-5:max=0", "max=0: max is 1 to 10^18"),
        ("nim:3-4-5:max=", "max=: max is 1 to 10^18"),
    ] {
        assert_eq!(complaint(text), sentence);
    }
}

#[test]
fn a_wrong_number_of_parts_is_answered_with_the_form() {
    const TAKE: &str = "write take:PILE:K, as in take:21:3, and :misere behind it if the last object loses";
    const OPTIONS: &str = "behind the piles come max=K and normal or misere, each once";
    for (text, sentence) in [
        ("java-tech:", "java-tech: a part is missing behind a colon".into()),
        ("nim::max=3", "nim: a part is missing behind a colon".into()),
        ("chess::", "chess: a part is missing behind a colon".into()),
        ("java-tech:21:3", "3: java-tech takes one number, as in java-tech:21".to_string()),
        ("one-two-ten:10", "10: one-two-ten stands alone, it always counts to 10".into()),
        ("even-or-odd:15:3", "3: even-or-odd takes one number, as in even-or-odd:15".into()),
        ("tic-tac-toe:3", "3: tic-tac-toe stands alone".into()),
        ("connect-four:7x6", "7x6: connect-four stands alone".into()),
        ("pong-hau-ki:5", "5: pong-hau-ki stands alone".into()),
        ("mu-torere:8:4", "8: mu-torere stands alone".into()),
        ("take", format!("take: {TAKE}")),
        ("take:21", format!("take:21: {TAKE}")),
        (
            "take:5:3:misere:normal",
            "take:5:3:misere:normal: normal is one too many; the ending is said once, as in take:5:3:misere"
                .into(),
        ),
        (
            "take:5:3:normal:7",
            "take:5:3:normal:7: 7 is one too many; nothing stands behind take:5:3:normal".into(),
        ),
        ("take:21:3:maybe", "maybe: the ending is normal or misere".into()),
        ("nim", "nim: write the piles behind it, as in nim:3-4-5".into()),
        ("nim:3-4-5:misere:misere", format!("misere: {OPTIONS}")),
        ("nim:3-4-5:normal:misere", format!("misere: {OPTIONS}")),
        ("nim:3-4-5:max=2:max=3", format!("max=3: {OPTIONS}")),
        ("nim:3-4-5:3", format!("3: {OPTIONS}")),
    ] {
        assert_eq!(complaint(text), sentence);
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
fn a_very_long_text_is_refused_unread_and_not_repeated_whole() {
    let long = "nim:1".to_string() + &"-1".repeat(1_000_000);
    let said = complaint(&long);
    assert!(said.ends_with("…: a game's text has at most 400 characters"), "{said}");
    assert!(said.len() < 200);
}

#[test]
fn a_wrong_position_is_told_what_would_be_right() {
    const UNREACHABLE: &str = "no play of this variant leads there with that side to move";
    for (game, text, sentence) in [
        ("java-tech", "22", "22: each number is from 0 to its start, here 21".to_string()),
        ("java-tech", "", "write a position as in \"21 first\"".into()),
        ("java-tech", "20 first", format!("20 first: {UNREACHABLE}")),
        ("java-tech", "20 third", "20 third: write a position as in \"21 first\"".into()),
        ("java-tech", "3-4", "3-4: this variant has one number here".into()),
        ("nim:3-4-5", "3-4", "3-4: this variant has 3 numbers, joined by - here".into()),
        ("one-two-ten", "1 first", format!("1 first: {UNREACHABLE}")),
        ("connect-four", "448", "448: move 3: write a column as a digit from 1 to 7".into()),
        ("connect-four", "4444444", "4444444: move 7: column 4 is full".into()),
        ("connect-four", "12121213", "12121213: move 8: the game is over".into()),
        ("connect-four", &"1".repeat(100_000), format!("{}…: move 7: column 1 is full", "1".repeat(40))),
    ] {
        assert_eq!(variant(game).read_position(text).expect_err(text).to_string(), sentence);
    }
}

#[test]
fn rules_read_well_where_little_can_be_taken() {
    for (text, rules) in [
        ("take:5:1", "One pile of 5 objects; a move takes one of them. Whoever takes the last one wins."),
        ("java-tech:1", "One pile of a single object. Whoever takes it loses."),
        ("nim:7", "One pile of 7 objects; a move takes any number of them. Whoever takes the last one wins."),
    ] {
        assert_eq!(variant(text).rules(), rules);
    }
}
