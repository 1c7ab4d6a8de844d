//! Tunnels over connections in memory, with somebody between the nodes who reads and changes what they say.

mod frames;
mod halves;
mod handshake;

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf, duplex};

use super::mac::{MacKey, Purpose, Toward};
use super::*;
use crate::cluster::engine::Revision;
use crate::cluster::format::Format;
use crate::cluster::keys::Epoch;

/// The node that dials, the one that accepts, and another one.
const DIALER: Epoch = Epoch(Revision(0x0102));
const ACCEPTOR: Epoch = Epoch(Revision(3));
const OTHER: Epoch = Epoch(Revision(4));

fn secret() -> SharedSecret {
    SharedSecret::of([7; 32])
}

fn client() -> SocketAddr {
    "192.0.2.7:4660".parse().unwrap()
}

fn introduction() -> Introduction {
    Introduction { dialer: DIALER, meant: ACCEPTOR, client: client() }
}

fn key(toward: Toward) -> MacKey {
    MacKey::derive(&secret(), Purpose::Frames(toward, &[0xcc; 32], &[0xaa; 32]))
}

/// Two ends of a tunnel, with so many bytes on the way at most.
fn pair(capacity: usize) -> [Tunnel<DuplexStream>; 2] {
    let (dialer, acceptor) = duplex(capacity);
    let (there, back) = (|| key(Toward::Acceptor), || key(Toward::Dialer));
    [Tunnel::new(dialer, back(), there()), Tunnel::new(acceptor, there(), back())]
}

type Met = (Result<Tunnel<DuplexStream>, HandshakeError>, Result<Accepted<DuplexStream>, HandshakeError>);

/// Whether a byte is on its way to the acceptor, its number, and the byte.
type Change<'a> = &'a mut (dyn FnMut(bool, usize, u8) -> u8 + Send);

/// A handshake through somebody who changes the bytes.
async fn meet_through(change: Change<'_>) -> Met {
    let (dialing, near) = duplex(4_096);
    let (far, accepting) = duplex(4_096);
    let (near, far) = (tokio::io::split(near), tokio::io::split(far));
    let change = parking_lot::Mutex::new(change);
    let there = carry(near.0, far.1, |at, byte| (*change.lock())(true, at, byte));
    let back = carry(far.0, near.1, |at, byte| (*change.lock())(false, at, byte));
    let secret = secret();
    let ends = async {
        let accepting = accept(accepting, &secret, (ACCEPTOR, Format::FIRST), |epoch| epoch == DIALER);
        tokio::join!(dial(dialing, &secret, introduction()), accepting)
    };
    // Once both have ended, what they say is carried no further.
    let ends = std::pin::pin!(ends);
    let carried = std::pin::pin!(futures_util::future::join(there, back));
    match futures_util::future::select(ends, carried).await {
        futures_util::future::Either::Left((met, _)) => met,
        futures_util::future::Either::Right((_, ends)) => ends.await,
    }
}

async fn carry(
    mut from: ReadHalf<DuplexStream>,
    mut to: WriteHalf<DuplexStream>,
    mut change: impl FnMut(usize, u8) -> u8,
) {
    for at in 0.. {
        let Ok(byte) = from.read_u8().await else { break };
        if to.write_u8(change(at, byte)).await.is_err() {
            break;
        }
    }
    let _ = to.shutdown().await;
}
