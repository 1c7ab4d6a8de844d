//! How rows become lobbies again. Nothing is believed whose checksum does not fit, and no lobby of which a part is missing.

use std::collections::{BTreeMap, HashMap};

use bytes::{BufMut, Bytes, BytesMut};
use rusqlite::types::Type;
use rusqlite::{Connection, Error, OptionalExtension, Result, Row};

use super::blaming::{Whose, has_a_word, sitter};
use super::row::Table;
use super::{HEADER, recording::integer};
use crate::lobby::{Code, Conditions, Name, PlayerId};
use crate::server::storage::{Damage, LobbyId, Lock, Opening, Owner, Seal, StoredLobby, WallTime};
use crate::wire;

/// The lobbies that are put together.
#[derive(Debug, Default)]
struct Loading {
    drafts: BTreeMap<LobbyId, Draft>,
    /// Lobbies that are closed or set aside, and the number of the last event that was seen of each: what there is of them is
    /// not looked at.
    gone: HashMap<LobbyId, i64>,
    /// The first event that belongs to any of the lobbies.
    first_event: Option<i64>,
    /// How many rows were damaged.
    damaged_rows: usize,
}

/// Of so many damaged rows it is asked whose else they may be: each one is held against every lobby, and where more rows than
/// fit on some pages are damaged there is nothing left to learn.
const MAX_TRACED: usize = 1_000;

/// A lobby as far as it is put together.
#[derive(Debug)]
enum Draft {
    Sound(Box<StoredLobby>),
    Damaged { code: Option<Code>, why: String },
}

/// Gives all lobbies that are not closed.
pub(super) fn load(
    connection: &Connection,
    each: &mut dyn FnMut(Result<StoredLobby, Damage>),
) -> Result<LobbyId> {
    let mut loading = Loading::default();
    each_row(connection, Table::SetAside, 0, |row| loading.add_set_aside(row))?;
    each_row(connection, Table::Lobbies, i64::MIN, |row| loading.add_lobby(row))?;
    if let Some(first) = loading.first_event() {
        each_row(connection, Table::Events, first, |row| loading.add_event(row))?;
    }
    each_row(connection, Table::Owners, i64::MIN, |row| loading.add_owner(row))?;
    let next = next_lobby(connection)?.max(loading.next());
    for (lobby, draft) in loading.drafts {
        each(match draft {
            Draft::Sound(kept) => Ok(*kept),
            Draft::Damaged { code, why } => Err(Damage { lobby, code, why }),
        });
    }
    Ok(next)
}

/// All lobbies that were set aside, of which that can be read.
pub(super) fn aside(connection: &Connection) -> Result<Vec<Damage>> {
    let mut aside = Vec::new();
    each_row(connection, Table::SetAside, 0, |row| {
        if let (true, Some(lobby)) = (Table::SetAside.fits(row)?, lobby_of(Table::SetAside, row)?) {
            let code = row.get::<_, Option<String>>("code")?.and_then(|code| code.parse().ok());
            aside.push(Damage { lobby, code, why: row.get("why")? });
        }
        Ok(())
    })?;
    Ok(aside)
}

