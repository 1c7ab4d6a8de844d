//! Clients that stay at a node whatever becomes of it, and hear all that it says until the connection ends.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use nim::wire::{ToClient, ToServer};
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::harness::{Wire, watch, within};
use crate::told::Told;

/// A client that watches a game, and does not come back when it loses the connection.
#[derive(Debug)]
pub(crate) struct Witness {
    pub(crate) told: Arc<Mutex<Told>>,
    /// How many messages it has heard.
    heard: Arc<AtomicUsize>,
    /// Hears until the connection ends. Returns whether the node has said goodbye.
    hears: JoinHandle<bool>,
}

impl Witness {
    /// Watches the game of this player by way of the node at this address, and hears what is said there from then on.
    pub(crate) async fn of(player: &Mutex<Told>, address: SocketAddr) -> Self {
        let (told, code) = Told::of_watcher(&player.lock());
        let mut wire = Wire::connect(address).await;
        wire.send_hello(&told.name).await;
        let (told, heard) = (Arc::new(Mutex::new(told)), Arc::default());
        let mut hearing = Hearing { wire, told: Arc::clone(&told), heard: Arc::clone(&heard) };
        hearing.until(|message| matches!(message, ToClient::Welcome { .. })).await;
        told.lock().note_asks(Some(Instant::now()));
        hearing.wire.send(&ToServer::Hall { id: 1, request: watch(code) }).await;
        hearing.until(|message| matches!(message, ToClient::Watching { .. })).await;
        Self { told, heard, hears: tokio::spawn(hearing.until_it_ends()) }
    }

    /// How many messages it has heard so far.
    pub(crate) fn heard(&self) -> usize {
        self.heard.load(Ordering::Relaxed)
    }

    /// Waits until the connection has ended. Returns whether the node has said goodbye.
    pub(crate) async fn was_told_goodbye(&mut self) -> bool {
        within("the end of the connection", &mut self.hears).await.expect("no panic")
    }
}

/// A witness that hears.
struct Hearing {
    wire: Wire,
    told: Arc<Mutex<Told>>,
    heard: Arc<AtomicUsize>,
}

impl Hearing {
    /// The next message; `None` if the connection has ended, in whichever way.
    async fn next(&mut self) -> Option<ToClient> {
        let message = self.wire.try_read().await.ok().flatten()?;
        self.told.lock().hear(&message);
        self.heard.fetch_add(1, Ordering::Relaxed);
        Some(message)
    }

    async fn until_it_ends(mut self) -> bool {
        let mut last = None;
        while let Some(message) = self.next().await {
            last = Some(message);
        }
        matches!(last, Some(ToClient::Goodbye(_)))
    }

    async fn until(&mut self, is_it: impl Fn(&ToClient) -> bool) {
        loop {
            let message = self.next().await.expect("the node lives");
            assert!(!matches!(message, ToClient::Refused { .. } | ToClient::Unwelcome(_)), "{message:?}");
            if is_it(&message) {
                return;
            }
        }
    }
}
