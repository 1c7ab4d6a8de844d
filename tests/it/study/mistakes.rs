//! Errors of `study`: each is a sentence, with exit code 2 for a wrong command line and 1 for refusals and
//! failures.

use std::io::Read;

use super::{command, is_complaint, study, study_with};
use crate::harness::campaign;

/// Asserts that there is no output for these arguments, and that the error has these parts.
fn complains(arguments: &str, code: i32, parts: &[&str]) {
    is_complaint(&study(arguments), code, parts);
}

#[test]
fn an_unknown_game_is_answered_with_the_list_of_games() {
    for command in ["tree", "count", "moves", "trace", "solve", "levels", "score"] {
        complains(&format!("{command} chess"), 2, &["no game has this name", "java-tech"]);
        complains(&format!("{command} java-tech:0"), 2, &["a pile has 1 to 10^18 objects"]);
    }
    complains("tree", 2, &["required"]);
}

#[test]
fn an_impossible_position_is_answered_with_the_right_form() {
    for command in ["tree", "count", "moves", "trace", "solve"] {
        complains(&format!("{command} java-tech --at 22"), 2, &["the pile holds 0 to 21"]);
        let unreachable = study_with(&[command, "java-tech", "--at", "20 first"], b"");
        is_complaint(&unreachable, 2, &["this variant cannot reach that position"]);
    }
}

#[test]
fn a_finished_game_has_no_best_move() {
    for command in ["moves", "solve"] {
        complains(&format!("{command} java-tech --at 0"), 1, &["the game is over in 0 first", "--at"]);
    }
}

#[test]
fn a_number_out_of_bounds_is_answered_with_the_bounds() {
    for number in ["0", "-1", "x", "1000000000000"] {
        for (command, flag) in [("tree", "--depth"), ("trace", "--depth"), ("levels", "--games")] {
            complains(&format!("{command} java-tech:4 {flag}={number}"), 2, &[flag]);
        }
    }
    complains("tree java-tech:4 --depth 501", 2, &["1..=500"]);
    complains("levels java-tech:4 --games 100001", 2, &["1..=100000"]);
    complains("levels java-tech:4 --seed luck", 2, &["--seed"]);
}

#[test]
fn an_endless_game_between_bots_is_refused_with_advice() {
    for game in ["nim:1000000000000000000-1000000000000000000", "java-tech:1000"] {
        complains(&format!("levels {game}"), 1, &["too large", "java-tech:21"]);
    }
}

#[test]
fn unknown_formats_orders_and_searches_are_answered_with_the_valid_ones() {
    complains("tree java-tech:4 --format png", 2, &["text, dot, svg, json"]);
    complains("tree java-tech:4 --order post", 2, &["pre, in"]);
    complains("trace java-tech:4 --with luck", 2, &["plain, alpha-beta, memory"]);
    complains("tree java-tech:4 --order in --format svg", 2, &["--order is for --format text"]);
    complains("tree java-tech:4 --order in --graph", 2, &["--order", "--graph"]);
    complains("tree java-tech:4 --order in", 1, &["at most two moves", "--order pre"]);
}

#[test]
fn a_tree_that_is_too_large_is_refused_with_its_size_and_advice() {
    let refused = |arguments, parts: &[&str]| complains(arguments, 1, parts);
    let size = "a tree of 489,396 nodes";
    refused("tree java-tech:21", &[size, "the limit is 20,000", "--depth 8", "--graph", "--at"]);
    refused("tree java-tech:14 --format svg", &["the limit is 2,000"]);
    let deep = "has more than 20,000 nodes down to depth 20";
    refused("tree java-tech:21 --depth 20", &[deep, "--depth 8"]);
    let parts = ["more than 20,000 ", "try a later position with --at"];
    refused("tree nim:1000000000000000000 --depth 1", &parts);
    refused("tree nim:1000000000000000000 --graph", &parts);
    refused("tree tic-tac-toe --depth 9", &["--depth 5, or a later position"]);
    refused("tree tic-tac-toe --graph", &["--depth 7, or a later position"]);
    refused("count nim:10000", &["more than 1,000,000", "too many to count", "--at"]);
    refused("trace java-tech:21", &["enters 489,396 positions", "--with memory", "--depth"]);
    // The slowest game to count.
    if campaign::is_on() {
        refused("trace java-tech:1000000000000000000", &["more than", "--depth"]);
    }
}

#[test]
fn a_file_without_a_tree_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bad.tree");
    let tree = |content: &[u8]| {
        std::fs::write(&file, content).unwrap();
        study(&format!("tree --tree {}", file.display()))
    };
    is_complaint(&tree(b"A\n  B\n"), 2, &["bad.tree", "B is a leaf of the tree and needs a number"]);
    is_complaint(&tree(b"A\nB = 1\n"), 2, &["line 2", "one root"]);
    is_complaint(&tree(b""), 2, &["the tree is empty"]);
    is_complaint(&tree(&[0xff; 10]), 1, &["cannot read", "UTF-8"]);
    is_complaint(&tree(&vec![b' '; 2 << 20]), 2, &["at most"]);
    complains("tree --tree /nowhere/a.tree", 1, &["cannot read /nowhere/a.tree"]);
    complains("tree java-tech:4 --tree a.tree", 2, &["cannot be used with"]);
}

#[test]
fn an_output_file_that_cannot_be_written_is_named() {
    complains("tree java-tech:4 --to /nowhere/figure.txt", 1, &["cannot write /nowhere/figure.txt"]);
}

/// The exit code and the errors of a program whose output pipe closes after the first bytes.
fn with_a_reader_that_leaves(arguments: &str, input: &[u8]) -> (Option<i32>, String) {
    let mut child = command(&arguments.split(' ').collect::<Vec<_>>()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || std::io::Write::write_all(&mut stdin, &input));
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 10]).unwrap();
    drop(stdout);
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    let code = child.wait().unwrap().code();
    // The program stops reading, too.
    let _ = writer.join().unwrap();
    (code, stderr)
}

#[test]
fn a_closed_output_pipe_is_no_error() {
    let positions = "21\n".repeat(100_000);
    for (arguments, input) in [
        ("tree java-tech:14", ""),
        ("trace java-tech:14", ""),
        ("count java-tech:10000", ""),
        ("score java-tech", positions.as_str()),
    ] {
        let (code, stderr) = with_a_reader_that_leaves(arguments, input.as_bytes());
        assert_eq!(stderr, "", "{arguments}");
        assert!(matches!(code, Some(0 | 1)), "{arguments}: {code:?}");
    }
}
