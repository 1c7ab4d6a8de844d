//! Which file of the sources names something of which other file: every `use` and every longer path, followed
//! through re-exports to the file that has the item. Comments, texts and unit tests are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The files of a crate and its programs, as a tree of modules for each.
#[derive(Debug, Default)]
pub(super) struct Sources {
    modules: Vec<Module>,
}

/// A module that is a file.
#[derive(Debug)]
pub(super) struct Module {
    /// Its path below `src`, with `/`.
    pub(super) file: String,
    pub(super) text: String,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    /// What its `use` declarations bring into scope: the name, and the path behind it.
    names: BTreeMap<String, Vec<String>>,
    /// All other paths of two or more names.
    paths: BTreeSet<Vec<String>>,
}

impl Module {
    /// Whether it names something by a path with these names in it, such as `std::fs`.
    pub(super) fn names(&self, item: &str) -> bool {
        let mut paths = self.names.values().chain(&self.paths);
        paths.any(|path| format!("::{}::", path.join("::")).contains(&format!("::{item}::")))
    }
}

/// For each file, the files that it imports from, each with the items.
pub(super) type Imports = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

impl Sources {
    /// Reads `lib.rs`, the programs in `bin`, and every file that they declare. `read` is given a path below
    /// `src`.
    pub(super) fn load(programs: &[&str], read: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut sources = Self::default();
        for (root, folder) in std::iter::once(("lib.rs".to_owned(), String::new()))
            .chain(programs.iter().map(|name| (format!("bin/{name}/main.rs"), format!("bin/{name}/"))))
        {
            sources.add(root, &folder, None, read);
        }
        sources
    }

    /// The sources of this crate.
    pub(super) fn of_this_crate() -> Self {
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        Self::load(&["nim-server", "nim-client"], &|file| fs::read_to_string(src.join(file)).ok())
    }

    pub(super) fn modules(&self) -> &[Module] {
        &self.modules
    }

    fn add(
        &mut self,
        file: String,
        folder: &str,
        parent: Option<usize>,
        read: &dyn Fn(&str) -> Option<String>,
    ) -> usize {
        let text = read(&file).unwrap_or_else(|| panic!("there is no {file}"));
        let (number, mut tokens) = (self.modules.len(), without_tests(&tokens(&text)));
        let names = take_uses(&mut tokens);
        let (paths, declared) = (paths(&tokens), declared(&tokens));
        self.modules.push(Module { file, text, parent, children: BTreeMap::new(), names, paths });
        for child in declared {
            let below = format!("{folder}{child}/");
            let place = self.add(format!("{folder}{child}.rs"), &below, Some(number), read);
            self.modules[number].children.insert(child, place);
        }
        number
    }

    /// What each file imports. A file's own items are left out.
    pub(super) fn imports(&self) -> Imports {
        let mut imports = Imports::new();
        for (number, module) in self.modules.iter().enumerate() {
            let found = imports.entry(module.file.clone()).or_default();
            for path in module.names.values().chain(&module.paths) {
                if let Some(target) = self.home(path, number, 0).filter(|target| *target != number) {
                    let item = path.last().cloned().unwrap_or_default();
                    found.entry(self.modules[target].file.clone()).or_default().insert(item);
                }
            }
        }
        imports
    }

    /// The top-level modules that a module names itself, which may pass on items of others.
    pub(super) fn top_level(&self, number: usize) -> BTreeSet<&str> {
        let module = &self.modules[number];
        let paths = module.names.values().chain(&module.paths);
        let below_root = paths.filter_map(|path| {
            let (at, rest) = self.start(path, number)?;
            rest.first().filter(|_| self.modules[at].parent.is_none())
        });
        below_root.map(String::as_str).collect()
    }

    fn root(&self, module: usize) -> usize {
        self.modules[module].parent.map_or(module, |parent| self.root(parent))
    }

