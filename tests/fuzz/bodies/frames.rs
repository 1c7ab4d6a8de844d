use bytes::BytesMut;
use nim::wire::{FrameTooLong, first_body, frame_length, next_body};

/// Cuts the bytes into frames in two ways: as they arrive in pieces, whose size is the first byte; and as
/// one slice, frame by frame.
pub fn body(data: &[u8]) {
    let Some((&size, stream)) = data.split_first() else { return };
    let (whole, end) = from_slice(stream);
    for size in [usize::from(size).max(1), 1, stream.len().max(1)] {
        let (bodies, refused) = in_pieces(stream, size);
        assert_eq!((&bodies, refused), (&whole, end.is_err()), "in pieces of {size}");
    }
    if let Ok(rest) = end {
        assert!(stream.ends_with(rest), "the rest is what follows the last frame");
        let taken: usize = whole.iter().map(|body| frame_length(body)).sum();
        assert_eq!(taken + rest.len(), stream.len());
    }
}

/// The bodies at the front of these bytes, and the rest.
fn from_slice(mut stream: &[u8]) -> (Vec<Vec<u8>>, Result<&[u8], FrameTooLong>) {
    let mut bodies = Vec::new();
    loop {
        match first_body(stream) {
            Ok(Some(body)) => {
                bodies.push(body.to_vec());
                stream = &stream[frame_length(body)..];
            }
            Ok(None) => return (bodies, Ok(stream)),
            Err(error) => return (bodies, Err(error)),
        }
    }
}

/// The bodies found when the bytes arrive in pieces of this size, and whether a frame was too long.
fn in_pieces(stream: &[u8], size: usize) -> (Vec<Vec<u8>>, bool) {
    let (mut buffer, mut bodies) = (BytesMut::new(), Vec::new());
    for piece in stream.chunks(size) {
        buffer.extend_from_slice(piece);
        loop {
            match next_body(&mut buffer) {
                Ok(Some(body)) => bodies.push(body.to_vec()),
                Ok(None) => break,
                Err(FrameTooLong) => return (bodies, true),
            }
        }
    }
    (bodies, false)
}
