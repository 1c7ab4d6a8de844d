//! The relay as it is usually written: `Framed`, a channel for each connection, and a `select`.

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio_util::codec::LengthDelimitedCodec;

use super::{answer, length_of_answer};

/// The most frames queued for one connection.
const WAITING: usize = 64;

/// Relays between two connections.
pub(super) fn relay(pair: [TcpStream; 2]) {
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..pair.len()).map(|_| channel(WAITING)).unzip();
    for (stream, receiver) in pair.into_iter().zip(receivers) {
        tokio::spawn(serve(stream, receiver, senders.clone()));
    }
}

async fn serve(stream: TcpStream, mut told: Receiver<Bytes>, both: Vec<Sender<Bytes>>) {
    let mut framed = LengthDelimitedCodec::builder().max_frame_length(16 * 1024).new_framed(stream);
    loop {
        tokio::select! {
            heard = framed.next() => {
                let Some(Ok(body)) = heard else { return };
                if let Some(length) = length_of_answer(&body) {
                    tell(&both, &answer(length)).await;
                }
            }
            Some(body) = told.recv() => {
                if framed.send(body).await.is_err() {
                    return;
                }
            }
        }
    }
}

async fn tell(both: &[Sender<Bytes>], body: &Bytes) {
    for one in both {
        // A closed connection gets nothing.
        let _ = one.send(body.clone()).await;
    }
}