    /// The module in which a path begins, and the rest of it; `None` if that is another crate.
    fn start<'a>(&self, path: &'a [String], from: usize) -> Option<(usize, &'a [String])> {
        let (mut at, mut rest) = (from, path);
        match path.first()?.as_str() {
            "crate" => return Some((self.root(from), &path[1..])),
            "nim" if self.modules[self.root(from)].file != "lib.rs" => return Some((0, &path[1..])),
            "self" | "super" => {}
            name if self.modules[at].children.contains_key(name) => {}
            name if self.modules[at].names.contains_key(name) => {}
            _ => return None,
        }
        while let Some(word @ ("self" | "super")) = rest.first().map(String::as_str) {
            at = if word == "super" { self.modules[at].parent? } else { at };
            rest = &rest[1..];
        }
        Some((at, rest))
    }

    /// The module that has the item of this path, seen from `from`. `None` for other crates, and for a path
    /// that ends at a module: what is used of that module is a path of its own.
    fn home(&self, path: &[String], from: usize, depth: usize) -> Option<usize> {
        let (mut at, mut rest) = self.start(path, from)?;
        while let [name, behind @ ..] = rest {
            let module = &self.modules[at];
            if let Some(&child) = module.children.get(name) {
                (at, rest) = (child, behind);
            } else if let Some(target) =
                module.names.get(name).filter(|target| target[..] != *path && depth < 16)
            {
                return self.home(&[target, behind].concat(), at, depth + 1);
            } else {
                return Some(at);
            }
        }
        None
    }
}

/// Groups of files each of which imports, by way of others, from all others.
pub(super) fn circles(imports: &Imports, ignored: &[(&str, &str)]) -> Vec<BTreeSet<String>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> = imports
        .keys()
        .map(|file| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![file.as_str()]);
            while let Some(from) = open.pop() {
                let targets = imports.get(from).into_iter().flat_map(BTreeMap::keys).map(String::as_str);
                let kept = targets.filter(|to| !ignored.contains(&(from, to)));
                open.extend(kept.filter(|to| seen.insert(*to)));
            }
            (file.as_str(), seen)
        })
        .collect();
    let circles = reached.iter().filter(|(file, seen)| seen.contains(**file)).map(|(file, seen)| {
        let both = seen.iter().filter(|other| reached[*other].contains(file));
        both.map(|other| (*other).to_owned()).collect()
    });
    circles.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Names, and signs one by one, `::` as one; without comments and literals.
fn tokens(text: &str) -> Vec<String> {
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let name = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(length) = literal(rest) {
            length
        } else {
            let length = if name > 0 {
                name
            } else if rest.starts_with("::") {
                2
            } else {
                first.len_utf8()
            };
            if !first.is_whitespace() {
                found.push(rest[..length].to_owned());
            }
            length
        };
        rest = &rest[length..];
    }
    found
}

/// The length of the string or character at the beginning of this text.
fn literal(text: &str) -> Option<usize> {
    let hashes = text.strip_prefix('r').map(|raw| raw.len() - raw.trim_start_matches('#').len());
    if let Some(count) = hashes.filter(|count| text[1 + count..].starts_with('"')) {
        let end = format!("\"{}", "#".repeat(count));
        return Some(text[2 + count..].find(&end)? + 2 + count + end.len());
    }
    if let Some(quoted) = text.strip_prefix('\'') {
        // Without a quote behind one character or an escape it is a lifetime.
        let second = quoted.chars().next()?;
        let start = 1 + second.len_utf8() + usize::from(second == '\\');
        let end = start + text.get(start..)?.find('\'')?;
        return (second == '\\' || end == start).then_some(end + 1);
    }
    let mut escaped = true;
    let is_end = |&(_, c): &(usize, char)| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    };
    let (end, _) = text.starts_with('"').then(|| text.char_indices().find(is_end))??;
    Some(end + 1)
}

/// The same without items that exist in unit tests only.
fn without_tests(tokens: &[String]) -> Vec<String> {
    const MARK: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let (mut kept, mut rest) = (Vec::new(), tokens);
    while let [first, behind @ ..] = rest {
        if rest.iter().map(String::as_str).take(MARK.len()).eq(MARK) {
            rest = &rest[MARK.len() + item(&rest[MARK.len()..])..];
        } else {
            kept.push(first.clone());
            rest = behind;
        }
    }
    kept
}

/// How long the first item is: up to its semicolon, or to the end of its braces.
fn item(tokens: &[String]) -> usize {
    let mut depth = 0;
    let ends = |token: &String| {
        depth += usize::from(token == "{");
        depth -= usize::from(token == "}");
        depth == 0 && (token == "}" || token == ";")
    };
    tokens.iter().position(ends).map_or(tokens.len(), |end| end + 1)
}

