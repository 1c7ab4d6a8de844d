//! The figures, byte for byte. `NIM_BLESS=1 cargo test study` rewrites them; read the difference before you
//! commit it.

use std::path::PathBuf;

use super::shown;

const TEXTBOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/trees/textbook.tree");

fn is_as_kept(arguments: &str, name: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/study").join(name);
    let shown = shown(arguments);
    if std::env::var_os("NIM_BLESS").is_some() {
        std::fs::write(&path, &shown).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(shown, kept, "{name} has changed: look at it, then run the test with NIM_BLESS=1");
}

#[test]
fn the_textbook_tree_matches_its_files_in_all_formats() {
    is_as_kept("tree java-tech:4", "java-tech-4.txt");
    is_as_kept("tree java-tech:4 --format dot", "java-tech-4.dot");
    is_as_kept("tree java-tech:4 --format svg", "java-tech-4.svg");
    is_as_kept("tree java-tech:4 --format json", "java-tech-4.json");
}

#[test]
fn graphs_abstract_trees_and_the_other_order_match_their_files() {
    is_as_kept("tree one-two-ten --graph", "one-two-ten-graph.txt");
    is_as_kept("tree one-two-ten --graph --format svg", "one-two-ten-graph.svg");
    is_as_kept("tree zero-sum:4 --order in", "zero-sum-4-in-order.txt");
    is_as_kept("tree nim:3-4-5 --depth 1 --format svg", "nim-3-4-5-top.svg");
    let textbook = format!("tree --tree {TEXTBOOK}");
    is_as_kept(&textbook, "textbook.txt");
    is_as_kept(&format!("{textbook} --format svg"), "textbook.svg");
    is_as_kept(&format!("trace --tree {TEXTBOOK} --with alpha-beta"), "textbook-trace.txt");
}

#[test]
fn the_help_shows_a_tree_that_can_be_read() {
    for command in ["tree", "trace"] {
        let help = shown(&format!("{command} --help"));
        let (_, example) = help.split_once("# is ignored:\n\n").unwrap();
        let example = example.split("\n\n").next().unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, example).unwrap();
        let tree = shown(&format!("tree --tree {}", file.path().display()));
        assert!(tree.contains("\n0: A: 10, max to move; best B\n"), "{tree}");
    }
}

#[test]
fn the_top_of_a_huge_tree_is_shown_with_exact_values() {
    let top = shown("tree take:1000000000000000000:3:misere --depth 1");
    assert!(top.contains("0: 1000000000000000000, first to move: +1, won; best take 3\n"), "{top}");
    assert!(
        top.contains("1: take 3 leaves 999999999999999997, second to move: +1, lost; 3 moves not shown\n"),
        "{top}"
    );
}
