//! Verifies a whole journal: its pages, all checksums, and that each lobby's events can have happened in
//! it, with the same `apply` as in play. It changes nothing, and a server may use the journal at the same
//! time.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use rusqlite::{Connection, Result, Row};

use super::connect::connect_to_inspect;
use super::error::{is_damage, of_engine};
use super::files::Folder;
use super::loading::{checkpoint, lobby_of, meta};
use super::open_file::{expect_journal, refused};
use super::row::{CHECKPOINTS, EVENTS, LOBBIES, META, OWNERS, TABLES, Table, number};
use super::schema::{FileKind, recognise};
use crate::game::any::Variant;
use crate::lobby::{Checkpoint, Lobby, Phase, PlayerId};
use crate::server::storage::{LobbyId, StorageError, check_seats, replay};

/// The most findings that are listed.
pub const MAX_FINDINGS: usize = 100;

/// What a check of a journal has found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Report {
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
        let Self { lobbies, open, events, findings } = self;
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
        let lobby = if *lobbies == 1 { "lobby" } else { "lobbies" };
        let event = if *events == 1 { "event" } else { "events" };
        write!(f, ": {lobbies} {lobby}, {open} of them open, and {events} {event}")
    }
}

/// Verifies the journal in this folder.
///
/// # Errors
///
/// If there is none, or if it cannot be read for another reason than damage.
pub fn check(folder: &Path) -> Result<Report, StorageError> {
    let place = Folder::at(folder);
    expect_journal(&place)?;
    let mut check = Check::default();
    match connect_to_inspect(&place.journal()).and_then(|journal| check.journal(&place, &journal)) {
        Ok(()) => {}
        Err(error) if is_damage(&error) => check.find(format!("the journal cannot be read: {error}")),
        Err(error) => return Err(of_engine(folder, &error)),
    }
    Ok(check.report)
}

/// What SQLite finds wrong with the pages of a file, a sentence each. Such a page may hide rows without an error.
pub(super) fn page_faults(connection: &Connection) -> Result<Vec<String>> {
    let mut check = connection.prepare("PRAGMA integrity_check")?;
    let (mut rows, mut faults) = (check.query([])?, Vec::new());
    while let Some(row) = rows.next()? {
        let said: String = row.get(0)?;
        // The first line may name the database.
        let lines = said.lines().filter(|line| *line != "ok" && !line.starts_with("***"));
        faults.extend(lines.map(|line| format!("the file is damaged: SQLite says: {line}")));
    }
    Ok(faults)
}

/// A check under way.
#[derive(Debug, Default)]
struct Check {
    report: Report,
    lobbies: BTreeMap<LobbyId, Replayed>,
    checkpoints: BTreeMap<LobbyId, Found>,
    /// The number of the last lobby, as it was recorded.
    last_lobby: Option<u64>,
}

/// A checkpoint.
#[derive(Debug)]
struct Found {
    /// The events of its lobby up to this id are those that it covers.
    event: i64,
    checkpoint: Checkpoint,
    /// Whether it was compared with its lobby.
    is_compared: bool,
}

/// A lobby whose events are applied again.
#[derive(Debug)]
enum Replayed {
    /// Also has the players who hold seats.
    Open(Box<Lobby>, Vec<PlayerId>),
    Closed,
    /// It is being removed, and some of its rows are gone.
    Pruned,
    /// Something is wrong with it, and was reported.
    Wrong,
}

impl Check {
    fn find(&mut self, finding: String) {
        if self.report.findings.len() < MAX_FINDINGS {
            self.report.findings.push(finding);
        }
    }

    fn find_in(&mut self, lobby: LobbyId, finding: &str) {
        self.find(format!("lobby {}: {finding}", lobby.0));
        self.lobbies.insert(lobby, Replayed::Wrong);
    }

    fn journal(&mut self, folder: &Folder, journal: &Connection) -> Result<()> {
        // One snapshot, while the server may go on writing.
        let snapshot = journal.unchecked_transaction()?;
        match recognise(&snapshot)? {
            FileKind::Ours => {}
            found => {
                self.find(refused(folder, &found).cause);
                return Ok(());
            }
        }
        page_faults(&snapshot)?.into_iter().for_each(|fault| self.find(fault));
        for table in TABLES {
            table.each(&snapshot, i64::MIN, |row| self.row(table, row))?;
        }
        if self.lobbies.keys().next_back().map(|id| id.0) > self.last_lobby {
            self.find("the number of the last lobby is missing, or too low".into());
        }
        self.seats();
        for (id, found) in std::mem::take(&mut self.checkpoints) {
            if !found.is_compared && !matches!(self.lobbies.get(&id), Some(Replayed::Wrong)) {
                self.find_in(id, "it has a checkpoint, and the event of the checkpoint is missing");
            }
        }
        let open = self.lobbies.values().filter(|lobby| matches!(lobby, Replayed::Open(..))).count();
        if self.report.findings.is_empty() && open as u64 != self.report.open {
            self.find("the list of closed lobbies does not match their events".into());
        }
        Ok(())
    }

