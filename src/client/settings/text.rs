//! The text of the settings file: TOML that a person may have written. Reads it, and changes or removes one
//! key; everything else stays unchanged, comments too.

use std::ops::Range;

use toml_edit::{Document, DocumentMut, Item, Table, TableLike, TomlError, Value};

use super::setting::{Key, Setting};
use crate::game::notation::{printable, shown};

/// A line, counted from 1, and what is wrong there.
pub(super) type Wrong = (usize, String);

/// The table with the keys of actions.
const KEYS: &str = "keys";

/// The keys are no table.
const NO_TABLE: &str = "write the keys as a table: a line [keys], and below it lines such as hint = \"x\"";

/// What a text has: settings, actions with their keys, and errors, each with its line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) settings: Vec<(Setting, usize)>,
    pub(super) keys: Vec<(String, String, usize)>,
    pub(super) wrong: Vec<Wrong>,
}

/// Reads a text. One that is not TOML has no settings.
pub(super) fn read(text: &str) -> Found {
    let mut found = Found::default();
    let document = match parse(text) {
        Ok(document) => document,
        Err(wrong) => return Found { wrong: vec![wrong], ..found },
    };
    for (word, item) in document.iter() {
        let line = line(text, place(document.as_table(), word).start);
        match (word, item.as_table_like(), setting(word, item)) {
            (KEYS, Some(table), _) => keys(text, table, &mut found),
            (KEYS, None, _) => found.wrong.push((line, NO_TABLE.to_owned())),
            (_, _, Ok(setting)) => found.settings.push((setting, line)),
            (_, _, Err(why)) => found.wrong.push((line, why)),
        }
    }
    found
}

/// Reads the table of keys.
fn keys(text: &str, table: &dyn TableLike, found: &mut Found) {
    for (word, item) in table.iter() {
        let line = line(text, place(table, word).start);
        match item.as_str() {
            Some(key) => found.keys.push((word.to_owned(), key.to_owned(), line)),
            None => found.wrong.push((line, format!("{}: write it as in hint = \"x\"", shown(word)))),
        }
    }
}

/// Returns the text with this setting in place of the old value.
pub(super) fn with(text: &str, setting: &Setting) -> Result<String, Wrong> {
    let word = setting.key.as_str();
    let document = parse(text)?;
    let written = value(setting).to_string();
    match document.get(word).map(|item| item.as_value().and_then(Value::span)) {
        Some(Some(old)) => Ok(format!("{}{written}{}", &text[..old.start], &text[old.end..])),
        Some(None) => with(&without(text, word)?.unwrap_or_default(), setting),
        None => Ok(with_line(text, &format!("{word} = {written}\n"), document.as_table())),
    }
}

/// Returns the text with this key of an action in place of the old one.
pub(super) fn with_key(text: &str, action: &str, key: &str) -> Result<String, Wrong> {
    let document = parse(text)?;
    let written = Value::from(key);
    let table = document.get(KEYS).map(|item| item.as_table_like().ok_or(NO_TABLE)).transpose();
    let at = || line(text, place(document.as_table(), KEYS).start);
    let old = table.map_err(|why| (at(), why.to_owned()))?.and_then(|table| table.get(action));
    if let Some(old) = old.and_then(Item::as_value).and_then(Value::span) {
        return Ok(format!("{}{written}{}", &text[..old.start], &text[old.end..]));
    }
    let mut document: DocumentMut = document.into_mut();
    let table = document.entry(KEYS).or_insert_with(|| new_table(text).into());
    if let Some(table) = table.as_table_like_mut() {
        table.insert(action, written.into());
    }
    Ok(document.to_string())
}

/// An empty table at the end of this text.
fn new_table(text: &str) -> Table {
    let mut table = Table::new();
    table.decor_mut().set_prefix(if text.trim().is_empty() { "" } else { "\n" });
    table
}

/// Returns the text without this key, known or not; `None` if it is not present.
pub(super) fn without(text: &str, word: &str) -> Result<Option<String>, Wrong> {
    let document = parse(text)?;
    let keys = document.get(KEYS).and_then(Item::as_table_like);
    let is_inline = document.get(KEYS).is_some_and(Item::is_inline_table);
    let of_action = word.strip_prefix(KEYS).and_then(|rest| rest.strip_prefix('.'));
    let of_action = of_action.zip(keys).filter(|(action, keys)| keys.contains_key(action));
    let (word, table) = of_action.unwrap_or((word, document.as_table()));
    let Some(item) = table.get(word) else { return Ok(None) };
    let value = item.as_value().and_then(Value::span).filter(|_| of_action.is_none() || !is_inline);
    let Some(value) = value else {
        let is_of_action = of_action.is_some();
        let word = word.to_owned();
        let mut document: DocumentMut = document.into_mut();
        match document.get_mut(KEYS).and_then(Item::as_table_like_mut).filter(|_| is_of_action) {
            Some(keys) => keys.remove(&word),
            None => document.remove(&word),
        };
        return Ok(Some(document.to_string()));
    };
    let begins = text[..place(table, word).start].rfind('\n').map_or(0, |end| end + 1);
    let ends = text[value.end..].find('\n').map_or(text.len(), |end| value.end + end + 1);
    Ok(Some(format!("{}{}", &text[..begins], &text[ends..])))
}

fn parse(text: &str) -> Result<Document<&str>, Wrong> {
    let wrong = |error: TomlError| {
        let at = error.span().map_or(0, |span| span.start);
        (
            line(text, at),
            format!(
                "this line is not TOML such as {}: {}",
                Key::Level.example(),
                printable(error.message()).collect::<String>()
            ),
        )
    };
    Document::parse(text).map_err(wrong)
}

/// The line of this byte, counted from 1.
pub(super) fn line(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or(text).matches('\n').count() + 1
}

/// The position of a key.
fn place(table: &dyn TableLike, word: &str) -> Range<usize> {
    table.key(word).and_then(toml_edit::Key::span).unwrap_or_default()
}

fn setting(word: &str, item: &Item) -> Result<Setting, String> {
    let key: Key = word.parse().map_err(|bad| format!("{}: {bad}", shown(word)))?;
    let typed = if key.is_switch() {
        item.as_bool().map(|yes| yes.to_string())
    } else {
        item.as_str().map(str::to_owned)
    };
    let typed = typed.ok_or_else(|| format!("write it as in {}", key.example()))?;
    Setting::read(key, &typed)
}

fn value(setting: &Setting) -> Value {
    let text = setting.as_str();
    if setting.key.is_switch() { (text == "true").into() } else { text.into() }
}

/// Returns the text with one more line, outside any table.
fn with_line(text: &str, line: &str, table: &Table) -> String {
    let has_tables = table.iter().any(|(_, item)| !item.is_value());
    match text {
        _ if has_tables => format!("{line}{text}"),
        _ if text.is_empty() || text.ends_with('\n') => format!("{text}{line}"),
        _ => format!("{text}\n{line}"),
    }
}

#[cfg(test)]
mod tests;
