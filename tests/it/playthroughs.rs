//! Whole games of every kind as text: each position, its drawing, the legal moves as typed, the chosen move,
//! and the result in words. A change of rules, notation or words appears as a change of these files.
//!
//! `NIM_BLESS=1 cargo test --test it playthroughs` rewrites them; read the difference before you commit it.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use nim::client::words::{Viewpoint, ended};
use nim::game::any::{Board, Variant};
use nim::game::{Game, Side};
use nim::lobby::{Code, Conditions, Kind, Lobby, LobbyRequest, Moment, Name, Phase, Request, Who};

/// How the moves of a game are chosen.
enum Play {
    /// As typed, separated by commas.
    Typed(&'static str),
    /// Any legal moves; another number gives another game.
    Wild(u64),
}

use Play::{Typed, Wild};

/// A game of Connect Four in which nobody gets four in a row.
const FULL_BOARD: &str = "7, 1, 2, 5, 5, 7, 6, 3, 7, 7, 3, 1, 3, 3, 5, 2, 5, 7, 3, 1, 2, 6, 1, 3, 6, 4, 6, 2, 2, 1, 6, 7, \
    1, 2, 4, 4, 4, 6, 4, 5, 4, 5";

/// Each file, and the games in it.
const FILES: &[(&str, &[(&str, Play)])] = &[
    ("java-tech", &[("java-tech:4", Typed("3, 1")), ("java-tech", Wild(1)), ("java-tech:11", Wild(2))]),
    ("zero-sum", &[("zero-sum", Typed("1, 1, 2, 1, 2, 1, 2, 1")), ("zero-sum", Wild(1))]),
    ("one-two-ten", &[("one-two-ten", Typed("add 1, 2, add 1, 1, add 2, 2, 1")), ("one-two-ten", Wild(1))]),
    ("take", &[("take:9:4", Typed("take 4, 3, take 2")), ("take:7:2:misere", Wild(1))]),
    (
        "nim",
        &[
            ("nim:3-4-5", Typed("take 2 from a, 3 from c, b 3, a 1, 1 from b, 2")),
            ("nim:1-3-5-7:misere", Wild(1)),
            ("nim:3-3:max=2", Wild(2)),
        ],
    ),
    (
        "even-or-odd",
        &[
            ("even-or-odd", Typed("take 3, 3, take 2, 1, 1, 2, 1, take 2")),
            ("even-or-odd:4", Typed("1, 2, 1")),
            ("even-or-odd:4", Typed("1, 3")),
            ("even-or-odd", Wild(1)),
        ],
    ),
    (
        "tic-tac-toe",
        &[
            ("tic-tac-toe", Typed("5, a1, B3, 2, c1, a3, square 4, 6, 9")),
            ("tic-tac-toe", Typed("1, 5, 9, 3, 7, 8, 4")),
            ("tic-tac-toe", Typed("b1, b2, a2, a1, c1, c3")),
            ("tic-tac-toe", Wild(1)),
        ],
    ),
    (
        "connect-four",
        &[
            ("connect-four", Typed("4, column 5, 4, 5, 4, column 5, 4")),
            ("connect-four", Typed("1, 1, 2, 2, 3, 3, 4")),
            ("connect-four", Typed("1, 2, 2, 3, 3, 4, 3, 4, 4, 6, 4")),
            ("connect-four", Typed("1, 7, 6, 6, 5, 5, 4, 5, 4, 4, 2, 4")),
            ("connect-four", Typed(FULL_BOARD)),
            ("connect-four", Wild(1)),
        ],
    ),
    (
        "pong-hau-ki",
        &[
            ("pong-hau-ki", Typed("from 1 to 3, 4-1, 3 4, 1 to centre, 4, 3, 1, 4, 3, 1, 4, 3")),
            ("pong-hau-ki", Wild(1)),
            ("pong-hau-ki", Wild(2)),
        ],
    ),
    ("mu-torere", &[("mu-torere", Wild(1)), ("mu-torere", Wild(2)), ("mu-torere", Wild(3))]),
];

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/playthroughs/{name}.txt"))
}

