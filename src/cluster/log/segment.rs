//! Batches as segments, and segments as bytes: a [checked] value, whose first byte is 1 if the batch
//! goes on in the next segment, and then the entries.
//!
//! A batch that is too large for one segment goes on in the next ones. It counts once its last segment is
//! there: nobody was told of any part before.

use bytes::Bytes;

use super::entry::{read_entry, write_entry};
use crate::cluster::checked;
use crate::cluster::format::Format;
use crate::server::storage::Entry;

/// The most bytes of a segment: etcd keeps pace with values of this size.
pub const MAX_SEGMENT: usize = 256 << 10;

/// The place of the byte that says whether the batch goes on.
const GOES_ON: usize = checked::HEADER;

/// The bytes before the entries.
fn header(format: Format) -> usize {
    GOES_ON + 1 + usize::from(format.is_trial())
}

/// Bytes that are no segment; the text says why, as the end of a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadSegment(pub(super) String);

/// Entries that are recorded together, encoded: at least one segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    pub(super) first: Bytes,
    pub(super) rest: Vec<Bytes>,
}

impl Batch {
    /// These entries, in this order and format.
    pub fn of<'a>(format: Format, entries: impl IntoIterator<Item = &'a Entry>) -> Self {
        let header = header(format);
        let (mut full, mut present, mut encoded) = (Vec::new(), vec![0; header], Vec::new());
        for entry in entries {
            encoded.clear();
            write_entry(entry, &mut encoded);
            if present.len() > header && present.len() + encoded.len() > MAX_SEGMENT {
                full.push(std::mem::replace(&mut present, vec![0; header]));
            }
            present.extend(&encoded);
        }
        let mut finished: Vec<Bytes> = full.into_iter().map(|bytes| finish(format, bytes, true)).collect();
        let last = finish(format, present, false);
        if finished.is_empty() {
            return Self { first: last, rest: Vec::new() };
        }
        let first = finished.remove(0);
        finished.push(last);
        Self { first, rest: finished }
    }

    /// Its segments.
    pub fn segments(&self) -> impl Iterator<Item = &Bytes> {
        std::iter::once(&self.first).chain(&self.rest)
    }
}

/// Completes the header.
fn finish(format: Format, mut segment: Vec<u8>, goes_on: bool) -> Bytes {
    segment[GOES_ON] = goes_on.into();
    checked::finish(format, segment)
}

/// What is in a segment.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) entries: Vec<Entry>,
    /// Whether the batch goes on in the next segment.
    pub(super) goes_on: bool,
}

/// Reads a segment.
pub(super) fn read_segment(bytes: &[u8]) -> Result<Segment, BadSegment> {
    let (format, content) = checked::with_format(bytes).map_err(BadSegment)?;
    let parts = content.split_at_checked(header(format) - GOES_ON);
    let (goes_on, mut entries) = parts.ok_or_else(|| BadSegment("it ends too early".into()))?;
    let mut read = Vec::new();
    while !entries.is_empty() {
        read.push(read_entry(&mut entries).map_err(|error| BadSegment(error.to_string()))?);
    }
    Ok(Segment { entries: read, goes_on: goes_on.first().is_some_and(|byte| *byte != 0) })
}

/// The entries in the value of a segment.
///
/// # Errors
///
/// What is wrong with it.
pub fn entries_of(value: &[u8]) -> Result<Vec<Entry>, BadSegment> {
    read_segment(value).map(|segment| segment.entries)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::proptest;

    use super::*;
    use crate::cluster::sample::{any_entry, event, opened, started};

    proptest! {
        #[test]
        fn the_entries_of_a_batch_read_back_in_their_order(entries in vec(any_entry(), 0..40)) {
            let batch = Batch::of(Format::FIRST, &entries);
            assert_eq!(batch.rest.len(), 0);
            let read = read_segment(&batch.first).unwrap();
            assert!(!read.goes_on);
            assert_eq!(format!("{:?}", read.entries), format!("{entries:?}"));
        }

        #[test]
        fn any_bytes_are_refused(bytes: Vec<u8>) {
            assert!(read_segment(&bytes).is_err());
            assert!(read_segment(&[&[Format::FIRST.number()][..], &bytes].concat()).is_err());
        }

        #[test]
        fn a_changed_bit_is_found(entries in vec(any_entry(), 0..5), place: usize) {
            let mut bytes = Batch::of(Format::FIRST, &entries).first.to_vec();
            let place = place % (bytes.len() * 8);
            bytes[place / 8] ^= 1 << (place % 8);
            assert!(read_segment(&bytes).is_err());
        }
    }

    #[test]
    fn a_large_batch_is_split_in_order() {
        let entries: Vec<Entry> = (1..=20_000).map(|number| event(1, number, 5)).collect();
        let batch = Batch::of(Format::FIRST, &entries);
        assert!(batch.rest.len() >= 2);
        let segments: Vec<Segment> = batch.segments().map(|bytes| read_segment(bytes).unwrap()).collect();
        assert!(batch.segments().all(|bytes| bytes.len() <= MAX_SEGMENT));
        let goes_on: Vec<bool> = segments.iter().map(|segment| segment.goes_on).collect();
        assert!(goes_on.iter().rev().skip(1).all(|goes_on| *goes_on) && !goes_on[goes_on.len() - 1]);
        let read = segments.iter().flat_map(|segment| &segment.entries);
        assert!(read.map(|entry| format!("{entry:?}")).eq(entries.iter().map(|entry| format!("{entry:?}"))));
    }

    /// Header, an opening, the start of a game.
    const SEGMENT: [&str; 5] = [
        "01146855ce00",
        "0000004b01000000000000000200000000000003ea0c616d6265722d6265617665720b7469632d7461632d746f65",
        "000000040100fb1027fb409cfca0bb0d00fc00840c2400000001000000c0a80007",
        "0000003703000000000000000200000000000003ea0000001c0104616e6e61000212d091d0b5d0bdd0b4d0b6d0b0",
        "d0bcd0b8d0bd00050109010100",
    ];

    #[test]
    fn the_bytes_of_a_segment_stay_as_they_are() {
        let batch = Batch::of(Format::FIRST, &[opened(2), started(2, 1)]);
        let bytes = format!("{:02x}", batch.first);
        assert_eq!(bytes, SEGMENT.concat());
    }
}
