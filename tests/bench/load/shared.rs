//! The parts that the bench `counts` shares: traffic and bare relays, without the programs.

#![allow(dead_code, reason = "some things are only asked of programs")]

pub(crate) mod bare;
pub(crate) mod cutter;
pub(crate) mod guest;
pub(crate) mod kind;
pub(crate) mod pair;
pub(crate) mod process;
pub(crate) mod program;
pub(crate) mod report;
pub(crate) mod script;
pub(crate) mod seating;
pub(crate) mod traffic;
