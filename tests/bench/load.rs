//! What the real server costs under load: `cargo bench --bench load [-- WHAT… --help]`.
//!
//! WHAT is `relay` for moves beside two bare relays, `idle` for people who say nothing and for a million games, `think` for
//! people beside bots that think hard, `attack` for people on a server that somebody else attacks. The README in this folder says what is compared with what, and why that is fair.

#![allow(clippy::cast_precision_loss, reason = "figures are rounded to three digits when they are printed")]

/// What its attacks are made of.
#[cfg(target_os = "linux")]
#[path = "attack/parts.rs"]
mod attack;
/// What the benches share to take the time.
#[cfg(target_os = "linux")]
mod clock;
/// What it is made of.
#[cfg(target_os = "linux")]
#[path = "load/parts.rs"]
mod load;
/// What the benches share to do little.
#[allow(dead_code, reason = "some benches do less by their own measures")]
mod smoke;

#[cfg(target_os = "linux")]
fn main() -> anyhow::Result<()> {
    use clap::Parser;
    use load::choice::{Choice, What};

    let choice = Choice::parse();
    if let Some(kind) = choice.serve {
        return load::bare::serve(kind);
    }
    if let Some(order) = choice.attack.order() {
        return attack::horde::run(order);
    }
    // As many as the system allows, for both ends of all connections: those of the servers inherit it.
    let descriptors = rlimit::increase_nofile_limit(u64::MAX)?;
    let mut report = load::report::Report::new(descriptors);
    for what in choice.wanted() {
        match what {
            What::Relay => load::relay::run(&choice, &mut report)?,
            What::Idle => load::idle::run(&choice, &mut report)?,
            What::Think => load::think::run(&choice, &mut report)?,
            What::Attack => attack::siege::run(&choice.attack.plan(choice.is_smoke()), &mut report)?,
        }
    }
    report.write("load.json")
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("This bench reads what Linux says of processes; on other systems it measures nothing.");
}
