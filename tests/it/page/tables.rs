//! The page's tables as types. It understands only the Markdown that the page uses.

use std::collections::BTreeMap;

/// The content of the page.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) text: String,
    /// The types by name: the tables that begin with *index* or *field*, under the heading above them.
    pub(super) types: BTreeMap<String, Table>,
    /// The constants by name, as written.
    pub(super) limits: BTreeMap<String, String>,
    /// The vectors whose bytes are shown.
    pub(super) vectors: Vec<String>,
    /// Variants, each with a position.
    pub(super) positions: Vec<(String, String)>,
}

/// One type.
#[derive(Debug)]
pub(super) enum Table {
    /// One of several variants, by index.
    Choice(Vec<Variant>),
    /// All fields, in order.
    Record(Vec<Field>),
}

#[derive(Debug)]
pub(super) struct Variant {
    pub(super) name: String,
    pub(super) fields: Fields,
    /// The last column: the meaning, or the sentence.
    pub(super) words: String,
}

#[derive(Debug)]
pub(super) enum Fields {
    None,
    One(Type),
    Named(Vec<Field>),
}

#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) of: Type,
}

/// The type in a table's cell.
#[derive(Debug, Clone)]
pub(super) enum Type {
    U8,
    /// A varint of this many bits.
    Number(u32),
    Bool,
    Fixed16,
    Magic,
    /// This many bytes, without a length.
    Bytes(u8),
    /// A text with the name of its bound.
    Text(String),
    Name,
    Code,
    Maybe(Box<Type>),
    /// Items, with the name of the bound on their number.
    List(Box<Type>, String),
    Sides(Box<Type>),
    Table(String),
}

impl Page {
    /// Reads the page; panics at a line that it does not understand.
    pub(super) fn parse(text: &str) -> Self {
        let mut page = Self { text: text.into(), ..Self::default() };
        let (mut heading, mut columns) = ("", Vec::new());
        for line in text.lines() {
            if line.starts_with('#') {
                heading = line.trim_start_matches(['#', ' ']);
            }
            let Some(cells) = cells(line) else {
                columns.clear();
                continue;
            };
            if columns.is_empty() {
                columns = cells;
            } else if !line.starts_with("|---") {
                page.note(heading, &columns, &cells);
            }
        }
        page
    }

    /// Adds a row of a table with these columns under this heading.
    fn note(&mut self, heading: &str, columns: &[&str], cells: &[&str]) {
        let name = heading.trim_matches('`');
        match (columns, cells) {
            (["index", ..], [index, variant, fields, words]) => {
                let table = self.types.entry(name.into()).or_insert_with(|| Table::Choice(Vec::new()));
                let Table::Choice(variants) = table else { panic!("two tables under {heading}") };
                assert_eq!(*index, variants.len().to_string(), "{name} has its rows in another order");
                let (variant, words) = ((*variant).into(), (*words).into());
                variants.push(Variant { name: variant, fields: Fields::parse(fields), words });
            }
            (["field", ..], [field, of, _]) => {
                let table = self.types.entry(name.into()).or_insert_with(|| Table::Record(Vec::new()));
                let Table::Record(fields) = table else { panic!("two tables under {heading}") };
                fields.push(Field { name: (*field).into(), of: Type::parse(of) });
            }
            (["name", "value", _], [limit, value, _]) => {
                let twice = self.limits.insert((*limit).into(), (*value).into());
                assert!(twice.is_none(), "{limit} is there twice");
            }
            (["vector", "frame"], [vector, _]) => self.vectors.push(vector.trim_matches('`').into()),
            (["variant", "position", _], [variant, position, _]) => {
                let [variant, position] = [variant, position].map(|text| text.trim_matches('`').into());
                self.positions.push((variant, position));
            }
            (["index" | "field" | "vector" | "variant", ..], _) => {
                panic!("this row cannot be read: {cells:?}")
            }
            _ => {}
        }
    }

    /// The number of a named bound.
    pub(super) fn limit(&self, name: &str) -> u64 {
        let value = self.limits.get(name).unwrap_or_else(|| panic!("{name} is not among the limits"));
        value.parse().unwrap_or_else(|_| panic!("{name} is no number"))
    }
}

/// The cells of a row of a table.
fn cells(line: &str) -> Option<Vec<&str>> {
    let row = line.strip_prefix('|')?.strip_suffix('|')?;
    Some(row.split('|').map(str::trim).collect())
}

impl Table {
    /// The names of the variants or fields, in order.
    pub(super) fn names(&self) -> Vec<&str> {
        match self {
            Self::Choice(variants) => variants.iter().map(|variant| variant.name.as_str()).collect(),
            Self::Record(fields) => fields.iter().map(|field| field.name.as_str()).collect(),
        }
    }
}

impl Fields {
    fn parse(text: &str) -> Self {
        let parts = parts(text);
        match parts.as_slice() {
            [""] => Self::None,
            [one] if !one.contains(": ") => Self::One(Type::parse(one)),
            named => Self::Named(named.iter().map(|part| Field::parse(part)).collect()),
        }
    }
}

impl Field {
    fn parse(text: &str) -> Self {
        let (name, of) = text.split_once(": ").unwrap_or_else(|| panic!("no field: {text}"));
        Self { name: name.into(), of: Type::parse(of) }
    }
}

impl Type {
    fn parse(text: &str) -> Self {
        if let Some(inner) = text.strip_suffix('?') {
            return Self::Maybe(Box::new(Self::parse(inner)));
        }
        let (word, inner) = match text.split_once('(') {
            Some((word, rest)) => (word, parts(rest.strip_suffix(')').expect("brackets are closed"))),
            None => (text, Vec::new()),
        };
        let boxed = |at: usize| Box::new(Self::parse(inner[at]));
        match (word, inner.len()) {
            ("u8", 0) => Self::U8,
            ("u16", 0) => Self::Number(16),
            ("u32", 0) => Self::Number(32),
            ("u64", 0) => Self::Number(64),
            ("bool", 0) => Self::Bool,
            ("fixed16", 0) => Self::Fixed16,
            ("magic", 0) => Self::Magic,
            ("ticket", 0) => Self::Bytes(16),
            ("hash", 0) => Self::Bytes(32),
            ("Name", 0) => Self::Name,
            ("Code", 0) => Self::Code,
            ("text", 1) => Self::Text(inner[0].into()),
            ("list", 2) => Self::List(boxed(0), inner[1].into()),
            ("sides", 1) => Self::Sides(boxed(0)),
            (name, 0) if name.starts_with(char::is_uppercase) => Self::Table(name.into()),
            _ => panic!("no type: {text}"),
        }
    }
}

/// The parts between commas that are outside brackets.
fn parts(text: &str) -> Vec<&str> {
    let mut depth = 0;
    text.split(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    })
    .map(str::trim)
    .collect()
}
