//! The file format of a saved seat.

use std::fs;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::client::saved_seat::{SavedSeat, seconds};
use crate::lobby::{Code, Name, PlayerId};
use crate::wire::Ticket;

/// The longest file that is read as a seat; real ones have a few hundred bytes.
const MAX_FILE: u64 = 4 * 1024;

/// The most other addresses that are kept with a seat, of this length each: the file stays short enough for
/// [`MAX_FILE`]. Any one of them leads to the lobby.
const MAX_OTHERS: usize = 8;
const MAX_ADDRESS: usize = 100;

/// The extension of a seat's file.
pub(super) const EXTENSION: &str = "seat";

/// A seat as in its file. The texts are untrusted until they are parsed.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SeatFile {
    server: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    others: Vec<String>,
    name: Name,
    code: Code,
    player: PlayerId,
    variant: String,
    opponent: Option<String>,
    ticket: String,
    /// The window that wrote it.
    #[serde(default)]
    pub(super) window: u64,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    over: bool,
    #[serde(default)]
    turn: u32,
    /// In seconds since 1970.
    #[serde(default)]
    happened: Option<u64>,
}

impl SeatFile {
    /// The file of this seat, written by this window.
    pub(super) fn of(seat: &SavedSeat, window: u64) -> Self {
        let others = seat.others.iter().map(ToString::to_string);
        Self {
            server: seat.server.to_string(),
            others: others.filter(|address| address.len() <= MAX_ADDRESS).take(MAX_OTHERS).collect(),
            name: seat.name.clone(),
            code: seat.code,
            player: seat.player,
            variant: seat.variant.clone(),
            opponent: seat.opponent.clone(),
            ticket: hex(seat.ticket.bits()),
            window,
            over: seat.over,
            turn: seat.turn,
            happened: seat.happened.map(seconds),
        }
    }

    /// Reads this file; `None` if it is not a seat's.
    pub(super) fn at(path: &Path) -> Option<Self> {
        let about = fs::metadata(path).ok()?;
        if !about.is_file() || about.len() > MAX_FILE {
            return None;
        }
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }

    fn seat(self) -> Option<SavedSeat> {
        let variant: crate::game::any::Variant = self.variant.parse().ok()?;
        Some(SavedSeat {
            server: self.server.parse().ok()?,
            others: self.others.iter().filter_map(|address| address.parse().ok()).collect(),
            name: self.name,
            code: self.code,
            player: self.player,
            variant: variant.text(),
            opponent: self.opponent.map(|name| crate::game::notation::printable(&name).collect()),
            ticket: ticket(&self.ticket)?,
            over: self.over,
            turn: self.turn,
            happened: self.happened.and_then(|at| UNIX_EPOCH.checked_add(Duration::from_secs(at))),
        })
    }
}

/// The bits as hexadecimal digits, two for each byte, the first byte first.
pub(super) fn hex(bits: [u8; 16]) -> String {
    format!("{:032x}", u128::from_be_bytes(bits))
}

/// Reads what [`hex`] writes.
pub(super) fn ticket(digits: &str) -> Option<Ticket> {
    let byte = |at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
    Some(Ticket::of(bytes?.try_into().ok()?))
}

/// The seat in this file.
pub(super) fn read(path: &Path) -> Option<SavedSeat> {
    SeatFile::at(path)?.seat()
}
