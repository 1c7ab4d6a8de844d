//! The marks of slots: up to which revision all that was recorded of a slot is in its heads and pages. Other logs do
//! not count up to there. The value is the revision, the high byte first.

use std::collections::BTreeMap;

use crate::cluster::engine::{Engine, EngineError, Key, Operation, RangeReader, Revision};
use crate::cluster::keys::{self, Slot};

/// The most bytes of a mark and its key.
const MAX_MARK: usize = 1_024;

/// Sets a mark.
pub(super) fn put_mark(slot: Slot, covered: Revision) -> Operation {
    Operation::put(keys::covered(slot), covered.0.to_be_bytes().to_vec())
}

/// All marks. A slot without one, or with one that cannot be read, is covered up to no revision.
pub(super) async fn read_marks(engine: &dyn Engine) -> Result<BTreeMap<Slot, Revision>, EngineError> {
    let reader = RangeReader::of_prefix(engine, &Key::from(keys::COVERED), MAX_MARK);
    Ok(read_all(reader).await?.into_iter().filter_map(|(slot, mark)| Some((slot, mark?))).collect())
}

/// All marks as of a revision; `None` for one that cannot be read.
pub(super) async fn read_marks_at(
    engine: &dyn Engine,
    at: Revision,
) -> Result<BTreeMap<Slot, Option<Revision>>, EngineError> {
    read_all(RangeReader::of_prefix(engine, &Key::from(keys::COVERED), MAX_MARK).at(at)).await
}

async fn read_all(mut reader: RangeReader<'_>) -> Result<BTreeMap<Slot, Option<Revision>>, EngineError> {
    let mut marks = BTreeMap::new();
    while let Some(page) = reader.next().await? {
        marks.extend(page.into_iter().filter_map(|found| {
            let mark = found.value[..].try_into().ok().map(|bytes| Revision(u64::from_be_bytes(bytes)));
            Some((keys::covered_slot(&found.key)?, mark))
        }));
    }
    Ok(marks)
}
