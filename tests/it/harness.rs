//! Shared by all tests: a server for each test, clients, the programs, and the rules written a second time.

pub(crate) mod campaign;
mod client;
mod network;
pub(crate) mod pretender;
mod program;
pub(crate) mod qr;
mod rules;
mod server;
#[cfg(unix)]
mod terminal;
mod test_lan;
pub(crate) mod tools;
mod wire;

use std::future::Future;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

pub(crate) use client::{
    Claim, TestClient, come_back, join, join_text, listing, pair_at, play_out, refused, terms, watch,
};
pub(crate) use network::{Network, NetworkState};
pub(crate) use program::{Finished, Home, Program, client, connect, seats, server};
pub(crate) use rules::{Heaps, VARIANTS, first_move, last_move, take};
pub(crate) use server::{TestServer, game, game_on, news, nobody, pair};
#[cfg(unix)]
pub(crate) use terminal::{Pty, Terminal};
pub(crate) use test_lan::{Machine, TestLan};
pub(crate) use wire::{Wire, frame, hello, mutate};

/// The timeout of every wait: far longer than any answer takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// Awaits the future; on a timeout it panics with the future's name.
pub(crate) async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    let late = |_| panic!("{} seconds were not enough for {what}", PATIENCE.as_secs());
    tokio::time::timeout(PATIENCE, future).await.unwrap_or_else(late)
}

/// Lets this time pass while the clock is [stopped](stopped_clock), in steps so short that no timer is late.
pub(crate) async fn pass(time: Duration) {
    const STEP: Duration = Duration::from_millis(50);
    let end = tokio::time::Instant::now() + time;
    while tokio::time::Instant::now() < end {
        tokio::time::advance(STEP.min(end - tokio::time::Instant::now())).await;
    }
}

/// Lets this time pass at once on the running clock of a test on one thread, including the server's.
pub(crate) async fn skip(time: Duration) {
    let stopped = stopped_clock();
    pass(time).await;
    tokio::time::resume();
    drop(stopped);
}

/// Pauses the clock of a test on one thread, including the server's, while the result is held: no deadline
/// passes.
#[must_use]
pub(crate) fn stopped_clock() -> Sender<()> {
    tokio::time::pause();
    let (held, let_go) = channel();
    // A paused clock advances when the runtime is idle, but not while a blocking task runs.
    tokio::task::spawn_blocking(move || let_go.recv());
    held
}
