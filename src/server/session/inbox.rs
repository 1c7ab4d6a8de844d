//! What has come over a connection and was not looked at yet. It knows frames, and no messages.

use crate::wire::{FrameTooLong, first_body, frame_length};

/// Bytes in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    bytes: Vec<u8>,
    /// How many of them, at the front, have been looked at.
    taken: usize,
}

impl Inbox {
    /// What was not looked at yet.
    pub(super) fn rest(&self) -> &[u8] {
        &self.bytes[self.taken..]
    }

    /// Appends what has come.
    pub(super) fn put(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.taken);
        self.taken = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// Takes the body of the next frame; `None` if it is not whole yet.
    pub(super) fn take_body(&mut self) -> Result<Option<&[u8]>, FrameTooLong> {
        let body = first_body(&self.bytes[self.taken..])?;
        self.taken += body.map_or(0, frame_length);
        Ok(body)
    }

    /// Gives back the room that nothing is in.
    pub(super) fn shrink(&mut self) {
        if self.rest().is_empty() {
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_found_however_they_are_cut_and_their_memory_is_freed() {
        let bodies = [b"take".to_vec(), Vec::new(), vec![7; 1_000], b"three".to_vec()];
        let stream: Vec<u8> = bodies
            .iter()
            .flat_map(|body| [&u32::try_from(body.len()).unwrap().to_be_bytes(), &body[..]].concat())
            .collect();
        for size in 1..=stream.len() {
            let (mut inbox, mut found) = (Inbox::default(), Vec::new());
            for piece in stream.chunks(size) {
                inbox.put(piece);
                while let Some(body) = inbox.take_body().unwrap() {
                    found.push(body.to_vec());
                }
                inbox.shrink();
            }
            assert_eq!(found, bodies, "in pieces of {size}");
            assert!(inbox.rest().is_empty() && inbox.bytes.capacity() == 0);
        }
    }
}
