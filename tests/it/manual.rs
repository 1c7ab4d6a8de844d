//! The manual pages of both programs: one page for each command, with the text of its help.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::harness::tools;

const PROGRAMS: [(&str, &str); 2] =
    [("nim-client", env!("CARGO_BIN_EXE_nim-client")), ("nim-server", env!("CARGO_BIN_EXE_nim-server"))];

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{program} {arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The command lines of every command in this help, and of those below them.
fn commands(program: &str, above: &[String]) -> Vec<Vec<String>> {
    let arguments: Vec<&str> = above.iter().map(String::as_str).chain(["--help"]).collect();
    let help = output(program, &arguments);
    let listed =
        help.split("\nCommands:\n").nth(1).unwrap_or_default().split("\n\n").next().unwrap_or_default();
    let names = listed.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    let below = names.flat_map(|name| commands(program, &[above, &[name.to_owned()]].concat()));
    std::iter::once(above.to_vec()).chain(below).collect()
}

/// The written pages by name.
fn pages(program: &str, folder: &Path) -> BTreeSet<String> {
    output(program, &["man", "--to", folder.to_str().unwrap()]);
    fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn every_command_has_a_page_and_its_help_ends_with_the_same_examples() {
    for (name, program) in PROGRAMS {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("man/man1");
        let (pages, commands) = (pages(program, &folder), commands(program, &[]));
        assert!(commands.len() > 6, "{commands:?}");
        let page =
            |command: &Vec<String>| format!("{}.1", [&[name.to_owned()], &command[..]].concat().join("-"));
        assert_eq!(pages, commands.iter().map(page).collect());
        for command in &commands {
            let text = fs::read_to_string(folder.join(page(command))).unwrap();
            let text = text.replace("\\*(Aq", "'").replace('\\', "");
            let arguments: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
            let help = output(program, &arguments);
            let (_, examples) =
                help.rsplit_once("\nExamples:\n").unwrap_or_else(|| panic!("{command:?}: {help}"));
            assert!(text.contains(".SH EXAMPLES"), "{command:?}");
            for line in examples.lines() {
                assert!(text.contains(line.trim()), "{command:?}: {line} is not on the page:\n{text}");
            }
        }
        assert_eq!(output(program, &["man"]), fs::read_to_string(folder.join(format!("{name}.1"))).unwrap());
    }
}

#[test]
fn groff_reports_no_warnings() {
    if !tools::has("groff") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (_, program) in PROGRAMS {
        pages(program, folder.path());
    }
    for file in fs::read_dir(folder.path()).unwrap() {
        let path = file.unwrap().path();
        let mut groff = Command::new("groff");
        let shown = groff.args(["-man", "-Tutf8", "-Kutf8", "-ww"]).arg(&path).output().unwrap();
        assert!(shown.status.success() && shown.stderr.is_empty(), "{}: {shown:?}", path.display());
        assert!(!shown.stdout.is_empty());
    }
}

#[test]
fn pages_and_scripts_replace_other_files_only_if_told() {
    for (name, program) in PROGRAMS {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().to_str().unwrap();
        pages(program, folder.path());
        // The same pages again replace nothing.
        pages(program, folder.path());
        let script = folder.path().join("script");
        let to_script = ["completions", "bash", "--to", script.to_str().unwrap()];
        assert_eq!(output(program, &to_script), "");
        assert_eq!(fs::read_to_string(&script).unwrap(), output(program, &["completions", "bash"]));
        let [page, other] = ["", "-man"].map(|command| folder.path().join(format!("{name}{command}.1")));
        let refused = |words: &[&str], told: &str| {
            let output = Command::new(program).args(words).output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.code() == Some(1) && said.contains(told), "{told:?}: {said}");
            for file in [&page, &script] {
                assert_eq!(fs::read_to_string(file).unwrap(), "mine", "{words:?}");
            }
        };
        for file in [&page, &script] {
            fs::write(file, "mine").unwrap();
        }
        refused(&to_script, "script is there already: choose another name, or overwrite it with --force");
        refused(
            &["man", "--to", place],
            ".1 is there already: choose another name, or overwrite it with --force",
        );
        fs::write(&other, "mine too").unwrap();
        refused(
            &["man", "--to", place],
            ".1 and another file are there already: choose another folder, or overwrite",
        );
        output(program, &["man", "--to", place, "--force"]);
        assert_eq!(fs::read_to_string(&page).unwrap(), output(program, &["man"]));
        output(program, &[&to_script[..], &["--force"]].concat());
        assert_ne!(fs::read_to_string(&script).unwrap(), "mine");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn at_a_terminal_a_person_is_asked_once_before_pages_are_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let files =
        ["nim-client.1", "nim-client-play.1", "nim-client-man.1"].map(|name| folder.path().join(name));
    for (answer, code, is_kept) in [("", 1, true), ("y", 0, false)] {
        for file in &files {
            fs::write(file, "mine").unwrap();
        }
        let mut person = crate::harness::Terminal::client(&["man", "--to", folder.path().to_str().unwrap()]);
        person.until(" and 2 other files are there already. Overwrite them? (y/N)").await;
        person.types(answer);
        let (ended, screen) = person.ended().await;
        assert_eq!(ended, code, "{screen}");
        assert_eq!(screen.contains("are left as they are"), is_kept, "{screen}");
        assert!(files.iter().all(|file| (fs::read_to_string(file).unwrap() == "mine") == is_kept));
    }
}

#[cfg(unix)]
#[test]
fn an_unwritable_folder_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for (name, program) in PROGRAMS {
        let output =
            Command::new(program).args(["man", "--to", file.path().to_str().unwrap()]).output().unwrap();
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(
            words.starts_with(&format!("{name}: could not make the folder {}", file.path().display())),
            "{words}"
        );
    }
}
