//! `proto/JSON.md` against the types: both have the same objects, fields, words and exit codes.

use std::collections::{BTreeMap, BTreeSet};

use nim::client::failure::EXIT_CODES;
use nim::client::json::listed::{FoundHost, ListedGame};
use nim::client::json::words::{JsonOutcome, JsonRole, LineError};
use nim::client::json::{EventLine, RequestLine, event};
use nim::game::{BySide, Side};
use nim::lobby;
use nim::lobby::{
    Cause, ConnectionLoss, Departure, Hand, Hints, Kind, Level, NotatedMove, Offer, PlayedBy, WhenAway,
};
use nim::wire::limits;
use nim::wire::{BotWish, ChatRoom, HallRefusal, LobbyState, Misplaced, Presence, Sitter, Starts};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use strum::VariantNames;

const PAGE: &str = include_str!("../../../proto/JSON.md");

/// A section of the page whose heading has a name in backticks.
#[derive(Debug)]
struct Entry {
    name: &'static str,
    /// The rows of its table, cell by cell.
    rows: Vec<Vec<&'static str>>,
    examples: Vec<&'static str>,
}

/// The text below a heading, up to the next heading that is not deeper.
fn below(text: &'static str, heading: &str) -> &'static str {
    let (_, rest) = text.split_once(heading).unwrap_or_else(|| panic!("no {heading}"));
    let level = heading.trim_start().split(' ').next().unwrap();
    rest.find(&format!("\n{level} ")).map_or(rest, |end| &rest[..=end])
}

/// A section for each name in a heading: several names may share a table.
fn entries(section: &str) -> Vec<Entry> {
    below(PAGE, &format!("\n## {section}\n")).split("\n### `").skip(1).flat_map(entries_of).collect()
}

fn entries_of(text: &'static str) -> impl Iterator<Item = Entry> {
    let (names, body) = text.split_once("`\n").unwrap();
    let blocks = body.split("```json\n").skip(1);
    let examples: Vec<&str> = blocks.flat_map(|block| block.split("```").next().unwrap().lines()).collect();
    names.split("`, `").map(move |name| Entry { name, rows: rows(body), examples: examples.clone() })
}

/// The rows of the table in `text`, without its two header lines.
fn rows(text: &'static str) -> Vec<Vec<&'static str>> {
    let lines = text.lines().filter_map(|line| line.strip_prefix('|')?.strip_suffix('|'));
    lines.skip(2).map(|line| line.split('|').map(str::trim).collect()).collect()
}

fn in_backticks(cell: &str) -> &str {
    cell.trim_matches('`')
}

impl Entry {
    fn fields(&self) -> BTreeSet<String> {
        self.rows.iter().map(|row| in_backticks(row[0]).to_owned()).collect()
    }

    /// The examples, with this name as the value of `tag`; without fields, the tag alone.
    fn examples(&self, tag: Option<&str>) -> Vec<Map<String, Value>> {
        assert_eq!(self.examples.is_empty(), self.rows.is_empty(), "the examples of {}", self.name);
        let none = self.rows.is_empty().then_some("{}");
        let mut examples: Vec<Map<String, Value>> = self
            .examples
            .iter()
            .copied()
            .chain(none)
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        for (example, tag) in examples.iter_mut().filter_map(|example| tag.map(|tag| (example, tag))) {
            example.insert(tag.into(), self.name.into());
        }
        examples
    }

    /// Checks the examples: `T` reads and writes them, and the table lists exactly the written fields.
    fn check<T: DeserializeOwned + Serialize>(&self, tag: Option<&str>) {
        for example in self.examples(tag) {
            let value: T = serde_json::from_value(example.clone().into())
                .unwrap_or_else(|error| panic!("{error}: {example:?}"));
            let mut written = object(&serde_json::to_value(value).unwrap());
            if let Some(tag) = tag {
                assert_eq!(written.remove(tag), Some(self.name.into()), "{example:?}");
            }
            assert_eq!(written.keys().cloned().collect::<BTreeSet<_>>(), self.fields(), "{}", self.name);
            for row in &self.rows {
                check_type(&written[in_backticks(row[0])], row[1]);
                self.check_absence::<T>(example.clone(), row);
            }
        }
    }

    /// Checks that a field may be `null`, and be omitted in a request, exactly where the page says so.
    fn check_absence<T: DeserializeOwned>(&self, mut example: Map<String, Value>, row: &[&str]) {
        let (field, may_be_absent) = (in_backticks(row[0]), row[1].ends_with('?'));
        let reads = |object: &Map<String, Value>| serde_json::from_value::<T>(object.clone().into()).is_ok();
        example.insert(field.into(), Value::Null);
        assert_eq!(reads(&example), may_be_absent, "null as {field} of {}", self.name);
        example.remove(field);
        // The program never omits a field in its output; the caller has checked that.
        if example.contains_key("do") {
            assert_eq!(reads(&example), may_be_absent, "{} without {field}", self.name);
        }
    }
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().expect("an object").clone()
}

/// Checks a value of an example against its type on the page.
fn check_type(value: &Value, said: &str) {
    let kind = said.trim_end_matches('?');
    let fits = match value {
        Value::Null => said.ends_with('?'),
        Value::String(word) if kind.starts_with('`') => words_on_page(in_backticks(kind)).contains(word),
        Value::String(_) => kind == "string",
        Value::Number(_) => kind == "number",
        Value::Bool(_) => kind == "bool",
        Value::Array(_) => kind.starts_with("array of "),
        Value::Object(_) => kind.starts_with("[`"),
    };
    assert!(fits, "{value} is said to be {said}");
}

/// The variant names of an enum: serde lists them in its error for an unknown name.
fn names<T: DeserializeOwned>(wrong: &str) -> BTreeSet<String> {
    let complaint = serde_json::from_str::<T>(wrong).err().expect("no such name").to_string();
    let (_, names) = complaint.split_once("expected").unwrap();
    names.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn names_on_page(entries: &[Entry]) -> BTreeSet<String> {
    entries.iter().map(|entry| entry.name.to_owned()).collect()
}

/// The lists of words: those in a common table, one per row, and those with their own table.
fn lists() -> BTreeMap<&'static str, BTreeSet<String>> {
    let section = below(PAGE, "\n## Words\n").split("\n### ").next().unwrap();
    let words =
        |cell: &str| cell.split("; ").map(|word| word.split('`').nth(1).unwrap().to_owned()).collect();
    let short = rows(section).into_iter().map(|row| (in_backticks(row[0]), words(row[1])));
    short.chain(entries("Words").iter().map(|entry| (entry.name, entry.fields()))).collect()
}

fn words_on_page(list: &str) -> BTreeSet<String> {
    lists().remove(list).unwrap_or_else(|| panic!("no list {list}"))
}

#[test]
fn the_limit_of_lines_on_the_page_is_that_of_the_code() {
    let limit = format!("accepts {} lines in {} seconds", limits::MAX_SAID, limits::SAID_WITHIN.as_secs());
    assert!(PAGE.contains(&limit), "{limit}");
}

#[test]
fn every_event_is_on_the_page_with_its_fields() {
    let events = entries("Events");
    assert_eq!(names_on_page(&events), names::<EventLine>(r#"{"event":"?"}"#));
    for entry in events {
        entry.check::<EventLine>(Some("event"));
    }
}

#[test]
fn every_request_is_on_the_page_with_its_fields() {
    let requests = entries("Requests");
    assert_eq!(names_on_page(&requests), names::<RequestLine>(r#"{"do":"?"}"#));
    let new = requests.iter().find(|entry| entry.name == "new").unwrap();
    for entry in &requests {
        // The page says that it has the same fields.
        let rows = if entry.name == "quick" { new.rows.clone() } else { entry.rows.clone() };
        Entry { rows, examples: entry.examples.clone(), ..*entry }.check::<RequestLine>(Some("do"));
    }
}

#[test]
fn every_part_is_on_the_page_with_its_fields() {
    for part in entries("Parts") {
        match part.name {
            "player" => part.check::<event::JsonPlayer>(None),
            "sitter" => part.check::<Sitter>(None),
            "made" => part.check::<NotatedMove>(None),
            "listing" => part.check::<event::JsonListing>(None),
            "origin" => part.check::<event::JsonOrigin>(None),
            "kept_seat" => part.check::<event::KeptSeat>(None),
            "seats" => part.check::<BySide<Option<Sitter>>>(None),
            "score" => part.check::<event::JsonScore>(None),
            "by_side" => part.check::<BySide<u32>>(None),
            "result" => part.check::<event::JsonEnding>(None),
            "value" => part.check::<event::JsonValue>(None),
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
            "record" => entry.check::<ListedGame>(None),
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

/// The words for refusals: the names in the code, with the words that scripts get instead of some.
fn refusals() -> BTreeSet<String> {
    let other_words = [
        ("variant", "bad_variant"),
        ("conditions", "bad_conditions"),
        ("seat_held", "already_seated"),
        ("no_such_record", "no_record"),
        ("no_records", "no_record"),
        ("records_busy", "no_record"),
        ("record_too_long", "no_record"),
        ("record_damaged", "no_record"),
        ("illegal", "illegal_move"),
    ];
    let of_chat = ["empty_line", "chat_too_fast", "no_chat", "chat_muted"];
    let of_client = ["bad_clock", "bad_password", "bad_name", "bad_origin", "bad_code", "long_line"];
    let names = [Misplaced::VARIANTS, HallRefusal::VARIANTS, lobby::Refusal::VARIANTS].concat();
    let told = names.into_iter().map(|name| BTreeMap::from(other_words).remove(name).unwrap_or(name));
    told.chain(of_chat)
        .chain(of_client)
        .chain(["too_fast", "halted", "draining"])
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_word_is_on_the_page() {
    fn words<T: DeserializeOwned>() -> BTreeSet<String> {
        names::<T>(r#""?""#)
    }
    let code = [
        ("side", words::<Side>()),
        ("kind", words::<Kind>()),
        ("phase", lobby::Phase::VARIANTS.iter().map(|&name| name.to_owned()).collect()),
        ("state", words::<LobbyState>()),
        ("outcome", words::<JsonOutcome>()),
        ("cause", words::<Cause>()),
        ("offers", words::<Offer>()),
        ("role", words::<JsonRole>()),
        ("room", words::<ChatRoom>()),
        ("loss", words::<ConnectionLoss>()),
        ("presence", words::<Presence>()),
        ("hand", words::<Hand>()),
        ("when_away", words::<WhenAway>()),
        ("how", words::<Departure>()),
        ("starts", words::<Starts>()),
        ("bot", words::<BotWish>()),
        ("hints", words::<Hints>()),
        ("level", words::<Level>()),
        ("refusal", refusals()),
        ("fault", words::<LineError>()),
    ];
    assert_eq!(lists(), BTreeMap::from(code));
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
