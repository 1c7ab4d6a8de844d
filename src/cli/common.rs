//! Help texts with examples, output, and flag parsers that both programs use.

use std::io::{ErrorKind, Write, stdout};

use anyhow::Context;
use clap::Command;

/// A command line, and a description of what it does.
pub type Example = (&'static str, &'static str);

/// The maximum width of an example, so that it fits into a manual page on a terminal of 80 columns.
const MAX_EXAMPLE_WIDTH: usize = 75;

/// The text at the end of a command's help: these parts, then the examples.
pub fn after_help(parts: &[&str], examples: &[Example]) -> String {
    let lines = examples.iter().map(|(line, words)| format!("\n  {line}\n      {words}"));
    let examples = format!("Examples:{}", lines.collect::<String>());
    parts.iter().copied().chain([examples.as_str()]).collect::<Vec<_>>().join("\n\n")
}

/// Writes to standard output. A closed pipe is not an error: the reader has seen enough.
pub fn print(text: &[u8]) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    match out.write_all(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).context("could not write the output")
        }
        _ => Ok(()),
    }
}

/// Parses the seed of a random number generator.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("write a whole number from 0 to {}, as in --seed 7", u64::MAX))
}

/// Checks that the help of each command ends with examples, and that the program accepts each of them. For
/// tests of both programs.
///
/// # Panics
///
/// If an example is missing, too wide or not accepted.
pub fn check_examples(program: &Command) {
    for (typed, mut command) in commands(program, program.get_name()) {
        let help = command.render_long_help().to_string();
        let last = help.trim_end().rsplit("\n\n").next().unwrap_or_default();
        let lines: Vec<&str> = last.lines().collect();
        assert!(
            lines.len() >= 3 && lines[0] == "Examples:",
            "{typed} --help does not end with examples:\n{help}"
        );
        for line in &lines[1..] {
            assert!(line.len() <= MAX_EXAMPLE_WIDTH, "{typed}: an example is too wide: {line}");
        }
        for line in lines[1..].iter().filter(|line| !line.starts_with("   ")) {
            assert!(line.contains(&typed), "{line} is no example of {typed}");
            let read = program.clone().try_get_matches_from(arguments(line, program.get_name()));
            assert!(read.is_ok(), "{line}: {read:?}");
        }
    }
}

/// A command and all its subcommands, each with the words that invoke it.
fn commands(command: &Command, typed: &str) -> Vec<(String, Command)> {
    let below = command.get_subcommands().filter(|command| command.get_name() != "help");
    let below = below.flat_map(|command| commands(command, &format!("{typed} {}", command.get_name())));
    std::iter::once((typed.to_owned(), command.clone())).chain(below).collect()
}

/// The arguments of a program in a shell command line. Examples contain no quotation marks.
fn arguments<'a>(line: &'a str, program: &str) -> impl Iterator<Item = &'a str> {
    let start = line.find(program).unwrap_or_default();
    line[start..].split(['|', '<', '>']).next().unwrap_or_default().split_whitespace()
}
