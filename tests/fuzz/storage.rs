//! From the tests: a journal written by random play, and the rule for the effects of damage to it.

#![allow(dead_code, reason = "the tests need more of it")]

#[path = "../it/storage/crash.rs"]
pub(crate) mod crash;
#[path = "../it/storage/memory.rs"]
pub(crate) mod memory;
#[path = "../it/storage/model.rs"]
pub(crate) mod model;
#[path = "../it/storage/random_play.rs"]
pub(crate) mod random_play;
