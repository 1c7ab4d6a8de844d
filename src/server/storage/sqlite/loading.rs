//! Loading open lobbies from their rows. No row is trusted whose checksum does not fit, and no lobby with a
//! missing event.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Result, Row};

use super::row::{EVENTS, LOBBIES, OWNERS, number};
use crate::lobby::{Conditions, Name, PlayerId};
use crate::server::storage::{Damage, LobbyId, LobbyMeta, Owner, PasswordHash, StoredLobby, WallTime};
use crate::wire;
use crate::wire::TokenHash;

/// Calls `each` with all open lobbies, and with the damage of those with a damaged row. Returns the number of
/// the next lobby.
pub(super) fn load(
    connection: &Connection,
    each: &mut dyn FnMut(Result<StoredLobby, Damage>),
) -> Result<LobbyId> {
    let mut loading = Loading::default();
    LOBBIES.each(connection, i64::MIN, |row| loading.add_lobby(row))?;
    // If there are no lobbies at all, any event belongs to a lost one.
    if let Some(first) = loading.first_event.or(loading.found.is_empty().then_some(i64::MIN)) {
        EVENTS.each(connection, first, |row| loading.add_event(row))?;
    }
    OWNERS.each(connection, i64::MIN, |row| loading.add_owner(row))?;
    loading.found.into_values().flatten().for_each(each);
    Ok(LobbyId(loading.highest.max(highest_ever(connection)?).saturating_add(1)))
}

/// The highest number of a lobby that SQLite has ever seen.
fn highest_ever(connection: &Connection) -> Result<u64> {
    let sql = "SELECT seq FROM sqlite_sequence WHERE name = 'lobbies'";
    let highest: Option<i64> = connection.query_row(sql, [], |row| row.get(0)).optional()?;
    Ok(highest.unwrap_or(0).cast_unsigned())
}

/// The lobbies while their rows are read.
#[derive(Debug, Default)]
struct Loading {
    /// Each lobby that was seen; `None` once it was closed.
    found: BTreeMap<LobbyId, Option<Result<StoredLobby, Damage>>>,
    /// The id of the first event of any open lobby.
    first_event: Option<i64>,
    highest: u64,
}

impl Loading {
    fn add_lobby(&mut self, row: &Row<'_>) -> Result<()> {
        let id = lobby_of(row, "id")?;
        self.highest = self.highest.max(id.0);
        let code = || row.get_ref("code").ok().and_then(|code| code.as_str().ok()?.parse().ok());
        let damaged = |why: &str| Err(Damage { lobby: id, code: code(), why: why.into() });
        let lobby = if !LOBBIES.fits(row)? {
            Some(damaged("how it was opened is damaged"))
        } else if row.get::<_, Option<i64>>("closed")?.is_some() {
            None
        } else {
            let first: i64 = row.get("first_event")?;
            self.first_event = Some(self.first_event.map_or(first, |earlier| earlier.min(first)));
            Some(match meta(row)? {
                Some((opened, meta)) => {
                    let (events, owners) = (Vec::new(), Vec::new());
                    Ok(StoredLobby { lobby: id, opened, meta, events, owners })
                }
                None => damaged("how it was opened cannot be read"),
            })
        };
        self.found.insert(id, lobby);
        Ok(())
    }

    fn add_event(&mut self, row: &Row<'_>) -> Result<()> {
        let (id, fits) = (lobby_of(row, "lobby")?, EVENTS.fits(row)?);
        match self.found.get_mut(&id) {
            _ if !fits => self.damage(id, "one of its events is damaged"),
            None => self.damage(id, "how it was opened is missing"),
            Some(Some(Ok(lobby))) => {
                let expected = lobby.events.len() as u64 + 1;
                if number(row, "number")? == expected {
                    lobby.events.push(wire::frame_of(row.get_ref("body")?.as_blob()?));
                } else {
                    self.damage(id, &format!("event {expected} is missing"));
                }
            }
            Some(_) => {}
        }
        Ok(())
    }

    fn add_owner(&mut self, row: &Row<'_>) -> Result<()> {
        let id = lobby_of(row, "lobby")?;
        let Some(Some(Ok(lobby))) = self.found.get_mut(&id) else { return Ok(()) };
        if !OWNERS.fits(row)? {
            self.damage(id, "who holds a seat is damaged");
        } else if row.get("held")? {
            match owner(row)? {
                Some(owner) => lobby.owners.push(owner),
                None => self.damage(id, "who holds a seat cannot be read"),
            }
        }
        Ok(())
    }

    /// Notes that a lobby is damaged, unless that is known. A damaged row may name the wrong lobby: the host
    /// then learns at least that something is wrong.
    fn damage(&mut self, lobby: LobbyId, why: &str) {
        let code = match self.found.get(&lobby) {
            Some(Some(Err(_))) => return,
            Some(Some(Ok(sound))) => Some(sound.meta.code),
            Some(None) | None => None,
        };
        self.found.insert(lobby, Some(Err(Damage { lobby, code, why: why.into() })));
    }
}

/// Which lobby a row names.
pub(super) fn lobby_of(row: &Row<'_>, column: &str) -> Result<LobbyId> {
    number(row, column).map(LobbyId)
}

/// When and how a lobby was opened, by its row; `None` if the row makes no sense.
pub(super) fn meta(row: &Row<'_>) -> Result<Option<(WallTime, LobbyMeta)>> {
    let (code, opener): (String, String) = (row.get("code")?, row.get("opener")?);
    let conditions = wire::decode::<Conditions>(row.get_ref("conditions")?.as_blob()?);
    let password: Option<[u8; 48]> = row.get("password")?;
    let (Ok(code), Ok(address), Ok(conditions)) = (code.parse(), opener.parse(), conditions) else {
        return Ok(None);
    };
    let (variant, password) = (row.get("variant")?, password.as_ref().map(PasswordHash::from_bytes));
    let wall = WallTime(number(row, "opened")?);
    Ok(Some((wall, LobbyMeta { code, variant, conditions, password, opener: address })))
}

fn owner(row: &Row<'_>) -> Result<Option<Owner>> {
    let Ok(name) = Name::try_from(row.get::<_, String>("name")?) else { return Ok(None) };
    Ok(Some(Owner { player: PlayerId(row.get("player")?), name, seat: TokenHash::of(row.get("ticket")?) }))
}
