//! Values of flags, errors about their environment variables, and output.

use std::io::{Write, stderr};

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command};
use nim::cli::print;

/// Writes a line to standard output.
pub(crate) fn say(line: &str) -> anyhow::Result<()> {
    print(format!("{line}\n").as_bytes())
}

/// Writes a line to standard error. A closed standard error is not an error.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(stderr(), "{line}");
}

/// A number with the word for what is counted.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Reads an environment variable for a flag without a value.
pub(crate) fn yes_or_no(text: &str) -> Result<bool, String> {
    match text.to_lowercase().as_str() {
        "true" | "yes" | "on" | "1" | "y" | "t" => Ok(true),
        "false" | "no" | "off" | "0" | "n" | "f" | "" => Ok(false),
        _ => Err("write true or false".into()),
    }
}

/// Names the environment variable in an error about its value.
pub(crate) fn name_variable(mut error: clap::Error, command: &Command) -> clap::Error {
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return error };
    let Some(variable) = variable_of(flag, command) else { return error };
    let both = format!("{variable} (the environment's {flag})");
    error.insert(ContextKind::InvalidArg, ContextValue::String(both));
    error
}

/// The variable of a flag that was not typed. `flag` has the form that clap shows: `--bind <BIND>`.
fn variable_of(flag: &str, command: &Command) -> Option<String> {
    let long = flag.split(' ').next()?;
    let typed = |word: String| word.split('=').next() == Some(long);
    if std::env::args().any(typed) {
        return None;
    }
    let is_meant = |arg: &&Arg| arg.get_long().is_some_and(|name| long.strip_prefix("--") == Some(name));
    let variable = command.get_arguments().find(is_meant)?.get_env()?;
    Some(variable.to_string_lossy().into_owned())
}
