//! `proto/JSON.md` against the types: every object, field, word and exit code of the one is in the other.

use std::collections::BTreeSet;

use nim::client::failure::EXIT_CODES;
use nim::client::json::event::{Ending, KeptSeat, Listing, Made, Origin, Player, Score, Sitter, Worth};
use nim::client::json::listed::{FoundHost, Listed, PlayedBy};
use nim::client::json::words::{Fault, Outcome, Phase, REFUSALS, Role};
use nim::client::json::{Event, Request};
use nim::game::{BySide, Side};
use nim::lobby::{Cause, Departure, Hand, Hints, Kind, Level, Loss, Offer, WhenAway};
use nim::wire::{BotWish, LobbyState, Presence, Room, Starts};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

const PAGE: &str = include_str!("../../../proto/JSON.md");

/// A part of the page under a heading with a name in backticks.
#[derive(Debug)]
struct Entry {
    name: &'static str,
    /// The rows of its table, cell by cell.
    rows: Vec<Vec<&'static str>>,
    examples: Vec<&'static str>,
}

/// What stands below a heading, up to the next one that is no deeper.
fn below(text: &'static str, heading: &str) -> &'static str {
    let (_, rest) = text.split_once(heading).unwrap_or_else(|| panic!("no {heading}"));
    let level = heading.trim_start().split(' ').next().unwrap();
    rest.find(&format!("\n{level} ")).map_or(rest, |end| &rest[..=end])
}

fn entries(section: &str) -> Vec<Entry> {
    below(PAGE, &format!("\n## {section}\n")).split("\n### `").skip(1).map(entry).collect()
}

fn entry(text: &'static str) -> Entry {
    let (name, body) = text.split_once("`\n").unwrap();
    let examples =
        body.split("```json\n").skip(1).flat_map(|block| block.split("```").next().unwrap().lines());
    Entry { name, rows: rows(body), examples: examples.collect() }
}

/// The rows of the table in `text`, without the two lines of its head.
fn rows(text: &'static str) -> Vec<Vec<&'static str>> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    lines.skip(1).map(|line| line.split(" | ").collect()).collect()
}

fn in_backticks(cell: &str) -> &str {
    cell.trim_matches('`')
}

impl Entry {
    fn fields(&self) -> BTreeSet<String> {
        self.rows.iter().map(|row| in_backticks(row[0]).to_owned()).collect()
    }

    /// Checks the examples: that `T` reads and writes them, and that the table lists the fields which it
    /// writes.
    fn check<T: DeserializeOwned + Serialize>(&self, tag: Option<&str>) {
        assert!(!self.examples.is_empty(), "{} has no example", self.name);
        for line in &self.examples {
            let value: T = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            let mut written = object(&serde_json::to_value(value).unwrap());
            if let Some(tag) = tag {
                assert_eq!(written.remove(tag), Some(self.name.into()), "{line}");
            }
            assert_eq!(written.keys().cloned().collect::<BTreeSet<_>>(), self.fields(), "{}", self.name);
            for row in &self.rows {
                check_type(&written[in_backticks(row[0])], row[1]);
                self.check_absence::<T>(line, row);
            }
        }
    }

    /// Checks that a field may be `null`, or be left out, just where the page says so.
    fn check_absence<T: DeserializeOwned>(&self, line: &str, row: &[&str]) {
        let (field, may_be_left_out) = (in_backticks(row[0]), row[1].contains("may be left out"));
        let mut example = object(&serde_json::from_str(line).unwrap());
        let reads = |object: &Map<String, Value>| serde_json::from_value::<T>(object.clone().into()).is_ok();
        example.insert(field.into(), Value::Null);
        let may_be_null = row[1].contains("or null") || may_be_left_out;
        assert_eq!(reads(&example), may_be_null, "null as {field} of {}", self.name);
        example.remove(field);
        // Of what the program writes nothing is ever left out, which the caller has seen.
        if line.starts_with(r#"{"do""#) {
            assert_eq!(reads(&example), may_be_left_out, "{} without {field}", self.name);
        }
    }
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().expect("an object").clone()
}

/// Checks a value of an example against what the page says of its type.
fn check_type(value: &Value, said: &str) {
    let first = said.split([' ', ',']).next().unwrap();
    let fits = match (value, first) {
        (Value::Null, _) => said.contains("or null") || said.contains("may be left out"),
        (Value::String(word), "a") => {
            let list = said.split('`').nth(1).unwrap();
            words_on_page(list).contains(word)
        }
        (Value::Object(_), part) => part.starts_with("[`"),
        (value, kind) => {
            matches!(
                (value, kind),
                (Value::String(_), "string")
                    | (Value::Number(_), "number")
                    | (Value::Bool(_), "boolean")
                    | (Value::Array(_), "array")
            )
        }
    };
    assert!(fits, "{value} is said to be {said}");
}

/// The names that an enum has in the code: serde lists them when it reads an unknown one.
fn names<T: DeserializeOwned>(wrong: &str) -> BTreeSet<String> {
    let complaint = serde_json::from_str::<T>(wrong).err().expect("no such name").to_string();
    let (_, names) = complaint.split_once("expected").unwrap();
    names.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn names_on_page(entries: &[Entry]) -> BTreeSet<String> {
    entries.iter().map(|entry| entry.name.to_owned()).collect()
}

fn words_on_page(list: &str) -> BTreeSet<String> {
    let words = entries("Words");
    words.iter().find(|entry| entry.name == list).unwrap_or_else(|| panic!("no list {list}")).fields()
}

#[test]
fn every_event_is_on_the_page_with_its_fields() {
    let events = entries("Events");
    assert_eq!(names_on_page(&events), names::<Event>(r#"{"event":"?"}"#));
    for entry in events {
        entry.check::<Event>(Some("event"));
    }
}

#[test]
fn every_request_is_on_the_page_with_its_fields() {
    let requests = entries("Requests");
    assert_eq!(names_on_page(&requests), names::<Request>(r#"{"do":"?"}"#));
    for entry in requests {
        entry.check::<Request>(Some("do"));
    }
}

#[test]
fn every_part_is_on_the_page_with_its_fields() {
    for part in entries("Parts") {
        match part.name {
            "player" => part.check::<Player>(None),
            "sitter" => part.check::<Sitter>(None),
            "made" => part.check::<Made>(None),
            "listing" => part.check::<Listing>(None),
            "origin" => part.check::<Origin>(None),
            "kept_seat" => part.check::<KeptSeat>(None),
            "seats" => part.check::<BySide<Option<Sitter>>>(None),
            "score" => part.check::<Score>(None),
            "by_side" => part.check::<BySide<u32>>(None),
            "result" => part.check::<Ending>(None),
            "worth" => part.check::<Worth>(None),
            other => panic!("{other} is no part of any object"),
        }
    }
}

#[test]
fn the_list_of_records_is_on_the_page_with_its_fields() {
    let lists = entries("Lists of records");
    assert_eq!(names_on_page(&lists), BTreeSet::from(["record".into(), "by".into()]));
    for entry in lists {
        match entry.name {
            "record" => entry.check::<Listed>(None),
            _ => entry.check::<PlayedBy>(None),
        }
    }
}

#[test]
fn the_list_of_hosts_is_on_the_page_with_its_fields() {
    let lists = entries("Lists of hosts");
    assert_eq!(names_on_page(&lists), BTreeSet::from(["host".into()]));
    lists[0].check::<FoundHost>(None);
}

#[test]
fn every_word_is_on_the_page() {
    fn words<T: DeserializeOwned>() -> BTreeSet<String> {
        names::<T>(r#""?""#)
    }
    let code = [
        ("side", words::<Side>()),
        ("kind", words::<Kind>()),
        ("phase", words::<Phase>()),
        ("state", words::<LobbyState>()),
        ("outcome", words::<Outcome>()),
        ("cause", words::<Cause>()),
        ("offers", words::<Offer>()),
        ("role", words::<Role>()),
        ("room", words::<Room>()),
        ("loss", words::<Loss>()),
        ("presence", words::<Presence>()),
        ("hand", words::<Hand>()),
        ("when_away", words::<WhenAway>()),
        ("how", words::<Departure>()),
        ("starts", words::<Starts>()),
        ("bot", words::<BotWish>()),
        ("hints", words::<Hints>()),
        ("level", words::<Level>()),
        ("refusal", REFUSALS.iter().map(|word| (*word).to_owned()).collect()),
        ("fault", words::<Fault>()),
    ];
    let lists = entries("Words");
    assert_eq!(lists.len(), code.len());
    for (list, words) in code {
        assert_eq!(words_on_page(list), words, "{list}");
    }
}

#[test]
fn every_exit_code_is_on_the_page() {
    let page: Vec<(&str, &str)> = rows(below(PAGE, "\n## Exit codes\n"))
        .into_iter()
        .map(|row| (in_backticks(row[0]), row[1]))
        .collect();
    let code: Vec<(&str, &str)> = EXIT_CODES
        .lines()
        .skip(1)
        .map(|line| line.trim().split_once("  ").unwrap())
        .map(|(code, words)| (code, words.trim_start()))
        .collect();
    assert_eq!(page, code);
}

#[test]
fn every_link_on_the_page_leads_to_a_heading() {
    let anchor = |heading: &str| {
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ');
        heading
            .trim_start_matches('#')
            .trim()
            .chars()
            .filter(kept)
            .collect::<String>()
            .to_lowercase()
            .replace(' ', "-")
    };
    let anchors: BTreeSet<String> = PAGE.lines().filter(|line| line.starts_with('#')).map(anchor).collect();
    for link in PAGE.split("](#").skip(1).map(|rest| rest.split(')').next().unwrap()) {
        assert!(anchors.contains(link), "{link}");
    }
}
