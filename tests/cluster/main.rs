//! A whole cluster: real nodes, three real etcds, and players: what everybody does every day, and what happens while
//! programs die, hang or are cut off.
//!
//! `.ci/cluster` runs it in a network namespace of its own, with a short sample of each fault. With `NIM_CAMPAIGN` set
//! each fault comes `NIM_FAULTS` (100) times, and `NIM_GAMES` (1,000) games are played, in which somebody
//! moves every `NIM_PACE` (2,000) milliseconds.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod balancer;
mod etcds;
mod everyday;
mod faults;
mod ground;
mod harness;
mod hosts;
mod people;
mod programs;
mod readers;
mod record;
mod told;
mod views;
mod witness;
