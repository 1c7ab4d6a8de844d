//! The README, held to what the programs really do.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::harness::campaign;

#[cfg(unix)]
mod dying;
#[cfg(unix)]
mod leaving;
#[cfg(unix)]
mod records;
#[cfg(unix)]
mod settings;

const README: &str = include_str!("../../README.md");

/// The blocks of the README that begin with this line.
fn blocks(first_line: &str) -> Vec<&'static str> {
    let fenced = README.split("```").skip(1).step_by(2);
    fenced
        .filter_map(|block| block.split_once('\n'))
        .map(|(_, text)| text)
        .filter(|text| text.starts_with(first_line))
        .collect()
}

/// What a person typed in a transcript line, after the question that ends with `: `.
fn typed(line: &str) -> Option<(&str, &str)> {
    let asks = line.starts_with("Your move (") || line.starts_with("Type again");
    let (question, answer) = line.rsplit_once(": ")?;
    asks.then_some((question, answer))
}

/// Plays the typed lines of a transcript to the real program and gives the transcript that comes out.
fn played(transcript: &str) -> String {
    let command = transcript.lines().next().unwrap().trim_start_matches("$ nim-client ");
    let mut program = Command::new(env!("CARGO_BIN_EXE_nim-client"))
        .args(command.split(' '))
        .args(["--bot-pace", "0"])
        .env("NIM_CONFIG", "")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut answers = transcript.lines().filter_map(typed).map(|(_, answer)| answer);
    let input: String = answers.clone().flat_map(|answer| [answer, "\n"]).collect();
    program.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = program.wait_with_output().unwrap();
    assert!(output.status.success(), "{command}");
    let screen = String::from_utf8(output.stdout).unwrap();
    // A pipe shows the question alone; on a terminal the answer follows it.
    let mut echo = |line: &str| {
        let answer = if line.ends_with(": ") { answers.next().unwrap_or_default() } else { "" };
        format!("{line}{answer}\n")
    };
    let lines: String = screen.lines().map(&mut echo).collect();
    format!("$ nim-client {command}\n{lines}")
}

#[test]
fn every_game_in_the_readme_is_what_the_program_prints() {
    let transcripts = blocks("$ nim-client play");
    assert!(!transcripts.is_empty());
    for transcript in transcripts {
        assert_eq!(played(transcript), transcript);
    }
}

/// What a command of a transcript prints, with no more than `| tail -N` after it.
fn printed(command: &str) -> String {
    let (command, last) = command.split_once(" | tail -").unwrap_or((command, "1000"));
    let mut program = Command::new(env!("CARGO_BIN_EXE_nim-client"));
    let output = program.args(command.split(' ').skip(2)).output().unwrap();
    assert!(output.status.success(), "{command}");
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let skipped = lines.len().saturating_sub(last.parse().unwrap());
    lines[skipped..].iter().flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn whatever_is_studied_in_the_readme_is_what_the_program_prints() {
    let shown = blocks("$ nim-client study");
    for what in ["levels", "moves", "trace", "count"] {
        assert!(shown.iter().any(|block| block.starts_with(&format!("$ nim-client study {what}"))), "{what}");
    }
    for block in shown {
        let (command, text) = block.split_once('\n').unwrap();
        // Its thousands of games take many seconds.
        if command.starts_with("$ nim-client study levels") && !campaign::is_on() {
            continue;
        }
        assert_eq!(printed(command), text, "{command}");
    }
}

#[test]
fn the_levels_in_the_readme_are_those_of_the_bot() {
    use nim::bot::{Level, strength};
    for level in Level::ALL {
        let Some(strength) = strength::of(level) else { continue };
        let row = README.lines().find(|line| line.starts_with(&format!("| `{level}` |"))).unwrap();
        assert!(row.contains(&format!("| {}", strength.blunders)), "{row}");
        assert!(row.ends_with(&format!("| {} plies |", strength.look_ahead)), "{row}");
    }
}

#[test]
fn every_form_of_a_game_stands_in_the_readme() {
    for (form, words) in nim::game::any::Variant::forms() {
        let row = format!("| `{}` | {words} |", form.replace('|', "\\|"));
        assert!(README.contains(&row), "the README lacks the row {row}");
    }
}

#[cfg(unix)]
#[test]
fn the_checksum_in_the_readme_is_that_of_the_opening_book() {
    let book = concat!(env!("CARGO_MANIFEST_DIR"), "/src/search/connect_four/book/scores");
    // Coreutils on Linux, Perl's on macOS.
    let sum = Command::new("sha256sum").arg(book).output();
    let sum = sum.or_else(|_| Command::new("shasum").args(["-a", "256", book]).output()).unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap();
    assert!(README.contains(&format!("`{}`", sum.split(' ').next().unwrap())), "{sum}");
}

#[test]
fn every_path_that_the_readme_names_exists() {
    let links = README.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    for link in links.filter(|link| !link.starts_with("http") && !link.starts_with('#')) {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(link);
        assert!(path.exists(), "{link} is named in the README and is not there");
    }
}
