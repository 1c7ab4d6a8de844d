//! Files: written whole or not at all, and overwritten only where a person agrees.

pub mod atomic;
mod overwriting;

pub use overwriting::{Existing, NotOverwritten};
