//! The frames of one direction of a tunnel as bytes, in the layout at the top of [`tunnel`](super). It knows of no
//! connection.

use std::io::{self, IoSlice};

use bytes::{Buf, BufMut, BytesMut};
use tokio::io::ReadBuf;

use super::mac::{CUT, MacKey};

/// The most bytes of a client in a frame.
pub const MAX_CONTENT: usize = 16 * 1024;

/// The bytes in front of the content.
const LENGTH: usize = 2;

/// Why no more bytes come out of a tunnel. All that came out before were right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The frame is not the next one that the other node wrote.
    #[error(
        "a frame between two nodes was changed, lost or repeated on the way: is the network between them private?"
    )]
    WrongMac,
    /// The frame claims so many bytes.
    #[error(
        "a frame between two nodes claims {0} bytes, and 16,384 are allowed: is the network between them private?"
    )]
    TooLong(usize),
    /// The connection ended without a frame that says so.
    #[error("the connection between two nodes was cut: has the other one died?")]
    CutOff,
}

impl From<FrameError> for io::Error {
    fn from(error: FrameError) -> Self {
        let kind = match error {
            FrameError::WrongMac | FrameError::TooLong(_) => io::ErrorKind::InvalidData,
            FrameError::CutOff => io::ErrorKind::UnexpectedEof,
        };
        Self::new(kind, error)
    }
}

/// Writes the frames of a direction.
#[derive(Debug)]
pub(super) struct FrameWriter {
    key: MacKey,
    /// The number of the next frame. 64 bits are never used up.
    next: u64,
}

impl FrameWriter {
    pub(super) fn new(key: MacKey) -> Self {
        Self { key, next: 0 }
    }

    /// Appends a frame with as many bytes of these parts as it may have, of which there are some. Returns how many.
    pub(super) fn write(&mut self, parts: &[IoSlice<'_>], to: &mut BytesMut) -> usize {
        debug_assert!(parts.iter().any(|part| !part.is_empty()), "this would be the end");
        self.append(parts, to)
    }

    /// Appends the frame that ends the direction.
    pub(super) fn end(&mut self, to: &mut BytesMut) {
        self.append(&[], to);
    }

    fn append(&mut self, parts: &[IoSlice<'_>], to: &mut BytesMut) -> usize {
        let count = parts.iter().map(|part| part.len()).sum::<usize>().min(MAX_CONTENT);
        #[expect(clippy::expect_used, reason = "a frame has at most 16,384 bytes")]
        let length = u16::try_from(count).expect("a frame is short");
        to.reserve(LENGTH + count + CUT);
        to.put_u16(length);
        let begin = to.len();
        for part in parts {
            let room = count - (to.len() - begin);
            to.put_slice(&part[..part.len().min(room)]);
        }
        let mac = self.key.cut(&[&self.next.to_be_bytes(), &to[begin..]]);
        to.put_slice(&mac);
        self.next += 1;
        count
    }
}

/// Reads the frames of a direction.
pub(super) struct FrameReader {
    key: MacKey,
    /// The number of the next frame.
    next: u64,
    /// What has arrived and was not given yet: less than a frame and what was added last.
    arrived: BytesMut,
    state: State,
}

#[derive(Debug, Clone, Copy)]
enum State {
    /// A frame begins, or is not complete yet.
    Between,
    /// So many bytes of a frame with the right MAC are not given yet.
    Within(usize),
    Ended,
    Failed(FrameError),
}

impl FrameReader {
    pub(super) fn new(key: MacKey) -> Self {
        Self { key, next: 0, arrived: BytesMut::new(), state: State::Between }
    }

    /// Adds bytes that have arrived, of which there are some, or notes that none will.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.arrived.extend_from_slice(bytes);
        if bytes.is_empty() {
            self.state = State::Failed(FrameError::CutOff);
        }
    }

    /// Gives bytes of frames whose MAC is right. Returns whether there were any or the direction has ended; else more
    /// have to arrive.
    pub(super) fn give(&mut self, to: &mut ReadBuf<'_>) -> Result<bool, FrameError> {
        if matches!(self.state, State::Between) {
            self.state = self.open().unwrap_or_else(State::Failed);
        }
        match self.state {
            State::Between => Ok(false),
            State::Within(left) => {
                self.give_content(left, to);
                Ok(true)
            }
            State::Ended => Ok(true),
            State::Failed(error) => Err(error),
        }
    }

    fn give_content(&mut self, left: usize, to: &mut ReadBuf<'_>) {
        let count = left.min(to.remaining());
        to.put_slice(&self.arrived[..count]);
        self.arrived.advance(count);
        self.state = State::Within(left - count);
        if count == left {
            self.arrived.advance(CUT);
            self.state = State::Between;
        }
        if self.arrived.is_empty() {
            // A silent connection keeps no memory.
            self.arrived = BytesMut::new();
        }
    }

    /// Checks the next frame, if it is complete, and removes its length.
    fn open(&mut self) -> Result<State, FrameError> {
        let Some((length, others)) = self.arrived.split_first_chunk::<LENGTH>() else {
            return Ok(State::Between);
        };
        let length = usize::from(u16::from_be_bytes(*length));
        if length > MAX_CONTENT {
            return Err(FrameError::TooLong(length));
        }
        let complete = others.split_at_checked(length);
        let Some((content, mac)) = complete.and_then(|(content, mac)| Some((content, mac.first_chunk()?)))
        else {
            return Ok(State::Between);
        };
        if !self.key.is_cut(&[&self.next.to_be_bytes(), content], mac) {
            return Err(FrameError::WrongMac);
        }
        self.next += 1;
        self.arrived.advance(LENGTH);
        Ok(if length == 0 { State::Ended } else { State::Within(length) })
    }
}
