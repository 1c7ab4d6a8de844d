//! Decodes bytes with the page's tables alone, as the author of a client would, and notes the meaning of
//! each byte.

use std::collections::BTreeSet;
use std::ops::Range;

use nim::lobby::Name;
use serde_json::{Map, Value, json};

use super::tables::{Field, Fields, Page, Table, Type, Variant};

/// The bytes, the page, and the position of the reader.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    page: &'a Page,
    bytes: &'a [u8],
    at: usize,
    /// The decoded parts.
    pub(super) notes: Vec<Note>,
    /// The decoded lists.
    pub(super) lists: Vec<ListNote>,
    /// The rows used: the table's name and the row's index in it.
    pub(super) met: BTreeSet<(String, usize)>,
}

/// A few bytes and their meaning.
#[derive(Debug)]
pub(super) struct Note {
    pub(super) bytes: Range<usize>,
    pub(super) words: String,
    /// Their type, if they are a value of their own.
    pub(super) of: Option<Type>,
}

/// A list that is not empty: its bytes, those of its first item, and the name of its bound.
#[derive(Debug)]
pub(super) struct ListNote {
    pub(super) bytes: Range<usize>,
    pub(super) first: Range<usize>,
    pub(super) bound: String,
}

type Read<T> = Result<T, String>;

impl<'a> Reader<'a> {
    pub(super) fn new(page: &'a Page, bytes: &'a [u8]) -> Self {
        Self { page, bytes, at: 0, notes: Vec::new(), lists: Vec::new(), met: BTreeSet::new() }
    }

    /// All bytes as one value of this type.
    pub(super) fn whole(&mut self, of: &Type) -> Read<Value> {
        let value = self.read(of, "")?;
        if self.at == self.bytes.len() { Ok(value) } else { Err("bytes are left over".into()) }
    }

    fn read(&mut self, of: &Type, path: &str) -> Read<Value> {
        let start = self.at;
        match of {
            Type::Maybe(inner) => return self.maybe(inner, path),
            Type::List(item, bound) => return self.list(item, bound, path),
            Type::Sides(inner) => {
                let (first, second) = (join(path, "first"), join(path, "second"));
                return Ok(json!({"first": self.read(inner, &first)?, "second": self.read(inner, &second)?}));
            }
            Type::Table(name) => return self.table(name, path),
            _ => {}
        }
        let value = match of {
            Type::U8 => json!(self.take(1)?[0]),
            Type::Number(bits) => json!(self.varint(*bits)?),
            Type::Bool => json!(self.flag()?),
            Type::Fixed16 => json!(self.take(2)?),
            Type::Magic => json!(self.magic()?),
            Type::Bytes(count) => json!(self.take((*count).into())?),
            Type::Text(bound) => json!(self.text(self.page.limit(bound))?),
            Type::Name => json!(self.name()?),
            Type::Code => json!(self.code()?),
            _ => unreachable!("the others returned above"),
        };
        self.note(start, format!("{path}: {}", shown(of, &value)), Some(of));
        Ok(value)
    }

    fn maybe(&mut self, inner: &Type, path: &str) -> Read<Value> {
        let start = self.at;
        if self.flag()? {
            self.note(start, format!("{path}: something"), None);
            self.read(inner, path)
        } else {
            self.note(start, format!("{path}: nothing"), None);
            Ok(Value::Null)
        }
    }

    fn list(&mut self, item: &Type, bound: &str, path: &str) -> Read<Value> {
        let start = self.at;
        let count = self.varint(64)?;
        if count > self.page.limit(bound) {
            return Err(format!("{path} has more than {bound}"));
        }
        self.note(start, format!("{path}: {count} items"), None);
        let mut ends = vec![self.at];
        let mut items = Vec::new();
        for at in 0..count {
            items.push(self.read(item, &join(path, &at.to_string()))?);
            ends.push(self.at);
        }
        if let [first, after_first, ..] = ends[..] {
            let (bytes, bound) = (start..self.at, bound.into());
            self.lists.push(ListNote { bytes, first: first..after_first, bound });
        }
        Ok(Value::Array(items))
    }

