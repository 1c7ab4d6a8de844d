//! Deleting the logs of dead nodes, once all that they have is in pages.

use super::marks::read_marks;
use crate::cluster::engine::{Engine, EngineError, Operation, RangeReader, Revision, Txn};
use crate::cluster::keys::{self, Epoch, Slot};
use crate::cluster::log::{MAX_SEGMENT, logs};
use crate::cluster::node::{Living, Membership, WriteError};

/// Deletes every sealed log of which all slots cover all. Returns whose logs these were. Any node may do that at
/// any time: a log is kept while one slot is behind.
pub async fn delete_covered_logs(
    engine: &dyn Engine,
    membership: &Membership,
    living: &Living,
) -> Result<Vec<Epoch>, WriteError> {
    let marks = read_marks(engine).await?;
    let covered =
        Slot::all().map(|slot| marks.get(&slot).copied().unwrap_or_default()).min().unwrap_or_default();
    let mut deleted = Vec::new();
    for epoch in logs(engine).await? {
        if living.sealed(epoch).is_none() || last_change(engine, epoch).await? > covered {
            continue;
        }
        let log = keys::log(epoch);
        let then = vec![
            Operation::DeleteRange(log.clone(), log.behind_prefix()),
            Operation::Delete(keys::start(epoch)),
        ];
        membership.write(engine, Txn { then, ..Txn::default() }).await?;
        deleted.push(epoch);
    }
    Ok(deleted)
}

/// When the last segment of a log was recorded.
async fn last_change(engine: &dyn Engine, epoch: Epoch) -> Result<Revision, EngineError> {
    let mut reader = RangeReader::of_prefix(engine, &keys::log(epoch), MAX_SEGMENT);
    let mut last = Revision::default();
    while let Some(page) = reader.next().await? {
        last = page.iter().map(|found| found.changed).fold(last, Revision::max);
    }
    Ok(last)
}
