//! Which source file uses an item of which other file: every `use` and every longer path, followed through
//! re-exports to the file with the item. Comments and unit tests are left out. It expects the format of
//! rustfmt, takes a path in a string for a real one, and ` //` in a string for a comment. It refuses what it
//! cannot follow: globs and inline modules. It does not see macros, which are found by their place in the
//! text, nor which file has a method if the methods of one type are in several files.

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
    /// The names that its `use` declarations bring into scope, in any function, and the paths of each.
    names: Names,
    /// All other paths of two or more names.
    paths: BTreeSet<Vec<String>>,
}

impl Module {
    /// Whether it uses a path with these consecutive names, such as `std::fs`.
    pub(super) fn names(&self, item: &str) -> bool {
        let mut paths = self.names.values().flatten().chain(&self.paths);
        paths.any(|path| format!("::{}::", path.join("::")).contains(&format!("::{item}::")))
    }
}

/// For each name in scope, the paths that it may stand for.
type Names = BTreeMap<String, BTreeSet<Vec<String>>>;

/// For each file, the files that it imports from, each with the items.
pub(super) type Imports = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

impl Sources {
    /// Reads `lib.rs`, the programs in `bin`, and every file that they declare. `read` gets a path below
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
        let (number, mut code) = (self.modules.len(), code(&text));
        let names = take_uses(&mut code);
        let globs = names.get("*");
        assert_eq!(globs, None, "{file}: name what is used of it; globs are not followed");
        let inline = code.iter().find(|line| behind("mod ", line).is_some_and(|rest| rest.ends_with('{')));
        assert_eq!(inline, None, "{file}: give this module a file of its own");
        let (paths, declared) = (paths(&code), declared(&code));
        self.modules.push(Module { file, text, parent, children: BTreeMap::new(), names, paths });
        for child in declared {
            let below = format!("{folder}{child}/");
            let place = self.add(format!("{folder}{child}.rs"), &below, Some(number), read);
            self.modules[number].children.insert(child, place);
        }
        number
    }

    /// The imports of each file, without a file's own items.
    pub(super) fn imports(&self) -> Imports {
        let mut imports = Imports::new();
        for (number, module) in self.modules.iter().enumerate() {
            let found = imports.entry(module.file.clone()).or_default();
            for path in module.names.values().flatten().chain(&module.paths) {
                for target in self.homes(path, number, 0).into_iter().filter(|target| *target != number) {
                    let item = path.last().cloned().unwrap_or_default();
                    found.entry(self.modules[target].file.clone()).or_default().insert(item);
                }
            }
        }
        imports
    }

    /// The top-level modules that a module names directly; these may re-export items of others.
    pub(super) fn top_level(&self, number: usize) -> BTreeSet<&str> {
        let module = &self.modules[number];
        let paths = module.names.values().flatten().chain(&module.paths);
        let below_root = paths.filter_map(|path| {
            let (at, rest) = self.start(path, number)?;
            rest.first().filter(|_| self.modules[at].parent.is_none())
        });
        below_root.map(String::as_str).collect()
    }

    fn root(&self, module: usize) -> usize {
        self.modules[module].parent.map_or(module, |parent| self.root(parent))
    }

    /// The module at the start of a path, and the rest of the path; `None` for another crate.
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

    /// The modules with the items that this path may stand for, seen from `from`. None for other crates, and
    /// for a path to a module itself: using that module's items is a path of its own.
    fn homes(&self, path: &[String], from: usize, depth: usize) -> Vec<usize> {
        let Some((mut at, mut rest)) = self.start(path, from) else { return Vec::new() };
        while let [name, behind @ ..] = rest {
            let module = &self.modules[at];
            if let Some(&child) = module.children.get(name) {
                (at, rest) = (child, behind);
                continue;
            }
            let named = module.names.get(name).filter(|_| depth < 16).into_iter().flatten();
            let mut named = named.filter(|target| target[..] != *path).peekable();
            if named.peek().is_none() {
                return vec![at];
            }
            return named.flat_map(|target| self.homes(&[target, behind].concat(), at, depth + 1)).collect();
        }
        Vec::new()
    }
}

/// Groups of files each of which imports all others, directly or not.
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

/// The lines of a file, without comments and without items that exist only in unit tests. The file has to be
/// formatted by rustfmt, which puts a space before a comment.
fn code(text: &str) -> Vec<&str> {
    let (mut kept, mut skipped) = (Vec::new(), None);
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let line = if line[indent..].starts_with("//") { "" } else { line };
        let line = line.split(" //").next().unwrap_or(line);
        if line.trim() == "#[cfg(test)]" {
            skipped = Some(indent);
        } else if skipped.is_none() {
            kept.push(line);
        } else if skipped == Some(indent) && line.trim_end().ends_with([';', '}']) {
            skipped = None;
        }
    }
    kept
}

