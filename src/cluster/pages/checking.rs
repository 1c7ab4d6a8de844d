//! Verifies all heads, pages and logs as they are at one revision, as a node would find them that took over everything
//! then. Nodes may be living meanwhile: each of them could have died at that revision.

use futures_util::{StreamExt, TryStreamExt, stream};

use super::ended::GameEnded;
use super::marks::read_marks_at;
use super::restored::{Lobbies, RestoredLobby};
use super::restoring::{Restoring, read_slot};
use crate::cluster::engine::{Engine, EngineError, Key, RangeReader, Revision};
use crate::cluster::keys::{self, Epoch, Slot};
use crate::cluster::log::{LogReader, ReadError, RecordedBatch, logs_at};
use crate::game::any::Variant;
use crate::lobby::{Lobby, Player};
use crate::server::storage::sqlite::{MAX_FINDINGS, Report};
use crate::server::storage::{Damage, LobbyId, StoredLobby, check_seats, replay};
use crate::wire::body_of;

/// How many slots are read at the same time. Nobody waits, so that etcd has time for the games.
const AT_ONCE: usize = 16;

/// Verifies them as of this revision. `progress` is told how many slots are read. Also returns the highest number of a
/// lobby.
///
/// # Errors
///
/// If etcd does not answer, or has forgotten the revision.
pub async fn check_lobbies(
    engine: &dyn Engine,
    at: Revision,
    mut progress: impl FnMut(usize),
) -> Result<(Report, Option<LobbyId>), EngineError> {
    let (mut report, mut restoring) = (Report::default(), Restoring::default());
    let marks = read_marks_at(engine, at).await?;
    let unreadable = marks.iter().filter(|(_, mark)| mark.is_none());
    unreadable.for_each(|(slot, _)| {
        let key = engine.whole_key(&keys::covered(*slot));
        find(
            &mut report,
            format!("the key `{key}` in etcd, which says what the pages of a slot have, cannot be read"),
        );
    });
    let covered = |slot| marks.get(&slot).copied().flatten().unwrap_or_default();
    let reading = Slot::all().map(|slot| read_slot(engine, slot, covered(slot), at));
    let mut slots = stream::iter(reading).buffer_unordered(AT_ONCE);
    while let Some((slot, covered, lobbies)) = slots.try_next().await? {
        restoring.slots.insert(slot, covered);
        restoring.lobbies.extend(lobbies);
        progress(restoring.slots.len());
    }
    for batch in batches(engine, at, &mut report).await? {
        batch.entries.iter().for_each(|entry| restoring.add(entry, batch.revision));
    }
    check_closed(engine, at, &restoring.lobbies, &mut report).await?;
    check_ended(engine, at, &mut report).await?;
    let newest = restoring.lobbies.keys().next_back().copied();
    for lobby in restoring.lobbies.into_values() {
        match lobby.and_then(|lobby| check_lobby(&lobby, &mut report)) {
            Ok(()) => {}
            Err(damage) => find(&mut report, damage.to_string()),
        }
    }
    Ok((report, newest))
}

/// Adds a finding, unless there are very many.
pub(crate) fn find(report: &mut Report, finding: String) {
    if report.findings.len() < MAX_FINDINGS {
        report.findings.push(finding);
    }
}

/// All batches of all logs, in the order in which they were recorded. What a damaged log has before its damage counts.
async fn batches(
    engine: &dyn Engine,
    at: Revision,
    report: &mut Report,
) -> Result<Vec<RecordedBatch>, EngineError> {
    let mut batches = Vec::new();
    for epoch in logs_at(engine, Some(at)).await? {
        match read_log(engine, epoch, at, &mut batches).await {
            Ok(()) => {}
            Err(ReadError::Engine(error)) => return Err(error),
            Err(error @ ReadError::Damaged { .. }) => find(report, error.to_string()),
        }
    }
    batches.sort_by_key(|batch| batch.revision);
    Ok(batches)
}

async fn read_log(
    engine: &dyn Engine,
    epoch: Epoch,
    at: Revision,
    batches: &mut Vec<RecordedBatch>,
) -> Result<(), ReadError> {
    let mut reader = LogReader::open_at(engine, epoch, Some(at)).await?;
    while let Some(batch) = reader.next().await? {
        batches.push(batch);
    }
    Ok(())
}

/// Whether every lobby that is to be archived is there.
async fn check_closed(
    engine: &dyn Engine,
    at: Revision,
    lobbies: &Lobbies,
    report: &mut Report,
) -> Result<(), EngineError> {
    let mut reader = RangeReader::of_prefix(engine, &Key::from(keys::CLOSED), 1_024).at(at);
    while let Some(page) = reader.next().await? {
        for lobby in page.iter().filter_map(|found| keys::closed_lobby(&found.key)) {
            if !lobbies.contains_key(&lobby) {
                find(report, format!("lobby {}: it is to be archived, and its head is missing", lobby.0));
            }
        }
    }
    Ok(())
}

/// Whether the archives can read in which lobbies games have ended. A lobby that is gone is no fault: nodes of earlier
/// releases leave its key.
async fn check_ended(engine: &dyn Engine, at: Revision, report: &mut Report) -> Result<(), EngineError> {
    let mut reader = RangeReader::of_prefix(engine, &Key::from(keys::ENDED), 1_024).at(at);
    while let Some(page) = reader.next().await? {
        for found in page {
            if let (Some(lobby), Err(why)) = (keys::ended_lobby(&found.key), GameEnded::read(&found.value)) {
                find(report, format!("lobby {}: where its last game is cannot be read: {why}", lobby.0));
            }
        }
    }
    Ok(())
}

/// Counts a lobby, and verifies that a node can go on with it if it is open.
fn check_lobby(lobby: &RestoredLobby, report: &mut Report) -> Result<(), Damage> {
    report.lobbies += 1;
    report.events += u64::from(lobby.kept.last);
    let Some(stored) = lobby.stored() else { return Ok(()) };
    report.open += 1;
    replayed(&stored).map_err(|why| Damage { lobby: stored.lobby, code: Some(stored.meta.code), why })
}

/// Applies the events that come after the checkpoint, as a node does that goes on with the lobby.
fn replayed(stored: &StoredLobby) -> Result<(), String> {
    let meta = &stored.meta;
    let variant: Variant = meta.variant.parse().map_err(|_| format!("{} is no game", meta.variant))?;
    let mut lobby = match stored.checkpoint.clone() {
        Some(checkpoint) => Lobby::try_from(checkpoint).map_err(|bad| bad.to_string())?,
        None if stored.events.is_empty() => {
            return Err("it was opened, but all its events are missing".into());
        }
        None => Lobby::new(meta.code, variant, meta.conditions),
    };
    for frame in &stored.events {
        replay(&mut lobby, body_of(frame))?;
    }
    let holds = |player: &Player| {
        stored.owners.iter().any(|owner| owner.player == player.id && owner.name == player.name)
    };
    check_seats(&lobby, holds)
}
