//! The README and the pages in `docs`, compared with the real programs.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::harness::{campaign, tools};

#[cfg(unix)]
mod leaving;
#[cfg(unix)]
mod records;

const README: &str = include_str!("../../README.md");
const PLAYING: &str = include_str!("../../docs/playing.md");
const BROWSERS: &str = include_str!("../../docs/browsers.md");
const HOSTING: &str = include_str!("../../docs/hosting.md");
const LIMITS: &str = include_str!("../../docs/LIMITS.md");
const TEACHING: &str = include_str!("../../docs/teaching.md");
const BOTS: &str = include_str!("../../docs/bots.md");
const SPEED: &str = include_str!("../../docs/speed.md");
const CLUSTER: &str = include_str!("../../docs/cluster.md");
const CONTRIBUTING: &str = include_str!("../../docs/contributing.md");

/// All pages for people, each with its path.
const PAGES: [(&str, &str); 10] = [
    ("README.md", README),
    ("docs/playing.md", PLAYING),
    ("docs/browsers.md", BROWSERS),
    ("docs/hosting.md", HOSTING),
    ("docs/cluster.md", CLUSTER),
    ("docs/LIMITS.md", LIMITS),
    ("docs/teaching.md", TEACHING),
    ("docs/bots.md", BOTS),
    ("docs/speed.md", SPEED),
    ("docs/contributing.md", CONTRIBUTING),
];

/// The blocks of all pages that begin with this line.
fn blocks(first_line: &str) -> Vec<&'static str> {
    let fenced = PAGES.iter().flat_map(|(_, page)| page.split("```").skip(1).step_by(2));
    fenced
        .filter_map(|block| block.split_once('\n'))
        .map(|(_, text)| text)
        .filter(|text| text.starts_with(first_line))
        .collect()
}

/// The typed text in a transcript line, after the question that ends with `: `.
fn typed(line: &str) -> Option<(&str, &str)> {
    let asks = line.starts_with("Your move (") || line.starts_with("Type again");
    let (question, answer) = line.rsplit_once(": ")?;
    asks.then_some((question, answer))
}

/// Plays the typed lines of a transcript with the real program and returns the new transcript.
fn played(transcript: &str) -> String {
    let command = transcript.lines().next().unwrap().trim_start_matches("$ nim-client ");
    let mut program = Command::new(env!("CARGO_BIN_EXE_nim-client"))
        .args(command.split(' '))
        .args(["--bot-pace", "0"])
        .env("NIM_CONFIG", "")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut answers = transcript.lines().filter_map(typed).map(|(_, answer)| answer);
    let input: String = answers.clone().flat_map(|answer| [answer, "\n"]).collect();
    program.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = program.wait_with_output().unwrap();
    assert!(output.status.success(), "{command}");
    let screen = String::from_utf8(output.stdout).unwrap();
    // A pipe shows the question alone; on a terminal the answer follows it.
    let mut echo = |line: &str| {
        let answer = if line.ends_with(": ") { answers.next().unwrap_or_default() } else { "" };
        format!("{line}{answer}\n")
    };
    let lines: String = screen.lines().map(&mut echo).collect();
    format!("$ nim-client {command}\n{lines}")
}

#[test]
fn every_game_on_the_pages_is_what_the_program_prints() {
    let transcripts = blocks("$ nim-client play");
    assert!(!transcripts.is_empty());
    for transcript in transcripts {
        assert_eq!(played(transcript), transcript);
    }
}

/// The commands of these blocks, each with its output.
#[cfg(unix)]
fn steps(first_line: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    blocks(first_line)
        .into_iter()
        .flat_map(|block| block.split("$ ").skip(1))
        .filter_map(|step| step.split_once('\n'))
}

/// The output of a line on both streams in this shell. The shell starts in this home, finds the programs by
/// name, and has nothing else of the user. It has to fail exactly if it prints an error.
#[cfg(unix)]
fn printed(shell: &str, home: &Path, line: &str) -> String {
    let programs = Path::new(env!("CARGO_BIN_EXE_nim-client")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new(shell);
    shell.args(["-c", &format!("exec 2>&1; {line}")]).current_dir(home);
    shell.env_clear().env("PATH", path).env("HOME", home).env("USER", "anna");
    let output = shell.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.success(), !text.starts_with("nim-client: "), "{line}: {text}");
    text
}

#[cfg(unix)]
#[test]
fn study_and_settings_on_the_pages_match_the_programs_output() {
    let home = tempfile::tempdir().unwrap();
    let shown: Vec<_> = steps("$ nim-client study").chain(steps("$ nim-client config")).collect();
    for what in ["study levels", "study moves", "study trace", "study count", "config name"] {
        assert!(shown.iter().any(|(command, _)| command.contains(what)), "{what}");
    }
    for (command, text) in shown {
        // Its thousands of games take many seconds, and it prints a hint on standard error.
        let is_long = command.starts_with("nim-client study levels");
        if is_long && !campaign::is_on() {
            continue;
        }
        let line = if is_long { format!("{command} 2> /dev/null") } else { command.to_owned() };
        let printed = printed("sh", home.path(), &line).replace(home.path().to_str().unwrap(), "/home/anna");
        assert_eq!(printed.trim_end(), text.trim_end(), "{command}");
    }
}