/// A lobby in which anna has just begun a game with ben.
fn begun(variant: &Variant) -> Lobby {
    let mut lobby = Lobby::new(Code::from_bits(0, 0), variant.clone(), Conditions::default());
    for name in ["anna", "ben"] {
        let request = Request::Sit { name: Name::clean(name).unwrap(), kind: Kind::Person };
        grant(&mut lobby, Who::Newcomer, request);
    }
    lobby
}

fn grant(lobby: &mut Lobby, who: Who, request: Request) {
    let decision = lobby.decide(who, request, Moment::START).unwrap();
    lobby.carry_out(&decision, Moment::START).unwrap();
}

/// The legal moves, as typed.
fn legal(board: &Board) -> Vec<String> {
    board.position().moves().map(|mv| board.write_move(mv)).collect()
}

/// The text of the next move of this game.
fn next_move(play: &Play, at: usize, board: &Board) -> String {
    match play {
        Typed(moves) => moves.split(", ").nth(at).expect("the typed moves end the game").into(),
        Wild(seed) => {
            let legal = legal(board);
            legal[mixed(seed * 1_000 + at as u64) % legal.len()].clone()
        }
    }
}

/// A pseudo-random number that never changes.
fn mixed(number: u64) -> usize {
    let mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as usize
}

/// One game, from its variant to its result.
fn playthrough(variant: &str, play: &Play) -> String {
    let mut lobby = begun(&variant.parse().unwrap());
    let mut text = format!("game {}\n{}\n", lobby.variant(), lobby.variant().rules());
    let mut at = 0;
    while let Some(player) = lobby.to_move().cloned() {
        let board = lobby.board().clone();
        let typed = next_move(play, at, &board);
        let mv = board
            .read_move(&typed)
            .unwrap_or_else(|bad| panic!("{variant}, {}: {bad}", board.write_position()));
        text += &stand(&board);
        writeln!(text, "{} plays {}", player.name, board.write_move(mv)).unwrap();
        assert_eq!(board.read_move(&board.write_move(mv)), Ok(mv));
        let request = Request::Ask(LobbyRequest::Play { turn: lobby.turn(), mv });
        grant(&mut lobby, Who::Player(player.id), request);
        at += 1;
    }
    text + &stand(lobby.board()) + &results(&lobby)
}

/// A position with its drawing and its moves. It can be read back.
fn stand(board: &Board) -> String {
    let text = board.write_position();
    assert_eq!(board.variant().read_position(&text).as_ref(), Ok(board), "{text}");
    let drawing = board.draw().replace('\n', "\n    ");
    let moves = legal(board);
    let moves = if moves.is_empty() { "none".into() } else { moves.join(", ") };
    format!("\nposition {text}\n    {drawing}\nmoves {moves}\n")
}

/// The result as everybody sees it.
fn results(lobby: &Lobby) -> String {
    let Phase::Over { result, .. } = lobby.phase() else { panic!("the game goes on") };
    let mut text = format!("result {}\n", ended(lobby, result, Viewpoint::Spectator));
    for side in Side::BOTH {
        let player = lobby.seats()[side].as_ref().unwrap();
        writeln!(text, "{} is told {}", player.name, ended(lobby, result, Viewpoint::Player(player.id)))
            .unwrap();
    }
    text
}

/// Whether to rewrite the files.
fn blessing() -> bool {
    std::env::var_os("NIM_BLESS").is_some()
}

#[test]
fn every_game_is_played_as_in_its_file() {
    for (name, games) in FILES {
        let played: Vec<String> = games.iter().map(|(variant, play)| playthrough(variant, play)).collect();
        let played = played.join("\n\n");
        if blessing() {
            fs::write(path(name), &played).unwrap();
        }
        let kept = fs::read_to_string(path(name)).unwrap_or_default();
        assert_eq!(played, kept, "{name}: see the head of this test's file for how to accept a change");
    }
}

#[test]
fn every_named_form_has_a_file() {
    let forms: Vec<&str> =
        Variant::forms().map(|(form, _)| form.split(['[', ':']).next().unwrap_or(form)).collect();
    let files: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
    assert!(forms.iter().all(|form| files.contains(form)), "{forms:?} {files:?}");
    let kept = fs::read_dir(path("").parent().unwrap()).unwrap().count();
    assert!(blessing() || kept == files.len(), "a file is not used by any test");
}
