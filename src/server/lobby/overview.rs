//! What the host sees of a lobby.

use std::net::IpAddr;
use std::sync::Arc;

use super::handle::LobbyHandle;
use crate::game::Side;
use crate::lobby::{Code, Name, Phase};
use crate::server::connection::Connection;
use crate::wire::ChatRoom;

/// A lobby as the host sees it.
#[derive(Debug)]
pub(in crate::server) struct Overview {
    pub(in crate::server) code: Code,
    pub(in crate::server) variant: String,
    pub(in crate::server) phase: Phase,
    /// Who sits there, connected or not; bots too.
    pub(in crate::server) players: Vec<Name>,
    pub(in crate::server) watchers: u32,
    /// The address from which it was opened.
    pub(in crate::server) opener: IpAddr,
    /// Everybody who is connected, and in which room they are.
    pub(in crate::server) connections: Vec<(Arc<Connection>, ChatRoom)>,
}

impl LobbyHandle {
    /// The lobby as it is now.
    pub(in crate::server) fn overview(&self) -> Overview {
        let live = self.live.lock();
        let seated = |side: Side| live.lobby.seats()[side].as_ref().map(|player| player.name.clone());
        let connections = live.members.connections();
        Overview {
            code: self.code,
            variant: live.lobby.variant().text(),
            phase: live.lobby.phase(),
            players: Side::BOTH.into_iter().filter_map(seated).collect(),
            watchers: live.lobby.watchers(),
            opener: self.opener,
            connections: connections.map(|(connection, room)| (Arc::clone(connection), room)).collect(),
        }
    }

    /// Whether a game is being played here. One that everybody left more than a minute ago does not count.
    pub(in crate::server) fn is_playing(&self) -> bool {
        let phase = self.live.lock().lobby.phase();
        phase == Phase::Playing && self.left_since().is_none()
    }
}