fn each_row(
    connection: &Connection,
    table: Table,
    from: i64,
    mut add: impl FnMut(&Row<'_>) -> Result<()>,
) -> Result<()> {
    let mut rows = connection.prepare(table.rows_from())?;
    let mut rows = rows.query([from])?;
    while let Some(row) = rows.next()? {
        add(row)?;
    }
    Ok(())
}

/// One more than the highest number that SQLite remembers to have seen.
fn next_lobby(connection: &Connection) -> Result<LobbyId> {
    let sql = "SELECT seq FROM sqlite_sequence WHERE name = 'lobbies'";
    let highest: Option<i64> = connection.query_row(sql, [], |row| row.get(0)).optional()?;
    Ok(LobbyId(highest.unwrap_or(0).cast_unsigned().saturating_add(1)))
}

impl Loading {
    /// From which event on there is something to be read. Where no lobby is there none of any may be, and nothing went without
    /// what it was made of: then it is looked whether something did.
    fn first_event(&self) -> Option<i64> {
        let is_empty = self.drafts.is_empty() && self.gone.is_empty();
        if is_empty { Some(i64::MIN) } else { self.first_event }
    }

    fn add_set_aside(&mut self, row: &Row<'_>) -> Result<()> {
        if Table::SetAside.fits(row)? {
            self.gone.extend(lobby_of(Table::SetAside, row)?.map(|lobby| (lobby, 0)));
        }
        Ok(())
    }

    fn add_lobby(&mut self, row: &Row<'_>) -> Result<()> {
        let Some(lobby) = lobby_of(Table::Lobbies, row)? else { return Ok(()) };
        if self.gone.contains_key(&lobby) {
            return Ok(());
        }
        if !Table::Lobbies.fits(row)? {
            let code = row.get_ref(1)?.as_str().ok().and_then(|code| code.parse().ok());
            self.drafts.insert(lobby, Draft::Damaged { code, why: "how it was opened is damaged".into() });
        } else if row.get::<_, Option<i64>>("closed")?.is_some() {
            self.gone.insert(lobby, 0);
        } else {
            let first: i64 = row.get("first_event")?;
            self.first_event = Some(self.first_event.map_or(first, |earlier| earlier.min(first)));
            self.drafts.insert(lobby, draft(lobby, row)?);
        }
        Ok(())
    }

    fn add_event(&mut self, row: &Row<'_>) -> Result<()> {
        if !Table::Events.fits(row)? {
            return self.blame(Table::Events, row, "one of its events is damaged");
        }
        let Some(lobby) = lobby_of(Table::Events, row)? else { return Ok(()) };
        if let Some(last) = self.gone.get_mut(&lobby) {
            *last = row.get(2)?;
            return Ok(());
        }
        match self.drafts.get_mut(&lobby) {
            None => self.damage(lobby, "how it was opened is missing"),
            Some(Draft::Damaged { .. }) => {}
            Some(Draft::Sound(kept)) => {
                let expected = i64::try_from(kept.events.len()).map_or(i64::MAX, |count| count + 1);
                if row.get::<_, i64>(2)? == expected {
                    kept.events.push(frame(row.get_ref(6)?.as_blob()?));
                } else {
                    self.damage(lobby, &format!("event {expected} is missing"));
                }
            }
        }
        Ok(())
    }

    fn add_owner(&mut self, row: &Row<'_>) -> Result<()> {
        if !Table::Owners.fits(row)? {
            return self.blame(Table::Owners, row, "whose a seat is, is damaged");
        }
        let lobby = lobby_of(Table::Owners, row)?.filter(|lobby| !self.gone.contains_key(lobby));
        let draft = lobby.and_then(|lobby| self.drafts.get_mut(&lobby).map(|draft| (lobby, draft)));
        match (draft, owner(row)?) {
            (Some((_, Draft::Sound(kept))), Some(owner)) => kept.owners.push(owner),
            (Some((lobby, _)), None) => self.damage(lobby, "whose a seat is, cannot be read"),
            _ => {}
        }
        Ok(())
    }

    /// A row is damaged, and its lobby with it. Where nobody knows which one that is, it is the journal.
    fn blame(&mut self, table: Table, row: &Row<'_>, why: &str) -> Result<()> {
        self.damaged_rows += 1;
        let traced = if self.damaged_rows <= MAX_TRACED { usize::MAX } else { 0 };
        let lobbies = self.drafts.keys().take(traced).map(|lobby| integer(lobby.0));
        let whose = Whose::of(table, row, lobbies)?;
        let (Whose::Surely(lobby) | Whose::Perhaps(lobby, _)) = whose;
        let lobby = LobbyId(lobby.cast_unsigned());
        let is_its = match whose {
            Whose::Surely(_) => true,
            Whose::Perhaps(_, number) => self.can_have(table, row, lobby, number),
        };
        if !is_its {
            let nobody = format!("a row of {} is damaged, and nobody knows whose it is", table.name());
            return Err(Error::FromSqlConversionFailure(table.lobby_column(), Type::Integer, nobody.into()));
        }
        if !self.gone.contains_key(&lobby) {
            self.damage(lobby, why);
        }
        Ok(())
    }

    /// Whether a lobby can have a row of this number at this place.
    fn can_have(&self, table: Table, row: &Row<'_>, lobby: LobbyId, number: i64) -> bool {
        match (self.drafts.get(&lobby), self.gone.get(&lobby), table) {
            (Some(Draft::Damaged { .. }), ..) => true,
            (Some(Draft::Sound(kept)), _, Table::Events) => {
                i64::try_from(kept.events.len()).is_ok_and(|count| number == count + 1)
            }
            (Some(Draft::Sound(kept)), ..) => {
                let sitters = kept.events.iter().filter_map(|frame| sitter(frame.get(HEADER..)?));
                sitters.into_iter().any(|player| i64::from(player.0) == number)
            }
            (_, Some(last), Table::Events) => number == last + 1 || has_a_word(row),
            (_, Some(_), _) => true,
            (None, None, _) => false,
        }
    }

    /// Notes that a lobby is damaged, unless that is known already.
    fn damage(&mut self, lobby: LobbyId, why: &str) {
        let code = match self.drafts.get(&lobby) {
            Some(Draft::Damaged { .. }) => return,
            Some(Draft::Sound(kept)) => Some(kept.opening.code),
            None => None,
        };
        self.drafts.insert(lobby, Draft::Damaged { code, why: why.into() });
    }

    /// One more than the highest number among those that were seen.
    fn next(&self) -> LobbyId {
        let highest = self.gone.keys().chain(self.drafts.keys().next_back()).max();
        highest.map_or(LobbyId(1), |highest| LobbyId(highest.0.saturating_add(1)))
    }
}

fn lobby_of(table: Table, row: &Row<'_>) -> Result<Option<LobbyId>> {
    Ok(table.lobby(row)?.map(|lobby| LobbyId(lobby.cast_unsigned())))
}

/// An open lobby without its events, of a row whose checksum fits.
fn draft(lobby: LobbyId, row: &Row<'_>) -> Result<Draft> {
    let opened = WallTime(row.get::<_, i64>("opened")?.cast_unsigned());
    Ok(match opening(row)? {
        Some(opening) => Draft::Sound(Box::new(StoredLobby {
            lobby,
            opened,
            opening,
            events: Vec::new(),
            owners: Vec::new(),
        })),
        None => Draft::Damaged { code: None, why: "how it was opened cannot be read".into() },
    })
}

/// How a lobby was opened, of a row whose checksum fits; `None` if that means nothing.
pub(super) fn opening(row: &Row<'_>) -> Result<Option<Opening>> {
    let (code, opener): (String, String) = (row.get("code")?, row.get("opener")?);
    let conditions = wire::decode::<Conditions>(row.get_ref("conditions")?.as_blob()?);
    let lock: Option<[u8; 48]> = row.get("lock")?;
    let variant = row.get("variant")?;
    let (Ok(code), Ok(opener), Ok(conditions)) = (code.parse(), opener.parse(), conditions) else {
        return Ok(None);
    };
    Ok(Some(Opening { code, variant, conditions, lock: lock.as_ref().map(Lock::kept), opener }))
}

fn owner(row: &Row<'_>) -> Result<Option<Owner>> {
    let Ok(name) = Name::try_from(row.get::<_, String>("name")?) else { return Ok(None) };
    Ok(Some(Owner {
        player: PlayerId(row.get("player")?),
        name,
        newest: Seal::kept(row.get("newest")?),
        shown: row.get::<_, Option<[u8; 32]>>("shown")?.map(Seal::kept),
        arrived: row.get("arrived")?,
    }))
}

/// A body with its length in front of it, as it was told.
pub(super) fn frame(body: &[u8]) -> Bytes {
    let mut frame = BytesMut::with_capacity(HEADER + body.len());
    // A body is shorter than MAX_FRAME, as it was when it was written: its checksum fits.
    frame.put_u32(u32::try_from(body.len()).unwrap_or(u32::MAX));
    frame.put_slice(body);
    frame.freeze()
}
