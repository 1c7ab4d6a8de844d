//! What is told of all that has happened, by those who are at no lobby: the list of lobbies, and refusals. It may be true only
//! through something that is not recorded yet, so it is told behind that.

use std::sync::Arc;

use bytes::Bytes;

use super::{Journal, Mark};
use crate::server::connection::Connection;

impl Journal {
    /// Tells these people as soon as all is recorded that has happened up to now: at once if it is.
    pub(in crate::server) fn tell(&self, connections: &[Arc<Connection>], frames: &[Bytes]) {
        let mark = self.mark_for(connections);
        for connection in connections {
            for (number, frame) in (1..).zip(frames) {
                connection.send_once(self.recorded(), mark, frame.clone(), number < frames.len());
            }
        }
    }

    /// Up to which mark everything has happened by now. Where it is not reached these are released when it is.
    fn mark_for(&self, connections: &[Arc<Connection>]) -> Mark {
        let posted = self.shared.queue().batch.mark;
        if self.recorded().has(posted) { posted } else { self.post([], connections.iter().cloned(), None) }
    }
}
