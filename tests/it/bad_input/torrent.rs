//! Clients with endless requests that the server grants.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, spawn};

use nim::wire::{ToServer, encode};

use crate::harness::{TestServer, hello};

/// The number of requests sent at once, so that the server always finds more.
const AT_ONCE: usize = 10_000;

/// The number of answered bytes that shows a steady flow.
const ENOUGH_TO_FLOW: usize = 1_000;

/// The most requests: more than a server answers while two others play a short game.
const MOST: usize = 4_000_000;

/// A program that repeats one request as fast as the server reads, and reads every answer.
struct Torrent {
    enough: Arc<AtomicBool>,
    asking: JoinHandle<bool>,
}

impl Torrent {
    /// Starts the requests; returns once the answers flow.
    async fn of(request: &ToServer, address: SocketAddr) -> Self {
        let (flowing, flows) = tokio::sync::oneshot::channel();
        let enough = Arc::new(AtomicBool::new(false));
        let (stop, requests) = (Arc::clone(&enough), encode(request).repeat(AT_ONCE));
        let asking = spawn(move || {
            let mut stream = TcpStream::connect(address).unwrap();
            let mut answers = stream.try_clone().unwrap();
            stream.write_all(&encode(&hello("torrent"))).unwrap();
            let reading = spawn(move || {
                answers.read_exact(&mut [0; ENOUGH_TO_FLOW]).unwrap();
                flowing.send(()).unwrap();
                while matches!(answers.read(&mut [0; 1 << 12]), Ok(1..)) {}
            });
            let asks = (0..MOST / AT_ONCE).take_while(|_| !stop.load(Ordering::Relaxed));
            let asked = asks.map(|_| stream.write_all(&requests).unwrap()).count();
            stream.shutdown(Shutdown::Both).unwrap();
            reading.join().unwrap();
            asked < MOST / AT_ONCE
        });
        flows.await.unwrap();
        Self { enough, asking }
    }

    /// Stops the requests; returns whether it was still sending.
    async fn stop(self) -> bool {
        self.enough.store(true, Ordering::Relaxed);
        tokio::task::spawn_blocking(|| self.asking.join().unwrap()).await.unwrap()
    }
}

// On one thread, so that a task that does not yield blocks all others.
#[tokio::test]
async fn a_client_with_endless_requests_does_not_starve_others() {
    let server = TestServer::start();
    let torrent = Torrent::of(&ToServer::Ping(7), server.address()).await;
    server.still_serves().await;
    assert!(torrent.stop().await, "the others had to wait until it was done");
    server.still_serves().await;
}
