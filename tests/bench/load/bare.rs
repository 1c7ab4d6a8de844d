//! Two bare relays: the cost of moving the same bytes in the same runtime, without judging them.
//!
//! The first two connections are a pair, and so on. Of a request a relay reads only the number, which the
//! client chooses: it is the length of the frame that both clients get. Everything else is as in the real
//! server: the runtime, the number of threads, and `TCP_NODELAY`.

use anyhow::bail;
use bytes::{BufMut, Bytes, BytesMut};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use super::cutter::{HEADER, LOBBY, TO_LOBBY};
use super::kind::Kind;

mod direct;
mod framed;

/// The listener's backlog.
const BACKLOG: u32 = 1024;

/// Relays until the process ends.
pub(crate) fn serve(kind: Kind) -> anyhow::Result<()> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async {
        let listener = listen()?;
        println!("listening on {}", listener.local_addr()?);
        relay(kind, listener).await
    })
}

/// Listens on a free port, as the real server does.
pub(crate) fn listen() -> anyhow::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(([127, 0, 0, 1], 0).into())?;
    Ok(socket.listen(BACKLOG)?)
}

/// Pairs the accepted connections and relays between them forever.
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

/// The length of the whole answer to a request; `None` if there is no answer.
fn length_of_answer(body: &[u8]) -> Option<usize> {
    match *body {
        [TO_LOBBY, length, ..] if usize::from(length) > HEADER => Some(length.into()),
        _ => None,
    }
}

/// The body of a frame of this length that looks like a lobby's event.
fn answer(length: usize) -> Bytes {
    let mut body = BytesMut::with_capacity(length - HEADER);
    body.put_u8(LOBBY);
    body.put_bytes(0, length - HEADER - 1);
    body.freeze()
}
