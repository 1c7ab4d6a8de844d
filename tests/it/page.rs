//! `proto/PROTOCOL.md` and the code, checked against each other in both directions.
//!
//! The page's tables are read as by a program: [`tables`] makes types of them, and [`reader`] decodes every
//! golden message with nothing but these types. So a wrong or missing field, index or bound on the page
//! fails here. `NIM_BLESS=1` rewrites the bytes on the page.

mod reader;
mod session;
mod shapes;
mod tables;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::LazyLock;

use nim::game::any::{MAX_VARIANT_TEXT, Variant};
use nim::game::even_or_odd::MAX_TOKENS;
use nim::game::nim::{MAX_PILE, MAX_PILES};
use nim::lobby::{
    self, Code, FLAG_GRACE, MAX_NAME_CHARS, MAX_PAST, MAX_POSITION_TEXT, NameFault, RESTART_GRACE,
};
use nim::server::{Config, DEFAULT_PORT};
use nim::wire::{self, MAX_PASSWORD, limits};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::vectors::{self, Peer, TO_CLIENT, TO_SERVER, Vector};
use reader::{ListNote, Reader};
use tables::{Page, Table, Type};

const FILE: &str = "PROTOCOL.md";

/// The page, rewritten first if requested.
static PAGE: LazyLock<Page> = LazyLock::new(|| {
    if vectors::blessing() {
        std::fs::write(vectors::proto(FILE), remade(&vectors::read(FILE))).unwrap();
    }
    Page::parse(&vectors::read(FILE))
});

/// The page's text with rewritten frames in its tables.
fn remade(text: &str) -> String {
    text.lines().map(|line| with_frame(line) + "\n").collect()
}

/// A row of a table of vectors, with the vector's bytes; any other line as it is.
fn with_frame(line: &str) -> String {
    let named = |vector: &&Vector| line.starts_with(&format!("| `{}` |", vector.name));
    match TO_SERVER.iter().chain(TO_CLIENT.iter()).find(named) {
        Some(vector) => format!("| `{}` | `{}` |", vector.name, spaced(&vector.hex)),
        None => line.into(),
    }
}

fn spaced(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

fn read_by_the_page<'a>(vector: &'a Vector, message: &str) -> Reader<'a> {
    let mut reader = Reader::new(&PAGE, &vector.hex[4..]);
    let value = reader.whole(&Type::Table(message.into()));
    assert_eq!(value.as_ref(), Ok(&vector.value), "{}, read by the tables of the page", vector.name);
    reader
}

/// All vectors, decoded with the page.
fn read_all() -> impl Iterator<Item = Reader<'static>> {
    let of_client = TO_SERVER.iter().map(|vector| read_by_the_page(vector, "ToServer"));
    of_client.chain(TO_CLIENT.iter().map(|vector| read_by_the_page(vector, "ToClient")))
}

#[test]
fn bad_frames_cannot_be_read_by_the_page_either() {
    for bad in vectors::bad() {
        let message = if bad.from == Peer::Client { "ToServer" } else { "ToClient" };
        let Some(body) = bad.hex.get(4..).filter(|_| !bad.is_too_long()) else { continue };
        let value = Reader::new(&PAGE, body).whole(&Type::Table(message.into()));
        assert!(value.is_err(), "{}: {}", bad.name, bad.why);
    }
}

#[test]
fn the_bounds_of_the_page_are_those_of_the_code() {
    TO_SERVER.iter().for_each(|vector| check_bounds::<wire::ToServer>(vector, "ToServer"));
    TO_CLIENT.iter().for_each(|vector| check_bounds::<wire::ToClient>(vector, "ToClient"));
}

