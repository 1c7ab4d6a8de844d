//! What a table is about to have recorded and to tell, gathered while it is looked at: it goes out in one piece.

use std::sync::Arc;

use bytes::Bytes;
use tokio::time::Instant;

use crate::server::journal::{Journal, Mark, Recorded};
use crate::server::link::Link;
use crate::server::storage::{Entry, LobbyId, Note, WallTime};
use crate::wire::{ToClient, encode};

/// Notes for the journal, and letters to people.
#[derive(Debug, Default)]
pub(super) struct Draft {
    notes: Vec<Note>,
    letters: Vec<(Arc<Link>, Bytes)>,
    /// When the request arrived of which all this comes, if it was one.
    arrived: Option<Instant>,
    /// Up to which mark everything of this table has gone out before.
    last: Mark,
}

impl Draft {
    /// All this comes of a request that arrived at this instant.
    pub(super) fn note_arrival(&mut self, arrived: Instant) {
        self.arrived = Some(arrived);
    }

    /// Something is to be recorded.
    pub(super) fn note(&mut self, note: Note) {
        self.notes.push(note);
    }

    /// A frame is to be sent once all that happened up to now is recorded.
    pub(super) fn tell(&mut self, link: &Arc<Link>, frame: Bytes) {
        self.letters.push((Arc::clone(link), frame));
    }

    /// The same for one message.
    pub(super) fn say(&mut self, link: &Arc<Link>, message: &ToClient) {
        self.tell(link, encode(message));
    }

    /// Has the notes recorded, together, and sends the letters as soon as they are.
    pub(super) fn go_out(&mut self, journal: &Journal, lobby: LobbyId) {
        let (recorded, arrived) = (journal.recorded(), self.arrived.take());
        if !(self.notes.is_empty() && (self.letters.is_empty() || recorded.has(self.last))) {
            let wall = WallTime::now();
            let entries = self.notes.drain(..).map(|note| Entry { lobby, wall, note });
            let recipients = self.letters.iter().map(|(link, _)| Arc::clone(link));
            self.last = journal.post(entries, recipients, arrived);
        }
        self.send(recorded);
        journal.note_told(arrived);
        // Nobody needs the room until something happens here again.
        (self.notes, self.letters) = (Vec::new(), Vec::new());
    }

    /// Sends the letters: those to one link together, as one write. Each is compared with all behind it, which are as many as
    /// people are told of a few events.
    fn send(&mut self, recorded: &Recorded) {
        let mut letters = self.letters.drain(..);
        while let Some((link, frame)) = letters.next() {
            let more = letters.as_slice().iter().any(|(other, _)| Arc::ptr_eq(other, &link));
            link.send_once(recorded, self.last, frame, more);
        }
    }
}
