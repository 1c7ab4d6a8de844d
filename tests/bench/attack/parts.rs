//! The parts of the bench, one noun a file.

pub(crate) mod choice;
pub(crate) mod count;
pub(crate) mod horde;
pub(crate) mod means;
pub(crate) mod newcomer;
pub(crate) mod raider;
pub(crate) mod siege;
pub(crate) mod watch;
