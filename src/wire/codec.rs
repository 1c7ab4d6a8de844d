//! Messages as bytes, and bytes as frames. The only file that names bincode.
//!
//! A frame is the body's length as four bytes, the high one first, and then the body:
//!
//! ```text
//! +----------+----------------------+
//! | u32 (BE) | body: one message    |
//! +----------+----------------------+
//! ```

use arrayvec::ArrayVec;
use bincode::config::{Configuration, Limit, LittleEndian, Varint};
use bincode::error::DecodeError;
use bytes::{Bytes, BytesMut};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::limits::{MAX_DECODED, MAX_FRAME};

/// The bytes in front of a body.
const HEADER: usize = 4;

/// The longest short frame: a move has some twenty bytes, and longer frames are rare. With the allocator's
/// and the counter's overhead it fits into 96 bytes.
const SHORT: usize = 64;

fn config() -> Configuration<LittleEndian, Varint, Limit<MAX_DECODED>> {
    bincode::config::standard().with_limit::<MAX_DECODED>()
}

/// The error for a body that is not exactly one message of the expected type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// The bytes are not a message; the text says why.
    #[error("the frame's body is not a message: {0}")]
    Undecodable(String),
    /// A variant of a later release: a client skips it.
    #[error("the frame's body is not a message that this release knows: {0}")]
    Unknown(String),
    /// A message, followed by more bytes.
    #[error("{} left over behind the message", bytes_are(*.0))]
    LeftOver(usize),
}

fn bytes_are(count: usize) -> String {
    if count == 1 { "1 byte is".into() } else { format!("{count} bytes are") }
}

impl From<DecodeError> for Malformed {
    fn from(error: DecodeError) -> Self {
        match error {
            DecodeError::UnexpectedEnd { .. } => Self::Undecodable("it ends too early".into()),
            DecodeError::LimitExceeded => Self::Undecodable("it claims more than a frame can hold".into()),
            DecodeError::Utf8 { .. } => Self::Undecodable("a text in it is not UTF-8".into()),
            DecodeError::InvalidIntegerType { .. } => {
                Self::Undecodable("a number in it is too wide for its place".into())
            }
            // This is how serde words an index beyond the last variant of an enum.
            DecodeError::OtherString(words) if words.contains("variant index") => Self::Unknown(words),
            DecodeError::OtherString(words) => Self::Undecodable(words),
            other => Self::Undecodable(other.to_string()),
        }
    }
}

/// Encodes a message as a whole frame, length and body.
pub fn encode<M: Serialize>(message: &M) -> Bytes {
    encode_short(message).unwrap_or_else(|| encode_long(message))
}

/// A short frame, counter and bytes in one piece of memory; `None` if the message is too long for that.
fn encode_short<M: Serialize>(message: &M) -> Option<Bytes> {
    let mut frame = ArrayVec::from([0; SHORT]);
    let length = bincode::serde::encode_into_slice(message, &mut frame[HEADER..], config()).ok()?;
    frame.truncate(HEADER + length);
    put_length(&mut frame);
    Some(Bytes::from_owner(frame))
}

fn encode_long<M: Serialize>(message: &M) -> Bytes {
    let mut frame = vec![0; HEADER];
    let encoded = bincode::serde::encode_into_std_write(message, &mut frame, config());
    debug_assert!(encoded.is_ok() && frame.len() <= HEADER + MAX_FRAME);
    put_length(&mut frame);
    frame.into()
}

fn put_length(frame: &mut [u8]) {
    // Writing into memory cannot fail, and the bounds of the messages keep them below MAX_FRAME < 2^32.
    let length = u32::try_from(frame.len() - HEADER).unwrap_or(u32::MAX);
    frame[..HEADER].copy_from_slice(&length.to_be_bytes());
}

/// Decodes the one message in a frame's body.
pub fn decode<M: DeserializeOwned>(body: &[u8]) -> Result<M, Malformed> {
    let (message, used) = bincode::serde::decode_from_slice(body, config())?;
    match body.len() - used {
        0 => Ok(message),
        left => Err(Malformed::LeftOver(left)),
    }
}

