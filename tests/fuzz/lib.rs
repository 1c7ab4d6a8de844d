//! What the fuzz targets share: their bodies, which `cargo test` runs too, and what those need of the tests.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a target fails by panicking")]

#[path = "bodies/list.rs"]
pub mod bodies;
pub mod kept;
mod storage;
