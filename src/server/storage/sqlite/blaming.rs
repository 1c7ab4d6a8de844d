//! Whose a damaged row is. What it says may be just what is wrong with it: no lobby is to pay for another one's row.

use rusqlite::{Result, Row};

use super::row::Table;
use crate::lobby::{Event, PlayerId};
use crate::wire::{self, ToClient};

/// So many numbers of events or players are held against a row.
const MAX_NUMBER: i64 = 1_000;

/// Whose a row is that does not fit its checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// This lobby's: with another number in one column it would be as it was written.
    Surely(i64),
    /// So the row says itself: this lobby's, and there of this number.
    Perhaps(i64, i64),
}

impl Whose {
    /// Whose it is, if it may be any of these lobbies'.
    pub(super) fn of(table: Table, row: &Row<'_>, lobbies: impl Iterator<Item = i64>) -> Result<Self> {
        let (mine, number) = (table.lobby_column(), table.number_column());
        // There may be anything in a damaged row.
        let says = |column: usize| row.get(column).unwrap_or(-1);
        if let Some(lobby) = table.fits_with(row, mine, lobbies)? {
            return Ok(Self::Surely(lobby));
        }
        if number != mine && table.fits_with(row, number, 1..=MAX_NUMBER)?.is_some() {
            return Ok(Self::Surely(says(mine)));
        }
        Ok(Self::Perhaps(says(mine), says(number)))
    }
}

/// Whether the word in an event's row is one. If a length in front of the row is wrong, all that stands behind is at a wrong place,
/// and the word too.
pub(super) fn has_a_word(row: &Row<'_>) -> bool {
    let kind = row.get_ref("kind").ok().and_then(|kind| kind.as_str().ok());
    kind.is_some_and(|kind| kind.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b' '))
}

/// Who sat down by this event.
pub(super) fn sitter(body: &[u8]) -> Option<PlayerId> {
    match wire::decode(body) {
        Ok(ToClient::Lobby { event: Event::Sat { player, .. }, .. }) => Some(player.id),
        _ => None,
    }
}
