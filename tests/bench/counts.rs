//! The costs of the operations that make a move, in repeatable counts: `cargo bench --bench counts [--
//! --smoke]`.
//!
//! Instructions are counted by `valgrind` where there is one, allocations by an allocator that counts. It
//! starts no other program but itself, and is a program of its own because of that allocator; the README in
//! this folder says more.

#![allow(clippy::cast_precision_loss, reason = "figures are rounded to three digits when they are printed")]

/// What the benches share to take the time.
#[cfg(target_os = "linux")]
mod clock;
/// What it shares with the bench of the whole server.
#[cfg(target_os = "linux")]
#[path = "load/shared.rs"]
mod load;
#[cfg(target_os = "linux")]
#[path = "counts/server.rs"]
mod server;
/// What the benches share to do little.
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
    /// Run all of it for a moment, to see that it runs
    #[arg(long)]
    smoke: bool,

    /// Do this thing this many times, and nothing else
    #[arg(long, hide = true, num_args = 3, value_names = ["THING", "VARIANT", "TIMES"])]
    only: Option<Vec<String>>,

    /// What cargo says to every bench
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
