//! The last events of a lobby, for players who missed them.

use std::collections::VecDeque;

use bytes::Bytes;

use crate::number::saturating;
use crate::wire::limits::KEPT_EVENTS;

/// How many events are kept: those that a player may have missed, and the two at most of the player's return.
const KEPT: usize = KEPT_EVENTS + 2;

/// The frames of the last events. They are stored as one run of bytes, which takes a quarter of the memory of
/// separate values.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    frames: VecDeque<u8>,
    lengths: VecDeque<u32>,
    /// The number of the last event.
    last: u32,
}

impl Backlog {
    /// Keeps the event of this number.
    pub(super) fn note(&mut self, number: u32, frame: &[u8]) {
        if self.lengths.len() == KEPT
            && let Some(length) = self.lengths.pop_front()
        {
            self.frames.drain(..length as usize);
        }
        self.frames.extend(frame);
        // A frame has no more than 2^32 bytes: its length stands in front of it.
        self.lengths.push_back(saturating(frame.len()));
        self.last = number;
    }

    /// The events after number `seen`, which is not 0; `None` if they are not all kept, or if there is no
    /// such number.
    pub(super) fn since(&self, seen: u32) -> Option<Vec<Bytes>> {
        let missed = usize::try_from(self.last.checked_sub(seen)?).ok()?;
        let heard = self.lengths.len().checked_sub(missed).filter(|_| seen > 0)?;
        let skipped: usize = self.lengths.iter().take(heard).map(|&length| length as usize).sum();
        let mut bytes: Bytes = self.frames.iter().skip(skipped).copied().collect();
        Some(self.lengths.iter().skip(heard).map(|&length| bytes.split_to(length as usize)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The frame of an event: longer ones now and then, and no two alike.
    fn frame(number: u32) -> Vec<u8> {
        number.to_le_bytes().repeat(1 + number as usize % 7)
    }

    #[test]
    fn the_last_events_are_kept_and_no_others() {
        let mut told = Backlog::default();
        assert_eq!(told.since(0), None);
        let many = 3 * u32::try_from(KEPT).unwrap();
        for last in 1..=many {
            told.note(last, &frame(last));
            for seen in 0..=last + 1 {
                let kept = seen > 0 && seen <= last && (last - seen) as usize <= KEPT;
                let missed = kept.then(|| (seen + 1..=last).map(|number| frame(number).into()).collect());
                assert_eq!(told.since(seen), missed, "{seen} of {last}");
            }
        }
    }
}
