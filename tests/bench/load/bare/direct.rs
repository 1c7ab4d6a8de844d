//! The relay with the fewest hand-overs: each connection's task reads, and writes to both sockets itself.

use std::io;
use std::sync::Arc;

use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

use super::super::cutter::{HEADER, LOBBY};
use super::length_of_answer;

/// The size of one read; a request has some ten bytes.
const READ_SIZE: usize = 256;

/// The longest answer.
const LONGEST: usize = u8::MAX as usize;

/// Relays between two connections.
pub(super) fn relay(pair: [TcpStream; 2]) {
    let [(one, to_one), (other, to_other)] = pair.map(TcpStream::into_split);
    let both = Arc::new([to_one, to_other]);
    for from in [one, other] {
        let both = Arc::clone(&both);
        tokio::spawn(async move {
            // An error ends this direction only.
            let _ = serve(from, &both).await;
        });
    }
}

async fn serve(mut from: OwnedReadHalf, both: &[OwnedWriteHalf; 2]) -> io::Result<()> {
    let (mut inbox, mut filled) = ([0; READ_SIZE], 0);
    loop {
        match from.read(&mut inbox[filled..]).await? {
            0 => return Ok(()),
            count => filled += count,
        }
        let mut used = 0;
        while let Some(body) = next_body(&inbox[used..filled]) {
            used += HEADER + body.len();
            if let Some(length) = length_of_answer(body) {
                tell(both, length).await?;
            }
        }
        inbox.copy_within(used..filled, 0);
        filled -= used;
    }
}

fn next_body(bytes: &[u8]) -> Option<&[u8]> {
    let (head, rest) = bytes.split_first_chunk::<HEADER>()?;
    rest.get(..usize::try_from(u32::from_be_bytes(*head)).ok()?)
}

/// Writes a frame of this length to both sockets.
async fn tell(both: &[OwnedWriteHalf; 2], length: usize) -> io::Result<()> {
    let mut frame = [0; LONGEST];
    // The length fits in the header's last byte.
    frame[HEADER - 1] = u8::try_from(length - HEADER).unwrap_or(u8::MAX);
    frame[HEADER] = LOBBY;
    for stream in both {
        write(stream, &frame[..length]).await?;
    }
    Ok(())
}

async fn write(stream: &OwnedWriteHalf, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match stream.try_write(bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => stream.writable().await?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