    /// Checks that everybody with a seat in an open lobby can return.
    fn seats(&mut self) {
        let is_lost = |(id, replayed): (&LobbyId, &Replayed)| {
            let Replayed::Open(lobby, owners) = replayed else { return None };
            let checked = check_seats(lobby, |player| owners.contains(&player.id));
            checked.err().map(|finding| (*id, finding))
        };
        let lost: Vec<(LobbyId, String)> = self.lobbies.iter().filter_map(is_lost).collect();
        for (id, finding) in lost {
            self.find_in(id, &finding);
        }
    }

    /// Checks the row with the number of the last lobby.
    fn last(&mut self, row: &Row<'_>) -> Result<()> {
        match self.last_lobby {
            None if META.fits(row)? => self.last_lobby = Some(number(row, "last_lobby")?),
            _ => self.find("a row of meta does not fit its checksum, or there are two".into()),
        }
        Ok(())
    }

    fn row(&mut self, table: Table, row: &Row<'_>) -> Result<()> {
        if table == META {
            return self.last(row);
        }
        let lobby = lobby_of(row, if table == LOBBIES { "id" } else { "lobby" });
        if !table.fits(row)? {
            self.find(table.misfit(row));
            // Of a damaged row, which lobby it names need not be a number.
            if let Ok(lobby) = lobby {
                self.lobbies.insert(lobby, Replayed::Wrong);
            }
            return Ok(());
        }
        let lobby = lobby?;
        match table {
            LOBBIES => self.lobby(lobby, row),
            CHECKPOINTS => {
                match checkpoint(row)? {
                    Some((event, checkpoint)) => {
                        let found = Found { event, checkpoint, is_compared: false };
                        self.checkpoints.insert(lobby, found);
                    }
                    None => self.find_in(lobby, "its checkpoint cannot be read"),
                }
                Ok(())
            }
            EVENTS => self.event(lobby, row),
            OWNERS if row.get("held")? => {
                match self.lobbies.get_mut(&lobby) {
                    Some(Replayed::Open(_, owners)) => owners.push(PlayerId(row.get("player")?)),
                    Some(Replayed::Wrong | Replayed::Pruned) => {}
                    _ => self.find_in(lobby, "it is not open, and one of its seats is held"),
                }
                Ok(())
            }
            _ => {
                if !self.lobbies.contains_key(&lobby) {
                    self.find_in(
                        lobby,
                        &format!("it is in {}, and how it was opened is missing", table.name),
                    );
                }
                Ok(())
            }
        }
    }

    fn lobby(&mut self, id: LobbyId, row: &Row<'_>) -> Result<()> {
        let closed: Option<i64> = row.get("closed")?;
        if closed == Some(0) {
            self.lobbies.insert(id, Replayed::Pruned);
            return Ok(());
        }
        self.report.lobbies += 1;
        self.report.open += u64::from(closed.is_none());
        let lobby = meta(row)?.and_then(|(_, meta)| {
            let variant = meta.variant.parse::<Variant>().ok()?;
            Some(Lobby::new(meta.code, variant, meta.conditions))
        });
        match lobby {
            Some(lobby) => {
                self.lobbies.insert(id, Replayed::Open(Box::new(lobby), Vec::new()));
            }
            None => self.find_in(id, "how it was opened cannot be read"),
        }
        Ok(())
    }

    fn event(&mut self, id: LobbyId, row: &Row<'_>) -> Result<()> {
        self.report.events += 1;
        match self.lobbies.get_mut(&id) {
            None => self.find_in(id, "it has an event, and how it was opened is missing"),
            Some(Replayed::Wrong | Replayed::Pruned) => {}
            Some(Replayed::Closed) => self.find_in(id, "something happened after it was closed"),
            Some(Replayed::Open(lobby, _)) => {
                let (expected, found) = (u64::from(lobby.last_event()) + 1, number(row, "number")?);
                if found != expected {
                    self.find_in(id, &format!("event {expected} is missing, {found} is there"));
                    return Ok(());
                }
                let at = match replay(lobby, row.get_ref("body")?.as_blob()?) {
                    Ok(at) => at,
                    Err(fault) => {
                        self.find_in(id, &fault);
                        return Ok(());
                    }
                };
                let (number, row_id): (u32, i64) = (lobby.last_event(), row.get("id")?);
                let differs = self.checkpoints.get_mut(&id).is_some_and(|found| {
                    let covered = found.checkpoint.snapshot.events;
                    found.is_compared |= number == covered;
                    (number <= covered) != (row_id <= found.event)
                        || number == covered && found.checkpoint != lobby.checkpoint(at)
                });
                if lobby.phase() == Phase::Closed {
                    self.lobbies.insert(id, Replayed::Closed);
                }
                if differs {
                    self.find_in(id, "its checkpoint is not what its events result in");
                }
            }
        }
        Ok(())
    }
}
