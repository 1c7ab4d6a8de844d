//! All benches but `counts`, in one program: `cargo bench --bench bench -- NAME [WHAT…]`.
//!
//! Without a name all of them run, which takes more than an hour. With `--smoke` each runs just enough to show that it
//! works.

#![allow(clippy::cast_precision_loss, reason = "figures are rounded when they are printed")]

#[cfg(target_os = "linux")]
mod attack;
mod clock;
#[cfg(all(feature = "cluster", target_os = "linux"))]
mod cluster;
mod connect_four;
#[cfg(all(feature = "cluster", target_os = "linux"))]
#[path = "../cluster/etcds.rs"]
#[allow(dead_code, clippy::expect_used, reason = "the tests of faults need the rest, and fail by panicking")]
mod etcds;
#[cfg(all(feature = "cluster", target_os = "linux"))]
#[path = "../cluster/ground.rs"]
#[allow(dead_code, clippy::expect_used, reason = "the tests of faults need the rest, and fail by panicking")]
mod ground;
#[cfg(target_os = "linux")]
mod load;
mod opening;
#[cfg(all(feature = "cluster", target_os = "linux"))]
#[path = "../cluster/programs.rs"]
#[allow(dead_code, clippy::expect_used, reason = "the tests of faults need the rest, and fail by panicking")]
mod programs;
#[cfg(unix)]
mod screen;
mod search;
mod smoke;
mod storage;
#[cfg(target_os = "linux")]
mod web;

const NAMES: [&str; 7] = ["search", "connect_four", "opening", "storage", "screen", "load", "web"];

fn main() -> anyhow::Result<()> {
    // Cargo adds `--bench`; `smoke` reads its own flag.
    let is_flag = |word: &String| matches!(word.as_str(), "--bench" | "--smoke");
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| !is_flag(word)).collect();
    match arguments.split_first() {
        Some((name, wanted)) => run(name, wanted),
        None => NAMES.iter().try_for_each(|name| run(name, &[])),
    }
}

/// Runs a bench, or the named parts of it.
fn run(name: &str, wanted: &[String]) -> anyhow::Result<()> {
    match name {
        "search" => search::run(),
        "connect_four" => connect_four::run(wanted),
        "opening" => opening::run(wanted),
        "storage" => storage::run(wanted),
        #[cfg(unix)]
        "screen" => screen::run()?,
        #[cfg(not(unix))]
        "screen" => println!("This bench needs a pseudo-terminal; on this system it measures nothing."),
        #[cfg(target_os = "linux")]
        "load" => load::run(wanted)?,
        #[cfg(target_os = "linux")]
        "web" => web::run(wanted)?,
        #[cfg(all(feature = "cluster", target_os = "linux"))]
        "cluster" => cluster::run(wanted)?,
        #[cfg(not(feature = "cluster"))]
        "cluster" => anyhow::bail!(
            "this bench needs the feature: cargo bench --features cluster --bench bench -- cluster"
        ),
        #[cfg(not(target_os = "linux"))]
        "load" | "web" => {
            println!("This bench reads what Linux says of processes; elsewhere it measures nothing.")
        }
        _ => anyhow::bail!("no bench is called {name}: {}", NAMES.join(", ")),
    }
    Ok(())
}
