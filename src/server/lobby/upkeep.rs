//! What the server does with a lobby of its own accord: room for others, a restart, checkpoints, a full disk.

use std::sync::Arc;
use std::time::Duration;

use super::handle::LobbyHandle;
use super::live::Tasks;
use crate::lobby::{Phase, Text};
use crate::server::storage::StorageError;
use crate::wire::{Farewell, HallRefusal, ToClient};

/// How long a deserted lobby is safe from eviction: a broken connection is usually back sooner.
const MIN_LEFT: Duration = Duration::from_mins(1);

impl LobbyHandle {
    /// Since when nobody has been connected, by the server's clock, if that is long enough for eviction.
    pub(in crate::server) fn left_since(&self) -> Option<Duration> {
        let left = self.live.lock().lobby.left_since().filter(|left| *left + MIN_LEFT <= self.now())?;
        Some(self.shown_at(left))
    }

    /// Whether nobody is connected, and how many events it has.
    pub(in crate::server) fn events(&self) -> (bool, u32) {
        let lobby = &self.live.lock().lobby;
        (lobby.left_since().is_some(), lobby.last_event())
    }

    /// Has the bots act and sets the tasks that are needed now.
    pub(in crate::server) fn renew(self: &Arc<Self>) {
        drop(self.lock());
    }

    /// Closes the lobby for all who are in it: their connections end with this goodbye.
    pub(in crate::server) fn close(self: &Arc<Self>, word: &Farewell) {
        let mut live = self.lock();
        if live.lobby.phase() != Phase::Closed {
            live.members.end_all(word);
            live.why_closed = HallRefusal::LobbyClosed(Text::cut(&word.to_string()));
            let events = live.lobby.abandon();
            live.apply_all(events);
        }
    }

    /// Closes the lobby to make room for another one, unless a player is back.
    pub(in crate::server) fn evict(self: &Arc<Self>) {
        let mut live = self.lock();
        if live.lobby.left_since().is_some() {
            let events = live.lobby.abandon();
            live.apply_all(events);
        }
    }

    /// Applies the restart of the server: nobody is connected yet. A lobby without a seated player is closed.
    pub(in crate::server) fn restart(self: &Arc<Self>) {
        let mut live = self.lock();
        let events = live.lobby.decide_restart();
        live.apply_all(events);
    }

    /// Ends the lobby on this server, as another one is to go on with it: everybody is to come back, nothing more is
    /// recorded or told, and it is not listed.
    pub(in crate::server) fn give_away(self: &Arc<Self>) {
        let mut live = self.lock();
        live.is_given_away = true;
        live.tasks = Tasks::default();
        live.members.end_all(&Farewell::Moved);
        // Under the lock, after which nothing lists it any more.
        let lobby = (self.id, self.code, self.opener);
        self.services.lobby_list.update(lobby, &live.lobby.start(), None);
        tracing::debug!("given away");
    }

    /// Ends the lobby on this server, which has ended: its tasks would keep it, and all that they use.
    pub(in crate::server) fn stop(self: &Arc<Self>) {
        let mut live = self.lock();
        live.is_given_away = true;
        live.tasks = Tasks::default();
    }

    /// Records a checkpoint.
    pub(in crate::server) fn write_checkpoint(self: &Arc<Self>) {
        self.lock().note_checkpoint();
    }

    /// Informs everyone that nothing can be recorded, for this reason, or that recording works again; then
    /// bots start to think again.
    pub(in crate::server) fn halt(self: &Arc<Self>, why: Option<&StorageError>) {
        let mut live = self.lock();
        let told = why.map(|error| self.services.player_text(error));
        live.members.send_out_of_band(&ToClient::Halted { why: told, now: live.now });
        if why.is_none() {
            live.tasks = Tasks::default();
        }
    }
}
