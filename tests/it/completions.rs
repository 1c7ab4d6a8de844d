//! What a shell offers at Tab, by the scripts that both programs write; asked of a real bash and a real fish,
//! where there is one.

use std::collections::BTreeSet;
use std::process::Command;

use crate::harness::tools;

/// Asks the function that the script has registered, as bash does at Tab; a line for each offer.
const ASK: &str = r#"
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

/// Compares what a shell offers for the last of these words; nothing without the shell.
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
    // A tab is followed by its description.
    let offered: BTreeSet<&str> =
        lines.lines().map(|line| line.split('\t').next().unwrap_or(line).trim_end()).collect();
    assert_eq!(offered, expected.iter().copied().collect(), "{words:?}");
}

#[track_caller]
fn is_offered((path, name): (&str, &str), words: &str, expected: &[&str]) {
    let words: Vec<&str> = [path, name].into_iter().chain(words.split(' ')).collect();
    offers("bash", &["--norc", "--noprofile", "-c", ASK, "bash"], &words, expected);
}

#[track_caller]
fn fish_offers((path, name): (&str, &str), words: &str, expected: &[&str]) {
    const ASK: &str = "eval ($argv[1] completions fish | string collect); complete -C $argv[2]";
    offers("fish", &["--no-config", "-c", ASK], &[path, &format!("{name} {words}")], expected);
}

#[test]
fn bash_completes_commands_and_those_below_them() {
    is_offered(CLIENT, "rec", &["record"]);
    is_offered(CLIENT, "record e", &["export"]);
    is_offered(CLIENT, "study t", &["trace", "tree"]);
    is_offered(SERVER, "st", &["status"]);
}

#[test]
fn bash_completes_flags_of_each_command() {
    is_offered(CLIENT, "record export --f", &["--force"]);
    is_offered(CLIENT, "play --bot", &["--bot-pace"]);
    is_offered(CLIENT, "play java-tech --two --oth", &["--other"]);
    is_offered(SERVER, "host --dur", &["--durability"]);
    is_offered(SERVER, "--dur", &["--durability"]);
    is_offered(SERVER, "backup --da", &["--data"]);
}

#[test]
fn bash_completes_the_values_of_flags() {
    is_offered(CLIENT, "play --theme ", &["calm", "strong"]);
    is_offered(CLIENT, "--theme s", &["strong"]);
    is_offered(CLIENT, "play --level ", &["beginner", "easy", "fair", "strong", "perfect"]);
    is_offered(CLIENT, "connect 192.168.1.7 --level p", &["perfect"]);
    is_offered(CLIENT, "connect --new ti", &["tic-tac-toe"]);
    is_offered(CLIENT, "study moves tic", &["tic-tac-toe"]);
    is_offered(CLIENT, "connect --hints a", &["against-bots", "all"]);
    is_offered(CLIENT, "completions f", &["fish"]);
    is_offered(SERVER, "--log-format ", &["text", "json"]);
    is_offered(SERVER, "host --durability p", &["power", "process"]);
}

#[test]
fn fish_completes_commands_and_flags() {
    fish_offers(CLIENT, "rec", &["record"]);
    fish_offers(CLIENT, "record ex", &["export"]);
    fish_offers(SERVER, "host --dur", &["--durability"]);
}

#[test]
fn fish_completes_values_of_flags_also_before_a_command() {
    fish_offers(CLIENT, "play --theme ", &["calm", "strong"]);
    fish_offers(CLIENT, "--theme ", &["calm", "strong"]);
    fish_offers(CLIENT, "--ascii --theme s", &["strong"]);
    fish_offers(CLIENT, "connect --new ti", &["tic-tac-toe"]);
    fish_offers(SERVER, "--log-format ", &["text", "json"]);
}

#[test]
fn fish_completes_games_settings_and_shells() {
    fish_offers(CLIENT, "play co", &["connect-four"]);
    fish_offers(CLIENT, "play --level easy tic", &["tic-tac-toe"]);
    fish_offers(CLIENT, "--ascii play mu", &["mu-torere"]);
    fish_offers(CLIENT, "play tic-tac-toe j", &[]);
    fish_offers(CLIENT, "study tree pong", &["pong-hau-ki"]);
    fish_offers(CLIENT, "config th", &["theme"]);
    fish_offers(CLIENT, "completions f", &["fish"]);
    fish_offers(SERVER, "completions z", &["zsh"]);
}
