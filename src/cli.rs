//! What the command lines of both programs share: help texts, shell completions, manual pages,
//! and where a result is written. Knows no game.

mod common;
pub mod completions;
pub mod manual;
pub mod output;

pub use common::{Example, after_help, check_examples, print, seed};
