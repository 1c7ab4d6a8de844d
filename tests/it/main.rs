//! The integration tests: one binary, a file for each thing that is tested.

/// The order of the house: who imports whom.
mod tidy;
