//! Attacks on the real server, and their effect on honest players: the part `attack` of
//! [`load`](crate::load).

pub(crate) mod choice;
pub(crate) mod horde;
pub(crate) mod host;
pub(crate) mod means;
pub(crate) mod newcomer;
pub(crate) mod outcome;
pub(crate) mod player;
pub(crate) mod raider;
pub(crate) mod siege;
mod web;
