//! The marks of slots: up to which revision all that was recorded of a slot is in its heads and pages. Other logs do
//! not count up to there. The value is the revision, the high byte first.

use std::collections::BTreeMap;

use crate::cluster::engine::{Engine, EngineError, Key, Operation, RangeReader, Revision};
use crate::cluster::keys::{self, Slot};

/// Sets a mark.
pub(super) fn put_mark(slot: Slot, covered: Revision) -> Operation {
    Operation::put(keys::covered(slot), covered.0.to_be_bytes().to_vec())
}

/// All marks. A slot without one, or with one that cannot be read, is covered up to no revision.
pub(super) async fn read_marks(engine: &dyn Engine) -> Result<BTreeMap<Slot, Revision>, EngineError> {
    let mut reader = RangeReader::of_prefix(engine, &Key::from(keys::COVERED), 1_024);
    let mut marks = BTreeMap::new();
    while let Some(page) = reader.next().await? {
        for found in page {
            if let (Some(slot), Ok(revision)) = (keys::covered_slot(&found.key), found.value[..].try_into()) {
                marks.insert(slot, Revision(u64::from_be_bytes(revision)));
            }
        }
    }
    Ok(marks)
}
