//! Loading open lobbies from their rows: the checkpoint of each, if it has one that can be trusted, and the
//! events after it. No row is trusted whose checksum does not fit, and no lobby with a missing event.

use std::collections::BTreeMap;

use rusqlite::{Connection, Result, Row};

use super::row::{CHECKPOINTS, EVENTS, LOBBIES, META, OWNERS, number};
use crate::lobby::{Checkpoint, Conditions, Lobby, Name, PlayerId};
use crate::server::storage::{
    Damage, Loaded, LobbyId, LobbyMeta, Owner, PasswordHash, StoredLobby, WallTime,
};
use crate::wire;
use crate::wire::TokenHash;

/// Calls `each` with all open lobbies, and with the damage of those with a damaged row.
pub(super) fn load(
    connection: &Connection,
    each: &mut dyn FnMut(Result<StoredLobby, Damage>),
) -> Result<Loaded> {
    let mut loading = Loading::default();
    META.each(connection, i64::MIN, |row| loading.add_last(row))?;
    CHECKPOINTS.each(connection, i64::MIN, |row| loading.add_checkpoint(row))?;
    LOBBIES.each(connection, i64::MIN, |row| loading.add_lobby(row))?;
    // If there are no lobbies at all, any event belongs to a lost one.
    if let Some(first) = loading.first_event.or(loading.found.is_empty().then_some(i64::MIN)) {
        EVENTS.each(connection, first, |row| loading.add_event(row))?;
    }
    OWNERS.each(connection, i64::MIN, |row| loading.add_owner(row))?;
    loading.found.into_values().flatten().for_each(each);
    let next = LobbyId(loading.highest.saturating_add(1));
    Ok(Loaded { next, events: loading.read })
}

/// The lobbies while their rows are read.
#[derive(Debug, Default)]
struct Loading {
    /// Each lobby that was seen; `None` once it was closed.
    found: BTreeMap<LobbyId, Option<Result<StoredLobby, Damage>>>,
    /// The checkpoints that can be trusted, each with the id of the last event that it covers.
    checkpoints: BTreeMap<LobbyId, (i64, Checkpoint)>,
    /// The id of the first event of any open lobby that no checkpoint covers, or one before it.
    first_event: Option<i64>,
    /// How many events were read.
    read: u64,
    /// The highest number of a lobby.
    highest: u64,
}

impl Loading {
    /// Notes the number of the last lobby, which may have been pruned.
    fn add_last(&mut self, row: &Row<'_>) -> Result<()> {
        if META.fits(row)? {
            self.highest = self.highest.max(number(row, "last_lobby")?);
        }
        Ok(())
    }

    /// Notes a checkpoint. Of a damaged one nothing is said: all events of its lobby are read instead.
    fn add_checkpoint(&mut self, row: &Row<'_>) -> Result<()> {
        if CHECKPOINTS.fits(row)?
            && let Some((event, checkpoint)) = checkpoint(row)?
            && Lobby::try_from(checkpoint.clone()).is_ok()
        {
            self.checkpoints.insert(lobby_of(row, "lobby")?, (event, checkpoint));
        }
        Ok(())
    }

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
            let covered = self.checkpoints.get(&id);
            let first = covered.map_or(first, |(event, _)| event.saturating_add(1));
            let checkpoint = covered.map(|(_, checkpoint)| checkpoint.clone());
            self.first_event = Some(self.first_event.map_or(first, |earlier| earlier.min(first)));
            Some(match meta(row)? {
                Some((opened, meta)) => {
                    let (events, owners) = (Vec::new(), Vec::new());
                    Ok(StoredLobby { lobby: id, opened, meta, checkpoint, events, owners })
                }
                None => damaged("how it was opened cannot be read"),
            })
        };
        self.found.insert(id, lobby);
        Ok(())
    }

    fn add_event(&mut self, row: &Row<'_>) -> Result<()> {
        let (id, fits) = (lobby_of(row, "lobby")?, EVENTS.fits(row)?);
        self.read += 1;
        let row_id: i64 = row.get("id")?;
        let is_covered = self.checkpoints.get(&id).is_some_and(|(covered, _)| row_id <= *covered);
        match self.found.get_mut(&id) {
            // Also if it seems covered: it may be the last event of another lobby, whose loss nothing else
            // would show.
            _ if !fits => self.damage(id, "one of its events is damaged"),
            _ if is_covered => {}
            None => self.damage(id, "how it was opened is missing"),
            Some(Some(Ok(lobby))) => {
                let covered = lobby.checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.snapshot.events);
                let expected = u64::from(covered) + lobby.events.len() as u64 + 1;
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

/// The checkpoint of a row, and the id of the last event that it covers; `None` if the row makes no sense.
pub(super) fn checkpoint(row: &Row<'_>) -> Result<Option<(i64, Checkpoint)>> {
    let checkpoint = wire::decode::<Checkpoint>(row.get_ref("body")?.as_blob()?).ok();
    let number = number(row, "number")?;
    let checkpoint = checkpoint.filter(|checkpoint| u64::from(checkpoint.snapshot.events) == number);
    let event = row.get("event")?;
    Ok(checkpoint.map(|checkpoint| (event, checkpoint)))
}

fn owner(row: &Row<'_>) -> Result<Option<Owner>> {
    let Ok(name) = Name::try_from(row.get::<_, String>("name")?) else { return Ok(None) };
    Ok(Some(Owner { player: PlayerId(row.get("player")?), name, seat: TokenHash::of(row.get("ticket")?) }))
}