#[cfg(unix)]
#[test]
fn the_setup_commands_on_the_page_work() {
    let home = tempfile::tempdir().unwrap();
    let (_, section) = PLAYING.split_once("| typed once |").unwrap();
    let once = section.lines().filter_map(|row| row.strip_prefix("| `")?.split("` |").next());
    for line in once.take(2) {
        assert_eq!(printed("sh", home.path(), line), "");
    }
    for page in ["nim-client.1", "nim-client-record.1"] {
        assert!(home.path().join(".local/share/man/man1").join(page).is_file(), "{page}");
    }
    if tools::has("bash") {
        let offered = printed("bash", home.path(), "source ~/.bashrc; complete -p nim-client");
        assert!(offered.contains("-F _nim_client"), "{offered}");
    }
}

#[cfg(unix)]
#[test]
fn the_fields_of_studies_for_scripts_are_on_the_page() {
    fn fields(value: &serde_json::Value, found: &mut Vec<String>) {
        match value {
            serde_json::Value::Object(object) => object.iter().for_each(|(key, value)| {
                found.push(key.clone());
                fields(value, found);
            }),
            serde_json::Value::Array(values) => values.iter().for_each(|value| fields(value, found)),
            _ => {}
        }
    }
    let (home, mut found) = (tempfile::tempdir().unwrap(), Vec::new());
    for command in [
        "moves java-tech --json",
        "count java-tech --json",
        "solve java-tech --json",
        "nim java-tech --json",
        "tree java-tech:4 --format json",
    ] {
        let json = printed("sh", home.path(), &format!("nim-client study {command}"));
        fields(&serde_json::from_str(&json).unwrap(), &mut found);
    }
    let section = TEACHING.split_once("### For scripts").unwrap().1.split("\n## ").next().unwrap();
    for field in found {
        assert!(section.contains(&format!("`{field}`")), "{field}");
    }
}

#[test]
fn the_levels_on_the_page_are_those_of_the_bot() {
    use nim::bot::{Level, strength};
    for level in Level::ALL {
        let Some(strength) = strength::of(level) else { continue };
        let row = TEACHING.lines().find(|line| line.starts_with(&format!("| `{level}` |"))).unwrap();
        assert!(row.contains(&format!("| {}", strength.blunders)), "{row}");
        assert!(row.ends_with(&format!("| {} moves |", strength.look_ahead)), "{row}");
    }
}

#[test]
fn every_form_of_a_game_is_on_the_page() {
    for (form, words) in nim::game::any::Variant::forms() {
        let row = format!("| `{}` | {words} |", form.replace('|', "\\|"));
        assert!(PLAYING.contains(&row), "the page has no row {row}");
    }
}

#[cfg(unix)]
#[test]
fn the_checksum_on_the_page_is_that_of_the_opening_book() {
    let book = concat!(env!("CARGO_MANIFEST_DIR"), "/src/search/connect_four/book/scores");
    // Coreutils on Linux, Perl's on macOS.
    let sum = Command::new("sha256sum").arg(book).output();
    let sum = sum.or_else(|_| Command::new("shasum").args(["-a", "256", book]).output()).unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap();
    assert!(SPEED.contains(&format!("`{}`", sum.split(' ').next().unwrap())), "{sum}");
}

/// The anchors of a page: its headings, as GitHub writes them.
fn anchors(page: &str) -> Vec<String> {
    let headings = page.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#'));
    let kept = |c: char| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c.to_ascii_lowercase()),
        _ => None,
    };
    headings.map(|heading| heading.trim().chars().filter_map(kept).collect()).collect()
}

#[test]
fn every_link_on_the_pages_leads_somewhere() {
    for (name, page) in PAGES {
        let links = page.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for link in links.filter(|link| !link.starts_with("http")) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let here = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
            let target = if path.is_empty() { here } else { here.parent().unwrap().join(path) };
            assert!(target.exists(), "{name}: {link} is not there");
            if !anchor.is_empty() {
                let text = std::fs::read_to_string(&target).unwrap();
                assert!(anchors(&text).contains(&anchor.to_owned()), "{name}: {link} is no heading");
            }
        }
    }
}

#[test]
fn every_page_in_the_folder_is_checked_and_linked_from_the_readme() {
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/docs")).unwrap() {
        let name = format!("docs/{}", entry.unwrap().file_name().to_str().unwrap());
        assert!(PAGES.iter().any(|(page, _)| *page == name), "{name} is not checked");
        assert!(README.contains(&format!("]({name})")), "{name} is not in the README");
    }
}

#[test]
fn the_readme_is_short_and_begins_with_how_to_run_and_test() {
    let lines: Vec<&str> = README.lines().collect();
    assert!(lines.len() <= 150, "{} lines", lines.len());
    for command in ["cargo run --release -- play", "cargo test"] {
        let at = lines.iter().position(|line| line.starts_with(command)).unwrap();
        assert!(at < 40, "{command} is on line {}", at + 1);
    }
}

#[test]
fn the_picture_in_the_readme_is_the_one_that_is_compared_with_the_screen() {
    let picture = README.split("```").nth(1).unwrap();
    assert!(PLAYING.contains(picture));
}

#[test]
fn no_page_says_whoever() {
    for (name, page) in PAGES {
        assert!(!page.to_lowercase().contains("whoever"), "{name}");
    }
}
