//! What the rows come to that were gathered of a damaged journal: which lobbies are whole, and what is to be said of the others.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, Result, Row};

use super::blaming::{Whose, sitter};
use super::gathering::{Damaged, Gathered};
use super::row::Table;
use super::summary;
use crate::lobby::PlayerId;

/// So many lost lobbies are named, and the others counted.
const MAX_NAMED: usize = 20;

/// What there is of a damaged journal.
#[derive(Debug, Default)]
pub(super) struct Survey {
    lobbies: BTreeMap<i64, Fate>,
    /// The tables of which a part could not be read.
    cut: Vec<&'static str>,
    /// How many damaged rows there are of tickets that open nothing but records.
    lost_tickets: usize,
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
    is_over: bool,
    /// Everybody who ever sat there.
    people: Vec<PlayerId>,
    fault: Option<&'static str>,
}

impl Fate {
    /// A lobby of which there is no more than its number.
    fn unknown() -> Self {
        Self {
            code: String::new(),
            is_aside: false,
            closed_by: None,
            events: 0,
            last_event: 0,
            is_over: false,
            people: Vec::new(),
            fault: Some("how it was opened cannot be read"),
        }
    }

    fn blame(&mut self, fault: &'static str) {
        self.fault = self.fault.or(Some(fault));
    }

    /// Whether a damaged row can be this lobby's. What is missing in the middle of it is known without it.
    fn can_have(&self, table: Table, whose: Whose) -> bool {
        match (table, whose) {
            _ if self.fault.is_some() => true,
            (_, Whose::Surely(_)) | (Table::Lobbies, _) => true,
            (Table::Events, Whose::Perhaps(_, number)) => number == self.events + 1,
            (_, Whose::Perhaps(_, player)) => self.people.iter().any(|known| i64::from(known.0) == player),
        }
    }

    fn is_saved(&self) -> bool {
        self.fault.is_none() && !self.is_aside
    }
}

impl Survey {
    /// Looks at everything that was gathered, and leaves nothing in the new journal but lobbies that are whole.
    pub(super) fn of(new: &Connection, gathered: Gathered) -> Result<Self> {
        let mut survey = Self { cut: gathered.cut, ..Self::default() };
        each(new, "SELECT * FROM lobbies", |row| survey.look_at_lobby(row))?;
        each(new, "SELECT * FROM events ORDER BY id", |row| survey.look_at_event(row))?;
        survey.look_at_ends(new)?;
        for damaged in &gathered.damaged {
            if damaged.is_found(new)? {
                continue;
            }
            let fault = match damaged.table {
                Table::Lobbies => "how it was opened is damaged",
                Table::Events => "one of its events is damaged",
                Table::Owners => "whose a seat is, is damaged",
                // A ticket that opens a record is not worth a lobby: one that is damaged is left out.
                Table::FormerOwners => {
                    survey.lost_tickets += 1;
                    continue;
                }
                // Both are made anew of the events.
                Table::SetAside | Table::Seats | Table::Games => continue,
            };
            survey.blame(damaged, fault);
        }
        for lobby in gathered.aside {
            survey.lobbies.entry(lobby).or_insert_with(Fate::unknown).is_aside = true;
        }
        survey.leave_the_saved(new)?;
        Ok(survey)
    }

    fn look_at_lobby(&mut self, row: &Row<'_>) -> Result<()> {
        let (code, closed_by) = (row.get("code")?, row.get("last_event")?);
        let fate = Fate { code, closed_by, fault: None, ..Fate::unknown() };
        self.lobbies.insert(row.get("id")?, fate);
        Ok(())
    }

    fn look_at_event(&mut self, row: &Row<'_>) -> Result<()> {
        let (number, kind): (i64, String) = (row.get("number")?, row.get("kind")?);
        let fate = self.lobbies.entry(row.get("lobby")?).or_insert_with(Fate::unknown);
        (fate.events, fate.last_event, fate.is_over) = (fate.events + 1, row.get("id")?, kind == "closed");
        if number != fate.events {
            fate.blame("events of it are missing");
        }
        if kind == "sat" {
            fate.people.extend(sitter(row.get_ref("body")?.as_blob()?));
        }
        Ok(())
    }

    /// Whether the last event of each lobby is its last one, as far as that can be known.
    fn look_at_ends(&mut self, new: &Connection) -> Result<()> {
        for fate in self.lobbies.values_mut() {
            match fate.closed_by {
                Some(last) if last != fate.last_event => fate.blame("its last event cannot be read"),
                None if fate.is_over => fate.blame("when it was closed cannot be read"),
                _ => {}
            }
        }
        let sql = "SELECT count(*) FROM events WHERE id >= (SELECT min(first_event) FROM lobbies WHERE closed IS NULL)
            HAVING count(*) < max(id) - min(id) + 1";
        if !self.cut.contains(&Table::Events.name()) && new.prepare(sql)?.exists([])? {
            self.cut.push(Table::Events.name());
        }
        Ok(())
    }

