//! The admin socket itself: peers that do not ask as they should.

use std::path::Path;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use crate::harness::{TestServer, within};

/// A connection to the admin socket.
async fn connected(folder: &Path) -> UnixStream {
    UnixStream::connect(folder.join("admin.sock")).await.unwrap()
}

/// What it answers to these bytes.
async fn told(folder: &Path, bytes: &[u8]) -> String {
    let (mut stream, mut answer) = (connected(folder).await, Vec::new());
    // The server may have closed before it has read everything.
    let _ = stream.write_all(bytes).await;
    let _ = within("an answer to the host", stream.read_to_end(&mut answer)).await;
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn what_is_no_request_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let _server = TestServer::with_admin(folder.path(), |_| {});
    for bytes in [&b"\n"[..], b"{}\n", b"\"burn\"\n", b"\xff\xfe\n", b"{\"kick\":{\"target\":\"all\"}}\n"] {
        let said = told(folder.path(), bytes).await;
        assert!(said.starts_with("{\"refused\":\"this server does not know that request"), "{said}");
    }
}

#[tokio::test]
async fn a_request_without_end_is_not_read_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let _server = TestServer::with_admin(folder.path(), |_| {});
    let (mut stream, chunk) = (connected(folder.path()).await, [b' '; 1024]);
    // The socket's own buffer takes some of it.
    let endless = async { while stream.write_all(&chunk).await.is_ok() {} };
    within("the server to close", endless).await;
    let long = format!("{{\"say\":{{\"words\":\"{}\"}}}}\n", "x".repeat(5_000));
    let said = told(folder.path(), long.as_bytes()).await;
    assert_eq!(said, "{\"refused\":\"a request has at most 4096 bytes: use fewer words\"}\n");
    assert!(told(folder.path(), b"\"status\"\n").await.starts_with("{\"status\":"));
}

// By the real clock: a stopped one may run ahead of the thread that answers.
#[tokio::test]
async fn a_silent_peer_is_closed_after_five_seconds_and_the_next_one_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let _server = TestServer::with_admin(folder.path(), |_| {});
    let mut silent = connected(folder.path()).await;
    let begun = tokio::time::Instant::now();
    assert!(told(folder.path(), b"\"status\"\n").await.starts_with("{\"status\":"));
    let waited = begun.elapsed().as_secs();
    assert!((5..20).contains(&waited), "{waited}");
    assert_eq!(silent.read(&mut [0]).await.unwrap_or(0), 0);
}
