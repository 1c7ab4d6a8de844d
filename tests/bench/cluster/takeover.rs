//! How soon the survivors have the lobbies of a node that dies.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use nim::wire::{BotWish, HallRequest};
use rustix::process::Signal;

use super::setup::{number, settled};
use crate::load::guest::{Guest, Setting, terms};
use crate::load::process::Process;

/// How long it may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// Opens lobbies at one of three nodes, kills it, and says how soon the others have them all.
pub(super) fn takeover(runtime: &tokio::runtime::Runtime) -> anyhow::Result<()> {
    let lobbies = number("NIM_LOBBIES", 20, 10_000);
    let Some(mut cluster) = runtime.block_on(settled(3)) else { return Ok(()) };
    let owner = cluster.addresses[0];
    let process = Process::of(cluster.nodes[0].id().context("it runs")?);
    let empty = process.resident()?;
    let mut last = None;
    for opened in 0..lobbies {
        let mut guest = Guest::connect(owner, opened)?;
        guest.say_hello(opened)?;
        guest.ask_hall(HallRequest::Create(terms(Setting::untimed("take:3:21"), BotWish::PeopleOnly)))?;
        last = Some(guest.until_seated()?);
    }
    let last = last.context("no lobby")?;
    let bytes = process.resident()?.saturating_sub(empty) / lobbies as u64;
    cluster.nodes[0].signal(Signal::KILL);
    let killed = Instant::now();
    // The last one is watched from another node, at the node that has it by now.
    let mut guest = Guest::connect(cluster.addresses[1], 0)?;
    guest.set_patience(PATIENCE)?;
    guest.say_hello(0)?;
    let code = nim::lobby::Text::cut(&last.to_string());
    guest.ask_hall(HallRequest::Watch { code, password: None })?;
    guest.until(|message| matches!(message, nim::wire::ToClient::Watching { .. }).then_some(()))?;
    println!(
        "\ncluster, takeover: a node with {lobbies} lobbies of one absent player ({bytes} bytes of it each) was killed;\n\
         the last lobby was watched from another node {:.2?} later. In the logs of the others:",
        killed.elapsed()
    );
    cluster.nodes[0].kill();
    let mut taken = 0;
    for node in 1..3 {
        for line in cluster.log(node).lines().filter(|line| line.contains("took over slots")) {
            println!("  {line}");
            taken += 1;
        }
    }
    ensure!(taken > 0, "nobody says that it took over anything");
    Ok(())
}