/// The text after this keyword, if the line begins with it, after any visibility.
fn behind<'a>(keyword: &str, line: &'a str) -> Option<&'a str> {
    let (visibility, behind) = line.split_once(keyword)?;
    let visibility = visibility.trim();
    let begins =
        matches!(visibility, "" | "pub") || (visibility.starts_with("pub(") && visibility.ends_with(')'));
    begins.then_some(behind)
}

/// Removes all `use` declarations: returns the names that they bring into scope, with their paths.
fn take_uses(code: &mut Vec<&str>) -> Names {
    let (mut names, mut kept) = (Names::new(), Vec::new());
    let mut lines = std::mem::take(code).into_iter();
    while let Some(line) = lines.next() {
        let Some(first) = behind("use ", line) else {
            kept.push(line);
            continue;
        };
        let mut declaration = first.to_owned();
        while !declaration.ends_with(';') {
            declaration += lines.next().expect("a declaration ends").trim();
        }
        tree(declaration.trim_end_matches(';'), &[], &mut names);
    }
    *code = kept;
    names
}

/// Reads one tree of a `use` declaration below `base`.
fn tree(text: &str, base: &[String], names: &mut Names) {
    let (path, branches) = text.split_once('{').unwrap_or((text, ""));
    let (path, alias) = path.split_once(" as ").unwrap_or((path, ""));
    let words =
        path.trim().split("::").filter(|word| !word.is_empty() && (*word != "self" || base.is_empty()));
    let path: Vec<String> = base.iter().cloned().chain(words.map(str::to_owned)).collect();
    if branches.is_empty() {
        let name = if alias.is_empty() { path.last().map_or("", String::as_str) } else { alias };
        names.entry(name.to_owned()).or_default().insert(path);
        return;
    }
    let mut depth = 0;
    let parts = branches.trim_end().strip_suffix('}').unwrap_or(branches).split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    parts.filter(|part| !part.trim().is_empty()).for_each(|part| tree(part, &path, names));
}

/// All paths of at least two names.
fn paths(code: &[&str]) -> BTreeSet<Vec<String>> {
    let words =
        code.iter().flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')));
    let paths = words.map(|word| word.trim_matches(':').split("::").map(str::to_owned).collect());
    paths.filter(|path: &Vec<String>| path.len() > 1).collect()
}

/// The modules that are declared here and are files of their own.
fn declared(code: &[&str]) -> Vec<String> {
    code.iter().filter_map(|line| Some(behind("mod ", line)?.strip_suffix(';')?.to_owned())).collect()
}

#[test]
fn imports_are_seen_in_every_form() {
    let read = |file: &str| {
        let text = match file {
            "lib.rs" => "mod a;\nmod b;\npub mod c;\nmod d;",
            "a.rs" => {
                "use crate::{\n    b::{Inner, outer as _},\n    c::C as _,\n};\n// use crate::c::No;\nstruct A<'a>(&'a str);\n\nfn f() {\n    use crate::d::X;\n}\n\nfn g() {\n    use crate::b::X;\n}"
            }
            "b.rs" => {
                "mod inner;\n\npub use inner::Inner;\n\npub(crate) fn f() -> char {\n    '\"'\n}\n\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}"
            }
            "b/inner.rs" => {
                "pub struct Inner;\n\nfn f() {\n    super::f(\"http://x\", super::super::a::g::<u8>()) // crate::c::C\n}"
            }
            "c.rs" => {
                "#[cfg(test)]\nmod tests;\n\nuse crate::b;\n\n// crate::a::A\nfn f() -> b::Inner {\n    std::fs::read(\"x\")\n}"
            }
            "d.rs" => "pub struct X;",
            _ => return None,
        };
        Some(text.to_owned())
    };
    let sources = Sources::load(&[], &read);
    let imports = sources.imports();
    let of = |file: &str| imports[file].keys().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(of("a.rs"), ["b.rs", "b/inner.rs", "c.rs", "d.rs"]);
    assert_eq!(of("b.rs"), ["b/inner.rs"]);
    assert_eq!(of("b/inner.rs"), ["a.rs", "b.rs"]);
    assert_eq!(of("c.rs"), ["b/inner.rs"]);
    let found = circles(&imports, &[]);
    assert_eq!(found, [["a.rs", "b.rs", "b/inner.rs", "c.rs"].map(String::from).into()]);
    assert_eq!(circles(&imports, &[("b/inner.rs", "a.rs"), ("b/inner.rs", "b.rs")]), []);
    assert_eq!(Vec::from_iter(sources.top_level(1)), ["b", "c", "d"]);
    assert!(sources.modules()[4].names("std::fs") && !sources.modules()[1].names("std::fs"));
}

#[test]
fn what_cannot_be_followed_is_refused() {
    for (text, why) in [
        ("use super::*;", "globs are not followed"),
        ("mod inner {\n    use super::C;\n}", "a file of its own"),
    ] {
        let refused = std::panic::catch_unwind(|| Sources::load(&[], &|_| Some(text.to_owned())));
        let said = refused.unwrap_err().downcast::<String>().unwrap();
        assert!(said.contains(why), "{said}");
    }
}
