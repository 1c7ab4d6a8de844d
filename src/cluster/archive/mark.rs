//! How far each archiver is.

use std::collections::BTreeMap;

use bytes::Bytes;

use crate::cluster::checked;
use crate::cluster::engine::{Engine, EngineError, Key, RangeReader, Revision};
use crate::cluster::format::Format;
use crate::cluster::keys::{self, NodeName};
use crate::server::storage::WallTime;

/// What an archiver says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    /// All lobbies whose keys were created up to here are recorded, or damaged.
    pub(super) revision: Revision,
    /// When it said so.
    pub(super) said: WallTime,
}

/// A mark as it is in etcd.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StoredMark {
    pub(super) mark: Mark,
    /// When the key was set.
    pub(super) changed: Revision,
}

impl Mark {
    pub(super) fn value(self) -> Bytes {
        let content = [self.revision.0.to_be_bytes(), self.said.0.to_be_bytes()].concat();
        checked::finish(Format::FIRST, [&[0; checked::HEADER][..], &content].concat())
    }

    /// The mark with this value. One that cannot be read says that nothing is recorded, a long time ago: a living
    /// node soon says more.
    fn read(value: &[u8]) -> Self {
        let content = checked::content(value).unwrap_or_default();
        let number = |from: usize| {
            let bytes = content.get(from..from + 8).and_then(|bytes| bytes.try_into().ok());
            bytes.map_or(0, u64::from_be_bytes)
        };
        Self { revision: Revision(number(0)), said: WallTime(number(8)) }
    }
}

/// The marks of all archivers.
pub(super) async fn read_marks(engine: &dyn Engine) -> Result<BTreeMap<NodeName, StoredMark>, EngineError> {
    let mut reader = RangeReader::of_prefix(engine, &Key::from(keys::ARCHIVERS), 1_024);
    let mut marks = BTreeMap::new();
    while let Some(page) = reader.next().await? {
        for found in page {
            if let Some(name) = keys::archiver_of(&found.key) {
                let mark = Mark::read(&found.value);
                marks.insert(name, StoredMark { mark, changed: found.changed });
            }
        }
    }
    Ok(marks)
}

/// The archivers whose marks cannot be read.
pub async fn bad_marks(engine: &dyn Engine) -> Result<Vec<NodeName>, EngineError> {
    let never = Mark { revision: Revision(0), said: WallTime(0) };
    let marks = read_marks(engine).await?.into_iter();
    Ok(marks.filter(|(_, stored)| stored.mark == never).map(|(name, _)| name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_reads_back_and_a_damaged_one_says_that_nothing_is_recorded() {
        let mark = Mark { revision: Revision(7), said: WallTime(1_000) };
        assert_eq!(Mark::read(&mark.value()), mark);
        let none = Mark { revision: Revision(0), said: WallTime(0) };
        for damaged in [&mark.value()[1..], b"", b"?"] {
            assert_eq!(Mark::read(damaged), none);
        }
    }
}
