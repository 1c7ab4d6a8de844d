//! Everything that can be verified of a journal: pages, checksums, and that each lobby's events can have happened in it, by the
//! same `apply` as in play. It changes nothing, and a server may go on meanwhile.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use rusqlite::{Connection, Result, Row};

use super::beside::{ALONE, steady};
use super::closing::{is_in_use, is_kept_with_a_log};
use super::folder::Folder;
use super::migration;
use super::opening::odd_header;
use super::replaying::Replayed;
use super::row::Table;
use super::schema::{Found, LAYOUT};
use super::summary::{self, Sitter};
use super::trouble::{is_damage, of_engine};
use super::visiting::{copy_in_memory, cut_off, visit};
use crate::game::{BySide, Side};
use crate::server::storage::{LobbyId, StorageError};

/// So many things that are wrong are told; there may be more.
pub const MAX_FINDINGS: usize = 100;

/// What a check of a journal has found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The version of a journal that is older than this program's.
    pub older: Option<i32>,
    /// How many lobbies there are.
    pub lobbies: u64,
    /// How many of them are open.
    pub open: u64,
    /// How many events there are.
    pub events: u64,
    /// What is wrong, a sentence each; [`MAX_FINDINGS`] at most.
    pub findings: Vec<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { older, lobbies, open, events, findings } = self;
        for finding in findings {
            writeln!(f, "{finding}")?;
        }
        match findings.len() {
            0 => write!(f, "sound")?,
            1 => write!(f, "1 thing is wrong")?,
            count => write!(f, "{count} things are wrong")?,
        }
        if !findings.is_empty() && *lobbies == 0 && *events == 0 {
            return Ok(());
        }
        write!(f, ": ")?;
        let many =
            |count: u64, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
        write!(
            f,
            "{}, {open} of them open, and {}",
            many(*lobbies, "lobby", "lobbies"),
            many(*events, "event", "events")
        )?;
        match older {
            None => Ok(()),
            Some(version) => write!(
                f,
                "; it is of version {version}, and will be brought to version {} when a server starts",
                LAYOUT.version
            ),
        }
    }
}

/// Verifies the journal in this folder. Of an older one a copy in memory is brought up to date, and verified.
pub fn check(folder: &Path) -> Result<Report, StorageError> {
    let mut check = Check::default();
    let place = Folder::at(folder);
    place.expect_files()?;
    if let Some(finding) = cut_off(&place)? {
        check.find(finding);
        return Ok(check.report);
    }
    let beside = steady(&place)?;
    beside.faults().for_each(|fault| check.find(fault.into()));
    let is_alone = !beside.has_log && is_kept_with_a_log(&place.journal());
    if beside.faults().next().is_some() {
        // Were it opened, SQLite would forget what it does not find, and with that what can still be known.
        return Ok(check.report);
    }
    let checked = visit(&place, |journal| check.look_at_journal(journal, is_alone))?;
    match checked {
        Ok(()) => {}
        Err(error) if is_damage(&error) => check.find(format!("the journal cannot be read: {error}")),
        Err(error) => return Err(of_engine(folder, &error)),
    }
    // Where that page stands whole beside the journal, SQLite has not looked at this one.
    if let Some(why) = odd_header(&place.journal())?.filter(|_| check.report.findings.is_empty()) {
        check.find(format!("the journal is damaged: {why}"));
    }
    Ok(check.report)
}

/// A check that goes on.
#[derive(Debug, Default)]
struct Check {
    report: Report,
    /// What each lobby has come to.
    lobbies: BTreeMap<i64, Replayed>,
}

impl Check {
    fn find(&mut self, finding: String) {
        if self.report.findings.len() < MAX_FINDINGS {
            self.report.findings.push(finding);
        }
    }

    fn look_at_journal(&mut self, journal: &Connection, is_alone: bool) -> Result<()> {
        // All of it as it is at one moment, whatever the server writes meanwhile.
        let moment = journal.unchecked_transaction()?;
        let found = LAYOUT.recognise(&moment)?;
        if is_alone && matches!(found, Found::Ours | Found::Older(_)) && is_in_use(&moment)? {
            self.find(ALONE.into());
        }
        match found {
            Found::Ours => {
                self.look_at_pages(&moment)?;
                self.look_at_rows(&moment)
            }
            Found::Older(version) => {
                self.report.older = Some(version);
                self.look_at_pages(&moment)?;
                drop(moment);
                self.look_at_older(journal, version)
            }
            found => {
                self.find(format!("this is no journal of this version: {found}"));
                Ok(())
            }
        }
    }

    fn look_at_older(&mut self, journal: &Connection, version: i32) -> Result<()> {
        let mut copy = copy_in_memory(journal)?;
        if migration::change(&mut copy, &LAYOUT, version)? {
            self.look_at_rows(&copy)
        } else {
            self.find("it cannot be brought up to date: it is not right afterwards".into());
            Ok(())
        }
    }

    fn look_at_rows(&mut self, connection: &Connection) -> Result<()> {
        self.each(connection, Table::Lobbies, Self::look_at_lobby)?;
        self.each(connection, Table::SetAside, Self::look_at_set_aside)?;
        self.each(connection, Table::Events, Self::look_at_event)?;
        self.each(connection, Table::Owners, |check, lobby, _| {
            check.look_at_owner(lobby);
            Ok(())
        })?;
        self.each(connection, Table::FormerOwners, |check, lobby, _| {
            check.look_at_former_owner(lobby);
            Ok(())
        })?;
        self.look_at_ends();
        self.look_at_summary(connection)
    }

