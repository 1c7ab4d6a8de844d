//! The parts of the bench, one noun a file.

pub(crate) mod instructions;
pub(crate) mod server;
pub(crate) mod thing;