/// Writes the largest value into each field of the message, and then one that is too large by one.
fn check_bounds<M: DeserializeOwned>(vector: &Vector, message: &str) {
    let (reader, body) = (read_by_the_page(vector, message), &vector.hex[4..]);
    let is_read_with = |place: &Range<usize>, bytes: Vec<u8>| {
        let mut body = body.to_vec();
        body.splice(place.clone(), bytes);
        wire::decode::<M>(&body).is_ok()
    };
    for list in &reader.lists {
        let [largest, too_large] = list_bounds(list, body);
        assert!(is_read_with(&list.bytes, largest), "{}: {} is too large", vector.name, list.bound);
        assert!(!is_read_with(&list.bytes, too_large), "{}: {} is too small", vector.name, list.bound);
    }
    for note in &reader.notes {
        let Some(of) = &note.of else { continue };
        let is_read_with = |bytes| is_read_with(&note.bytes, bytes);
        let (largest, too_large) = (largest(of), too_large(of));
        assert!(largest.is_none_or(is_read_with), "{}, {}: {of:?} is too large", vector.name, note.words);
        assert!(!too_large.is_some_and(is_read_with), "{}, {}: {of:?} is too small", vector.name, note.words);
    }
}

/// The largest value of this type as bytes; `None` if there is no largest.
fn largest(of: &Type) -> Option<Vec<u8>> {
    Some(match of {
        Type::U8 => vec![0xff],
        Type::Number(16) => number_bytes(0xfb, u16::MAX.to_le_bytes()),
        Type::Number(32) => number_bytes(0xfc, u32::MAX.to_le_bytes()),
        Type::Number(64) => number_bytes(0xfd, u64::MAX.to_le_bytes()),
        Type::Bool => vec![1],
        Type::Text(bound) => text_bytes(PAGE.limit(bound)),
        Type::Name => text_bytes(PAGE.limit("MAX_NAME_CHARS")),
        _ => return None,
    })
}

/// A value that is too large for this type by one, in the encoding of the next larger type.
fn too_large(of: &Type) -> Option<Vec<u8>> {
    Some(match of {
        Type::Number(16) => number_bytes(0xfc, (1u32 << 16).to_le_bytes()),
        Type::Number(32) => number_bytes(0xfd, (1u64 << 32).to_le_bytes()),
        Type::Number(64) => number_bytes(0xfe, (1u128 << 64).to_le_bytes()),
        Type::Bool => vec![2],
        Type::Text(bound) => text_bytes(PAGE.limit(bound) + 1),
        Type::Name => text_bytes(PAGE.limit("MAX_NAME_CHARS") + 1),
        Type::Code => text_bytes(PAGE.limit("MAX_CODE_TEXT") + 1),
        _ => return None,
    })
}

/// Copies of this list in `body` with its maximum length, and with one item more.
fn list_bounds(list: &ListNote, body: &[u8]) -> [Vec<u8>; 2] {
    let largest = u16::try_from(PAGE.limit(&list.bound)).unwrap();
    [largest, largest + 1]
        .map(|count| [length_bytes(count), body[list.first.clone()].repeat(count.into())].concat())
}

fn number_bytes<const WIDTH: usize>(prefix: u8, bytes: [u8; WIDTH]) -> Vec<u8> {
    std::iter::once(prefix).chain(bytes).collect()
}

fn text_bytes(bytes: u64) -> Vec<u8> {
    let bytes = u16::try_from(bytes).unwrap();
    length_bytes(bytes).into_iter().chain(std::iter::repeat_n(b's', bytes.into())).collect()
}

fn length_bytes(length: u16) -> Vec<u8> {
    if length <= 250 { vec![length.to_le_bytes()[0]] } else { number_bytes(0xfb, length.to_le_bytes()) }
}

#[test]
fn the_page_alone_decodes_every_message_and_every_row_is_used() {
    let met: BTreeSet<_> = read_all().flat_map(|reader| reader.met).collect();
    for (name, table) in &PAGE.types {
        for index in 0..table.names().len() {
            assert!(met.contains(&(name.clone(), index)), "no vector has {name}::{}", table.names()[index]);
        }
    }
}

#[test]
fn the_tables_are_the_types_of_the_code() {
    let on_page: BTreeMap<&str, Vec<&str>> =
        PAGE.types.iter().map(|(name, table)| (name.as_str(), table.names())).collect();
    assert_eq!(on_page, shapes::all());
}

