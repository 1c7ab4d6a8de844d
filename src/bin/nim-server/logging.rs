//! The log on standard error: its level, its format, and its limit.

use std::io::{IsTerminal, stderr};

use clap::ValueEnum;
use tracing::{Level, Metadata};
use tracing_subscriber::filter::{FilterExt, LevelFilter, Targets, filter_fn};
use tracing_subscriber::layer::{Filter, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt};

use crate::log_fields::QuotedFields;
use crate::log_limit::LineLimit;
use crate::pinned::Pinned;

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum LogFormat {
    /// Plain lines, for people
    Text,
    /// One JSON object per line, for programs
    Json,
}

/// The filter of the log, from `RUST_LOG`.
pub(crate) fn filter() -> Result<Targets, String> {
    let wanted = std::env::var("RUST_LOG").unwrap_or_default();
    let chosen = if wanted.is_empty() { "info" } else { &wanted };
    let filter = match chosen.split(',').find(|part| is_no_level(part)) {
        Some(part) => Err(format!("{part} is not a level")),
        None => chosen.parse::<Targets>().map_err(|error| error.to_string()),
    };
    filter.map_err(|why| {
        format!(
            "RUST_LOG={wanted}: {why}; write error, warn, info, debug, trace or off, for one part of the program as in \
             nim::server=debug"
        )
    })
}

/// Whether this part of a filter looks like a misspelt level. It would be taken for a module that does not
/// exist, and silence everything.
fn is_no_level(part: &str) -> bool {
    let word = part.trim();
    let names_a_place = word.starts_with("nim") || word.contains([':', '=']);
    !word.is_empty() && !names_a_place && word.parse::<LevelFilter>().is_err()
}

/// Whether a line of this kind has no secret in it. At the level of `trace` libraries write all that is sent and received:
/// tickets, passwords, and codes of hidden lobbies.
fn has_no_secret(metadata: &Metadata<'_>) -> bool {
    metadata.target().starts_with("nim") || *metadata.level() < Level::TRACE
}

/// Which lines are written. It says of which level at most they are, so that what libraries write below that is not even
/// formatted.
fn what_is_written(filter: Targets, limit: LineLimit) -> impl Filter<Registry> {
    let without_secrets = filter_fn(has_no_secret).with_max_level_hint(LevelFilter::TRACE);
    filter.and(without_secrets).and(limit)
}

/// Starts logging to standard error, above what is pinned there. Returns the limit of its lines, which reports what was left out.
pub(crate) fn start(format: LogFormat, filter: Targets, writer: Pinned) -> LineLimit {
    let lines = fmt::layer()
        .with_writer(writer)
        .with_ansi(stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none())
        .with_target(false)
        // Internal errors would go to the same output and panic.
        .log_internal_errors(false);
    let lines = match format {
        LogFormat::Text => lines.fmt_fields(QuotedFields).boxed(),
        LogFormat::Json => lines.json().boxed(),
    };
    let limit = LineLimit::default();
    tracing_subscriber::registry().with(lines.with_filter(what_is_written(filter, limit.clone()))).init();
    limit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_below_the_chosen_level_are_left_out_before_they_are_formatted() {
        let written = what_is_written("info,nim=debug".parse().unwrap(), LineLimit::default());
        assert_eq!(written.max_level_hint(), Some(LevelFilter::DEBUG));
    }
}
