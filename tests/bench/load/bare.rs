//! Two bare relays: what the same runtime costs that moves the same bytes and judges nothing.
//!
//! The first two connections are a pair, and so on. They understand one thing of a request: its number, which
//! is the client's to choose, says how long the frame is that both are sent for it. They are as the real
//! server in all else: the same runtime, on as many threads, with `TCP_NODELAY`.

use anyhow::bail;
use bytes::{BufMut, Bytes, BytesMut};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use super::cutter::{HEADER, LOBBY, TO_LOBBY};
use super::kind::Kind;

mod direct;
mod framed;

/// How many connections may wait to be taken in.
const BACKLOG: u32 = 1024;

/// Relays until the process is ended.
pub(crate) fn serve(kind: Kind) -> anyhow::Result<()> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async {
        let listener = listen()?;
        println!("listening on {}", listener.local_addr()?);
        relay(kind, listener).await
    })
}

/// Takes a port, as the real server does.
pub(crate) fn listen() -> anyhow::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(([127, 0, 0, 1], 0).into())?;
    Ok(socket.listen(BACKLOG)?)
}

/// Relays for ever between those who come here.
pub(crate) async fn relay(kind: Kind, listener: TcpListener) -> anyhow::Result<()> {
    loop {
        let pair = [accept(&listener).await?, accept(&listener).await?];
        match kind {
            Kind::Framed => framed::relay(pair),
            Kind::Direct => direct::relay(pair),
            _ => bail!("{kind:?} is no bare relay"),
        }
    }
}

async fn accept(listener: &TcpListener) -> anyhow::Result<TcpStream> {
    let (stream, _) = listener.accept().await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// How long the whole frame is that answers a request; `None` if there is none.
fn length_of_answer(body: &[u8]) -> Option<usize> {
    match *body {
        [TO_LOBBY, length, ..] if usize::from(length) > HEADER => Some(length.into()),
        _ => None,
    }
}

/// The body of a frame of this length, that looks as if something had happened in a lobby.
fn answer(length: usize) -> Bytes {
    let mut body = BytesMut::with_capacity(length - HEADER);
    body.put_u8(LOBBY);
    body.put_bytes(0, length - HEADER - 1);
    body.freeze()
}
