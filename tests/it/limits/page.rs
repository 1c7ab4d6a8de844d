//! `docs/LIMITS.md`, compared with the help of the program and with the constants of the code.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::harness::Program;

const PAGE: &str = include_str!("../../../docs/LIMITS.md");

/// The first two cells of all rows whose first cell begins with this, without the quotes.
fn rows(begin: &str) -> BTreeMap<String, String> {
    let cells = |line: &'static str| {
        let mut cells = line.split('|').skip(1).map(str::trim);
        let name = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
        Some((name.to_owned(), cells.next()?.to_owned()))
    };
    PAGE.lines().filter_map(cells).filter(|(name, _)| name.starts_with(begin)).collect()
}

/// The flags in the help of the program, with their defaults.
fn flags(help: &str) -> BTreeMap<String, String> {
    let mut flags: Vec<(String, String)> = Vec::new();
    for line in help.lines().map(str::trim) {
        if line.starts_with('-')
            && let Some(flag) = line.split([' ', ',']).find(|word| word.starts_with("--"))
        {
            flags.push((flag.to_owned(), String::new()));
        }
        if let (Some((_, default)), Some(last)) = (line.split_once("[default: "), flags.last_mut()) {
            last.1 = default.split(']').next().map(str::to_owned).unwrap();
        }
    }
    flags.into_iter().collect()
}

#[tokio::test]
async fn the_page_has_the_flags_and_defaults_of_the_help() {
    let help = Program::server(&["host", "--help"]).ended().await.stdout;
    let (known, page) = (flags(&help), rows("--"));
    for (flag, default) in &page {
        assert_eq!(known.get(flag), Some(&default.replace(',', "")), "{flag}");
    }
    let limits: Vec<&String> = known.keys().filter(|flag| flag.starts_with("--max-")).collect();
    assert!(limits.len() > 10, "{limits:?}");
    let missing: Vec<_> = limits.into_iter().filter(|flag| !page.contains_key(*flag)).collect();
    assert!(missing.is_empty(), "not on the page: {missing:?}");
    for word in page.keys().cloned().chain(["--history-size".into(), "--thinkers".into()]) {
        assert!(known.contains_key(&word), "{word} is no flag");
    }
}

/// All constants of the server, of its web site and of the protocol's limits: `file::NAME`, and the expression.
fn constants() -> BTreeMap<String, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut found, mut folders) = (BTreeMap::new(), vec![source.join("server"), source.join("web")]);
    let mut files: Vec<PathBuf> = vec![source.join("server.rs"), source.join("wire/limits.rs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    for file in files {
        let (stem, text) =
            (file.file_stem().unwrap().to_str().unwrap(), std::fs::read_to_string(&file).unwrap());
        for line in text.lines().filter_map(|line| line.split_once("const ")).map(|(_, rest)| rest) {
            if let Some((name, rest)) = line.split_once(": ")
                && let Some((_, value)) = rest.split_once(" = ")
            {
                found.insert(format!("{stem}::{name}"), value.trim_end_matches(';').to_owned());
            }
        }
    }
    found
}

/// The value of a constant's expression: a time, or a sum of products of numbers and of other constants.
fn value(expression: &str, all: &BTreeMap<String, String>) -> String {
    if let Some(time) = expression.strip_prefix("Duration::from_") {
        let (unit, number) = time.trim_end_matches(')').split_once('(').unwrap();
        let unit = match unit {
            "millis" => "ms",
            "secs" => "s",
            "mins" => "min",
            unit => unit,
        };
        return format!("{number} {unit}");
    }
    number(expression, all).map_or_else(|| expression.to_owned(), |number| grouped(&number.to_string()))
}

fn number(expression: &str, all: &BTreeMap<String, String>) -> Option<u64> {
    if let Some((first, rest)) = expression.split_once(" + ") {
        return Some(number(first, all)? + number(rest, all)?);
    }
    if let Some((first, rest)) = expression.split_once(" * ") {
        return Some(number(first, all)? * number(rest, all)?);
    }
    expression.replace('_', "").parse().ok().or_else(|| {
        let (_, other) = all.iter().find(|(name, _)| name.ends_with(&format!("::{expression}")))?;
        number(other, all)
    })
}

/// The digits in groups of three.
fn grouped(digits: &str) -> String {
    let groups: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    groups.iter().map(|group| std::str::from_utf8(group).unwrap()).collect::<Vec<_>>().join(",")
}

/// Maxima that bound nothing that a client could use up.
const INSIDE: [&str; 10] = [
    // The upper bounds of flags.
    "config::MAX_COUNT",
    "config::MAX_JOURNAL",
    // How the server divides its own work.
    "outbox::MAX_TOGETHER",
    "members::MAX_REVOKED",
    // What a page shows of a board.
    "drawing::MAX_DRAWN",
    "board::MAX_BUTTONS",
    // Of commands of the host.
    "check::MAX_FINDINGS",
    "recovery::MAX_NAMED",
    "files::MAX_HOLDER",
    "lobby_list::MAX_LISTED",
];

#[test]
fn the_page_has_the_constants_of_the_code() {
    let (all, page) = (constants(), rows(""));
    let page: BTreeMap<_, _> = page.into_iter().filter(|(name, _)| name.contains("::")).collect();
    for (name, told) in &page {
        let expression = all.get(name).unwrap_or_else(|| panic!("{name} is no constant"));
        assert_eq!(*told, value(expression, &all), "{name}");
    }
    // Those of the protocol are on its own page.
    let is_bound = |name: &&String| name.contains("::MAX_") && !name.starts_with("limits::");
    let missing = all.keys().filter(is_bound).filter(|name| !page.contains_key(*name));
    let missing: Vec<_> = missing.filter(|name| !INSIDE.contains(&name.as_str())).collect();
    assert!(missing.is_empty(), "neither on the page nor inside: {missing:?}");
}

#[test]
fn what_the_page_says_of_the_journal_and_of_thoughts_follows_from_the_numbers() {
    let each_second = nim::server::Config::default().max_journal_each;
    let mebibytes = |seconds: u32| each_second * seconds / 1024;
    let (at_once, hour) = (mebibytes(30 * 60), mebibytes(30 * 60) + mebibytes(60 * 60));
    let (nodes, solver) = (super::thoughts::MOST, super::thoughts::MOST_IN_CONNECT_FOUR);
    for words in [
        format!("Half an hour's worth may come at once: {at_once} MiB"),
        format!("adds at most {hour} MiB"),
        format!("searches at most {} positions", grouped(&nodes.to_string())),
        format!("in Connect Four {}", grouped(&solver.to_string())),
        format!("{} files are kept", nim::server::RESERVED_FILES),
    ] {
        assert!(PAGE.contains(&words), "{words:?} is not on the page");
    }
}