#[test]
fn the_bytes_on_the_page_are_those_of_the_vectors() {
    assert_eq!(PAGE.text, remade(&PAGE.text), "rewrite them with NIM_BLESS=1");
    let known: BTreeSet<&String> =
        TO_SERVER.iter().chain(TO_CLIENT.iter()).map(|vector| &vector.name).collect();
    for row in &PAGE.vectors {
        assert!(known.contains(row), "{row} is on the page and in no file of vectors");
    }
}

#[test]
fn the_limits_are_those_of_the_code() {
    let seconds = |duration: std::time::Duration| format!("{} s", duration.as_secs());
    let defaults = Config::default();
    let limits = [
        ("MAX_FRAME", limits::MAX_FRAME.to_string()),
        ("MAX_NAME_BYTES", limits::MAX_NAME_BYTES.to_string()),
        ("MAX_NAME_CHARS", MAX_NAME_CHARS.to_string()),
        ("MAX_CODE_TEXT", Code::MAX_TEXT.to_string()),
        ("MAX_VARIANT_TEXT", MAX_VARIANT_TEXT.to_string()),
        ("MAX_POSITION_TEXT", MAX_POSITION_TEXT.to_string()),
        ("MAX_SERVER_TEXT", limits::MAX_SERVER_TEXT.to_string()),
        ("MAX_SERVERS", limits::MAX_SERVERS.to_string()),
        ("MAX_SERVER_ADDRESS", limits::MAX_SERVER_ADDRESS.to_string()),
        ("MAX_SENTENCE", limits::MAX_SENTENCE.to_string()),
        ("MAX_ILLEGAL", lobby::MAX_ILLEGAL.to_string()),
        ("MAX_LISTED", limits::MAX_LISTED.to_string()),
        ("MAX_TICKETS", limits::MAX_TICKETS.to_string()),
        ("MAX_GAMES", limits::MAX_GAMES.to_string()),
        ("MAX_PART", limits::MAX_PART.to_string()),
        ("MAX_PASSWORD", MAX_PASSWORD.to_string()),
        ("MAX_PAST", MAX_PAST.to_string()),
        ("MAX_CHAT", limits::MAX_CHAT.to_string()),
        ("MAX_NAMED_WATCHERS", lobby::MAX_NAMED_WATCHERS.to_string()),
        ("MAX_CHAT_LINES", limits::MAX_CHAT_LINES.to_string()),
        ("MAX_SAID", limits::MAX_SAID.to_string()),
        ("SAID_WITHIN", seconds(limits::SAID_WITHIN)),
        ("MAX_GUESSES", limits::MAX_GUESSES.to_string()),
        ("GUESSES_WITHIN", seconds(limits::GUESSES_WITHIN)),
        ("KEPT_EVENTS", limits::KEPT_EVENTS.to_string()),
        ("MOST_GAMES", limits::MOST_GAMES.to_string()),
        ("SHORTEST_CLOCK", seconds(limits::SHORTEST_CLOCK)),
        ("SHORTEST_AWAY", seconds(limits::SHORTEST_AWAY)),
        ("RESTART_GRACE", seconds(RESTART_GRACE)),
        ("FLAG_GRACE", format!("{} ms", FLAG_GRACE.as_millis())),
        ("MAX_PILE", MAX_PILE.to_string()),
        ("MAX_PILES", MAX_PILES.to_string()),
        ("MAX_TOKENS", MAX_TOKENS.to_string()),
        ("DEFAULT_PORT", DEFAULT_PORT.to_string()),
        ("DEFAULT_BOT_AFTER", seconds(defaults.bot_after)),
        ("DEFAULT_SEATS_KEPT", seconds(defaults.seats_kept)),
        ("DEFAULT_PAUSED_KEPT", format!("{} h", defaults.paused_kept.as_secs() / 3_600)),
        ("SILENT_LONGER", seconds(limits::SILENT_LONGER)),
        ("DEFAULT_MAX_WATCHERS", defaults.max_watchers.to_string()),
        ("DEFAULT_MAX_WATCHERS_EACH", defaults.max_watchers_each.to_string()),
        ("DEFAULT_MAX_LOBBIES", defaults.max_lobbies.to_string()),
        ("DEFAULT_MAX_LOBBIES_EACH", defaults.max_lobbies_each.to_string()),
        ("DEFAULT_MAX_REQUESTS_EACH", defaults.max_requests_each.to_string()),
        ("DEFAULT_MAX_CONNECTIONS", defaults.max_connections.to_string()),
        ("DEFAULT_MAX_CONNECTIONS_EACH", defaults.max_connections_each.to_string()),
        ("DEFAULT_MAX_HELLOS_EACH", defaults.max_hellos_each.to_string()),
        ("HELLO_DEADLINE", seconds(limits::HELLO_DEADLINE)),
        ("FRAME_DEADLINE", seconds(limits::FRAME_DEADLINE)),
        ("PING_AFTER", seconds(limits::PING_AFTER)),
        ("GONE_AFTER", seconds(limits::GONE_AFTER)),
    ];
    let code: BTreeMap<String, String> =
        limits.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
    assert_eq!(PAGE.limits, code);
    assert!(PAGE.text.contains(&format!("The usual port is {DEFAULT_PORT}.")));
    assert!(PAGE.text.contains(&format!("This is version **{}**.", wire::VERSION)));
}

