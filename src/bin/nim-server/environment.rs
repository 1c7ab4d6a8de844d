//! Which variable of the environment a wrong value came from.

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command};

/// The same error; where the value came from the environment, it names the variable and not the flag alone.
pub(crate) fn named(mut error: clap::Error, command: &Command) -> clap::Error {
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return error };
    let Some(variable) = variable_of(flag, command) else { return error };
    let both = format!("{variable} (the environment's {flag})");
    error.insert(ContextKind::InvalidArg, ContextValue::String(both));
    error
}

/// The variable that stands for a flag which was not typed. `flag` is as clap shows it: `--bind <BIND>`.
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
