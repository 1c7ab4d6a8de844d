use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use super::guest::Guest;
use super::memory_server::{MemoryServer, run, settle};
use crate::storage::memory::Memory;

/// The timeout for the close of a finished connection: it covers the deadlines for the hello and for half a
/// frame, and the pause in reading after too many requests.
const CLOSES_WITHIN: Duration = Duration::from_mins(2);

/// The search of these games takes long, and other tests cover it.
pub(super) const TOO_DEEP: &[u8] = b"connect-four";

/// One connection sends these bytes in pieces, whose size is the first byte. It receives only valid
/// messages; then it is closed, and the server still serves others.
pub fn body(data: &[u8]) {
    let Some((&size, stream)) = data.split_first() else { return };
    if !contains(stream, TOO_DEEP) {
        run(visit(usize::from(size).max(1), stream));
    }
}

/// Whether the bytes contain this word, in any case.
pub(super) fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word))
}

async fn visit(size: usize, stream: &[u8]) {
    let mut server = MemoryServer::open(&Memory::default(), 7, true);
    let mut guest = Guest::connect(&server, IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)));
    for piece in stream.chunks(size) {
        guest.send(piece, 0).await;
        settle().await;
        guest.receive().await;
    }
    guest.close_write();
    let gone = async {
        while !guest.is_over() {
            tokio::time::sleep(Duration::from_millis(100)).await;
            guest.receive().await;
        }
    };
    tokio::time::timeout(CLOSES_WITHIN, gone).await.expect("a connection that has ended is closed");
    guest.receive().await;
    assert_serves(&server).await;
    server.close().await;
}

/// A client from another address is welcomed.
pub(super) async fn assert_serves(server: &MemoryServer) {
    let mut other = Guest::connect(server, IpAddr::V4(Ipv4Addr::new(192, 0, 2, 200)));
    other.greet("somebody else").await;
    settle().await;
    other.receive().await;
    assert!(other.model.is_some(), "the server serves");
    other.ask_hall(nim::wire::HallRequest::Look, 0).await;
    settle().await;
    other.receive().await;
    assert!(other.is_well());
}
