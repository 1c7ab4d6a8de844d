//! `study levels`: a reproducible cross-table, which can be interrupted.

use super::{Shown, study};

/// The cross-table; its progress on standard error is ignored.
fn table(arguments: &str) -> String {
    let Shown { code, stdout, stderr } = study(&format!("levels {arguments}"));
    assert_eq!(code, Some(0), "{arguments}: {stderr}");
    stdout
}

#[test]
fn the_same_seed_gives_the_same_table_and_another_seed_another() {
    let first = table("nim:3-4-5 --games 10 --seed 5");
    assert_eq!(first, table("nim:3-4-5 --games 10 --seed 5"));
    let other = table("nim:3-4-5 --games 10 --seed 6");
    assert_ne!(first.split_once('\n').unwrap().1, other.split_once('\n').unwrap().1);
}

#[test]
fn a_table_shows_its_games_and_seed_and_pairs_each_level_with_the_one_below() {
    let table = table("java-tech:6 --games 2");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "java-tech:6: 2 games of each pair, seed 1");
    for (line, level) in lines[3..8].iter().zip(["perfect", "strong", "fair", "easy", "beginner"]) {
        assert_eq!(line.split_whitespace().count(), 6, "{line}");
        assert!(line.starts_with(level), "{line}");
    }
    assert_eq!(lines[9].split_whitespace().next_back(), Some("result"));
    let pairs = ["perfect strong first", "perfect strong second", "strong fair first", "strong fair second"];
    for (line, pair) in lines[10..].iter().zip(pairs) {
        assert_eq!(line.split_whitespace().take(3).collect::<Vec<_>>().join(" "), pair, "{line}");
    }
    assert_eq!(lines.len(), 18);
    // 6 is won by the first mover in four plies, which all levels but one see at once.
    assert!(lines[3].split_whitespace().skip(1).all(|share| share == "100.0"), "{table}");
}

#[cfg(unix)]
#[tokio::test]
async fn an_interrupted_table_shows_the_games_played_so_far() {
    let mut program = crate::harness::Program::client(&["study", "levels", "mu-torere", "--games", "100000"]);
    program.until_error("Ctrl-C ends it with the games played so far").await;
    program.signal("INT").await;
    let finished = program.finish().await;
    // On a very busy machine the first round may not be finished.
    match finished.code {
        Some(0) => assert!(finished.stdout.contains(" of the 100000 requested, seed 1\n")),
        code => assert_eq!((code, finished.stderr.contains("it was stopped")), (Some(1), true)),
    }
}