/// Takes out all `use` declarations: each name that they bring into scope, with its path.
fn take_uses(tokens: &mut Vec<String>) -> BTreeMap<String, Vec<String>> {
    let (mut names, mut kept, all) = (BTreeMap::new(), Vec::new(), std::mem::take(tokens));
    let mut rest = &all[..];
    while let [first, behind @ ..] = rest {
        // `use<…>` in a type declares nothing.
        if first == "use" && behind.first().is_some_and(|next| next != "<") {
            rest = tree(behind, &[], &mut names);
        } else {
            kept.push(first.clone());
            rest = behind;
        }
    }
    *tokens = kept;
    names
}

/// Reads one tree of a `use` declaration below `base`, and returns what comes behind it.
fn tree<'a>(
    mut tokens: &'a [String],
    base: &[String],
    names: &mut BTreeMap<String, Vec<String>>,
) -> &'a [String] {
    let mut path = base.to_vec();
    while let [first, behind @ ..] = tokens {
        match first.as_str() {
            "::" => tokens = behind,
            "{" => {
                tokens = behind;
                while !tokens.is_empty() && tokens[0] != "}" {
                    tokens = tree(tokens, &path, names);
                    tokens =
                        if tokens.first().is_some_and(|token| token == ",") { &tokens[1..] } else { tokens };
                }
                return tokens.get(1..).unwrap_or_default();
            }
            "as" => {
                names.insert(behind[0].clone(), path);
                return &behind[1..];
            }
            "," | "}" | ";" => break,
            "self" if !path.is_empty() => tokens = behind,
            _ => {
                path.push(first.clone());
                tokens = behind;
            }
        }
    }
    if let Some(name) = path.last() {
        names.insert(name.clone(), path);
    }
    tokens
}

/// All paths of at least two names.
fn paths(tokens: &[String]) -> BTreeSet<Vec<String>> {
    let is_name = |token: &&String| token.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let (mut found, mut at) = (BTreeSet::new(), 0);
    while at < tokens.len() {
        let mut path: Vec<String> = tokens[at..].iter().take(1).filter(is_name).cloned().collect();
        at += 1;
        while !path.is_empty() && tokens.get(at).is_some_and(|sign| sign == "::") {
            let Some(name) = tokens.get(at + 1).filter(is_name) else { break };
            path.push(name.clone());
            at += 2;
        }
        if path.len() > 1 {
            found.insert(path);
        }
    }
    found
}

/// The modules that are declared here and are files of their own.
fn declared(tokens: &[String]) -> Vec<String> {
    let declarations = tokens.windows(3).filter(|words| words[0] == "mod" && words[2] == ";");
    declarations.map(|words| words[1].clone()).collect()
}

#[test]
fn imports_are_seen_in_every_form() {
    let read = |file: &str| {
        let text = match file {
            "lib.rs" => "mod a; mod b; pub mod c;",
            "a.rs" => {
                "use crate::{b::{Inner, outer::{self, *}}, c::C as D}; /* use crate::c::No; */ struct A<'a>(&'a str);"
            }
            "b.rs" => {
                "mod inner; pub use inner::Inner; pub(crate) fn f() -> char { '\"' } #[cfg(test)] mod tests { use crate::a::A; }"
            }
            "b/inner.rs" => {
                "pub struct Inner; fn f() { let _ = \"crate::c::C\"; super::f(); super::super::a::g::<u8>() }"
            }
            "c.rs" => {
                "#[cfg(test)]\nmod tests; use crate::b; // crate::a::A\nfn f() -> b::Inner { std::fs::read(r#\"crate::a::A\"#) }"
            }
            _ => return None,
        };
        Some(text.to_owned())
    };
    let sources = Sources::load(&[], &read);
    let imports = sources.imports();
    let of = |file: &str| imports[file].keys().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(of("a.rs"), ["b.rs", "b/inner.rs", "c.rs"]);
    assert_eq!(of("b.rs"), ["b/inner.rs"]);
    assert_eq!(of("b/inner.rs"), ["a.rs", "b.rs"]);
    assert_eq!(of("c.rs"), ["b/inner.rs"]);
    let found = circles(&imports, &[]);
    assert_eq!(found, [["a.rs", "b.rs", "b/inner.rs", "c.rs"].map(String::from).into()]);
    assert_eq!(circles(&imports, &[("b/inner.rs", "a.rs"), ("b/inner.rs", "b.rs")]), []);
    assert_eq!(Vec::from_iter(sources.top_level(1)), ["b", "c"]);
    assert!(sources.modules()[4].names("std::fs") && !sources.modules()[1].names("std::fs"));
}
