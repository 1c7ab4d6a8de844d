//! `study book` writes the opening book, one part at a time; `study score --book` uses it.

use std::fs;
use std::path::Path;

use fastrand::Rng;

use super::{Shown, is_complaint, study, study_with};
use crate::harness::campaign;

/// The book of the program.
const BOOK: &[u8] = include_bytes!("../../../src/search/connect_four/book/scores");

/// The bytes of its first line.
const HEAD: usize = 24;

/// The scores in it.
const SCORES: usize = 91_295;

fn make(file: &Path) -> Shown {
    study_with(&["book", file.to_str().unwrap()], b"")
}

#[test]
fn missing_scores_are_recomputed_and_equal_the_books() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("book");
    let mut torn = BOOK.to_vec();
    let mut luck = Rng::with_seed(campaign::seed().unwrap_or(7));
    let samples = luck.choose_multiple(HEAD..HEAD + SCORES, campaign::sample(1, 8));
    for &at in &samples {
        torn[at] = 0;
    }
    fs::write(&file, torn).unwrap();
    let shown = make(&file);
    let told = format!("{}: the book is finished, with the best moves of ", file.display());
    assert!(shown.code == Some(0) && shown.stdout.starts_with(&told), "{shown:?}");
    assert!(fs::read(&file).unwrap() == BOOK, "other scores at {samples:?}");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "nothing is left beside it");
}

#[cfg(unix)]
#[tokio::test]
async fn an_interrupted_book_keeps_its_scores_and_the_next_run_continues() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("book");
    let mut before = 0;
    for _ in 0..2 {
        let mut program = crate::harness::Program::client(&["study", "book", file.to_str().unwrap()]);
        program.until_error("the same command continues it").await;
        program.signal("INT").await;
        let finished = program.finish().await;
        assert_eq!(finished.code, Some(0), "{finished:?}");
        assert!(finished.stdout.ends_with(": the same command continues it\n"), "{finished:?}");
        let scores = &fs::read(&file).unwrap()[HEAD..HEAD + SCORES];
        let known = scores.iter().filter(|&&score| score != 0).count();
        let told = format!(": {known} of {SCORES} positions with 8 stones are solved: ");
        assert!(finished.stdout.contains(&told), "{finished:?}");
        assert!(known >= before);
        before = known;
    }
}

#[test]
fn a_file_that_is_not_a_book_is_refused_and_stays_unchanged() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("letter");
    let damaged = [&BOOK[..HEAD + SCORES], &[1, 5]].concat();
    for (text, part) in [
        (&b"Dear Anna"[..], "not an opening book of this version"),
        (&BOOK[..HEAD + SCORES - 1], "has 91295 scores, and this one has 91294"),
        (&damaged, "answers are damaged"),
    ] {
        fs::write(&file, text).unwrap();
        is_complaint(&make(&file), 2, &[part]);
        assert!(fs::read(&file).unwrap() == text);
    }
    is_complaint(&make(Path::new("/nowhere/book")), 1, &["cannot write /nowhere/book"]);
    is_complaint(&make(directory.path()), 1, &["it is not a file"]);
    #[cfg(unix)]
    is_complaint(&make(Path::new("/dev/zero")), 1, &["it is not a file"]);
    is_complaint(&study("book x --threads 0"), 2, &["--threads"]);
}

#[test]
fn a_score_from_the_book_takes_no_nodes() {
    let input = b"-\n4\n44444412\nx\n121212\n";
    let shown = study_with(&["score", "connect-four", "--book"], input);
    let lines: Vec<&str> = shown.stdout.lines().collect();
    assert_eq!(lines[..2], ["- 1 0", "4 -1 0"]);
    assert!(lines[2].starts_with("44444412 ") && lines[2].ends_with(" 0"), "{lines:?}");
    assert!(lines[3].starts_with("error: "), "{lines:?}");
    assert_eq!((lines[4], shown.code), ("121212 18 0", Some(1)));
    is_complaint(&study("score tic-tac-toe --book"), 2, &["only connect-four has an opening book"]);
}
