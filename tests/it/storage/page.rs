//! `proto/JOURNAL.md`, compared with the code: the schema, the words, the checksum, and every query.

use std::collections::BTreeSet;
use std::fmt::Write;

use nim::lobby::{Event, Moment};
use nim::server::storage::sqlite::Durability;
use nim::server::storage::{Note, Sqlite, Storage};
use rusqlite::Connection;
use tempfile::TempDir;

use super::random_play::RandomPlay;
use super::{entry, happened, opened};
use crate::vectors;

fn page() -> String {
    vectors::read("JOURNAL.md")
}

/// The statements on the page that begin with this word.
fn statements(word: &str) -> Vec<String> {
    let page = page();
    let blocks = page.split("```sql\n").skip(1).filter_map(|block| block.split("\n```").next());
    blocks.filter(|block| block.starts_with(word)).map(ToOwned::to_owned).collect()
}

/// An open journal with this many batches of a play, and another connection to it.
fn looked_into(batches: usize) -> (TempDir, Sqlite, Connection) {
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, mut play) = (opened(folder.path(), Durability::Process), RandomPlay::by(51, 12));
    for _ in 0..batches {
        journal.record(&play.batch(20)).unwrap();
    }
    let reader = Connection::open(folder.path().join("journal.sqlite")).unwrap();
    (folder, journal, reader)
}

fn texts(reader: &Connection, sql: &str) -> Vec<String> {
    let mut rows = reader.prepare(sql).unwrap();
    rows.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

#[test]
fn the_schema_of_the_page_is_that_of_a_journal() {
    let (_folder, _journal, reader) = looked_into(0);
    let ours = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%'";
    let made: BTreeSet<String> = texts(&reader, ours).into_iter().collect();
    assert_eq!(statements("CREATE").into_iter().collect::<BTreeSet<String>>(), made);
}

#[test]
fn the_page_says_how_to_recognise_a_journal() {
    let (_folder, _journal, reader) = looked_into(0);
    let number = |name: &str| reader.pragma_query_value(None, name, |row| row.get::<_, u32>(0)).unwrap();
    let page = page();
    assert!(page.contains(&format!("`application_id` is `{:x}`", number("application_id"))));
    assert!(page.contains(&format!("This is version **{}** of the journal", number("user_version"))));
}

#[test]
fn every_query_on_the_page_works() {
    let (_folder, _journal, reader) = looked_into(40);
    let questions = statements("SELECT");
    assert!(questions.len() >= 6);
    for question in questions {
        let mut rows = reader.prepare(&question).unwrap();
        let columns = rows.column_count();
        let count = rows.query_map([], |row| row.get_ref(columns - 1).map(drop)).unwrap().count();
        // None of these events is of today.
        assert!(count > 0 || question.contains("'now'"), "{question}");
    }
}

#[test]
fn the_page_lists_every_word() {
    let (_folder, _journal, reader) = looked_into(100);
    let page = page();
    for sql in [
        "SELECT DISTINCT kind FROM events",
        "SELECT DISTINCT cause FROM games WHERE cause IS NOT NULL",
        "SELECT DISTINCT outcome FROM games WHERE outcome IS NOT NULL",
        "SELECT DISTINCT first_kind FROM games",
    ] {
        let words = texts(&reader, sql);
        assert!(!words.is_empty(), "{sql}");
        for word in words {
            assert!(page.contains(&format!("`{word}`")), "{word}");
        }
    }
}

#[test]
fn the_checksum_of_the_page_is_that_of_a_row() {
    let (_folder, mut journal, reader) = looked_into(0);
    let note = happened(1, Moment(2345), Event::Paused);
    journal.record(&[entry(17, note.clone())]).unwrap();
    let Note::Happened { frame, .. } = note else { unreachable!("it is an event") };
    let crc: u32 = reader.query_row("SELECT crc FROM events", [], |row| row.get(0)).unwrap();
    let page = page();
    let rows =
        page.split("if it is the first row of the table:").nth(1).unwrap().split("## ").next().unwrap();
    let cells = rows.lines().filter_map(|line| line.split('|').nth(3)).map(str::trim);
    let hex: Vec<&str> = cells.filter_map(|cell| cell.strip_prefix('`')?.strip_suffix('`')).collect();
    let bytes: Vec<u8> = hex.join(" ").split(' ').map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect();
    assert_eq!(crc32fast::hash(&bytes), crc, "the bytes of the page");
    assert!(rows.contains(&format!("| `crc` | {crc} |")), "the checksum is {crc}");
    let mut body = String::new();
    frame[4..].iter().for_each(|byte| write!(body, "{byte:02x} ").unwrap());
    assert!(rows.contains(&format!("| `{}` |", body.trim_end())), "the body is {body}");
}
