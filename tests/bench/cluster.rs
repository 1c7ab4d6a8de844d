//! What several nodes cost beside a single machine: `cargo bench --features cluster --bench bench -- cluster [PART…]`.
//!
//! PART is `moves` for what a move costs, or `takeover` for how soon survivors have the lobbies of a node that dies; without
//! one it is both. It needs etcd, of which it starts three. `NIM_ROUNDS` (5), `NIM_GAMES` (1000), `NIM_RATE` (6000 moves a
//! second), `NIM_SECONDS` (4) of traffic and `NIM_LOBBIES` (10000) are numbers in the environment; `NIM_ROWS` is a part of
//! the names of the rows of `moves` that are wanted, if not all are. Checkpoints are written after some 8 s of traffic, and
//! pages after some 30.

mod kind;
mod moves;
mod setup;
mod takeover;

/// Runs these parts.
pub(crate) fn run(wanted: &[String]) -> anyhow::Result<()> {
    rlimit::increase_nofile_limit(u64::MAX)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let wants = |part: &str| wanted.is_empty() || wanted.iter().any(|word| word == part);
    if wants("moves") {
        moves::moves(&runtime)?;
    }
    if wants("takeover") {
        takeover::takeover(&runtime)?;
    }
    Ok(())
}
