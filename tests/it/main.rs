//! The integration tests: one binary, a file for each thing that is tested.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]


mod page;

mod python;
/// The order of the house: who imports whom.
mod tidy;
/// What people type: variants, positions and moves as text, right and wrong.
mod variants;

mod vectors;