/// The error for a frame that announces more than [`MAX_FRAME`] bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a frame has at most {MAX_FRAME} bytes")]
pub struct FrameTooLong;

/// The body of the frame at the front of these bytes; `None` if it is not whole yet.
///
/// After an error the stream cannot be cut any more and is to be closed.
pub fn first_body(bytes: &[u8]) -> Result<Option<&[u8]>, FrameTooLong> {
    let Some((length, rest)) = bytes.split_first_chunk::<HEADER>() else { return Ok(None) };
    match u32::from_be_bytes(*length) as usize {
        length if length > MAX_FRAME => Err(FrameTooLong),
        length => Ok(rest.get(..length)),
    }
}

/// The index of the variant with which the body of an enum begins; `None` if there is none, or none below 251: bincode
/// writes the others as more than one byte.
pub(super) fn variant_index(body: &[u8]) -> Option<u8> {
    body.first().copied().filter(|index| *index < 251)
}

/// The body of a whole frame; empty if there is none.
pub fn body_of(frame: &[u8]) -> &[u8] {
    frame.get(HEADER..).unwrap_or_default()
}

/// The frame with this body.
pub fn frame_of(body: &[u8]) -> Bytes {
    let mut frame = [&[0; HEADER], body].concat();
    put_length(&mut frame);
    frame.into()
}

/// The bytes that a frame with this body has in all.
pub const fn frame_length(body: &[u8]) -> usize {
    HEADER + body.len()
}

/// Takes the first frame off the front of `buffer` and returns its body; `None` if it is not whole yet.
///
/// After an error the stream cannot be cut any more and is to be closed.
pub fn next_body(buffer: &mut BytesMut) -> Result<Option<BytesMut>, FrameTooLong> {
    let length = first_body(buffer)?.map(frame_length);
    Ok(length.map(|length| buffer.split_to(length).split_off(HEADER)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lobby::{List, Offer};

    #[test]
    fn short_frames_and_long_ones_are_written_alike() {
        for length in 0..2 * SHORT {
            let message = "x".repeat(length);
            let frame = encode(&message);
            assert_eq!(frame, encode_long(&message), "{length}");
            assert_eq!(decode::<String>(first_body(&frame).unwrap().unwrap()), Ok(message));
        }
    }

    #[test]
    fn bytes_left_over_after_a_message_are_counted() {
        let said = |more: usize| {
            let body = [first_body(&encode(&7_u8)).unwrap().unwrap(), &vec![0; more]].concat();
            decode::<u8>(&body).map_err(|malformed| malformed.to_string())
        };
        assert_eq!(said(0), Ok(7));
        assert_eq!(said(1), Err("1 byte is left over behind the message".into()));
        assert_eq!(said(2), Err("2 bytes are left over behind the message".into()));
    }

    #[test]
    fn what_a_later_release_may_have_meant_is_told_from_what_means_nothing() {
        assert!(matches!(decode::<Offer>(&[200]), Err(Malformed::Unknown(_))));
        assert!(matches!(decode::<List<bool, 1>>(&[2, 0, 0]), Err(Malformed::Undecodable(_))));
    }

    #[test]
    fn frames_are_found_however_a_stream_is_cut() {
        let bodies = [b"take".to_vec(), Vec::new(), vec![7; 1_000], b"three".to_vec()];
        let stream: Vec<u8> = bodies.iter().flat_map(|body| frame_of(body)).collect();
        for size in 1..=stream.len() {
            let (mut buffer, mut found) = (BytesMut::new(), Vec::new());
            for piece in stream.chunks(size) {
                buffer.extend_from_slice(piece);
                found.extend(std::iter::from_fn(|| next_body(&mut buffer).unwrap()));
            }
            assert_eq!(found, bodies, "in pieces of {size}");
            assert!(buffer.is_empty());
        }
    }

    #[test]
    fn a_length_beyond_the_limit_is_refused_before_anything_else_has_come() {
        let longest = u32::try_from(MAX_FRAME).unwrap();
        assert_eq!(first_body(&longest.to_be_bytes()), Ok(None));
        assert_eq!(first_body(&(longest + 1).to_be_bytes()), Err(FrameTooLong));
    }
}
