//! The completions of a shell at Tab, from the scripts that both programs write; tested with a real bash and
//! a real fish, if they are installed.

use std::collections::BTreeSet;
use std::process::Command;

use crate::harness::tools;

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
COMP_WORDS=("$program" "$@")
COMP_CWORD=$#
"$function" "$program" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2> /dev/null
printf '%s\n' "${COMPREPLY[@]}"
"#;

const CLIENT: (&str, &str) = (env!("CARGO_BIN_EXE_nim-client"), "nim-client");
const SERVER: (&str, &str) = (env!("CARGO_BIN_EXE_nim-server"), "nim-server");

/// Compares the completions of the last of these words; without the shell it does nothing.
#[track_caller]
fn offers(shell: &str, script: &[&str], words: &[&str], expected: &[&str]) {
    if !tools::has(shell) {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let mut asked = Command::new(shell);
    asked.args(script).args(words).env("HOME", home.path()).current_dir(home.path());
    let output = asked.output().unwrap();
    assert!(output.status.success(), "{words:?}: {output:?}");
    let lines = String::from_utf8(output.stdout).unwrap();
    // A tab separates the completion from its description.
    let offered: BTreeSet<&str> =
        lines.lines().map(|line| line.split('\t').next().unwrap_or(line).trim_end()).collect();
    assert_eq!(offered, expected.iter().copied().collect(), "{words:?}");
}

/// The completions of both shells after the program's name.
const BOTH: [((&str, &str), &str, &[&str]); 19] = [
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

/// The completions of fish alone.
const FISH: [((&str, &str), &str, &[&str]); 9] = [
    (CLIENT, "--theme ", &["calm", "strong"]),
    (CLIENT, "--ascii --theme s", &["strong"]),
    (CLIENT, "play co", &["connect-four"]),
    (CLIENT, "play --level easy tic", &["tic-tac-toe"]),
    (CLIENT, "--ascii play mu", &["mu-torere"]),
    (CLIENT, "play tic-tac-toe j", &[]),
    (CLIENT, "study tree pong", &["pong-hau-ki"]),
    (CLIENT, "config th", &["theme"]),
    (SERVER, "completions z", &["zsh"]),
];

#[test]
fn bash_completes_commands_flags_and_their_values() {
    for ((path, name), words, expected) in
        BOTH.into_iter().chain([(CLIENT, "play --bot", &["--bot-pace"][..])])
    {
        let words: Vec<&str> = [path, name].into_iter().chain(words.split(' ')).collect();
        offers("bash", &["--norc", "--noprofile", "-c", BASH, "bash"], &words, expected);
    }
}

#[test]
fn fish_completes_commands_flags_their_values_games_settings_and_shells() {
    const ASK: &str = "eval ($argv[1] completions fish | string collect); complete -C $argv[2]";
    for ((path, name), words, expected) in BOTH.into_iter().chain(FISH) {
        offers("fish", &["--no-config", "-c", ASK], &[path, &format!("{name} {words}")], expected);
    }
}
