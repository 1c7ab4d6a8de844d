//! Writes lobbies that were played elsewhere: all that happened in one so far, or what comes after that which is there.
//! Nothing is there twice.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Place;

use rusqlite::{Connection, OptionalExtension, Result};

use super::loading::lobby_of;
use super::recording::Recorder;
use super::removal::{Marked, Pass};
use super::row::number;
use super::schema::write_version;
use crate::lobby::Event;
use crate::server::storage::{Damage, Entry, LobbyId, LobbyMeta, Note, WallTime};

/// The last event that is there of a lobby whose end is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastEvent {
    /// Its number; 0 if nothing has happened there yet.
    pub number: u32,
    /// When it happened. With the number that tells the histories of a lobby apart that had two, as after its etcd was
    /// restored from a backup.
    pub wall: WallTime,
}

/// What became of a lobby that was to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    /// All that was given is there, and nothing else.
    Done,
    /// More than that is there.
    More,
    /// The lobby with its end was there.
    Whole,
    /// Something before the first event that was given is missing.
    Gap,
    /// Another lobby is there under its number.
    Other(Damage),
}

/// What is there under the number of a lobby.
enum There {
    Nothing,
    /// The lobby, with its end, which came then: the range of its events. It may be about to be pruned.
    Whole(Marked, WallTime),
    /// The lobby without its end: the range of its events.
    Part(Marked),
    /// Another lobby.
    Other,
}

/// Whether anything is there of a lobby.
pub(super) fn has(connection: &Connection, lobby: LobbyId) -> Result<bool> {
    connection.prepare_cached("SELECT 1 FROM lobbies WHERE id = ?1")?.exists([lobby.0.cast_signed()])
}

/// A number above those of all lobbies.
pub(super) fn next(connection: &Connection) -> Result<LobbyId> {
    let highest =
        connection.query_row("SELECT ifnull(max(id), 0) FROM lobbies", (), |row| row.get::<_, i64>(0))?;
    Ok(LobbyId(highest.cast_unsigned().saturating_add(1)))
}

/// The lobbies whose ends are missing, each with its last event. Those in which an event is missing are left out.
pub(super) fn last_events(connection: &Connection) -> Result<BTreeMap<LobbyId, LastEvent>> {
    let mut lobbies = BTreeMap::new();
    let mut select = connection.prepare("SELECT id, opened FROM lobbies WHERE closed IS NULL")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        lobbies.insert(lobby_of(row, "id")?, LastEvent { number: 0, wall: WallTime(number(row, "opened")?) });
    }
    // There is no index by lobby: all events are looked at since the first of these lobbies was opened.
    let sql = "SELECT lobby, number, wall FROM events \
               WHERE id >= (SELECT min(first_event) FROM lobbies WHERE closed IS NULL) \
               AND lobby IN (SELECT id FROM lobbies WHERE closed IS NULL) ORDER BY id";
    let mut select = connection.prepare(sql)?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let Place::Occupied(mut last) = lobbies.entry(lobby_of(row, "lobby")?) else { continue };
        let event = LastEvent { number: row.get("number")?, wall: WallTime(number(row, "wall")?) };
        if event.number == last.get().number.saturating_add(1) {
            last.insert(event);
        } else {
            last.remove();
        }
    }
    Ok(lobbies)
}

/// Records what is not there of these lobbies, the last events of which are known where `last` has them. One that is
/// there with another history is recorded anew, if all of it is given.
pub(super) fn record(
    connection: &Connection,
    lobbies: &[Vec<Entry>],
    last: &impl Fn(LobbyId) -> Option<LastEvent>,
) -> Result<Vec<Written>> {
    let mut recorder = Recorder::new(connection)?;
    let written = lobbies.iter().map(|entries| write(connection, &mut recorder, entries, last)).collect();
    // So that there is something to sync, and with it all that was recorded before.
    write_version(connection)?;
    written
}

