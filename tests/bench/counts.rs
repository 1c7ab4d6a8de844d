//! The costs of the operations that make a move, in repeatable counts: `cargo bench --bench counts [--
//! --smoke]`.
//!
//! `valgrind` counts the instructions, if it is installed; a counting allocator counts the allocations.
//! Because of that allocator it is a program of its own, and starts no other. The README in this folder says
//! more.

#![allow(clippy::cast_precision_loss, reason = "figures are rounded to three digits when they are printed")]

/// The clock that the benches share.
#[cfg(target_os = "linux")]
mod clock;
/// What it shares with the bench of the whole server.
#[cfg(target_os = "linux")]
#[path = "load/shared.rs"]
mod load;
#[cfg(target_os = "linux")]
#[path = "counts/server.rs"]
mod server;
/// The smoke mode that the benches share.
#[cfg(target_os = "linux")]
mod smoke;
#[cfg(target_os = "linux")]
#[path = "counts/thing.rs"]
mod thing;

/// The command line.
#[cfg(target_os = "linux")]
#[derive(Debug, clap::Parser)]
#[command(about = "What the small things cost that a move is made of")]
struct Choice {
    /// Run everything for a moment, to check that it works
    #[arg(long)]
    smoke: bool,

    /// Only repeat this operation this many times
    #[arg(long, hide = true, num_args = 3, value_names = ["THING", "VARIANT", "TIMES"])]
    only: Option<Vec<String>>,

    /// Passed by cargo to every bench
    #[arg(long, hide = true)]
    bench: bool,
}

#[cfg(target_os = "linux")]
fn main() -> anyhow::Result<()> {
    let choice = <Choice as clap::Parser>::parse();
    if let Some([thing, variant, times]) = choice.only.as_deref() {
        return thing::only(thing, variant, times.parse()?);
    }
    thing::run()?;
    server::run()
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("This bench reads what Linux says of processes; on other systems it measures nothing.");
}
