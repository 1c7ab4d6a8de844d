//! Which lobbies write checkpoints: all take turns, evenly over a round of recorded entries. All at once would hold up the
//! moves behind them.

use std::sync::Arc;

use super::lobby::LobbyHandle;

/// How many lobbies write checkpoints together at most.
const TOGETHER: usize = 16;

/// One turn of all lobbies.
#[derive(Debug)]
pub(super) struct CheckpointRound {
    /// In how many recorded entries each lobby writes a checkpoint.
    length: usize,
    /// How many of them were recorded.
    recorded: usize,
    /// How many lobbies there were when the round began.
    lobbies: usize,
    /// Those that are still to write one.
    left: Vec<Arc<LobbyHandle>>,
}

impl CheckpointRound {
    /// A round without lobbies.
    pub(super) fn new(length: usize) -> Self {
        Self { length, recorded: 0, lobbies: 0, left: Vec::new() }
    }

    /// Counts recorded entries. After a round it begins the next one, with these lobbies.
    pub(super) fn count(&mut self, entries: usize, lobbies: impl FnOnce() -> Vec<Arc<LobbyHandle>>) {
        if self.left.is_empty() {
            self.recorded = self.recorded.saturating_sub(self.length);
            self.left = lobbies();
            self.lobbies = self.left.len();
        }
        self.recorded = self.recorded.saturating_add(entries);
    }

    /// How many lobbies are behind.
    fn behind(&self) -> usize {
        let share = self.lobbies.saturating_mul(self.recorded) / self.length.max(1);
        let written = self.lobbies - self.left.len();
        share.saturating_sub(written).min(self.left.len())
    }

    /// Whether a lobby is to write a checkpoint now.
    pub(super) fn is_behind(&self) -> bool {
        self.behind() > 0
    }

    /// Has the lobbies that are behind write checkpoints, but not too many together.
    pub(super) fn write(&mut self) {
        let rest = self.left.len() - self.behind().min(TOGETHER);
        self.left.drain(rest..).for_each(|lobby| lobby.write_checkpoint());
    }
}
