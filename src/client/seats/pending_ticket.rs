//! The ticket of a request for a new seat, in a file until that seat is saved. A program that ends before the
//! answer may have a seat without knowing it. The same person's next request to that server has the same
//! ticket, so that the server returns that seat. A refusal does not remove the ticket, since an earlier
//! request may still be on its way.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use super::seat_file::{hex, ticket};
use super::{SeatStore, lock};
use crate::client::{Address, atomic_file};
use crate::lobby::Name;
use crate::wire::Ticket;

/// The ticket of a request for a seat. While this lives, no other window uses its ticket.
#[derive(Debug)]
pub(in crate::client) struct PendingTicket {
    /// The request's ticket.
    pub(in crate::client) ticket: Ticket,
    path: PathBuf,
    file: File,
}

impl SeatStore {
    /// The ticket for this person's next request to this server: that of the last request if it led to no
    /// seat, else a new one. Returns an error if it cannot be saved, or if another window uses it.
    pub(in crate::client) fn pending_ticket(
        &self,
        server: &Address,
        name: &Name,
    ) -> io::Result<PendingTicket> {
        atomic_file::private_folder(&self.folder)?;
        let digest = Sha256::digest(format!("{server} {name}"));
        let path = self.folder.join(format!("{}.asked", hex(digest[..16].try_into().unwrap_or_default())));
        let mut file = lock(&path).ok_or(io::ErrorKind::WouldBlock)?;
        let mut digits = String::new();
        // Anything but a ticket is replaced.
        let _ = (&file).take(64).read_to_string(&mut digits);
        let ticket = if let Some(ticket) = ticket(&digits) {
            ticket
        } else {
            let ticket = Ticket::random();
            file.set_len(0)?;
            file.write_all(hex(ticket.bits()).as_bytes())?;
            file.sync_all()?;
            ticket
        };
        Ok(PendingTicket { ticket, path, file })
    }
}

impl PendingTicket {
    /// Removes the file: the seat with this ticket is saved.
    pub(in crate::client) fn remove(self) {
        // A window that has opened the file already finds no ticket in it.
        let _ = self.file.set_len(0).and_then(|()| fs::remove_file(&self.path));
    }
}
