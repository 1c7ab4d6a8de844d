//! The ticket of a request for a new seat, in a file until the request is answered and its seat is saved. A
//! program that ends before the answer may have a seat without knowing it. The same person's next request to
//! that server has the same ticket, so that the server returns that seat. A refusal does not remove a ticket
//! that an earlier request had, since that one may still be on its way. Old files are removed like seats.

use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use super::seat_file::{hex, ticket};
use super::{SeatStore, is_old, lock};
use crate::client::Address;
use crate::file::atomic;
use crate::lobby::Name;
use crate::wire::Ticket;

/// The extension of a pending ticket's file.
const EXTENSION: &str = "asked";

/// The ticket of a request for a seat. While this lives, no other window uses its ticket.
#[derive(Debug)]
pub(in crate::client) struct PendingTicket {
    /// The request's ticket.
    pub(in crate::client) ticket: Ticket,
    /// Whether an earlier request had it, too.
    pub(in crate::client) is_earlier: bool,
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
        atomic::private_folder(&self.folder)?;
        let digest = Sha256::digest(format!("{server} {name}"));
        let stem = hex(digest[..16].try_into().unwrap_or_default());
        let path = self.folder.join(format!("{stem}.{EXTENSION}"));
        let mut file = lock(&path).ok_or(io::ErrorKind::WouldBlock)?;
        let mut digits = String::new();
        // Anything but a ticket is replaced.
        let _ = (&file).take(64).read_to_string(&mut digits);
        if let Some(ticket) = ticket(&digits) {
            return Ok(PendingTicket { ticket, is_earlier: true, path, file });
        }
        let ticket = Ticket::random();
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(hex(ticket.bits()).as_bytes())?;
        file.sync_all()?;
        // What cannot be removed now is removed another time.
        let _ = self.prune();
        Ok(PendingTicket { ticket, is_earlier: false, path, file })
    }

    /// Removes the pending tickets that are old or beyond the maximum, but never one that a window uses.
    pub(super) fn prune_pending(&self) -> io::Result<()> {
        let old = self.paths(EXTENSION)?.into_iter().enumerate().filter(|(at, (seen, _))| is_old(*at, *seen));
        old.map(|(_, (_, path))| path).filter(|path| lock(path).is_some()).try_for_each(fs::remove_file)
    }

    /// Removes this ticket if it is still pending.
    pub(super) fn forget_pending(&self, gone: Ticket) -> io::Result<()> {
        let is_same = |path: &PathBuf| fs::read_to_string(path).is_ok_and(|text| ticket(&text) == Some(gone));
        let paths = self.paths(EXTENSION)?.into_iter().map(|(_, path)| path);
        paths.filter(|path| is_same(path) && lock(path).is_some()).try_for_each(fs::remove_file)
    }
}

impl PendingTicket {
    /// Removes the file: the seat with this ticket is saved.
    pub(in crate::client) fn remove(self) {
        // A window that has opened the file already finds no ticket in it.
        let _ = self.file.set_len(0);
        let _ = fs::remove_file(&self.path);
    }
}
