//! What is done about a journal with damaged pages: it is put away, and every lobby of which all can be read and verified
//! goes into a new one. What was lost is said.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result, Row};

use super::folder::{Folder, remove};
use super::mending::mend;
use super::opening::{connect, connect_to_read};
use super::row::{Table, values};
use super::scan::scan;
use super::schema::{Found, Layout};
use super::summary;
use super::trouble::{of_engine, of_file};
use crate::server::storage::{LobbyId, Trouble, WallTime};
use crate::wire::{self, ToClient};

/// So many lost lobbies are named, and the others counted.
const MAX_NAMED: usize = 20;

/// Saves what can be saved. What a host has to know of it.
pub(super) fn salvage(folder: &Folder, layout: &Layout, why: &str) -> Result<Vec<String>, Trouble> {
    let trouble = |error| of_engine(folder.path(), &error);
    let new = folder.begin_new()?;
    let mut made = connect(&new).map_err(trouble)?;
    begin(&made, layout).map_err(trouble)?;
    let old = readable(folder, layout, &new)?;
    let survey = fill(&mut made, old).map_err(trouble)?;
    drop(made);
    remove(&folder.mended())?;
    let synced = File::open(&new).and_then(|file| file.sync_all());
    synced.map_err(|error| of_file(&new, &error))?;
    // From here on the new one is whole; should the process end in between, the next one goes on.
    folder.rename(&new, &folder.salvaged())?;
    let away = folder.put_away()?;
    folder.rename(&folder.salvaged(), &folder.journal())?;
    Ok(survey.told(&away, why))
}

fn begin(new: &Connection, layout: &Layout) -> Result<()> {
    // Nothing depends on it before it is whole.
    new.pragma_update(None, "synchronous", "OFF")?;
    layout.create(new)
}

/// The damaged journal, or else a copy with a new first page: one of which the tables are known.
fn readable(folder: &Folder, layout: &Layout, new: &Path) -> Result<Option<Connection>, Trouble> {
    let known = |file: &Path| {
        let connection = connect_to_read(file).ok()?;
        matches!(layout.recognise(&connection).ok()?, Found::Ours | Found::Older(_)).then_some(connection)
    };
    let (journal, copy) = (folder.journal(), folder.mended());
    let old = known(&journal);
    if old.is_some() {
        return Ok(old);
    }
    remove(&copy)?;
    mend(&journal, new, &copy)?;
    Ok(known(&copy))
}

/// Puts what can be read of the old journal into the new one.
fn fill(new: &mut Connection, old: Option<Connection>) -> Result<Survey> {
    let mut survey = Survey::default();
    if let Some(old) = old {
        survey = Survey::of(&old)?;
        let transaction = new.transaction()?;
        survey.copy(&old, &transaction)?;
        transaction.commit()?;
    }
    new.pragma_update(None, "journal_mode", "WAL")?;
    Ok(survey)
}

/// What there is in a damaged journal.
#[derive(Debug, Default)]
struct Survey {
    lobbies: BTreeMap<i64, Fate>,
    /// The tables of which a part could not be read.
    cut: Vec<&'static str>,
    /// How many damaged rows there are of tickets that open nothing but records.
    lost_tickets: u64,
}

/// What is known of a lobby.
#[derive(Debug)]
struct Fate {
    code: String,
    /// It was set aside long ago, and stays where it is.
    is_aside: bool,
    closed_by: Option<i64>,
    events: i64,
    last_event: i64,
    fault: Option<&'static str>,
}

impl Fate {
    fn unknown() -> Self {
        Self {
            code: String::new(),
            is_aside: false,
            closed_by: None,
            events: 0,
            last_event: 0,
            fault: Some("how it was opened cannot be read"),
        }
    }

    fn is_saved(&self) -> bool {
        self.fault.is_none() && !self.is_aside
    }
}

