//! Deleting the logs of dead nodes, once all that they have is in pages.

use super::marks::read_marks;
use crate::cluster::engine::{Engine, EngineError, Operation, Range, Revision, Txn};
use crate::cluster::keys::{self, Epoch, Slot};
use crate::cluster::log::logs;
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
        if living.sealed(epoch).is_none() || goes_on_after(engine, epoch, covered).await? {
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

/// Whether anything was recorded in a log after this revision.
async fn goes_on_after(engine: &dyn Engine, epoch: Epoch, covered: Revision) -> Result<bool, EngineError> {
    let segments = Range { created_after: covered, ..Range::prefix(&keys::log(epoch), 1) };
    Ok(!engine.range(segments).await?.found.is_empty())
}
