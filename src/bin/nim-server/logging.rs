//! What a host writes about what happens, to standard error: how much of it, and in which form.

use std::io::{IsTerminal, stderr};

use clap::error::ErrorKind;
use clap::{CommandFactory, ValueEnum};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use super::Cli;

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum LogFormat {
    /// A line for people
    Text,
    /// A JSON object a line, for programs
    Json,
}

/// How much is logged. A wrong choice is a wrong command line.
fn log_filter() -> EnvFilter {
    let wanted = std::env::var(EnvFilter::DEFAULT_ENV).unwrap_or_default();
    let chosen = if wanted.is_empty() { "info" } else { &wanted };
    let filter = match chosen.split(',').find(|part| is_no_level(part)) {
        Some(part) => Err(format!("{part} is no level")),
        None => EnvFilter::try_new(chosen).map_err(|error| error.to_string()),
    };
    filter.unwrap_or_else(|why| {
        let sentence = format!(
            "RUST_LOG={wanted}: {why}; write error, warn, info, debug, trace or off, for one part of the program as in \
             nim::server=debug"
        );
        Cli::command().error(ErrorKind::InvalidValue, sentence).exit()
    })
}

/// Whether this part of a filter is a word that looks like a level and is none. It would be taken for a part of the
/// program that does not exist, and silence everything.
fn is_no_level(part: &str) -> bool {
    let word = part.trim();
    let names_a_place = word.starts_with("nim") || word.contains([':', '=', '[']);
    !word.is_empty() && !names_a_place && word.parse::<LevelFilter>().is_err()
}

/// Begins to write it.
pub(crate) fn start(format: LogFormat) {
    let log = tracing_subscriber::fmt()
        .with_env_filter(log_filter())
        .with_writer(stderr)
        .with_ansi(stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none())
        .with_target(false)
        // Its complaint would go to the same place, and panic there.
        .log_internal_errors(false);
    match format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().init(),
    }
}
