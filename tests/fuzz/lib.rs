//! What the fuzz targets share: their bodies, which `cargo test` runs too, and the parts of the tests that
//! these need.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a target fails by panicking")]

#[path = "bodies/list.rs"]
pub mod bodies;
pub mod kept;
mod storage;
