//! `nim-client record`: its output and its errors.

use std::process::Command;

use super::history::History;
use super::short;
use nim::game::Side;
use nim::lobby::{Conditions, Kind, Offer};
use tempfile::TempDir;

use crate::harness::{Finished, Program};

/// Writes a file in a folder, and returns its path.
fn file(folder: &TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The exit code, the output and the errors.
async fn run(arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
    let mut program = Program::client(&[&["record"], arguments].concat());
    program.types(input).await;
    let Finished { code, stdout, stderr } = program.finish().await;
    (code, stdout, stderr)
}

fn text() -> String {
    short().record().to_string()
}

#[tokio::test]
async fn a_valid_record_is_confirmed() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) =
        (file(&folder, "one.txt", &text()), file(&folder, "other.txt", &text().replace('\n', "\r\n")));
    let (code, told, wrong) = run(&["verify", &one, &other, "-"], &text()).await;
    let right = "4 moves, First won (Second took the last object): right\n";
    assert_eq!((code, wrong.as_str()), (Some(0), ""));
    assert_eq!(told, format!("{one}: {right}{other}: {right}the standard input: {right}"));
}

#[tokio::test]
async fn the_first_wrong_line_is_named_with_its_own_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let changed = file(&folder, "changed.txt", &text().replacen("take 1", "take 4", 1));
    let right = file(&folder, "right.txt", &text());
    let (code, told, wrong) = run(&["verify", &changed, "no-such-file.txt", &right], "").await;
    assert_eq!(code, Some(12));
    assert!(told.starts_with(&right) && told.ends_with("right\n") && told.lines().count() == 1, "{told}");
    let lines: Vec<&str> = wrong.lines().collect();
    assert!(lines[0].starts_with(&format!("nim-client: {changed}: line 17: move 2: take 4: ")), "{wrong}");
    assert!(lines[1].starts_with("nim-client: cannot read no-such-file.txt: "), "{wrong}");
    assert!(!wrong.contains("os error") && !wrong.contains("--server"), "{wrong}");
    let (code, told, wrong) = run(&["verify", "-"], "hello").await;
    assert_eq!((code, told.as_str()), (Some(12), ""));
    assert_eq!(
        wrong,
        "nim-client: the standard input: line 1: there is no record in the text: a record begins with the line \"nim record 1\"\n"
    );
    assert_eq!(run(&["show", "no-such-file.txt"], "").await.0, Some(1));
    assert_eq!(run(&["replay", &changed], "").await.0, Some(12));
    assert_eq!(run(&["verify"], "").await.0, Some(2));
}

#[tokio::test]
async fn a_game_is_shown_with_the_position_after_every_move() {
    let (code, shown, wrong) = run(&["show", "-"], &text()).await;
    assert_eq!((code, wrong.as_str()), (Some(0), ""));
    let wanted = "java-tech:5, game 1 in brave-otter, 2026-11-21 13:36:49 UTC\nFirst: anna\nSecond: ben\n\n\
                  5   |||||\n\n1. anna: take 2 (0:01.000)\n\n3   |||\n\n2. ben: take 1 (0:01.000)\n\n2   ||\n\n\
                  3. anna: take 1 (0:01.000)\n\n1   |\n\n4. ben: take 1 (0:01.000)\n\n0\n\n\
                  anna won: ben took the last object.\n";
    assert_eq!(shown, wanted);
}

#[tokio::test]
async fn one_position_is_shown_by_the_number_of_its_move() {
    let at = async |number: &str| run(&["show", "-", "--at", number], &text()).await;
    assert_eq!(at("0").await.1, "java-tech:5, after 0 of 4 moves\n\n5   |||||\n\nanna moves next.\n");
    assert_eq!(at("3").await.1, "java-tech:5, after 3 of 4 moves\n\n1   |\n\nben moves next.\n");
    assert!(at("4").await.1.ends_with("\n\nanna won: ben took the last object.\n"));
    let (code, shown, wrong) = at("5").await;
    assert_eq!((code, shown.as_str()), (Some(2), ""));
    assert_eq!(wrong, "nim-client: the game has 4 moves: --at takes a number from 0 to 4\n");
}

