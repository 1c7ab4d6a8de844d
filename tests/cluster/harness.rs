//! What the tests of a single server have for their clients, for the tests of a cluster.

#[allow(dead_code, reason = "the tests of a single server use the rest")]
#[path = "../it/harness/client.rs"]
mod client;
#[allow(dead_code, reason = "the tests of a single server use the rest")]
#[path = "../it/harness/program.rs"]
mod program;
#[allow(dead_code, reason = "the tests of a single server use the rest")]
#[path = "../it/harness/rules.rs"]
mod rules;
#[allow(dead_code, reason = "the tests of a single server use the rest")]
#[path = "../it/harness/terminal.rs"]
mod terminal;
#[allow(dead_code, reason = "the tests of a single server use the rest")]
#[path = "../it/harness/wire.rs"]
mod wire;

use std::future::Future;
use std::time::Duration;

pub(crate) use client::{Claim, TestClient, come_back, join, join_text, pair_at, play_out, terms, watch};
use program::client;
pub(crate) use rules::{Heaps, first_move, take};
pub(crate) use terminal::Terminal;
pub(crate) use wire::Wire;

/// The timeout of every wait: far longer than any answer takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Awaits the future; on a timeout it panics with the future's name.
pub(crate) async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    let late = |_| panic!("{} seconds were not enough for {what}", PATIENCE.as_secs());
    tokio::time::timeout(PATIENCE, future).await.unwrap_or_else(late)
}
