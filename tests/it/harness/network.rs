//! A proxy between a program and a server, which loses what the test wants to be lost.

use std::net::SocketAddr;

use bytes::BytesMut;
use nim::wire::Frames;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{frame, within};

/// How the network is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weather {
    /// Everything arrives.
    Fair,
    /// Nothing that a client sends arrives, and the connection stays open.
    Deaf,
    /// Nothing that the server sends arrives, and the connection stays open.
    Mute,
    /// Connections break, and no new one comes about.
    Down,
}

/// A way to a server over a port of its own.
#[derive(Debug)]
pub(crate) struct Network {
    address: SocketAddr,
    server: watch::Sender<SocketAddr>,
    weather: watch::Sender<Weather>,
    /// How many frames were swallowed.
    swallowed: watch::Sender<usize>,
    closed: CancellationToken,
}

/// What the tasks of a network know of it.
#[derive(Debug, Clone)]
struct Sky {
    server: watch::Receiver<SocketAddr>,
    weather: watch::Receiver<Weather>,
    swallowed: watch::Sender<usize>,
}

impl Network {
    /// A fair network before this server.
    pub(crate) async fn before(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (weather, seen) = watch::channel(Weather::Fair);
        let (server, leads_to) = watch::channel(server);
        let (swallowed, closed) = (watch::Sender::new(0), CancellationToken::new());
        let sky = Sky { server: leads_to, weather: seen, swallowed: swallowed.clone() };
        tokio::spawn(closed.clone().run_until_cancelled_owned(accept(listener, sky)));
        Self { address, server, weather, swallowed, closed }
    }

    /// Where the programs connect.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// New connections come to another server from now on.
    pub(crate) fn leads_to(&self, server: SocketAddr) {
        self.server.send_replace(server);
    }

    /// The weather changes.
    pub(crate) fn becomes(&self, weather: Weather) {
        self.weather.send_replace(weather);
    }
}

impl Network {
    /// Waits until this many frames have been lost in all.
    pub(crate) async fn has_swallowed(&self, count: usize) {
        let mut swallowed = self.swallowed.subscribe();
        within("frames to be swallowed", swallowed.wait_for(|&so_far| so_far >= count)).await.unwrap();
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        self.closed.cancel();
    }
}

async fn accept(listener: TcpListener, sky: Sky) {
    loop {
        let (client, _) = listener.accept().await.unwrap();
        if *sky.weather.borrow() != Weather::Down {
            let leads_to = *sky.server.borrow();
            let server = TcpStream::connect(leads_to).await.unwrap();
            tokio::spawn(carry(client, server, sky.clone()));
        }
    }
}

/// Carries bytes both ways until either side ends, or the network goes down.
async fn carry(client: TcpStream, server: TcpStream, sky: Sky) {
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    let mut weather = sky.weather.clone();
    tokio::select! {
        () = pass(from_client, to_server, &sky, Weather::Deaf) => {}
        () = pass(from_server, to_client, &sky, Weather::Mute) => {}
        _ = weather.wait_for(|weather| *weather == Weather::Down) => {}
    }
}

/// Passes frames on, whole ones, but those that come while the weather swallows them.
async fn pass(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, sky: &Sky, swallows: Weather) {
    let (mut inbox, mut frames) = (BytesMut::new(), Frames::default());
    while from.read_buf(&mut inbox).await.is_ok_and(|count| count > 0) {
        while let Ok(Some(body)) = frames.next(&mut inbox) {
            if *sky.weather.borrow() == swallows {
                sky.swallowed.send_modify(|count| *count += 1);
            } else if to.write_all(&frame(&body)).await.is_err() {
                return;
            }
        }
    }
}
