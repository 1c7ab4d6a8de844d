//! `proto/RECORD.md`, compared with the code: its examples are valid records, and its tables have every line
//! that a record can contain.

use nim::game::MAX_MOVES;
use nim::record::{MAX_BYTES, MAX_LINES, MAX_WIDTH, Record};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::changes::canonical;
use super::history::any_history;
use crate::harness::campaign;

const PAGE: &str = include_str!("../../../proto/RECORD.md");

/// The page's blocks that contain a whole record.
fn examples() -> Vec<&'static str> {
    let blocks = PAGE.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.filter(|block| block.contains("Checksum:")).collect()
}

#[test]
fn every_example_is_valid_and_canonical() {
    assert_eq!(examples().len(), 4);
    for example in examples() {
        let record = Record::read(example.as_bytes());
        let written = record.unwrap_or_else(|fault| panic!("{fault}\n{example}")).to_string();
        let quoted: String =
            written.lines().map(|line| format!("> {line}").trim_end().to_owned() + "\n").collect();
        assert!(example == written || example.contains(&quoted), "{written}");
    }
}

#[test]
fn the_canonical_text_on_the_page_is_that_of_its_first_example() {
    let block = PAGE.split("### The canonical text").nth(1).unwrap().split("```text\n").nth(1).unwrap();
    let (start, end) = block.split("```").next().unwrap().split_once("…\n").unwrap();
    let text = canonical(examples()[0]);
    let body = text.split("Checksum:").next().unwrap();
    assert!(body.starts_with(start) && body.ends_with(end), "{body}");
}

#[test]
fn the_limits_are_those_of_the_code() {
    for (name, value) in [
        ("MAX_BYTES", MAX_BYTES),
        ("MAX_LINES", MAX_LINES),
        ("MAX_MOVES", MAX_MOVES as usize),
        ("MAX_WIDTH", MAX_WIDTH),
    ] {
        assert!(PAGE.contains(&format!("| `{name}` | {value} |")), "{name} is {value}");
    }
}

/// The first column of the table under this heading, without times.
fn rows(heading: &str) -> Vec<&'static str> {
    let section = PAGE.split(&format!("\n## {heading}\n")).nth(1).unwrap().split("\n## ").next().unwrap();
    section.lines().filter_map(|line| line.strip_prefix("| `")?.split("` |").next()).collect()
}

/// A line of a record in the form of the page's tables: with placeholders for what differs from game to
/// game.
fn general(words: &str) -> String {
    let mut first_side = None;
    let mut parts: Vec<String> = Vec::new();
    let words = match words.split_once(": ") {
        Some((who, _)) if words.starts_with(|c: char| c.is_ascii_digit()) => format!("{who}: MOVE"),
        _ => words.to_owned(),
    };
    let both = words.contains(" and ");
    for word in words.split(' ') {
        let bare = word.trim_end_matches([':', ']', '.']);
        let rest = &word[bare.len()..];
        let other = match bare {
            "First" | "Second" if first_side.is_none() || first_side == Some(bare) => {
                first_side = Some(bare);
                "SIDE"
            }
            "First" | "Second" => "OTHER",
            "beginner" | "easy" | "fair" | "strong" | "perfect" => "LEVEL",
            _ if bare.parse::<u32>().is_ok() => {
                if both && !parts.iter().any(|part| part == "M") {
                    "M"
                } else {
                    "N"
                }
            }
            _ if bare.contains(':') => "TIME",
            _ => bare,
        };
        parts.push(format!("{other}{rest}"));
    }
    parts.join(" ")
}

#[test]
fn every_line_of_a_record_is_in_the_pages_tables() {
    let (steps, results) = (rows("What happened"), rows("The result"));
    let mut unseen: Vec<&str> = steps.iter().chain(&results).copied().collect();
    // No random game is that long: `longest.rs` has some.
    unseen.retain(|row| *row != "Draw: the game had 20,000 moves");
    let mut runner = TestRunner::deterministic();
    for case in 0..3_000 {
        // Outside a campaign it ends as soon as every row was used.
        if case >= 50 && unseen.is_empty() && !campaign::is_on() {
            break;
        }
        let history = any_history().new_tree(&mut runner).unwrap().current();
        for record in history.records() {
            for words in record.shown_steps().map(|step| general(&step.words)) {
                assert!(steps.contains(&words.as_str()), "the page lacks {words}");
                unseen.retain(|row| *row != words);
            }
            let verdict = general(&record.verdict());
            unseen.retain(|row| *row != verdict);
            if results.contains(&verdict.as_str()) {
                continue;
            }
            let by_rules = verdict.split(": ").next().map(|outcome| format!("{outcome}: WHY")).unwrap();
            assert!(results.contains(&by_rules.as_str()), "the page lacks {verdict}");
            unseen.retain(|row| *row != by_rules);
        }
    }
    assert_eq!(unseen, Vec::<&str>::new(), "no record has this line");
}