impl Survey {
    fn of(old: &Connection) -> Result<Self> {
        let mut survey = Self::default();
        for (table, look) in [
            (Table::Lobbies, Self::look_at_lobby as fn(&mut Self, &Row<'_>) -> Result<()>),
            (Table::Events, Self::look_at_event),
            (Table::Owners, Self::look_at_owner),
            (Table::FormerOwners, Self::look_at_former_owner),
            (Table::SetAside, Self::look_at_set_aside),
        ] {
            if !is_there(old, table)? {
                continue;
            }
            if !scan(old, table, &mut |row| look(&mut survey, row))? {
                survey.cut.push(table.name());
            }
        }
        for fate in survey.lobbies.values_mut() {
            if fate.closed_by.is_some_and(|last| last != fate.last_event) {
                fate.fault = fate.fault.or(Some("its last event cannot be read"));
            }
        }
        Ok(survey)
    }

    fn fate(&mut self, table: Table, row: &Row<'_>) -> Result<Option<&mut Fate>> {
        Ok(table.lobby(row)?.map(|lobby| self.lobbies.entry(lobby).or_insert_with(Fate::unknown)))
    }

    fn look_at_lobby(&mut self, row: &Row<'_>) -> Result<()> {
        let fits = Table::Lobbies.fits(row)?;
        let code = row.get_ref(1)?.as_str().unwrap_or_default().to_owned();
        let closed_by = row.get("last_event").unwrap_or_default();
        if let Some(fate) = self.fate(Table::Lobbies, row)? {
            let fault = if fits { None } else { Some("how it was opened is damaged") };
            *fate = Fate { code, closed_by, fault, ..Fate::unknown() };
        }
        Ok(())
    }

    fn look_at_event(&mut self, row: &Row<'_>) -> Result<()> {
        let fits = Table::Events.fits(row)?;
        // There may be anything in a damaged row.
        let (id, number) = (row.get(0)?, row.get(2).unwrap_or(0_i64));
        let Some(fate) = self.fate(Table::Events, row)? else { return Ok(()) };
        (fate.events, fate.last_event) = (fate.events + 1, id);
        if !fits {
            fate.fault = fate.fault.or(Some("one of its events is damaged"));
        } else if number != fate.events {
            fate.fault = fate.fault.or(Some("events of it are missing"));
        }
        Ok(())
    }

    fn look_at_owner(&mut self, row: &Row<'_>) -> Result<()> {
        let fits = Table::Owners.fits(row)?;
        if let Some(fate) = self.fate(Table::Owners, row)?.filter(|_| !fits) {
            fate.fault = fate.fault.or(Some("whose a seat is, is damaged"));
        }
        Ok(())
    }

    /// A ticket that opens a record is not worth a lobby: one that is damaged is left out.
    fn look_at_former_owner(&mut self, row: &Row<'_>) -> Result<()> {
        self.lost_tickets += u64::from(!Table::FormerOwners.fits(row)?);
        Ok(())
    }

    fn look_at_set_aside(&mut self, row: &Row<'_>) -> Result<()> {
        let fits = Table::SetAside.fits(row)?;
        if let Some(fate) = self.fate(Table::SetAside, row)?.filter(|_| fits) {
            fate.is_aside = true;
        }
        Ok(())
    }

    fn is_saved(&self, lobby: Option<i64>) -> bool {
        lobby.and_then(|lobby| self.lobbies.get(&lobby)).is_some_and(Fate::is_saved)
    }

    /// Copies what can be trusted, row by row.
    fn copy(&mut self, old: &Connection, new: &Connection) -> Result<()> {
        for table in [Table::Lobbies, Table::Events, Table::Owners, Table::FormerOwners] {
            if !is_there(old, table)? {
                continue;
            }
            scan(old, table, &mut |row| {
                if !self.is_saved(table.lobby(row)?) || !table.fits(row)? {
                    return Ok(());
                }
                let row_values: Vec<ValueRef<'_>> = values(row)?.collect();
                table.write(new, &row_values)?;
                if table == Table::Events { sum_up(new, row) } else { Ok(()) }
            })?;
        }
        let highest = self.lobbies.keys().next_back().copied().unwrap_or_default();
        let sequence = "UPDATE sqlite_sequence SET seq = max(seq, ?1) WHERE name = 'lobbies'";
        if new.execute(sequence, [highest])? == 0 {
            new.execute("INSERT INTO sqlite_sequence VALUES ('lobbies', ?1)", [highest])?;
        }
        Ok(())
    }

    /// What a host has to know.
    fn told(&self, away: &Path, why: &str) -> Vec<String> {
        let away = away.display();
        // It may quote what it found in the file.
        let why: String = why.chars().filter(|c| !c.is_control()).collect();
        let all = self.lobbies.values().filter(|fate| !fate.is_aside).count();
        let saved = self.lobbies.values().filter(|fate| fate.is_saved()).count();
        let mut told = vec![format!(
            "the journal was damaged ({why}): the file as it was is now {away}, and {saved} of {all} lobbies were saved of it"
        )];
        let lost: Vec<(&i64, &Fate)> = self.lobbies.iter().filter(|(_, fate)| !fate.is_saved()).collect();
        told.extend(lost.iter().take(MAX_NAMED).map(|(lobby, fate)| {
            let code = if fate.code.is_empty() { String::new() } else { format!(" ({})", fate.code) };
            format!("lobby {lobby}{code} was lost: {}", fate.fault.unwrap_or("it was set aside before"))
        }));
        if lost.len() > MAX_NAMED {
            told.push(format!("and {} more were lost", lost.len() - MAX_NAMED));
        }
        if self.lost_tickets > 0 {
            told.push(format!(
                "{} tickets of people who had left were lost: they do not open the records of private games any more",
                self.lost_tickets
            ));
        }
        if !self.cut.is_empty() {
            told.push(format!(
                "parts of the tables {} could not be read: what was recorded last of a lobby may be among them",
                self.cut.join(", ")
            ));
        }
        told
    }
}

/// Whether the journal has this table: an older one may not.
fn is_there(old: &Connection, table: Table) -> Result<bool> {
    old.table_exists(None, table.name())
}

/// Brings the summary up to date with an event that was copied.
fn sum_up(new: &Connection, row: &Row<'_>) -> Result<()> {
    let Ok(ToClient::Lobby { event, .. }) = wire::decode(row.get_ref("body")?.as_blob()?) else {
        return Ok(());
    };
    let lobby = LobbyId(row.get::<_, i64>("lobby")?.cast_unsigned());
    let wall = WallTime(row.get::<_, i64>("wall")?.cast_unsigned());
    summary::note(new, lobby, row.get("id")?, wall, &event)
}
