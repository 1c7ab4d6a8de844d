//! The notes and frames that a lobby produces under one lock, and that go out together.

use std::sync::Arc;

use bytes::Bytes;
use tokio::time::Instant;

use crate::server::connection::{CommitMark, Connection, Recorded};
use crate::server::journal::Journal;
use crate::server::limits::AddressLimits;
use crate::server::storage::{Entry, LobbyId, Note, WallTime};
use crate::wire::{ToClient, encode};

/// Notes for the journal, and frames for connections.
#[derive(Debug, Default)]
pub(super) struct OutgoingBatch {
    notes: Vec<Note>,
    frames: Vec<(Arc<Connection>, Bytes)>,
    /// Arrival time of the causing request, if any.
    arrived: Option<Instant>,
    /// Mark of the last batch sent.
    last: CommitMark,
}

impl OutgoingBatch {
    /// Notes the arrival time of the causing request.
    pub(super) fn note_arrival(&mut self, arrived: Instant) {
        self.arrived = Some(arrived);
    }

    /// Adds a note to be recorded.
    pub(super) fn note(&mut self, note: Note) {
        self.notes.push(note);
    }

    /// Adds a frame to be sent once everything so far is recorded.
    pub(super) fn push_frame(&mut self, connection: &Arc<Connection>, frame: Bytes) {
        self.frames.push((Arc::clone(connection), frame));
    }

    /// Adds a message to be sent once everything so far is recorded.
    pub(super) fn push(&mut self, connection: &Arc<Connection>, message: &ToClient) {
        self.push_frame(connection, encode(message));
    }

    /// Charges the notes to the address that caused them.
    pub(super) fn charge(&self, payer: &AddressLimits, now: Instant) {
        let bytes = self.notes.iter().map(Note::bytes).fold(0, u32::saturating_add);
        if bytes > 0 {
            payer.record(bytes, now);
        }
    }

    /// Posts the notes to the journal, together, and sends the frames with the mark.
    pub(super) fn go_out(&mut self, journal: &Journal, lobby: LobbyId) {
        let (recorded, arrived) = (&journal.recorded, self.arrived.take());
        let is_told_at_once = || recorded.has(self.last) && journal.may_tell();
        if !(self.notes.is_empty() && (self.frames.is_empty() || is_told_at_once())) {
            let wall = WallTime::now();
            let entries = self.notes.drain(..).map(|note| Entry { lobby, wall, note });
            let recipients = self.frames.iter().map(|(connection, _)| Arc::clone(connection));
            self.last = journal.post(entries, recipients, arrived);
        }
        self.send(recorded);
        journal.note_response(arrived);
        // Their memory is freed until the next event.
        (self.notes, self.frames) = (Vec::new(), Vec::new());
    }

    /// Sends the frames: those to one connection as one write. Each is compared with all after it; there are
    /// only a few for each member.
    fn send(&mut self, recorded: &Recorded) {
        let mut frames = self.frames.drain(..);
        while let Some((connection, frame)) = frames.next() {
            let more = frames.as_slice().iter().any(|(other, _)| Arc::ptr_eq(other, &connection));
            connection.send_after_mark(recorded, self.last, frame, more);
        }
    }
}
