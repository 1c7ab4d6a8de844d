//! The integration tests: one binary, with a file for each subject.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod absence;
#[cfg(unix)]
mod admin;
mod agreeing;
mod arriving;
mod bad_input;
mod bots;
mod chat;
mod command_line;
mod completions;
mod crowd;
mod deaf_server;
mod docs;
mod doors;
mod exit_codes;
mod faces;
mod facts;
mod fuzzed;
mod games;
mod going_on;
mod hall;
mod harness;
mod hints;
#[cfg(unix)]
mod host_screen;
mod journal;
mod json;
mod leaving;
mod levels;
mod limits;
mod lobby;
mod lying_server;
mod manual;
mod matches;
mod metrics;
mod moving;
mod nearby;
mod page;
mod playing;
mod playthroughs;
mod programs;
mod python;
mod record;
mod records;
mod returning;
mod reviewing;
mod server_log;
mod settings;
mod shutdown;
mod simulation;
mod storage;
mod study;
#[cfg(unix)]
mod terminal;
mod tidy;
#[cfg(unix)]
mod tui;
mod variants;
mod vectors;
mod watching;
mod web;
mod words;
mod zz_tools;

/// Shared with the fuzz targets, whose files use this name.
use fuzzed::bodies;