    fn look_at_pages(&mut self, connection: &Connection) -> Result<()> {
        let mut said = connection.prepare("PRAGMA integrity_check")?;
        let mut said = said.query([])?;
        while let Some(row) = said.next()? {
            let said: String = row.get(0)?;
            // It may begin with the name that it has for the file.
            for line in said.lines().filter(|line| *line != "ok" && !line.starts_with("***")) {
                self.find(format!("the file is damaged: SQLite says: {line}"));
            }
        }
        Ok(())
    }

    fn each(
        &mut self,
        connection: &Connection,
        table: Table,
        look: impl Fn(&mut Self, i64, &Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut rows = connection.prepare(table.rows_from())?;
        let mut rows = rows.query([i64::MIN])?;
        while let Some(row) = rows.next()? {
            let lobby = table.lobby(row)?.unwrap_or_default();
            if table.fits(row)? {
                look(self, lobby, row)?;
            } else {
                let key: i64 = row.get(0)?;
                self.find(format!("lobby {lobby}: row {key} of {} does not fit its checksum", table.name()));
                // What follows from it is not to be held against the others.
                self.lobbies.insert(lobby, Replayed::Unknown);
            }
        }
        Ok(())
    }

    fn look_at_lobby(&mut self, lobby: i64, row: &Row<'_>) -> Result<()> {
        self.report.lobbies += 1;
        let closed: Option<i64> = row.get("closed")?;
        self.report.open += u64::from(closed.is_none());
        let replayed = Replayed::opened(row)?;
        if matches!(replayed, Replayed::Unknown) {
            self.find(format!("lobby {lobby}: how it was opened cannot be read"));
        }
        self.lobbies.insert(lobby, replayed);
        Ok(())
    }

    fn look_at_set_aside(&mut self, lobby: i64, row: &Row<'_>) -> Result<()> {
        let why: String = row.get("why")?;
        self.find(format!("lobby {lobby} was set aside: {why}"));
        self.lobbies.insert(lobby, Replayed::Unknown);
        Ok(())
    }

    fn look_at_event(&mut self, lobby: i64, row: &Row<'_>) -> Result<()> {
        self.report.events += 1;
        let fault = match self.lobbies.get_mut(&lobby) {
            None => Some("an event is there, and no word of how the lobby was opened".into()),
            Some(replayed) => replayed.hear(row)?,
        };
        if let Some(fault) = fault {
            self.find(format!("lobby {lobby}: {fault}"));
            self.lobbies.insert(lobby, Replayed::Unknown);
        }
        Ok(())
    }

    fn look_at_owner(&mut self, lobby: i64) {
        let fault = match self.lobbies.get(&lobby) {
            None => "nobody has opened it, and a seat of it is somebody's",
            Some(Replayed::Closed(_)) => "it is closed, and a seat of it is still somebody's",
            Some(_) => return,
        };
        self.find(format!("lobby {lobby}: {fault}"));
    }

    fn look_at_former_owner(&mut self, lobby: i64) {
        if !self.lobbies.contains_key(&lobby) {
            self.find(format!("lobby {lobby}: nobody has opened it, and a seat of it was somebody's"));
        }
    }

    fn look_at_ends(&mut self) {
        let faults: Vec<String> = self
            .lobbies
            .iter()
            .filter_map(|(lobby, replayed)| Some(format!("lobby {lobby}: {}", replayed.fault_at_the_end()?)))
            .collect();
        for fault in faults {
            self.find(fault);
        }
    }

    /// Whether the tables for a host say what the events say.
    fn look_at_summary(&mut self, connection: &Connection) -> Result<()> {
        let lobbies = std::mem::take(&mut self.lobbies);
        for (&lobby, replayed) in &lobbies {
            if matches!(replayed, Replayed::Unknown) {
                continue;
            }
            let seats = summary::sitters(connection, LobbyId(lobby.cast_unsigned()))?;
            if seats != replayed.seats() {
                self.find(format!("lobby {lobby}: the table seats does not say who sits there"));
            }
            if games(connection, lobby)? != replayed.games() {
                self.find(format!("lobby {lobby}: the table games does not say what was played there"));
            }
        }
        self.look_for_strangers(connection, "games", &lobbies)?;
        self.look_for_strangers(connection, "seats", &lobbies)
    }

    fn look_for_strangers(
        &mut self,
        connection: &Connection,
        table: &str,
        lobbies: &BTreeMap<i64, Replayed>,
    ) -> Result<()> {
        let mut rows = connection.prepare(&format!("SELECT DISTINCT lobby FROM {table}"))?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let lobby: i64 = row.get(0)?;
            if !lobbies.contains_key(&lobby) {
                self.find(format!("lobby {lobby}: it is in the table {table}, and nobody has opened it"));
            }
        }
        Ok(())
    }
}

/// A row of the table of games.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Played {
    pub(super) game: u32,
    pub(super) sitters: BySide<Option<Sitter>>,
    /// When it started and its first event; when it ended and its last.
    pub(super) started: (i64, i64),
    pub(super) ended: Option<(i64, i64)>,
    /// How it ended, and by what.
    pub(super) result: Option<(String, String)>,
}

fn games(connection: &Connection, lobby: i64) -> Result<Vec<Played>> {
    let mut rows = connection.prepare_cached("SELECT * FROM games WHERE lobby = ?1 ORDER BY game")?;
    let mut rows = rows.query([lobby])?;
    let mut games = Vec::new();
    while let Some(row) = rows.next()? {
        if !Table::Games.fits(row)? {
            continue;
        }
        games.push(Played {
            game: row.get("game")?,
            sitters: BySide { first: Sitter::of(row, Side::First)?, second: Sitter::of(row, Side::Second)? },
            started: (row.get("started")?, row.get("first_event")?),
            ended: row.get::<_, Option<i64>>("ended")?.zip(row.get("last_event")?),
            result: row.get::<_, Option<String>>("outcome")?.zip(row.get("cause")?),
        });
    }
    Ok(games)
}
