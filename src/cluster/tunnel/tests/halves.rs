//! The halves of a tunnel, on connections that take little at once.

use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use super::*;
use crate::server::Socket;

/// How long anything may take, by a clock that goes on when nothing happens.
const WITHIN: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn what_the_connection_does_not_take_at_once_is_written_by_the_task_that_reads() {
    let [mut dialer, acceptor] = pair(16);
    let (mut reader, writer, _guard) = acceptor.split();
    let reading = AbortOnDropHandle::new(tokio::spawn(async move { reader.read_u8().await }));
    tokio::task::yield_now().await;
    for _ in 0..2 {
        let parts = [b"on", &b"e"[..]].map(IoSlice::new);
        assert_eq!(writer.try_write(&parts).unwrap(), 3);
        assert_eq!(writer.try_write(&parts).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        let mut read = [0; 3];
        timeout(WITHIN, dialer.read_exact(&mut read)).await.unwrap().unwrap();
        assert_eq!(&read, b"one");
        poll_fn(|context| writer.poll_writable(context)).await.unwrap();
    }
    writer.shut().unwrap();
    assert_eq!(timeout(WITHIN, dialer.read(&mut [0])).await.unwrap().unwrap(), 0);
    dialer.write_all(b"7").await.unwrap();
    dialer.flush().await.unwrap();
    assert_eq!(reading.await.unwrap().unwrap(), b'7');
}

#[tokio::test]
async fn who_reads_no_more_ends_the_tunnel() {
    let [mut dialer, acceptor] = pair(64);
    let (reader, writer, mut guard) = acceptor.split();
    writer.try_write(&[IoSlice::new(b"last")]).unwrap();
    drop(reader);
    guard.ended().await;
    let mut content = Vec::new();
    dialer.read_to_end(&mut content).await.unwrap();
    assert_eq!(content, b"last");
    let late = writer.try_write(&[IoSlice::new(b"late")]).unwrap_err();
    assert_eq!(late.kind(), io::ErrorKind::BrokenPipe);
}

#[tokio::test(start_paused = true)]
async fn without_its_guard_a_tunnel_is_cut_and_both_ends_notice() {
    let [mut dialer, acceptor] = pair(64);
    let (mut reader, writer, guard) = acceptor.split();
    let reading = tokio::spawn(async move { reader.read(&mut [0]).await });
    tokio::task::yield_now().await;
    drop(guard);
    assert_eq!(timeout(WITHIN, reading).await.unwrap().unwrap().unwrap(), 0);
    assert_eq!(dialer.read(&mut [0]).await.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    let writable = poll_fn(|context| writer.poll_writable(context)).await.unwrap_err();
    assert_eq!(writable.kind(), io::ErrorKind::BrokenPipe);
}
