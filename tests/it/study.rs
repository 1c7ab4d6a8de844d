//! `nim-client study …` for a teacher and for a script: the real program, its output, its errors, its exit
//! codes.

/// The opening book of Connect Four: writing and using it.
mod book;
/// Drawings: texts and boards in their own places, and what they mean.
mod drawings;
/// Results in files, and the question before one is overwritten.
mod exports;
/// The output, compared with files that a person has read.
mod figures;
/// The bot's levels against each other.
mod levels;
/// Wrong positions and flags, trees that are too large, files and pipes that break.
mod mistakes;
/// Thousands of positions in, one score for each.
mod scores;
/// The sentences about moves and positions of all games.
mod sentences;

use std::io::Write;
use std::process::{Command, Stdio};

/// The result of the program.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// `nim-client study` with these arguments, separated by blanks, and with an empty standard input.
fn study(arguments: &str) -> Shown {
    study_with(&arguments.split(' ').collect::<Vec<_>>(), b"")
}

fn study_with(arguments: &[&str], input: &[u8]) -> Shown {
    let mut child = command(arguments).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // It answers while it reads, so both pipes are served at the same time. A program that stops reading is
    // not an error here.
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    Shown {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nim-client"));
    command.arg("study").args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Asserts that there is no output, and that the error has these parts.
fn is_complaint(shown: &Shown, code: i32, parts: &[&str]) {
    assert_eq!((shown.code, shown.stdout.as_str()), (Some(code), ""), "{shown:?}");
    for part in parts {
        assert!(shown.stderr.contains(part), "{part:?} is not in {}", shown.stderr);
    }
    assert!(!shown.stderr.contains("panicked"), "{}", shown.stderr);
}

/// The output of a run without an error.
fn shown(arguments: &str) -> String {
    let shown = study(arguments);
    assert_eq!((shown.code, shown.stderr.as_str()), (Some(0), ""), "{arguments}");
    shown.stdout
}

#[test]
fn a_game_is_counted_with_all_its_digits() {
    assert!(shown("count java-tech:21").contains("nodes of the tree: 489,396\n"));
    assert!(shown("count one-two-ten").contains("nodes of the tree: 232\ndistinct positions: 20\n"));
    let thousand = shown("count java-tech:1000");
    let nodes = thousand.lines().nth(1).unwrap();
    assert!(nodes.starts_with("nodes of the tree: 6,045,970,586,951,457,716,371,427,300,687,"), "{nodes}");
    assert_eq!(nodes.bytes().filter(u8::is_ascii_digit).count(), 265);
}

#[test]
fn every_move_is_shown_with_its_value_and_its_reason() {
    assert!(shown("moves java-tech:7").contains("\ntake 2: win in 4 moves; it leaves 5: one more than"));
    let position = study_with(&["moves", "nim:3-4-5", "--at", "1-4-5 second"], b"");
    assert_eq!(
        position
            .stdout
            .lines()
            .filter(|line| line.contains(": win in ") || line.contains(": loss in "))
            .count(),
        10
    );
    let explained = position.stdout.lines().filter(|line| line.starts_with("The nim-sum: ")).count();
    assert_eq!(explained, 1, "{}", position.stdout);
}

#[test]
fn the_rule_of_nim_is_drawn_and_other_games_are_refused() {
    let columns = "nim:3-4-5:normal from 3-4-5 first\npile a   3   0 1 1\npile b   4   1 0 0\npile c   5   1 0 1\n\
                   nim-sum  2   0 1 0\n               ^\nThe nim-sum: write the piles in binary";
    let nim = shown("nim nim:3-4-5");
    assert!(nim.starts_with(columns), "{nim}");
    assert!(nim.ends_with(" is 2, and the side to move wins with take 2 from a.\n"), "{nim}");
    let ladder = "\n1 5 9 13 17 21\nThe side that must move from these piles loses: each is one more than a multiple of 4.\n\
                  From 20, take 3 leads to 17.\n";
    assert!(shown("nim java-tech --at 20").ends_with(ladder));
    assert!(shown("nim one-two-ten --at 5").contains("\n1 4 7 10\n"));
    assert!(shown("nim nim:9-9-9:max=3").contains("pile a   9 mod 4 = 1   1\n"));
    is_complaint(
        &study("nim tic-tac-toe"),
        1,
        &["tic-tac-toe is not a game of Nim: try nim:3-4-5", "study solve tic-tac-toe"],
    );
    let json: serde_json::Value = serde_json::from_str(&shown("nim java-tech --at 20 --json")).unwrap();
    assert_eq!((&json["drawing"][0], &json["to_move"]), (&"1 5 9 13 17 21".into(), &"second".into()));
    is_complaint(&study("nim java-tech --at 0"), 1, &["the game is over"]);
}

#[test]
fn a_worksheet_has_positions_and_their_answers_as_text_and_to_print() {
    let text = shown("worksheet tic-tac-toe --seed 7");
    let (problems, answers) = text.split_once("\nAnswers: tic-tac-toe, seed 7\n").unwrap();
    assert_eq!(problems.matches(" to move: ____").count(), 8, "{text}");
    let numbered = |line: &&str| !line.starts_with(' ');
    assert_eq!(answers.lines().filter(numbered).count(), 8, "{text}");
    let html = shown("worksheet tic-tac-toe --seed 7 --format html");
    assert_eq!((html.matches("<svg class=\"board\"").count(), html.matches("<li>").count()), (8, 16));
    for answer in answers.lines() {
        let words =
            answer.trim_start_matches(|letter: char| letter.is_ascii_digit()).trim_start_matches(". ");
        assert!(html.contains(words.trim_start()), "{words}");
    }
    let refused = |game: &str, why| is_complaint(&study(&format!("worksheet {game}")), 1, &[why]);
    refused("nim:1000", "too large for a worksheet");
    refused("even-or-odd:16", "no position with a good and a bad move");
}

#[test]
fn moves_counts_and_solutions_can_be_json() {
    let object = |arguments| serde_json::from_str::<serde_json::Value>(&shown(arguments)).unwrap();
    let moves = object("moves java-tech --at 20 --json");
    assert_eq!((&moves["count"], &moves["to_move"]), (&"3".into(), &"second".into()));
    let best = &moves["moves"][2];
    assert_eq!(
        (&best["move"], &best["result"], &best["moves_to_end"]),
        (&"take 3".into(), &"win".into(), &10.into())
    );
    let count = object("count java-tech:21 --json");
    assert_eq!((&count["nodes"], &count["positions"]), (&"489396".into(), &42.into()));
    let tree = object("tree java-tech:4 --format json");
    assert_eq!((&tree["nodes"][0]["result"], &tree["nodes"][0]["exact"]), (&"win".into(), &true.into()));
    let solved = object("solve tic-tac-toe --json");
    assert_eq!(solved["keep_the_result"].as_array().map(Vec::len), Some(9));
    assert_eq!((&solved["result"], &solved["line_is_complete"]), (&"draw".into(), &true.into()));
}

#[test]
fn a_solution_names_every_move_that_keeps_the_result_and_which_set_the_most_traps() {
    let solved = shown("solve tic-tac-toe");
    let lines = "\nmoves that keep the draw: 1, 2, 3, 4, 5, 6, 7, 8, 9\nbest moves: 1, 3, 7, 9, which set the most traps\n";
    assert!(solved.contains(lines), "{solved}");
}

#[test]
fn a_search_is_shown_step_by_step() {
    let followed = shown("trace java-tech:4");
    assert!(followed.starts_with("0 enter 4, first to move\n  1 enter 3, by take 1, second to move\n"));
    assert!(followed.contains(" is worth +1 at 4 first\nplain: 15 positions entered, 0 cutoffs, "));
    let waited = study_with(&["trace", "java-tech:4", "--step"], b"\n\n");
    let how = "Enter shows the next step; q and Enter ends.\n";
    assert_eq!(
        (waited.code, waited.stdout.as_str(), waited.stderr.as_str()),
        (Some(0), followed.as_str(), how)
    );
    let ended = study_with(&["trace", "java-tech:4", "--step"], b"\nq\n\n\n");
    assert_eq!((ended.code, ended.stdout.lines().count()), (Some(0), 2), "{ended:?}");
    let estimated = shown("trace nim:3-4-5 --depth 2 --with alpha-beta");
    assert!(
        estimated.contains("\n0 bound: at least about 0 for first here, by take 1 from a\n"),
        "{estimated}"
    );
    assert!(estimated.contains(": at least about 0 for first, estimated\n"), "{estimated}");
    let exact = shown("trace tic-tac-toe --at x.o/.x./..o --with alpha-beta");
    assert!(exact.contains(" skipped, because elsewhere first gets at "), "{exact}");
    assert!(!exact.contains("about"), "{exact}");
    for trace in [estimated, exact] {
        assert!(!trace.contains("sure of"), "{trace}");
    }
    assert!(shown("trace nim:3-4-5 --depth 2 --with memory").contains("is worth about 0 at 3-4-5 first"));
}

#[test]
fn a_game_is_solved_with_its_best_line() {
    assert!(shown("solve java-tech:4").ends_with("\nbest moves: take 3\nbest line: take 3, take 1\n"));
}

#[cfg(unix)]
#[tokio::test]
async fn an_interrupted_search_prints_its_result_so_far() {
    let mut program = crate::harness::Program::client(&["study", "solve", "nim:100-100-101"]);
    program.until_error("Ctrl-C ends the search with what is known").await;
    program.signal("INT").await;
    let finished = program.finish().await;
    assert_eq!(finished.code, Some(0));
    assert!(finished.stdout.contains("result: win for first\ncertainty: exact, but how soon is not known"));
}
