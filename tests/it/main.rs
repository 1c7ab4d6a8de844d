//! The integration tests: one binary, a file for each thing that is tested.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

/// `proto/PROTOCOL.md`, held to the code: tables, limits, sentences, and the worked session.
mod page;
/// The client in Python: its own tests, and whole games on the real server.
mod python;
/// The README, held to the programs.
mod readme;
/// The order of the house: who imports whom.
mod tidy;
/// What people type: variants, positions and moves as text, right and wrong.
mod variants;
/// The golden bytes of `proto/vectors`, in both directions.
mod vectors;
