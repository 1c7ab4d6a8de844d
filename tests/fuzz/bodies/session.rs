use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use super::guest::Guest;
use super::memory_server::{MemoryServer, run, settle};
use crate::storage::memory::Memory;

/// The connection is closed within this time once it says nothing more: the deadlines for the hello and for
/// half a frame, the seconds in which it is not heard because it asked too much, and some.
const CLOSES_WITHIN: Duration = Duration::from_mins(2);

/// Searching these games takes long, and is tested elsewhere.
pub(super) const TOO_DEEP: &[u8] = b"connect-four";

/// One connection says these bytes, in pieces of a length that the first byte says. All that it hears is
/// messages, which make sense; then it is let go; and the server still serves.
pub fn body(data: &[u8]) {
    let Some((&size, stream)) = data.split_first() else { return };
    if !has(stream, TOO_DEEP) {
        run(visit(usize::from(size).max(1), stream));
    }
}

/// Whether these bytes stand somewhere in those, in small letters or capitals.
pub(super) fn has(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word))
}

async fn visit(size: usize, stream: &[u8]) {
    let mut server = MemoryServer::open(&Memory::default(), 7, true);
    let mut guest = Guest::comes_to(&server, IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)));
    for piece in stream.chunks(size) {
        guest.says(piece, 0).await;
        settle().await;
        guest.hears().await;
    }
    guest.hushes();
    let gone = async {
        while !guest.is_over() {
            tokio::time::sleep(Duration::from_millis(100)).await;
            guest.hears().await;
        }
    };
    tokio::time::timeout(CLOSES_WITHIN, gone).await.expect("a connection that has ended is closed");
    guest.hears().await;
    serves(&server).await;
    server.close().await;
}

/// Somebody else comes, from another machine, and is welcome.
pub(super) async fn serves(server: &MemoryServer) {
    let mut other = Guest::comes_to(server, IpAddr::V4(Ipv4Addr::new(192, 0, 2, 200)));
    other.greets("somebody else").await;
    settle().await;
    other.hears().await;
    assert!(other.model.is_some(), "the server serves");
    other.asks_hall(nim::wire::HallRequest::Look, 0).await;
    settle().await;
    other.hears().await;
    assert!(other.is_well());
}
