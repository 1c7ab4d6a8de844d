//! Changed texts: by a mail program, by mistake, or by a forger who computes a new checksum.

use nim::game::Side;
use nim::lobby::{ClockRule, Conditions, ConnectionLoss, Kind, LobbyRequest, Moment, Offer, Request};
use nim::record::Record;
use proptest::prelude::*;
use serde::Deserialize;

use super::history::{History, any_history, going_on};
use super::short;
use crate::harness::campaign;

/// The canonical text of the record in a text, computed in a slow and obvious way.
pub(super) fn canonical(text: &str) -> String {
    let blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    let mut canonical = String::new();
    for line in text.replace("\r\n", "\n").replace('\r', "\n").split('\n') {
        let mut line: String = line.chars().map(|c| if blank(c) { ' ' } else { c }).collect();
        while line.starts_with([' ', '>', '|']) {
            line.remove(0);
        }
        while line.contains("  ") {
            line = line.replace("  ", " ");
        }
        let line = line.trim_end();
        if let Some(rest) = line.strip_prefix('\\') {
            canonical.pop();
            canonical += rest;
            canonical.push('\n');
        } else if !line.is_empty() {
            canonical += line;
            canonical.push('\n');
        }
    }
    let start = format!("\n{canonical}").find("\nnim record 1\n").unwrap_or_default();
    let end = canonical
        .find("\nChecksum:")
        .map_or(canonical.len(), |at| at + canonical[at + 1..].find('\n').unwrap() + 2);
    canonical[start.min(end)..end].to_owned()
}

/// CRC-32 bit by bit, as in textbooks.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(
            crc ^ u32::from(*byte),
            |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 },
        )
    })
}

/// A text with its correct checksum, as a forger would write it.
pub(super) fn forged(text: &str) -> String {
    let body = text.split("Checksum:").next().unwrap();
    format!("{body}Checksum:  {:08x}\n", crc(canonical(body).as_bytes()))
}

fn told(text: &str) -> String {
    match Record::read(text.as_bytes()) {
        Ok(_) => panic!("this is right:\n{text}"),
        Err(fault) => fault.to_string(),
    }
}

/// A game with many kinds of events.
fn eventful() -> Record {
    let clock = ClockRule::Fischer { base: 20_000, bonus: 1_000 };
    let people = [("Zoë | anna", Kind::Person), ("1. First: take 1", Kind::Person)];
    let mut history = History::of("nim:3-4-5", Conditions { clock, ..Conditions::default() }).with(people);
    history.plays("2 a", 9_031);
    history.offers(Side::First, Offer::Draw, false);
    let since = Moment(history.now.0 - 100);
    history.side_asks(Side::Second, Request::Disconnect { loss: ConnectionLoss::Closed, since });
    history.pass(11_000);
    history.plays("3 b", 600);
    history.plays("5 c", 4_000);
    history.side_asks(Side::First, Request::Ask(LobbyRequest::Resign));
    history.record()
}

#[test]
fn the_checksum_is_the_crc_of_the_canonical_text() {
    for record in [short().record(), eventful()] {
        assert_eq!(forged(&record.to_string()), record.to_string());
        assert!(record.to_string().ends_with(&format!("{}\n", record.checksum())));
    }
}

#[test]
fn a_change_of_any_character_is_detected() {
    let record = eventful();
    let text = record.to_string();
    let right = canonical(&text);
    // Outside a campaign each position has one of the twelve changes, in turn.
    let every = if campaign::is_on() { 1 } else { 12 };
    for (at, old) in text.char_indices() {
        let upper = old.to_uppercase().to_string();
        let all = ["", "x", "1", " ", ">", "|", "\\", "\n", "é", "\u{a0}", "aa", &upper];
        for new in all.into_iter().skip(at % every).step_by(every) {
            let changed = format!("{}{new}{}", &text[..at], &text[at + old.len_utf8()..]);
            let read = Record::read(changed.as_bytes());
            if canonical(&changed) == right {
                assert_eq!(read.as_ref(), Ok(&record), "a mail may do that: {changed}");
            } else {
                assert!(read.is_err(), "{old:?} at {at} has become {new:?}:\n{changed}");
            }
        }
    }
}

#[test]
fn changes_by_mail_programs_are_accepted() {
    let large = "nim:1000000000000000000-999999999999999999-1000000000000000000-1000000000000000000";
    let folded = History::of_two(large, Conditions::default()).record();
    assert!(folded.to_string().contains("\n\\"));
    for record in [eventful(), folded] {
        let text = record.to_string();
        let quoted = format!("> {}", text.trim_end().replace('\n', "\n> "));
        let barred = format!("| {}", text.replace('\n', "\n| > |"));
        let indented = format!(" > > {}", text.replace('\n', "  \r\n >>\t"));
        for mailed in [
            text.replace('\n', "\r\n"),
            text.replace('\n', "\r"),
            text.replace('\n', "\r\r\n"),
            text.replacen('\n', "\r", 9).replace('\n', "\r\n"),
            text.replace('\n', "  \n"),
            text.replace('\n', "\n\n"),
            text.replace("\n\n", "\n"),
            text.replace("  ", " "),
            text.replace(' ', "\u{a0}"),
            text.trim_end().to_owned(),
            format!("\u{feff}{text}"),
            format!("Hi!\nHere it is: nim record 1\n\n{text}\n-- \nanna\nChecksum: 1\n"),
            format!("On Monday anna wrote:\n{quoted}\nAh."),
            indented,
            barred,
        ] {
            assert_eq!(Record::read(mailed.as_bytes()).as_ref(), Ok(&record), "{mailed}");
        }
    }
}

