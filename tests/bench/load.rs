//! What the real server costs under load: `cargo bench --bench bench -- load [WHAT… --help]`.
//!
//! WHAT is `relay` for moves beside two bare relays, `idle` for silent connections and a million games,
//! `think` for players beside bots that think hard, `attack` for players on a server under attack. The
//! README in this folder says what is compared with what, and why that is fair.

pub(crate) mod bare;
pub(crate) mod choice;
pub(crate) mod cutter;
pub(crate) mod guest;
pub(crate) mod idle;
pub(crate) mod kind;
pub(crate) mod pair;
pub(crate) mod process;
pub(crate) mod program;
pub(crate) mod relay;
pub(crate) mod report;
pub(crate) mod script;
pub(crate) mod seating;
pub(crate) mod think;
pub(crate) mod traffic;

use clap::Parser;

use crate::attack;
use choice::{Choice, What};

/// Runs the parts that these arguments name.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    let choice = Choice::parse_from(std::iter::once("load").chain(arguments.iter().map(String::as_str)));
    if let Some(kind) = choice.serve {
        return bare::serve(kind);
    }
    if let Some(target) = choice.attack.target {
        return attack::horde::run(choice.attack, target);
    }
    // The system's maximum, for both ends of all connections: the servers inherit the limit.
    let descriptors = rlimit::increase_nofile_limit(u64::MAX)?;
    let cores = std::thread::available_parallelism()?;
    println!("{cores} cores, {descriptors} descriptors a process");
    for what in choice.wanted() {
        match what {
            What::Relay => relay::run(&choice)?,
            What::Idle => idle::run(&choice, descriptors)?,
            What::Think => think::run(&choice)?,
            What::Attack => attack::siege::run(&choice.attack, choice.rounds())?,
        }
    }
    Ok(())
}
