//! Deleting closed lobbies that all archivers have.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use super::mark::{StoredMark, read_marks};
use crate::cluster::engine::{Compare, Engine, EngineError, MAX_OPERATIONS, Operation, Revision, Txn};
use crate::cluster::keys::{self, NodeName, Slot};
use crate::cluster::node::{Living, Membership, WriteError};
use crate::number::millis;
use crate::server::storage::{LobbyId, WallTime};

/// How long an archiver that is no member is waited for: longer than a machine is away over a holiday.
pub const FORGOTTEN_AFTER: Duration = Duration::from_hours(7 * 24);

/// While the closed lobbies in etcd have more bytes, no archiver is waited for any longer that has not gone on for
/// [`CROWDED_PATIENCE`]: open lobbies need the room.
pub(super) const MOST_FOR_OTHERS: u64 = 2 << 30;

/// Longer than a node needs to be updated.
pub(super) const CROWDED_PATIENCE: Duration = Duration::from_mins(5);

/// How long a lobby stays in etcd after it was archived. That is far beyond the deadline of a call, so that no page
/// that was written in doubt comes back after it was deleted.
pub const KEPT_AFTER_ARCHIVING: Duration = Duration::from_secs(10);

/// A lobby that this node has archived.
#[derive(Debug, Clone, Copy)]
pub(super) struct Archived {
    pub(super) slot: Slot,
    /// When its key was created.
    pub(super) created: Revision,
    /// Since when this node has it.
    pub(super) since: Instant,
    /// The bytes of its entries.
    pub(super) bytes: usize,
    /// Whether it is recorded: a damaged one stays in etcd.
    pub(super) is_sound: bool,
}

/// Up to which revision a node has archived.
pub(super) async fn read_mark(engine: &dyn Engine, name: &NodeName) -> Result<Revision, EngineError> {
    let marks = read_marks(engine).await?;
    Ok(marks.get(name).map(|stored| stored.mark.revision).unwrap_or_default())
}

/// Deletes the keys, heads and pages of those lobbies that all archivers have.
pub(super) async fn delete_archived(
    engine: &dyn Engine,
    membership: &Membership,
    archived: &mut BTreeMap<LobbyId, Archived>,
) -> Result<(), WriteError> {
    let is_due = |lobby: &Archived| lobby.is_sound && lobby.since.elapsed() >= KEPT_AFTER_ARCHIVING;
    let mut due: Vec<(LobbyId, Archived)> =
        archived.iter().filter(|(_, lobby)| is_due(lobby)).map(|(id, lobby)| (*id, *lobby)).collect();
    if due.is_empty() {
        return Ok(());
    }
    let bytes: u64 = archived.values().map(|lobby| lobby.bytes as u64).sum();
    let all_have = passed_by_all(engine, membership, bytes > MOST_FOR_OTHERS).await?;
    due.retain(|(_, lobby)| lobby.created <= all_have);
    // Each takes four operations.
    for some in due.chunks(MAX_OPERATIONS / 4) {
        let then = some.iter().flat_map(|(lobby, Archived { slot, .. })| {
            let pages = keys::pages(*slot, *lobby);
            let end = pages.behind_prefix();
            let keys = [keys::closed(*lobby), keys::ended(*lobby), keys::head(*slot, *lobby)];
            keys.map(Operation::Delete).into_iter().chain([Operation::DeleteRange(pages, end)])
        });
        membership.write(engine, Txn { then: then.collect(), ..Txn::default() }).await?;
        archived.retain(|lobby, _| some.iter().all(|(gone, _)| gone != lobby));
    }
    Ok(())
}

/// The revision up to which all archivers have recorded everything.
async fn passed_by_all(
    engine: &dyn Engine,
    membership: &Membership,
    is_crowded: bool,
) -> Result<Revision, WriteError> {
    let patience = if is_crowded { CROWDED_PATIENCE } else { FORGOTTEN_AFTER };
    let (marks, now) = (read_marks(engine).await?, WallTime::now());
    let is_old = |stored: &StoredMark| {
        let age = now.0.saturating_sub(stored.mark.said.0);
        age > millis::<u64>(patience)
    };
    let living = if marks.values().any(is_old) { Some(Living::read(engine).await?) } else { None };
    let mut least = Revision(u64::MAX);
    for (name, stored) in marks {
        let lives = living.as_ref().is_none_or(|living| living.nodes.values().any(|(node, _)| *node == name));
        // A mark says something new whenever its node has recorded anything.
        if !is_old(&stored) || lives && !is_crowded {
            least = least.min(stored.mark.revision);
        } else if !lives {
            forget(engine, membership, &name, stored.changed).await?;
        }
    }
    // Without any mark nobody has recorded anything.
    Ok(if least == Revision(u64::MAX) { Revision::default() } else { least })
}

/// Forgets an archiver, unless it has said something since.
async fn forget(
    engine: &dyn Engine,
    membership: &Membership,
    name: &NodeName,
    changed: Revision,
) -> Result<(), WriteError> {
    let key = keys::archiver(name);
    let compares = vec![Compare::ChangedAt(key.clone(), changed)];
    let txn = Txn { compares, then: vec![Operation::Delete(key)], ..Txn::default() };
    if membership.write(engine, txn).await?.held {
        tracing::warn!(
            %name,
            "a node was away for a week, or while many lobbies were closed: its archive is waited for no longer"
        );
    }
    Ok(())
}