fn write(
    connection: &Connection,
    recorder: &mut Recorder<'_>,
    entries: &[Entry],
    last: &impl Fn(LobbyId) -> Option<LastEvent>,
) -> Result<Written> {
    let Some(Entry { lobby, wall, note: Note::Opened(meta) }) = entries.first() else {
        return Ok(Written::Gap);
    };
    match there(connection, *lobby, *wall, meta)? {
        There::Whole(whole, closed) => {
            let has_other_end = entries.last().is_some_and(|end| is_end(end) && end.wall != closed);
            if !has_other_end || !is_from_the_first(entries) {
                return Ok(Written::Whole);
            }
            // Its etcd was restored from a backup, and it went on from there.
            remove(connection, whole)?;
        }
        There::Other => {
            let why =
                "another lobby has this number here: is this the data folder of another cluster?".into();
            return Ok(Written::Other(Damage { lobby: *lobby, code: Some(meta.code), why }));
        }
        There::Part(part) => {
            let last = last(*lobby);
            if last.is_some_and(|last| is_behind(entries, last)) {
                return Ok(Written::More);
            }
            if let Some(last) = last.filter(|last| goes_on_from(entries, *last)) {
                let is_new = |entry: &&Entry| number_of(entry).is_none_or(|number| number > last.number);
                let new = entries[1..].iter().filter(is_new);
                new.into_iter().try_for_each(|entry| recorder.record(entry))?;
                return Ok(Written::Done);
            }
            if !is_from_the_first(entries) {
                return Ok(Written::Gap);
            }
            remove(connection, part)?;
        }
        There::Nothing if !is_from_the_first(entries) => return Ok(Written::Gap),
        There::Nothing => {}
    }
    entries.iter().try_for_each(|entry| recorder.record(entry))?;
    Ok(Written::Done)
}

fn remove(connection: &Connection, lobby: Marked) -> Result<()> {
    let mut pass = Pass::default();
    while !pass.go_on(connection, &[lobby])? {}
    Ok(())
}

/// Whether an open lobby had no event after this one when it was read.
fn is_behind(entries: &[Entry], last: LastEvent) -> bool {
    let is_closed = entries.last().is_some_and(is_end);
    !is_closed && entries.iter().filter_map(number_of).max().unwrap_or(0) <= last.number
}

/// Whether these entries have this event, or begin right behind it, where nothing has happened yet.
fn goes_on_from(entries: &[Entry], last: LastEvent) -> bool {
    let is_last = |entry: &Entry| number_of(entry) == Some(last.number) && entry.wall == last.wall;
    if last.number == 0 { is_from_the_first(entries) } else { entries.iter().any(is_last) }
}

/// Whether no event before these is missing.
fn is_from_the_first(entries: &[Entry]) -> bool {
    entries.iter().find_map(number_of).is_none_or(|number| number == 1)
}

/// The number of an event.
fn number_of(entry: &Entry) -> Option<u32> {
    match entry.note {
        Note::Happened { number, .. } => Some(number),
        _ => None,
    }
}

/// Whether a lobby was closed by this.
fn is_end(entry: &Entry) -> bool {
    matches!(entry.note, Note::Happened { event: Event::Closed, .. })
}

fn there(connection: &Connection, lobby: LobbyId, wall: WallTime, meta: &LobbyMeta) -> Result<There> {
    let sql = "SELECT code, opened, closed, first_event, (SELECT ifnull(max(id), 0) FROM events) \
               FROM lobbies WHERE id = ?1";
    let id = lobby.0.cast_signed();
    let found = connection.prepare_cached(sql)?.query_row([id], |row| {
        let (code, opened): (String, i64) = (row.get(0)?, row.get(1)?);
        let (closed, first, last): (Option<i64>, i64, i64) = (row.get(2)?, row.get(3)?, row.get(4)?);
        let is_same = code == meta.code.to_string() && opened.cast_unsigned() == wall.0;
        Ok(match (is_same, closed) {
            (false, _) => There::Other,
            (true, Some(closed)) => {
                There::Whole(Marked { lobby: id, first, last }, WallTime(closed.cast_unsigned()))
            }
            (true, None) => There::Part(Marked { lobby: id, first, last }),
        })
    });
    Ok(found.optional()?.unwrap_or(There::Nothing))
}

