//! What a lobby is about to have recorded and to tell, gathered while it is looked at: it goes out in one
//! piece.

use std::sync::Arc;

use bytes::Bytes;
use tokio::time::Instant;

use crate::server::connection::{CommitMark, Connection, Recorded};
use crate::server::journal::Journal;
use crate::server::storage::{Entry, LobbyId, Note, WallTime};
use crate::wire::{ToClient, encode};

/// Notes for the journal, and frames for people.
#[derive(Debug, Default)]
pub(super) struct OutgoingBatch {
    notes: Vec<Note>,
    frames: Vec<(Arc<Connection>, Bytes)>,
    /// When the request arrived of which all this comes, if it was one.
    arrived: Option<Instant>,
    /// Up to which mark everything of this lobby has gone out before.
    last: CommitMark,
}

impl OutgoingBatch {
    /// All this comes of a request that arrived at this instant.
    pub(super) fn note_arrival(&mut self, arrived: Instant) {
        self.arrived = Some(arrived);
    }

    /// Something is to be recorded.
    pub(super) fn note(&mut self, note: Note) {
        self.notes.push(note);
    }

    /// A frame is to be sent once all that happened up to now is recorded.
    pub(super) fn push_frame(&mut self, connection: &Arc<Connection>, frame: Bytes) {
        self.frames.push((Arc::clone(connection), frame));
    }

    /// The same for one message.
    pub(super) fn push(&mut self, connection: &Arc<Connection>, message: &ToClient) {
        self.push_frame(connection, encode(message));
    }

    /// Has the notes recorded, together, and sends the frames as soon as they are.
    pub(super) fn go_out(&mut self, journal: &Journal, lobby: LobbyId) {
        let (recorded, arrived) = (&journal.recorded, self.arrived.take());
        if !(self.notes.is_empty() && (self.frames.is_empty() || recorded.has(self.last))) {
            let wall = WallTime::now();
            let entries = self.notes.drain(..).map(|note| Entry { lobby, wall, note });
            let recipients = self.frames.iter().map(|(connection, _)| Arc::clone(connection));
            self.last = journal.post(entries, recipients, arrived);
        }
        self.send(recorded);
        journal.note_response(arrived);
        // Nobody needs the memory until something happens here again.
        (self.notes, self.frames) = (Vec::new(), Vec::new());
    }

    /// Sends the frames: those to one connection together, as one write. Each is compared with all after
    /// it, which are as many as people are told of a few events.
    fn send(&mut self, recorded: &Recorded) {
        let mut frames = self.frames.drain(..);
        while let Some((connection, frame)) = frames.next() {
            let more = frames.as_slice().iter().any(|(other, _)| Arc::ptr_eq(other, &connection));
            connection.send_after_mark(recorded, self.last, frame, more);
        }
    }
}
