//! "Make it yours", typed again in an empty home: what the commands print, and what the lines that are typed
//! once bring.

use std::path::Path;
use std::process::Command;

use super::{README, blocks};
use crate::harness::tools;

/// Her home in the README.
const HOME: &str = "/home/anna";

/// A shell in this home, which knows the programs by their names and nothing else of the user who runs the
/// tests.
fn shell(name: &str, home: &Path) -> Command {
    let programs = Path::new(env!("CARGO_BIN_EXE_nim-client")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new(name);
    shell.arg("-c").env_clear();
    shell.env("PATH", format!("{}:{path}", programs.display())).env("HOME", home).env("USER", "anna");
    shell
}

/// What the line prints in this shell.
fn typed(name: &str, home: &Path, line: &str) -> String {
    let output = shell(name, home).arg(line).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{line}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn settings_are_set_shown_and_removed_as_the_readme_shows() {
    let home = tempfile::tempdir().unwrap();
    let [shown] = blocks("$ nim-client config")[..].try_into().unwrap();
    for step in shown.strip_prefix("$ ").unwrap().split("\n$ ") {
        let (command, text) = step.split_once('\n').unwrap();
        let printed = typed("sh", home.path(), command).replace(home.path().to_str().unwrap(), HOME);
        assert_eq!(printed.trim_end(), text.trim_end(), "{command}");
    }
}

#[test]
fn what_the_readme_has_one_type_once_brings_what_it_says() {
    let home = tempfile::tempdir().unwrap();
    let (_, section) = README.split_once("| typed once |").unwrap();
    let once = section.lines().filter_map(|row| row.strip_prefix("| `")?.split("` |").next());
    for line in once.take(2) {
        typed("sh", home.path(), line);
    }
    for page in ["nim-client.1", "nim-client-record.1"] {
        assert!(home.path().join(".local/share/man/man1").join(page).is_file(), "{page}");
    }
    if !tools::has("bash") {
        return;
    }
    let offered = typed("bash", home.path(), "source ~/.bashrc; complete -p nim-client");
    assert!(offered.contains("-F _nim_client"), "{offered}");
}
