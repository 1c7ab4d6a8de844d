//! The house's order, kept by a test, since one crate does not stop circles by itself: who may import
//! whom, what the pure rooms may not know, where bincode may be named, what a file's first line is.

use std::fs;
use std::path::{Path, PathBuf};

/// Each room, and the rooms that it may import.
const ARROWS: &[(&str, &[&str])] = &[
    ("number", &[]),
    ("game", &["number"]),
    ("search", &["game", "number"]),
    ("study", &["search", "game", "number"]),
    ("lobby", &["game", "number"]),
    ("record", &["lobby", "game", "number"]),
    ("wire", &["lobby", "game", "number"]),
    ("lan", &["number"]),
    ("system", &[]),
    ("cli", &[]),
    ("bot", &["search", "lobby", "game", "number"]),
    ("client", &["wire", "study", "record", "lan", "system", "lobby", "game", "number"]),
    ("server", &["bot", "study", "record", "lan", "system", "wire", "lobby", "game", "number"]),
];

/// Rooms without tokio, files, sockets, clocks and chance of their own.
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
    "Rng::new()",
    "fastrand::u64",
    "fastrand::shuffle",
];

/// Where a pure room starts threads: they are done before the question is answered, and the answer does not depend on them.
const THREADED: &str = "search/connect_four/team.rs";

/// Every source file with its text, comments dropped.
fn sources() -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    assert!(files.len() > 20, "the sources are not where this test looks");
    files
}

fn walk(folder: &Path, files: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push((path.clone(), fs::read_to_string(&path).unwrap()));
        }
    }
}

/// The code of a file without comments and without its unit tests, which may know more than the room.
fn code(text: &str) -> String {
    let before_tests = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    let lines = before_tests.lines().map(|line| line.split("//").next().unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

/// The room that a file belongs to: the first part of its path under `src`, or `None` for `lib.rs` and the binaries.
fn room(path: &Path) -> Option<String> {
    let inside = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    let first = inside.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
    (first != "lib" && first != "bin").then(|| first.to_owned())
}

/// The rooms that a file names, in whatever way: behind `crate::`, or behind as many `super::` as there are modules
/// above it, of which `depth` are; also in a group: `use crate::{game::{Side, any}, wire::…}`.
fn imports(code: &str, depth: usize) -> Vec<String> {
    let code: String = code.split_whitespace().collect();
    let from_above = "super::".repeat(depth);
    let roots = ["crate::", from_above.as_str()].into_iter().filter(|root| !root.is_empty());
    let behind = roots.flat_map(|root| code.match_indices(root).map(move |(at, _)| at + root.len()));
    let mut places: Vec<usize> = behind.collect();
    places.sort_unstable();
    let words = places.into_iter().flat_map(|place| first_words(&code[place..]));
    // Behind the last comma of a group there may be nothing.
    words.filter(|word| !word.is_empty()).collect()
}

/// The first word of a path, or of each path in a group.
fn first_words(paths: &str) -> Vec<String> {
    let word = |path: &str| path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let Some(group) = paths.strip_prefix('{') else { return vec![word(paths)] };
    let (mut words, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                words.push(word(&group[start..at]));
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    words
}

/// How many modules a file is below the crate's root: 1 for `game.rs`, 2 for `game/any.rs`.
fn depth(path: &Path) -> usize {
    path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap().iter().count()
}

#[test]
fn every_import_follows_an_arrow() {
    for (path, text) in sources() {
        let Some(room) = room(&path) else { continue };
        let allowed = ARROWS.iter().find(|(name, _)| *name == room).map(|(_, allowed)| *allowed);
        let allowed =
            allowed.unwrap_or_else(|| panic!("{}: the room {room} is not in the plan", path.display()));
        for import in imports(&code(&text), depth(&path)) {
            let rooms: Vec<&str> = ARROWS.iter().map(|(name, _)| *name).collect();
            if !rooms.contains(&import.as_str()) || import == room {
                continue;
            }
            assert!(allowed.contains(&import.as_str()), "{}: {room} may not import {import}", path.display());
        }
    }
}

#[test]
fn the_arrows_make_no_circle() {
    // In the order in which the rooms can be built, each one imports only rooms that stand before it.
    let mut built: Vec<&str> = Vec::new();
    while built.len() < ARROWS.len() {
        let next = ARROWS
            .iter()
            .find(|(name, needs)| !built.contains(name) && needs.iter().all(|n| built.contains(n)));
        built.push(next.expect("the plan itself has a circle").0);
    }
}

#[test]
fn the_pure_rooms_know_no_outside_world() {
    for (path, text) in sources() {
        if !room(&path).is_some_and(|room| PURE.contains(&room.as_str())) {
            continue;
        }
        for word in IMPURE {
            let allowed = *word == "std::thread" && path.ends_with(THREADED);
            assert!(allowed || !code(&text).contains(word), "{} names {word}", path.display());
        }
    }
}

#[test]
fn bincode_is_named_in_the_codec_alone() {
    for (path, text) in sources() {
        let is_codec = path.ends_with("wire/codec.rs");
        assert!(is_codec || !code(&text).contains("bincode"), "{} names bincode", path.display());
    }
}

#[test]
fn every_file_begins_with_what_its_room_is_for() {
    for (path, text) in sources() {
        assert!(text.starts_with("//! "), "{} does not say what it is for", path.display());
        assert!(!path.ends_with("mod.rs"), "{}: a room's file is named after the room", path.display());
    }
}

#[test]
fn this_test_sees_imports_in_every_form() {
    let code =
        "use crate::game::Side;\nuse crate::{wire::{List, Text}, lobby,\n};\nfn f() { crate::server::run() }";
    assert_eq!(imports(code, 1), ["game", "wire", "lobby", "server"]);
    let code = "use super::super::search::Stop; use super::\n super::{game::{any::Move, Side}, bot}; use super::Text;";
    assert_eq!(imports(code, 2), ["search", "game", "bot"]);
    assert_eq!(depth(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/game/any.rs")), 2);
}