#[tokio::test]
async fn a_position_taken_back_is_shown_without_a_number() {
    let mut history = History::of_two("java-tech:5", Conditions::default());
    history.plays("1", 100);
    history.offers(Side::First, Offer::Takeback, true);
    history.plays("3", 100);
    let text = history.record().to_string();
    let shown = run(&["show", "-"], &text).await.1;
    assert!(shown.contains("1. anna: take 1 (0:00.100)\n\n4   ||||\n\nanna offers to take"), "{shown}");
    assert!(shown.contains("move 1 is taken back (0:00.300)\n\n5   |||||\n\n1. anna: take 3"), "{shown}");
    assert!(shown.ends_with("\n\nThe game goes on.\n"), "{shown}");
    assert!(run(&["show", "-", "--at", "1"], &text).await.1.contains("2   ||"));
}

#[tokio::test]
async fn a_replay_to_a_pipe_prints_every_value_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(&folder, "game.txt", &text());
    let (code, shown, wrong) = run(&["replay", &file], "").await;
    assert_eq!((code, wrong.as_str()), (Some(0), ""));
    for part in [
        "1. anna: take 2 (0:01.000)\ntake 2: loss in 3 moves; it leaves 3: the other side takes 2 and leaves 1, which you have to \
         take; every move loses here; none is better than another\n\n3   |||\n",
        "2. ben: take 1 (0:01.000)\ntake 1: loss in 3 moves; it leaves 2: the other side takes 1 and leaves 1, which you have to \
         take\ntake 2 was better: win in 2 moves; it leaves 1, which the other side has to take\n\n2   ||\n",
        "3. anna: take 1 (0:01.000)\ntake 1: win in 2 moves; it leaves 1, which the other side has to take\n\n1   |\n",
        "\n\nanna won: ben took the last object.\n",
    ] {
        assert!(shown.contains(part), "{part} in\n{shown}");
    }
    assert_eq!(run(&["replay", "-"], &text()).await.1, shown);
}

#[tokio::test]
async fn a_replay_calls_players_by_their_names() {
    // A name may look like a side.
    let players = ["Second", "ben"].map(|name| (name, Kind::Person));
    let mut history = History::of("java-tech:5", Conditions::default()).with(players);
    for text in ["2", "1"] {
        history.plays(text, 1_000);
    }
    let shown = run(&["replay", "-"], &history.record().to_string()).await.1;
    for step in ["\n1. Second: take 2 (", "\n2. ben: take 1 ("] {
        assert!(shown.contains(step), "{shown}");
    }
}

#[tokio::test]
async fn the_last_line_calls_a_bot_as_the_lines_above_do() {
    let players = [("anna", Kind::Person), ("minimax", Kind::Bot)];
    let mut history = History::of("java-tech:5", Conditions::default()).with(players);
    for text in ["2", "1", "1", "1"] {
        history.plays(text, 1_000);
    }
    for command in ["show", "replay"] {
        let shown = run(&[command, "-"], &history.record().to_string()).await.1;
        assert!(shown.contains("\n2. minimax [bot, perfect]: take 1 ("), "{shown}");
        assert!(shown.ends_with("\n\nanna won: minimax [bot, perfect] took the last object.\n"), "{shown}");
    }
}

#[tokio::test]
async fn a_replay_shows_the_values_of_study() {
    let mut history = History::of_two("tic-tac-toe", Conditions::default());
    for cell in ["5", "1"] {
        history.plays(cell, 100);
    }
    let shown = run(&["replay", "-"], &history.record().to_string()).await.1;
    for (position, cell) in [(&[][..], "5"), (&["--at", ".../.x./..."], "1")] {
        let study = [&["study", "moves", "tic-tac-toe"], position].concat();
        let output = Command::new(env!("CARGO_BIN_EXE_nim-client")).args(study).output().unwrap();
        let lines = String::from_utf8(output.stdout).unwrap();
        let line = lines.lines().find(|line| line.starts_with(&format!("{cell}: "))).unwrap();
        assert!(shown.contains(&format!("100)\n{line}\n")), "{line} in\n{shown}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn at_a_terminal_each_step_waits_for_enter() {
    use crate::harness::Terminal;
    let folder = tempfile::tempdir().unwrap();
    let file = file(&folder, "game.txt", &text());
    let mut anna = Terminal::client(&["record", "replay", &file]);
    let start = anna.until("Enter shows the next step; q and Enter ends.").await;
    assert!(!start.contains("1. anna"));
    anna.types("");
    let one = anna.until("none is better than another").await;
    assert!(!one.contains("2. ben"), "{one}");
    anna.types("q");
    let (code, screen) = anna.ended().await;
    assert!(code == 0 && !screen.contains("2. ben"), "{screen}");
}
