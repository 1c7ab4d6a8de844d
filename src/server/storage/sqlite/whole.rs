//! Writes closed lobbies that were played elsewhere, each of them whole and only once.

use rusqlite::{Connection, OptionalExtension, Result};

use super::recording::Recorder;
use super::removal::{Marked, Pass};
use super::schema::write_version;
use crate::server::storage::{Damage, Entry, LobbyId, LobbyMeta, Note, WallTime};

/// What is there under the number of a lobby.
enum There {
    Nothing,
    /// The lobby, with its end. It may be about to be pruned.
    Whole,
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

/// Records those lobbies that are not there. Returns those under whose numbers others are.
pub(super) fn record(connection: &Connection, lobbies: &[Vec<Entry>]) -> Result<Vec<Damage>> {
    let (mut recorder, mut others) = (Recorder::new(connection)?, Vec::new());
    for entries in lobbies {
        let Some(Entry { lobby, wall, note: Note::Opened(meta) }) = entries.first() else { continue };
        match there(connection, *lobby, *wall, meta)? {
            There::Nothing => {}
            There::Whole => continue,
            There::Part(part) => {
                let mut pass = Pass::default();
                while !pass.go_on(connection, &[part])? {}
            }
            There::Other => {
                let why =
                    "another lobby has this number here: is this the data folder of another cluster?".into();
                others.push(Damage { lobby: *lobby, code: Some(meta.code), why });
                continue;
            }
        }
        entries.iter().try_for_each(|entry| recorder.record(entry))?;
    }
    // So that there is something to sync, and with it all that was recorded before.
    write_version(connection)?;
    Ok(others)
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
            (true, Some(_)) => There::Whole,
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
    fn a_lobby_is_recorded_once_whatever_part_of_it_was_there() {
        let expected = journal();
        assert_eq!(record(&expected, &[whole(1), whole(2)]), Ok(Vec::new()));
        for there in 0..=whole(1).len() {
            let journal = journal();
            let mut recorder = Recorder::new(&journal).unwrap();
            // Between events of another one.
            for (one, other) in whole(1).iter().take(there).zip(whole(3)) {
                recorder.record(one).unwrap();
                recorder.record(&other).unwrap();
            }
            assert_eq!(has(&journal, LobbyId(1)), Ok(there > 0));
            for _ in 0..2 {
                assert_eq!(record(&journal, &[whole(1), whole(2)]), Ok(Vec::new()));
                let is_other = |row: &String| row.split(' ').nth(1).is_some_and(|id| id.starts_with('3'));
                let found: Vec<String> = rows(&journal).into_iter().filter(|row| !is_other(row)).collect();
                assert_eq!(found, rows(&expected), "{there} entries were there");
            }
        }
    }

    #[test]
    fn another_lobby_under_the_same_number_stays_and_is_told() {
        let journal = journal();
        record(&journal, &[whole(1)]).unwrap();
        let before = rows(&journal);
        let mut other = whole(1);
        other[0].wall = WallTime(99);
        let others = record(&journal, &[other]).unwrap();
        assert!(others[0].why.contains("another cluster") && others[0].lobby == LobbyId(1));
        assert_eq!(rows(&journal), before);
    }
}
