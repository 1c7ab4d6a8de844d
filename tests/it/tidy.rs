//! The order of the modules, which one crate does not enforce by itself: which module may import which, no
//! circles of files, what the pure modules may not use, where bincode may be named.

mod imports;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use imports::{Imports, Sources, circles};

static SOURCES: LazyLock<Sources> = LazyLock::new(Sources::of_this_crate);

/// Each module, and the modules that it may import.
const ARROWS: &[(&str, &[&str])] = &[
    ("alike", &[]),
    ("number", &[]),
    ("visible", &[]),
    ("game", &["alike", "number"]),
    ("search", &["game", "number"]),
    ("study", &["search", "game", "number"]),
    ("lobby", &["alike", "game", "number", "visible"]),
    ("record", &["lobby", "game", "number"]),
    ("wire", &["lobby", "game", "number"]),
    ("lan", &["number", "visible"]),
    ("system", &[]),
    ("file", &["system"]),
    ("cli", &["file", "system"]),
    ("bot", &["search", "lobby", "game", "number"]),
    ("client", &["alike", "wire", "study", "record", "lan", "file", "system", "lobby", "game", "number"]),
    // A browser's session reaches the server inside the process.
    ("web", &["client", "server", "study", "record", "wire", "lobby", "game", "number"]),
    ("server", &["bot", "study", "record", "lan", "system", "wire", "lobby", "game", "number"]),
    // Only the programs import it.
    ("cluster", &["server", "wire", "lobby", "game", "number"]),
];

/// Modules without tokio, files, sockets, clocks and randomness of their own.
const PURE: &[&str] = &["game", "search", "study", "lobby", "record"];
const IMPURE: &[&str] = &[
    "tokio",
    "std::net",
    "std::fs",
    "std::io",
    "Instant",
    "SystemTime",
    "std::thread",
    "std::env",
    "getrandom",
    "Rng::new",
    "fastrand::u64",
    "fastrand::shuffle",
];

/// Imports that may close a circle of files: from, to, and the reason. At most five.
const ALLOWED: [(&str, &str, &str); 0] = [];

/// The module that a file belongs to, or `None` for `lib.rs` and the programs.
fn module(file: &str) -> Option<&str> {
    let first = file.split('/').next().unwrap_or(file).trim_end_matches(".rs");
    (first != "lib" && first != "bin").then_some(first)
}

#[test]
fn every_import_follows_an_arrow() {
    for (number, source) in SOURCES.modules().iter().enumerate() {
        let Some(importer) = module(&source.file) else { continue };
        let arrows = ARROWS.iter().find(|(name, _)| *name == importer);
        let (_, allowed) = arrows.unwrap_or_else(|| panic!("the module {importer} has no arrows"));
        for imported in SOURCES.top_level(number) {
            let is_allowed = imported == importer || allowed.contains(&imported);
            assert!(is_allowed, "{}: {importer} may not import {imported}", source.file);
        }
    }
}

#[test]
fn the_arrows_make_no_circle() {
    // In the order in which the modules can be built, each one imports only modules that stand before it.
    let mut built: Vec<&str> = Vec::new();
    while built.len() < ARROWS.len() {
        let is_next = |(name, needs): &&(&str, &[&str])| {
            !built.contains(name) && needs.iter().all(|need| built.contains(need))
        };
        built.push(ARROWS.iter().find(is_next).expect("the arrows have a circle").0);
    }
}

#[test]
fn files_do_not_import_each_other_in_a_circle() {
    let imports = SOURCES.imports();
    for (from, to, why) in ALLOWED {
        assert!(imports[from].contains_key(to), "{from} does not import {to} any more: {why}");
    }
    let found = circles(&imports, &ALLOWED.map(|(from, to, _)| (from, to)));
    let told: Vec<String> = found.iter().map(|circle| described(circle, &imports)).collect();
    assert!(found.is_empty(), "{} circles of files:\n{}", found.len(), told.join("\n"));
}

/// The imports inside a circle, one per line.
fn described(circle: &BTreeSet<String>, imports: &Imports) -> String {
    let inside = circle.iter().flat_map(|from| {
        let targets = imports[from].iter().filter(|(to, _)| circle.contains(*to));
        targets.map(move |(to, items)| format!("  {from} -> {to}: {items:?}\n"))
    });
    format!("{} files:\n{}", circle.len(), inside.collect::<String>())
}

#[test]
fn the_pure_modules_do_no_io() {
    for source in SOURCES.modules() {
        let file = source.file.as_str();
        if !module(file).is_some_and(|module| PURE.contains(&module)) {
            continue;
        }
        for item in IMPURE {
            assert!(!source.names(item), "{file} names {item}");
        }
    }
}

#[test]
fn bincode_is_named_in_the_codec_alone() {
    for source in SOURCES.modules() {
        let file = source.file.as_str();
        assert!(file == "wire/codec.rs" || !source.names("bincode"), "{file} names bincode");
    }
}

#[test]
fn every_file_begins_with_its_purpose() {
    for source in SOURCES.modules() {
        assert!(source.text.starts_with("//! "), "{} does not say what it is for", source.file);
    }
}
