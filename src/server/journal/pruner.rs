//! Prunes the journal to the age and size that the host wants to keep: a little at a time, while nobody waits
//! for it.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use crate::number::millis;
use crate::server::config::History;
use crate::server::storage::{Bounds, Pruned, Storage, WallTime};

/// The pause after there was nothing more to prune.
const EVERY: Duration = Duration::from_mins(10);

/// The same while open lobbies are in the way, which are then closed.
const WHILE_BLOCKED: Duration = Duration::from_secs(10);

/// On a full disk a journal of this size is not pruned: something else has filled the disk.
const KEPT_ON_A_FULL_DISK: u64 = 8 << 20;

/// When to prune next, and how much is kept.
#[derive(Debug)]
pub struct Pruner {
    history: History,
    /// The host's clock and the monotonic time at the start.
    started: (WallTime, Instant),
    /// When nothing more was found to prune.
    done: Option<Instant>,
    /// What was pruned since then.
    pruned: Pruned,
    /// See [`Pruned::blocked_by`].
    blocked_by: Option<IpAddr>,
}

impl Pruner {
    /// A pruner that keeps this much.
    #[must_use]
    pub fn new(history: History) -> Self {
        let started = (WallTime::now(), Instant::now());
        Self { history, started, done: None, pruned: Pruned::default(), blocked_by: None }
    }

    /// How long until it is time to prune.
    pub fn pause(&self) -> Duration {
        let every = if self.blocked_by.is_some() { WHILE_BLOCKED } else { EVERY };
        self.done.map_or(Duration::ZERO, |done| every.saturating_sub(done.elapsed()))
    }

    /// Prunes one piece, if it is time. Returns the address whose open lobbies are in the way, if they are.
    pub fn prune(&mut self, storage: &mut dyn Storage) -> Option<IpAddr> {
        let is_done = self.pause() == Duration::ZERO && self.prune_to(self.history.bytes, storage);
        self.done = if is_done { Some(Instant::now()) } else { self.done };
        self.blocked_by.filter(|_| is_done)
    }

    /// Prunes on a full disk, whatever the age of what goes, until there is no shortage any more. Returns the
    /// address whose open lobbies are in the way, if they are.
    pub fn make_room(&mut self, storage: &mut dyn Storage) -> Option<IpAddr> {
        let mut gone = self.pruned.lobbies;
        while !self.prune_to(KEPT_ON_A_FULL_DISK, storage) {
            // To ask takes long, and there is no room before lobbies are gone.
            if self.pruned.lobbies > gone && storage.shortage().is_none() {
                self.report(false);
                break;
            }
            gone = self.pruned.lobbies;
        }
        self.blocked_by
    }

    /// Prunes one piece. Returns whether nothing more can be pruned now.
    fn prune_to(&mut self, bytes: u64, storage: &mut dyn Storage) -> bool {
        let (started, since) = self.started;
        let now = cautious(WallTime::now(), started, since.elapsed());
        let age = millis::<u64>(self.history.age);
        let before = |time: WallTime| WallTime(time.0.saturating_sub(age));
        match storage.prune(&Bounds { since: before(now), old: before(started), bytes }) {
            Ok(pruned) => {
                self.pruned.lobbies += pruned.lobbies;
                self.pruned.games_by_age += pruned.games_by_age;
                self.pruned.games_by_size += pruned.games_by_size;
                self.blocked_by = pruned.blocked_by;
                if pruned.is_done {
                    self.report(pruned.keeps_old);
                }
                pruned.is_done
            }
            Err(error) => {
                tracing::warn!(%error, "old lobbies could not be removed");
                true
            }
        }
    }

    /// Logs what was pruned since the last time, if anything was.
    fn report(&mut self, keeps_old: bool) {
        let Pruned { lobbies, games_by_age, games_by_size, .. } = std::mem::take(&mut self.pruned);
        if lobbies > 0 {
            tracing::info!(lobbies, games_by_age, games_by_size, "closed lobbies were removed");
        }
        if keeps_old && games_by_age > 0 {
            tracing::warn!(
                "more games are too old than a tenth of all; no more are removed for their age at one start. Is this machine's clock \
                 right?"
            );
        }
    }
}

/// The time from which the age of lobbies is counted: that of the host's clock, but at most `started` plus
/// the time since. So a clock that is set ahead prunes no games.
fn cautious(clock: WallTime, started: WallTime, since: Duration) -> WallTime {
    clock.min(WallTime(started.0.saturating_add(millis(since))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 24 * 60 * 60 * 1_000;

    #[test]
    fn a_clock_that_is_set_ahead_or_back_makes_no_lobby_older() {
        let (noon, an_hour) = (WallTime(1_000 * DAY), Duration::from_hours(1));
        let later = WallTime(noon.0 + 60 * 60 * 1_000);
        for (clock, now) in [
            (later, later),
            (WallTime(20_000 * DAY), later),
            (WallTime(3 * DAY), WallTime(3 * DAY)),
            (WallTime(u64::MAX), later),
        ] {
            assert_eq!(cautious(clock, noon, an_hour), now, "{clock:?}");
        }
    }
}
