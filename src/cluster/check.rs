//! Verifies all that a cluster keeps in etcd: the map of slots and who owns them, the secret, the format, the marks, the
//! counter of lobbies, and all lobbies.
//! It changes nothing, and nodes may be living at the same time.

use std::collections::BTreeSet;
use std::time::Duration;

use super::about::About;
use super::archive::bad_marks;
use super::engine::{Engine, EngineError};
use super::keys::Slot;
use super::map::{MapError, StoredMap, read_map};
use super::node::{LEASE, Living, check_format};
use super::numbers::check_counter;
use super::pages::{check_lobbies, find};
use super::tunnel::{SecretError, SharedSecret};
use crate::server::storage::sqlite::Report;

/// How long living nodes get to share out the slots of one that has just died.
const SHARED_WITHIN: Duration = LEASE.saturating_mul(3);

/// Verifies a cluster. `progress` is told how many of all [slots](Slot::COUNT) are read. Returns nothing where etcd has
/// nothing of a cluster.
///
/// # Errors
///
/// If etcd does not answer.
pub async fn check(engine: &dyn Engine, progress: impl FnMut(usize)) -> Result<Option<Report>, EngineError> {
    let living = Living::read(engine).await?;
    let mut findings = Vec::new();
    let map = sound(read_map(engine).await, &mut findings)?;
    let has_secret = check_secret(engine, &mut findings).await?;
    // Each node puts the format there when it joins, and counts a block of lobbies before the first map is made.
    let has_map = map.is_none_or(|map| map.changed.is_some());
    let has_joined = has_map || !living.nodes.is_empty();
    if !has_joined && !has_secret {
        return Ok(None);
    }
    if has_joined {
        findings.extend(check_format(engine).await?);
    }
    for (name, about) in living.nodes.values() {
        let unreadable = |why| format!("what node {name} says of itself cannot be read: {why}");
        findings.extend(About::read(about).err().map(unreadable));
    }
    for name in bad_marks(engine).await? {
        findings.push(format!("how far node {name} has archived cannot be read"));
    }
    findings.extend(unowned(engine).await?);
    let (mut report, newest) = check_lobbies(engine, living.revision, progress).await?;
    if has_map || newest.is_some() {
        findings.extend(check_counter(engine, newest).await?.map(|error| error.to_string()));
    }
    let of_lobbies = std::mem::replace(&mut report.findings, findings);
    for finding in of_lobbies {
        find(&mut report, finding);
    }
    Ok(Some(report))
}

/// The map, or why it cannot be read as a finding.
fn sound(
    map: Result<StoredMap, MapError>,
    findings: &mut Vec<String>,
) -> Result<Option<StoredMap>, EngineError> {
    match map {
        Ok(map) => Ok(Some(map)),
        Err(MapError::Engine(error)) => Err(error),
        Err(error) => {
            findings.push(error.to_string());
            Ok(None)
        }
    }
}

/// Returns whether there is a secret, be it damaged.
async fn check_secret(engine: &dyn Engine, findings: &mut Vec<String>) -> Result<bool, EngineError> {
    match SharedSecret::read_existing(engine).await {
        Ok(secret) => Ok(secret.is_some()),
        Err(SecretError::Engine(error)) => Err(error),
        Err(error) => {
            findings.push(error.to_string());
            Ok(true)
        }
    }
}

/// What is wrong with the owners of slots. Where no node is running, nobody owns anything, which is no fault.
async fn unowned(engine: &dyn Engine) -> Result<Option<String>, EngineError> {
    let since = tokio::time::Instant::now();
    loop {
        // Why it cannot be read is said already.
        let stored = sound(read_map(engine).await, &mut Vec::new())?;
        let living: BTreeSet<_> = Living::read(engine).await?.nodes.into_keys().collect();
        let (Some(stored), false) = (stored, living.is_empty()) else { return Ok(None) };
        let is_unowned = |slot: &Slot| !stored.map.owner(*slot).is_some_and(|owner| living.contains(&owner));
        let unowned: Vec<Slot> = Slot::all().filter(is_unowned).collect();
        let Some(first) = unowned.first() else { return Ok(None) };
        if since.elapsed() >= SHARED_WITHIN {
            let (count, first) = (unowned.len(), first.0);
            return Ok(Some(format!(
                "{count} of 256 slots have no living owner, {first:02x} is the first of them"
            )));
        }
        tokio::time::sleep(LEASE / 2).await;
    }
}

#[cfg(test)]
mod tests;
