//! A journal that was written by a town that plays, and the rule for what may come of damage to it: both are the tests'.

#![allow(dead_code, reason = "the tests need more of it")]

#[path = "../it/storage/crash.rs"]
pub(crate) mod crash;
#[path = "../it/storage/model.rs"]
pub(crate) mod model;
#[path = "../it/storage/town.rs"]
pub(crate) mod town;
