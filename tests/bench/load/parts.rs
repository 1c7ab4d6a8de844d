//! The parts of the bench, one noun a file.

pub(crate) mod bare;
pub(crate) mod calls;
pub(crate) mod choice;
pub(crate) mod cutter;
pub(crate) mod games;
pub(crate) mod guest;
pub(crate) mod idle;
pub(crate) mod kind;
pub(crate) mod opponent;
pub(crate) mod pair;
pub(crate) mod process;
pub(crate) mod program;
pub(crate) mod relay;
pub(crate) mod report;
pub(crate) mod script;
pub(crate) mod seating;
pub(crate) mod spread;
pub(crate) mod think;
pub(crate) mod traffic;