#[test]
fn a_broken_line_is_refused_with_its_number() {
    let text = eventful().to_string();
    for (right, wrong) in [("take 5 from c", "take 5 fr\nom c"), ("take 5 from c", "take 5 from\nc and d")] {
        let words = told(&text.replace(right, wrong));
        assert!(words.starts_with("line 21: "), "{words}");
    }
}

/// A forgery, and the reader's answer.
#[derive(Debug, Deserialize)]
struct Forgery {
    old: String,
    new: String,
    told: String,
}

#[test]
fn a_forged_record_still_has_to_be_a_game() {
    let text = eventful().to_string();
    for line in include_str!("../../data/forgeries.jsonl").lines() {
        let forgery: Forgery = serde_json::from_str(line).unwrap();
        assert!(text.contains(&forgery.old), "{forgery:?} in\n{text}");
        let said = told(&forged(&text.replacen(&forgery.old, &forgery.new, 1)));
        assert!(said.starts_with(&forgery.told), "{forgery:?}: {said}");
    }
}

#[test]
fn the_checksum_detects_a_plausible_change() {
    let text = short().record().to_string();
    let right = text.lines().last().unwrap().trim_start_matches("Checksum:  ").to_owned();
    let told = told(&text.replace("anna", "anne"));
    let words = format!("line 22: the text was changed: the record says {right}, but its checksum is ");
    assert!(told.starts_with(&words), "{told}");
    assert!(!told.ends_with(&right));
}

#[test]
fn a_checksum_in_capitals_is_reported_as_such() {
    let (text, right) = (eventful().to_string(), eventful().checksum().to_string());
    let capitals = right.to_uppercase();
    assert_ne!(right, capitals, "it has a letter");
    let told = told(&text.replace(&right, &capitals));
    let last = text.lines().count();
    assert_eq!(told, format!("line {last}: the checksum is written in lower case: {right}"));
}

#[test]
fn an_invalid_start_position_is_refused() {
    let origin = going_on(&short().record(), 1);
    let people = [("anna", Kind::Person), ("ben", Kind::Person)];
    let history = History::of("java-tech:5", Conditions::default()).from(origin).with(people);
    let text = history.record().to_string();
    for (old, new, words) in [
        ("3 second", "0 second", "line 16: 0 second: the game is over there, so none can begin"),
        ("3 second", "6 second", "line 16: 6"),
        ("after move 1", "after move x", "line 15: record "),
        ("Position:  3 second\n", "", "line 17: a line is missing here that begins with \"Position: \""),
    ] {
        let told = told(&forged(&text.replacen(old, new, 1)));
        assert!(told.starts_with(words), "{new}: {told}");
    }
}

#[test]
fn a_foreign_text_cannot_control_the_terminal() {
    let text = eventful().to_string();
    for old in [
        "nim:3-4-5:normal",
        "brave-otter",
        "Zoë",
        "perfect",
        "20s+1s",
        "take 3 from b",
        "Second declines",
        "First resigned",
    ] {
        let told = told(&forged(&text.replacen(old, "\u{1b}[2J\u{7}\u{202e}", 1)));
        assert!(!told.chars().any(|c| c.is_control() || c == '\u{202e}'), "{told:?}");
    }
}

#[test]
fn an_endless_game_is_not_read_forever() {
    let text = History::of_two("take:1000000:3", Conditions::default()).record().to_string();
    let moves = |count: usize| {
        let side = |number: usize| if number % 2 == 1 { "First" } else { "Second" };
        let lines = (1..=count).map(|number| format!("{number}. {}: take 1 0:00.000\n", side(number)));
        let result = "\nResult:     Draw: the game had 20,000 moves";
        let end = text.split("\nResult:").next().unwrap().to_owned() + &lines.collect::<String>() + result;
        forged(&format!("{end}\nChecksum:  00000000\n"))
    };
    let longest = Record::read(moves(20_000).as_bytes()).unwrap();
    assert_eq!(
        (longest.boards().len(), longest.verdict()),
        (20_001, "Draw: the game had 20,000 moves".into())
    );
    let told = told(&moves(20_001));
    assert!(told.contains("the game is over above"), "{told}");
}

proptest! {
    #![proptest_config(campaign::cases(60))]
    #[test]
    fn reordered_lines_are_never_another_game(history in any_history(), one: usize, other: usize, how in 0..3u8) {
        let Some(record) = history.records().pop() else { return Ok(()) };
        let text = record.to_string();
        let mut lines: Vec<&str> = text.lines().collect();
        let (one, other) = (one % lines.len(), other % lines.len());
        match how {
            0 => lines.swap(one, other),
            1 => drop(lines.remove(one)),
            _ => lines.insert(one, lines[other]),
        }
        let changed = lines.join("\n");
        let read = Record::read(changed.as_bytes());
        prop_assert_eq!(read.is_ok(), canonical(&changed) == canonical(&text), "{}", changed);
        // With a new checksum it may be a valid game; then it is written as it was read.
        if let Ok(read) = Record::read(forged(&changed).as_bytes()) {
            prop_assert_eq!(canonical(&read.to_string()), canonical(&forged(&changed)));
        }
    }
}