    fn table(&mut self, name: &str, path: &str) -> Read<Value> {
        let page = self.page;
        match page.types.get(name).ok_or_else(|| format!("{name} is not on the page"))? {
            Table::Record(fields) => {
                self.met.extend((0..fields.len()).map(|at| (name.to_string(), at)));
                self.fields(fields, path)
            }
            Table::Choice(variants) => self.choice(name, variants, path),
        }
    }

    fn choice(&mut self, name: &str, variants: &[Variant], path: &str) -> Read<Value> {
        let start = self.at;
        let index = usize::try_from(self.varint(32)?).map_err(|error| error.to_string())?;
        let variant = variants.get(index).ok_or_else(|| format!("{name} has no index {index}"))?;
        let label = if path.is_empty() { name } else { path };
        self.note(start, format!("{label}: {}", variant.name), None);
        self.met.insert((name.to_string(), index));
        let value = match &variant.fields {
            Fields::None => return Ok(json!(variant.name)),
            Fields::One(of @ Type::Table(_)) => self.read(of, path)?,
            Fields::One(of) => self.read(of, &join(path, &variant.name.to_lowercase()))?,
            Fields::Named(fields) => self.fields(fields, path)?,
        };
        Ok(json!({ variant.name.as_str(): value }))
    }

    fn fields(&mut self, fields: &[Field], path: &str) -> Read<Value> {
        let mut object = Map::new();
        for field in fields {
            object.insert(field.name.clone(), self.read(&field.of, &join(path, &field.name))?);
        }
        Ok(Value::Object(object))
    }

    fn take(&mut self, count: u64) -> Read<&'a [u8]> {
        let count = usize::try_from(count).map_err(|error| error.to_string())?;
        let rest = &self.bytes[self.at..];
        let taken = rest.get(..count).ok_or("the bytes end too early")?;
        self.at += count;
        Ok(taken)
    }

    fn varint(&mut self, bits: u32) -> Read<u64> {
        let width = match self.take(1)?[0] {
            small @ 0..=250 => return Ok(small.into()),
            0xfb => 2,
            0xfc => 4,
            0xfd => 8,
            _ => return Err("a reserved prefix".into()),
        };
        if width * 8 > bits {
            return Err(format!("more than {bits} bits"));
        }
        Ok(self.take(width.into())?.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    fn flag(&mut self) -> Read<bool> {
        match self.take(1)?[0] {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(format!("{other} is neither 0 nor 1")),
        }
    }

    fn text(&mut self, bound: u64) -> Read<&'a str> {
        let length = self.varint(64)?;
        if length > bound {
            return Err(format!("a text of {length} bytes, and {bound} are allowed"));
        }
        std::str::from_utf8(self.take(length)?).map_err(|error| error.to_string())
    }

    /// The code checks the rules for names; this reader does not repeat them.
    fn name(&mut self) -> Read<&'a str> {
        let name = self.text(4 * self.page.limit("MAX_NAME_CHARS"))?;
        Name::try_from(name.to_string()).map(|_| name).map_err(|fault| fault.to_string())
    }

    fn code(&mut self) -> Read<&'a str> {
        let code = self.text(self.page.limit("MAX_CODE_TEXT"))?;
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if !code.is_empty() && code.chars().all(fits) { Ok(code) } else { Err(format!("no code: {code}")) }
    }

    fn magic(&mut self) -> Read<&'a [u8]> {
        let bytes = self.take(3)?;
        if bytes == b"nim" { Ok(bytes) } else { Err("other letters".into()) }
    }

    fn note(&mut self, start: usize, words: String, of: Option<&Type>) {
        self.notes.push(Note { bytes: start..self.at, words, of: of.cloned() });
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.into() } else { format!("{path}.{name}") }
}

/// A value as a person reads it beside its bytes.
fn shown(of: &Type, value: &Value) -> String {
    match (of, value.as_array().map(Vec::as_slice)) {
        (Type::Fixed16, Some([low, high])) => {
            (low.as_u64().unwrap_or(0) | high.as_u64().unwrap_or(0) << 8).to_string()
        }
        (Type::Magic, _) => "\"nim\"".into(),
        (Type::Bytes(count), _) => format!("{count} bytes"),
        _ => value.to_string(),
    }
}