fn read_as<T: DeserializeOwned>(value: Value) -> Result<T, serde_json::Error> {
    serde_json::from_value(value)
}

#[test]
fn the_games_of_the_page_are_those_of_the_code() {
    for (form, _) in Variant::forms() {
        let name = form.split([':', '[']).next().unwrap();
        assert!(PAGE.text.contains(&format!("\n| `{name}")), "{form} is not on the page");
    }
    for (text, position) in &PAGE.positions {
        let variant: Variant = text.parse().unwrap();
        assert_eq!(variant.text(), *text);
        assert_eq!(variant.read_position(position).unwrap().write_position(), *position);
    }
    assert!(!PAGE.positions.is_empty());
}

#[test]
fn the_sentences_are_those_of_the_code() {
    check_sentences::<wire::Misplaced>("Misplaced");
    check_sentences::<wire::HallRefusal>("HallRefusal");
    check_sentences::<lobby::Refusal>("LobbyRefusal");
    check_sentences::<wire::ChatRefusal>("ChatRefusal");
    check_sentences::<wire::HelloRefusal>("HelloRefusal");
    check_sentences::<NameFault>("NameFault");
    check_sentences::<wire::Farewell>("Farewell");
}

/// Sentences in italics only name the source of the words.
fn check_sentences<T: DeserializeOwned + ToString>(name: &str) {
    let Some(Table::Choice(variants)) = PAGE.types.get(name) else { panic!("{name} is not on the page") };
    for variant in variants.iter().filter(|variant| !variant.words.starts_with('*')) {
        let value = match variant.name.as_str() {
            "Version" => json!({"Version": {"yours": [2, 0], "ours": [1, 0]}}),
            "ClaimTooEarly" => json!({"ClaimTooEarly": {"millis": 4_200}}),
            "TooFast" => json!({"TooFast": {"most": 7, "seconds": 5}}),
            "SetAside" => json!({"SetAside": {"lobby": 3}}),
            "SeatHeld" => json!({"SeatHeld": {"code": "brave-otter"}}),
            "NoSuchWatcher" => json!({"NoSuchWatcher": {"watchers": ["cleo", "dora"]}}),
            "NoSuchMove" => json!({"NoSuchMove": {"count": 3}}),
            name @ ("LobbiesFull" | "TooManyLobbies" | "TooManyWatchers" | "TooManyGuesses" | "Full"
            | "Crowded") => {
                json!({name: {"most": 7}})
            }
            name => json!(name),
        };
        let said = read_as::<T>(value).unwrap().to_string();
        let filled = [
            ("{yours}", "2"),
            ("{ours}", "1"),
            ("{seconds}", "5"),
            ("{most}", "7"),
            ("{count}", "3"),
            ("{lobby}", "3"),
            ("{code}", "brave-otter"),
            ("{watchers}", "cleo, dora"),
        ];
        let words = filled.iter().fold(variant.words.clone(), |words, (gap, word)| words.replace(gap, word));
        assert_eq!(said, words, "{name}");
    }
}

#[test]
fn the_real_server_answers_the_session_byte_for_byte() {
    session::check(&PAGE);
}