#[cfg(test)]
mod tests {
    use super::super::schema::create;
    use super::*;
    use crate::game::{BySide, Side};
    use crate::lobby::{Code, Conditions, Event, Kind, Moment, Name, Player, PlayerId};
    use crate::server::storage::Owner;
    use crate::wire::{ToClient, TokenHash, encode};

    fn entry(lobby: u64, note: Note) -> Entry {
        Entry { lobby: LobbyId(lobby), wall: WallTime(lobby), note }
    }

    fn happened(lobby: u64, number: u32, event: Event, players: Option<Box<BySide<Player>>>) -> Entry {
        let (at, frame) =
            (Moment(1), encode(&ToClient::Lobby { number, at: Moment(1), event: event.clone() }));
        entry(lobby, Note::Happened { number, at, event, frame, players })
    }

    fn player(id: u32) -> Player {
        Player { id: PlayerId(id), name: Name::clean("anna").unwrap(), kind: Kind::Person }
    }

    /// A lobby in which a game was played.
    fn whole(lobby: u64) -> Vec<Entry> {
        let code = Code::from_bits(u16::try_from(lobby).unwrap(), 0);
        let (conditions, opener) = (Conditions::default(), [127, 0, 0, 1].into());
        let meta = LobbyMeta { code, variant: "tic-tac-toe".into(), conditions, password: None, opener };
        let (player_1, player_2) = (player(1), player(2));
        let owner = Owner { player: PlayerId(1), name: player_1.name.clone(), seat: TokenHash::of([7; 32]) };
        let players = BySide { first: player_1.clone(), second: player_2 };
        vec![
            entry(lobby, Note::Opened(meta)),
            entry(lobby, Note::Seated(owner)),
            happened(lobby, 1, Event::Sat { side: Side::First, player: player_1 }, None),
            happened(lobby, 2, Event::Started { game: 1, swap: false }, Some(Box::new(players))),
            happened(lobby, 3, Event::Closed, None),
        ]
    }

    /// Of no lobby the last event is known.
    fn nothing(_: LobbyId) -> Option<LastEvent> {
        None
    }

    fn journal() -> Connection {
        let journal = Connection::open_in_memory().unwrap();
        create(&journal).unwrap();
        journal
    }

