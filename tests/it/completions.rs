//! The completions of a shell at Tab, from the scripts that both programs write; tested with a real bash and
//! a real fish, if they are installed.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::harness::{Program, tools};

/// Calls the function that the script has registered, as bash does at Tab. Returns a line for each
/// completion.
const BASH: &str = r#"
eval "$("$1" completions bash)" || exit 1
program=$2
shift 2
registered=($(complete -p "$program")) || exit 1
for ((i = 0; i < ${#registered[@]}; i++)); do
    [[ ${registered[i]} == -F ]] && function=${registered[i + 1]}
done
COMP_LINE="$program $*"
COMP_POINT=${#COMP_LINE}
"$function" 2> /dev/null
for reply in "${COMPREPLY[@]}"; do echo "$reply"; done
"#;

const CLIENT: (&str, &str) = (env!("CARGO_BIN_EXE_nim-client"), "nim-client");
const SERVER: (&str, &str) = (env!("CARGO_BIN_EXE_nim-server"), "nim-server");

/// Compares the completions of the last of these words; without the shell it does nothing.
#[track_caller]
fn offers(shell: &str, script: &[&str], words: &[&str], expected: &[&str]) {
    let home = tempfile::tempdir().unwrap();
    offers_at(home.path(), shell, script, words, expected);
}

/// The same with this folder as the home, with the saved games in it.
#[track_caller]
fn offers_at(home: &Path, shell: &str, script: &[&str], words: &[&str], expected: &[&str]) {
    if !tools::has(shell) {
        return;
    }
    let mut asked = Command::new(shell);
    asked.args(script).args(words).env("HOME", home).env("NIM_STATE", home.join("state")).current_dir(home);
    let output = asked.output().unwrap();
    assert!(output.status.success(), "{words:?}: {output:?}");
    let lines = String::from_utf8(output.stdout).unwrap();
    // A tab separates the completion from its description.
    let offered: BTreeSet<&str> =
        lines.lines().map(|line| line.split('\t').next().unwrap_or(line).trim_end()).collect();
    assert_eq!(offered, expected.iter().copied().collect(), "{words:?}");
}

/// The completions of both shells after the program's name.
const BOTH: [((&str, &str), &str, &[&str]); 26] = [
    (CLIENT, "rec", &["record"]),
    (CLIENT, "record ex", &["export"]),
    (CLIENT, "study t", &["trace", "tree"]),
    (SERVER, "st", &["status"]),
    (CLIENT, "record export --f", &["--force"]),
    (CLIENT, "play java-tech --two --oth", &["--other"]),
    (SERVER, "host --dur", &["--durability"]),
    (SERVER, "--dur", &["--durability"]),
    (CLIENT, "play --theme ", &["calm", "strong"]),
    (CLIENT, "--theme s", &["strong"]),
    (CLIENT, "play co", &["connect-four"]),
    (CLIENT, "play --level easy tic", &["tic-tac-toe"]),
    (CLIENT, "--ascii play mu", &["mu-torere"]),
    (CLIENT, "play tic-tac-toe j", &[]),
    (CLIENT, "config th", &["theme"]),
    (SERVER, "completions z", &["zsh"]),
    (CLIENT, "study worksheet ja", &["java-tech", "java-tech:21"]),
    (CLIENT, "play --level ", &["beginner", "easy", "fair", "strong", "perfect"]),
    (CLIENT, "connect 192.168.1.7 --level p", &["perfect"]),
    (CLIENT, "connect --new ti", &["tic-tac-toe"]),
    (CLIENT, "study moves tic", &["tic-tac-toe"]),
    (CLIENT, "connect --hints a", &["against-bots", "all"]),
    (CLIENT, "completions f", &["fish"]),
    (SERVER, "--log-format ", &["text", "json"]),
    (SERVER, "host --durability p", &["power", "process"]),
    (SERVER, "backup --da", &["--data"]),
];

/// A bash without anybody's settings.
const IN_BASH: [&str; 5] = ["--norc", "--noprofile", "-c", BASH, "bash"];

/// A fish without anybody's settings.
const IN_FISH: [&str; 3] =
    ["--no-config", "-c", "eval ($argv[1] completions fish | string collect); complete -C $argv[2]"];

#[track_caller]
fn bash_offers((path, name): (&str, &str), words: &str, expected: &[&str]) {
    let words: Vec<&str> = [path, name].into_iter().chain(words.split(' ')).collect();
    offers("bash", &IN_BASH, &words, expected);
}

#[track_caller]
fn fish_offers((path, name): (&str, &str), words: &str, expected: &[&str]) {
    offers("fish", &IN_FISH, &[path, &format!("{name} {words}")], expected);
}

#[test]
fn bash_and_fish_complete_commands_flags_and_their_values() {
    for (program, words, expected) in BOTH {
        bash_offers(program, words, expected);
        fish_offers(program, words, expected);
    }
}

#[test]
fn games_are_completed_with_and_without_a_colon() {
    // Bash replaces only what stands behind the colon.
    for (typed, kept, rest) in [
        ("play nim", "", &["nim:3-4-5", "nim:3-4-5:normal"][..]),
        ("play java-tech:", "java-tech:", &["21"]),
        ("play --two take:2", "take:", &["21:3"]),
        ("connect --new nim:1-3-5-7:m", "nim:1-3-5-7:", &["misere"]),
        ("study nim take:30:4:", "take:30:4:", &["misere", "normal"]),
        ("play java-tech:21:", "java-tech:21:", &[]),
        ("connect --new=tic", "", &["tic-tac-toe"]),
    ] {
        bash_offers(CLIENT, typed, rest);
        let flag = typed.rsplit(' ').next().unwrap().split_once('=').map_or("", |_| "--new=");
        let whole: Vec<String> = rest.iter().map(|rest| format!("{flag}{kept}{rest}")).collect();
        fish_offers(CLIENT, typed, &whole.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn the_codes_of_games_that_can_be_resumed_are_completed() {
    let home = tempfile::tempdir().unwrap();
    let state = home.path().join("state");
    let mut codes = Vec::new();
    for game in ["java-tech:20", "java-tech:21"] {
        let mut player = Program::client(&["play", game, "--state", state.to_str().unwrap()]);
        player.until("Your move").await;
        // A game with a move is kept.
        player.asks("1", "Your move").await;
        player.types("quit\n").await;
        let ended = player.ended().await;
        let (_, code) = ended
            .stdout
            .split_once("The game is kept: nim-client resume ")
            .unwrap_or_else(|| panic!("{ended:?}"));
        codes.push(code.split(' ').next().unwrap().to_owned());
    }
    let (path, name) = CLIENT;
    for code in &codes {
        let typed = &code[..code.len() - 1];
        for command in ["resume", "resume --forget"] {
            let words: Vec<&str> =
                [path, name].into_iter().chain(command.split(' ')).chain([typed]).collect();
            offers_at(home.path(), "bash", &IN_BASH, &words, &[code]);
            let line = format!("{name} {command} {typed}");
            offers_at(home.path(), "fish", &IN_FISH, &[path, &line], &[code]);
        }
    }
}

#[test]
fn every_shell_has_a_script() {
    for ((path, name), shell) in [CLIENT, SERVER]
        .into_iter()
        .flat_map(|program| ["bash", "elvish", "fish", "powershell", "zsh"].map(|shell| (program, shell)))
    {
        let output = Command::new(path).args(["completions", shell]).output().unwrap();
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(
            output.status.success() && script.contains(name) && script.contains(path),
            "{shell}: {script}"
        );
    }
}
