//! Tests: what a connection sends, in which order, and when it gives up.

use std::future::poll_fn;
use std::io::IoSlice;

use bytes::BytesMut;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;

use super::outbox::MAX_WAITING;
use super::*;
use crate::lobby::{Moment, Text};
use crate::server::limits::RateLimits;
use crate::server::socket::{Listen, Socket};
use crate::wire::{decode, next_body};

/// The size of each frame's body: so large that the socket takes a part of one at some point.
const BODY: usize = 16_000;

fn frame(body: usize) -> Bytes {
    let head = u32::try_from(body).unwrap().to_be_bytes();
    [&head[..], &vec![0; body]].concat().into()
}

/// A connection from some address.
pub(in crate::server) fn connection(socket: Outgoing) -> Connection {
    let limits = RateLimits::new(&Arc::default());
    let place = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
    Connection::new(socket, limits.of([10, 0, 0, 1].into()), Some(place), false)
}

/// A connection, and the other end of its socket, which takes little in.
async fn linked() -> (Connection, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(2_048).unwrap();
    let there = socket.connect(listener.local_addr().unwrap()).await.unwrap();
    let here = Listen::accept(&listener).await.unwrap();
    (connection(here.outgoing), there)
}

/// Sends what waits, and closes.
async fn write_out(connection: Connection) {
    poll_fn(|context| connection.poll_flush(context)).await.unwrap();
}

/// The bodies of all that comes, up to the end.
async fn read_all(mut stream: TcpStream) -> Vec<BytesMut> {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    let mut bytes = BytesMut::from(&bytes[..]);
    let bodies = std::iter::from_fn(|| next_body(&mut bytes).unwrap()).collect();
    assert!(bytes.is_empty(), "it ended in the middle of a frame");
    bodies
}

#[tokio::test]
async fn a_client_that_reads_too_slowly_gets_a_goodbye_instead_of_its_backlog() {
    let (connection, there) = linked().await;
    let mut sent = 0;
    while connection.outbox.lock().closing.is_none() {
        connection.send_frame(frame(BODY));
        sent += 1;
    }
    assert!(matches!(connection.outbox.lock().closing, Some(Closing::Farewell(Farewell::Behind))));
    connection.send_goodbye(&Farewell::Behind);
    let ((), mut heard) = tokio::join!(write_out(connection), read_all(there));
    let last = heard.pop().unwrap();
    assert_eq!(decode(&last), Ok(ToClient::Goodbye(Farewell::Behind)));
    assert!(heard.iter().all(|body| body.len() == BODY), "what was begun was ended");
    // The last one was too much; before it there was room for as many whole ones as may wait, apart from
    // one begun.
    let waiting = MAX_WAITING / (BODY + 4);
    assert!(heard.len() <= sent - waiting, "{} of {sent} were heard all the same", heard.len());
}

#[tokio::test]
async fn no_more_waits_of_what_is_told_at_once_for_a_client_that_does_not_read() {
    let (connection, _there) = linked().await;
    let halted = ToClient::Halted { why: Some(Text::cut(&"x".repeat(300))), now: Moment::START };
    while connection.outbox.lock().closing.is_none() {
        connection.send_out_of_band(&halted);
        assert!(connection.outbox.lock().bytes <= MAX_WAITING);
    }
    assert!(matches!(connection.outbox.lock().closing, Some(Closing::Farewell(Farewell::Behind))));
}

/// A socket that takes this many bytes at once, and keeps what was written to it.
#[derive(Debug, Default)]
pub(in crate::server) struct Slot {
    takes: usize,
    writes: Mutex<Vec<Vec<u8>>>,
}

impl Slot {
    pub(in crate::server) fn that_takes_all() -> Self {
        Self { takes: usize::MAX, ..Self::default() }
    }

    /// The messages that were written to it.
    pub(in crate::server) fn messages(&self) -> Vec<ToClient> {
        let mut bytes = BytesMut::from(&self.writes.lock().concat()[..]);
        std::iter::from_fn(|| next_body(&mut bytes).unwrap()).map(|body| decode(&body).unwrap()).collect()
    }
}

impl Socket for Arc<Slot> {
    fn try_write(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let bytes: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied()).take(self.takes).collect();
        let count = bytes.len();
        self.writes.lock().push(bytes);
        Ok(count)
    }

    fn poll_writable(&self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn shut(&self) -> io::Result<()> {
        Ok(())
    }
}

/// What is written of four frames that are sent together, to a socket that takes this many bytes at once.
fn writes_of_four(takes: usize) -> Vec<Vec<u8>> {
    let slot = Arc::new(Slot { takes, ..Slot::default() });
    let connection = connection(Box::new(Arc::clone(&slot)));
    for number in 1..=4 {
        connection.send_after_mark(&Recorded::default(), CommitMark::default(), frame(number), number < 4);
    }
    assert_eq!(connection.outbox.lock().bytes, 0);
    let writes = slot.writes.lock();
    writes.clone()
}

#[test]
fn what_is_sent_together_is_one_write() {
    let whole = (1..=4).map(frame).collect::<Vec<_>>().concat();
    assert_eq!(writes_of_four(1_000), [whole]);
}

#[test]
fn a_socket_that_takes_a_part_gets_the_rest_in_order() {
    let whole = (1..=4).map(frame).collect::<Vec<_>>().concat();
    for takes in 1..whole.len() {
        assert_eq!(writes_of_four(takes).concat(), whole, "{takes}");
    }
}