    /// All rows in short, without the ids of events.
    fn rows(journal: &Connection) -> Vec<String> {
        let all = "SELECT 'lobby ' || id || ifnull(closed, ' open') || ifnull(events, '') FROM lobbies \
                   UNION ALL SELECT 'event ' || lobby || ' ' || number || kind FROM events \
                   UNION ALL SELECT 'game ' || lobby || ' ' || game FROM games \
                   UNION ALL SELECT 'owner ' || lobby || ' ' || player || held FROM owners ORDER BY 1";
        let mut select = journal.prepare(all).unwrap();
        select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn a_lobby_that_ended_otherwise_after_its_etcd_was_restored_is_recorded_anew() {
        let later = || {
            let mut entries = whole(1);
            entries.insert(4, happened(1, 3, Event::Sat { side: Side::Second, player: player(2) }, None));
            entries[5] = happened(1, 4, Event::Closed, None);
            entries[4..].iter_mut().for_each(|entry| entry.wall = WallTime(9));
            entries
        };
        let (expected, restored) = (journal(), journal());
        assert_eq!(record(&expected, &[later()], &nothing), Ok(vec![Written::Done]));
        for written in [Written::Done, Written::Whole] {
            assert_eq!(record(&restored, &[whole(1)], &nothing), Ok(vec![written]));
        }
        for written in [Written::Done, Written::Whole] {
            assert_eq!(record(&restored, &[later()], &nothing), Ok(vec![written]));
        }
        assert_eq!(rows(&restored), rows(&expected));
    }

    #[test]
    fn a_lobby_is_recorded_once_whatever_part_of_it_was_there() {
        let expected = journal();
        assert_eq!(record(&expected, &[whole(1), whole(2)], &nothing), Ok(vec![Written::Done; 2]));
        for there in 0..=whole(1).len() {
            let journal = journal();
            let mut recorder = Recorder::new(&journal).unwrap();
            // Between events of another one.
            for (one, other) in whole(1).iter().take(there).zip(whole(3)) {
                recorder.record(one).unwrap();
                recorder.record(&other).unwrap();
            }
            assert_eq!(has(&journal, LobbyId(1)), Ok(there > 0));
            let is_whole = there == whole(1).len();
            for written in [
                [if is_whole { Written::Whole } else { Written::Done }, Written::Done],
                [Written::Whole, Written::Whole],
            ] {
                assert_eq!(record(&journal, &[whole(1), whole(2)], &nothing), Ok(written.to_vec()));
                let is_other = |row: &String| row.split(' ').nth(1).is_some_and(|id| id.starts_with('3'));
                let found: Vec<String> = rows(&journal).into_iter().filter(|row| !is_other(row)).collect();
                assert_eq!(found, rows(&expected), "{there} entries were there");
            }
        }
    }

    #[test]
    fn another_lobby_under_the_same_number_stays_and_is_told() {
        let journal = journal();
        record(&journal, &[whole(1)], &nothing).unwrap();
        let before = rows(&journal);
        let mut other = whole(1);
        other[0].wall = WallTime(99);
        let written = record(&journal, &[other], &nothing).unwrap();
        let Written::Other(damage) = &written[0] else { panic!("{written:?}") };
        assert!(damage.why.contains("another cluster") && damage.lobby == LobbyId(1));
        assert_eq!(rows(&journal), before);
    }

    #[test]
    fn a_lobby_is_continued_from_the_last_event_that_is_there() {
        let expected = journal();
        record(&expected, &[whole(1)], &nothing).unwrap();
        let all = whole(1);
        let count = all.len();
        for there in 1..count {
            let journal = journal();
            record(&journal, &[all[..there].to_vec()], &nothing).unwrap();
            let last = last_events(&journal).unwrap();
            let known = |lobby| last.get(&lobby).copied();
            assert_eq!(known(LobbyId(1)).unwrap().number as usize, there.saturating_sub(2));
            let write = |entries: &[Entry]| record(&journal, &[entries.to_vec()], &known).unwrap().remove(0);
            if there > 2 {
                assert_eq!(write(&all[..there - 1]), Written::More);
                // The opening, and the events from the last one on.
                assert_eq!(write(&[&all[..2], &all[there - 1..]].concat()), Written::Done);
            } else {
                assert_eq!(write(&[&all[..2], &all[3..]].concat()), Written::Gap);
                assert_eq!(write(&all), Written::Done);
            }
            assert_eq!(rows(&journal), rows(&expected), "{there} entries were there");
            assert_eq!(last_events(&journal).unwrap(), BTreeMap::new());
        }
    }

    #[test]
    fn a_lobby_that_had_another_history_is_recorded_anew_once_all_of_it_is_given() {
        let (journal, mut other) = (journal(), whole(1));
        record(&journal, &[whole(1)[..4].to_vec()], &nothing).unwrap();
        other[3].wall = WallTime(99);
        let last = last_events(&journal).unwrap();
        let write = |entries: &[Entry]| {
            record(&journal, &[entries.to_vec()], &|lobby| last.get(&lobby).copied()).unwrap().remove(0)
        };
        assert_eq!(write(&[&other[..1], &other[3..]].concat()), Written::Gap);
        assert_eq!(write(&other), Written::Done);
        let walls = "SELECT group_concat(wall) FROM (SELECT wall FROM events ORDER BY id)";
        let walls: String = journal.query_row(walls, [], |row| row.get(0)).unwrap();
        assert_eq!(walls, "1,99,1");
    }
}