    /// Notes a damaged row. One that is nobody's is a part of its table that could not be read.
    fn blame(&mut self, damaged: &Damaged, fault: &'static str) {
        let Damaged { table, whose, code, .. } = damaged;
        let (Whose::Surely(lobby) | Whose::Perhaps(lobby, _)) = *whose;
        let known = self.lobbies.get_mut(&lobby);
        let is_its = known.as_ref().is_some_and(|fate| fate.can_have(*table, *whose));
        match known {
            Some(fate) if is_its => fate.blame(fault),
            None if *table == Table::Lobbies => {
                let fate = Fate { code: code.clone(), fault: Some(fault), ..Fate::unknown() };
                self.lobbies.insert(lobby, fate);
            }
            _ if self.cut.contains(&table.name()) => {}
            _ => self.cut.push(table.name()),
        }
    }

    /// Removes what cannot be trusted, and sums up the rest.
    fn leave_the_saved(&self, new: &Connection) -> Result<()> {
        for (lobby, _) in self.lobbies.iter().filter(|(_, fate)| !fate.is_saved()) {
            new.prepare_cached("DELETE FROM lobbies WHERE id = ?1")?.execute([lobby])?;
        }
        for table in [Table::Events, Table::Owners, Table::FormerOwners] {
            let strangers =
                format!("DELETE FROM {} WHERE lobby NOT IN (SELECT id FROM lobbies)", table.name());
            new.execute(&strangers, [])?;
        }
        each(new, "SELECT * FROM events ORDER BY id", |row| summary::note_row(new, row))?;
        let highest = self.lobbies.keys().next_back().copied().unwrap_or_default();
        let sequence = "UPDATE sqlite_sequence SET seq = max(seq, ?1) WHERE name = 'lobbies'";
        if new.execute(sequence, [highest])? == 0 {
            new.execute("INSERT INTO sqlite_sequence VALUES ('lobbies', ?1)", [highest])?;
        }
        Ok(())
    }

    /// What a host has to know.
    pub(super) fn told(&self, away: &Path, why: &str) -> Vec<String> {
        let away = away.display();
        // It may quote what it found in the file.
        let why: String = why.chars().filter(|c| !c.is_control()).collect();
        let all = self.lobbies.values().filter(|fate| !fate.is_aside).count();
        let saved = self.lobbies.values().filter(|fate| fate.is_saved()).count();
        let outcome = match all {
            0 => "no lobby could be read in it".into(),
            all => format!("{saved} of {all} lobbies were saved of it"),
        };
        let mut told =
            vec![format!("the journal was damaged ({why}): the file as it was is now {away}, and {outcome}")];
        told.extend(self.losses());
        if self.lost_tickets > 0 {
            told.push(format!(
                "{} tickets of people who had left were lost: they do not open the records of private games any more",
                self.lost_tickets
            ));
        }
        told.extend(self.gaps());
        told
    }

    /// What may be missing beside, as tables have no rows where some may have been.
    fn gaps(&self) -> impl Iterator<Item = String> {
        let tables = [
            (Table::Lobbies, "lobbies of which nothing else is left may be missing"),
            (Table::Events, "what was recorded last of a lobby may be missing"),
            (Table::Owners, "people may have lost their seats"),
            (Table::FormerOwners, "people who had left may have lost the records of private games"),
            (Table::SetAside, "lobbies that were set aside before may be forgotten"),
        ];
        let cut = tables.into_iter().filter(|(table, _)| self.cut.contains(&table.name()));
        cut.map(|(table, so)| format!("a part of the table {} could not be read: {so}", table.name()))
    }

    /// The lobbies that were lost, the first ones by name.
    fn losses(&self) -> Vec<String> {
        let lost: Vec<(&i64, &Fate)> = self.lobbies.iter().filter(|(_, fate)| !fate.is_saved()).collect();
        let named = lost.iter().take(MAX_NAMED).map(|(lobby, fate)| {
            let code = if fate.code.is_empty() { String::new() } else { format!(" ({})", fate.code) };
            format!("lobby {lobby}{code} was lost: {}", fate.fault.unwrap_or("it was set aside before"))
        });
        let others = lost.len().checked_sub(MAX_NAMED).filter(|others| *others > 0);
        named.chain(others.map(|others| format!("and {others} more were lost"))).collect()
    }
}

fn each(new: &Connection, sql: &str, mut look: impl FnMut(&Row<'_>) -> Result<()>) -> Result<()> {
    let mut rows = new.prepare(sql)?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        look(row)?;
    }
    Ok(())
}
