//! Checkpoints: a start reads one and what came after it, and falls back to all events if it is damaged.

use nim::lobby::{Checkpoint, Lobby, Moment, Name};
use nim::server::storage::sqlite::check;
use nim::server::storage::{Entry, LobbyId, LobbyMeta, Note, Owner, Storage, StoredLobby, replay};
use nim::wire::body_of;

use super::model::{loaded, open_in};
use super::{Played, entry, happened, owner};
use crate::record::history::History;

/// A lobby of two people in a long game: how it was opened, and its events.
pub(crate) struct Long {
    pub(crate) history: History,
    pub(crate) meta: LobbyMeta,
}

impl Long {
    /// With this number of moves.
    pub(crate) fn of(moves: usize) -> Self {
        let mut history = History::of_two("take:1000000000000000000:3", nim::lobby::Conditions::default());
        (0..moves).for_each(|_| history.plays("1", 1));
        let lobby = &history.lobby;
        let (code, variant, conditions) = (lobby.code(), lobby.variant().text(), *lobby.conditions());
        let meta = LobbyMeta { code, variant, conditions, password: None, opener: [192, 168, 0, 7].into() };
        Self { history, meta }
    }

    pub(crate) fn events(&self) -> Vec<Entry> {
        let events = (1..).zip(&self.history.events);
        events.map(|(number, (at, event))| entry(1, happened(number, *at, event.clone()))).collect()
    }

    /// How it was opened, and who holds its seats.
    pub(crate) fn opened(&self) -> Vec<Entry> {
        let seated = |(player, name)| {
            let name = Name::clean(name).unwrap();
            entry(1, Note::Seated(Owner { name, ..owner(player, 7) }))
        };
        let owners = [(1, "anna"), (2, "ben")].map(seated);
        [entry(1, Note::Opened(self.meta.clone()))].into_iter().chain(owners).collect()
    }

    fn checkpoint(&self) -> Entry {
        entry(1, Note::Checkpoint(Box::new(self.history.lobby.checkpoint(self.history.now))))
    }
}

/// The lobby that a start makes of what it has loaded.
fn restored(stored: &StoredLobby) -> Lobby {
    let new = || {
        let LobbyMeta { code, variant, conditions, .. } = &stored.meta;
        Lobby::new(*code, variant.parse().unwrap(), *conditions)
    };
    let mut lobby = stored.checkpoint.clone().map_or_else(new, |found| Lobby::try_from(found).unwrap());
    for frame in &stored.events {
        replay(&mut lobby, body_of(frame)).unwrap();
    }
    lobby
}

/// A journal with this lobby: all but the last three events, then a checkpoint, then those three.
fn recorded(long: &mut Long) -> Played {
    let mut journal = Played::by(1, 1);
    let mut entries = long.opened();
    entries.extend(long.events());
    entries.push(long.checkpoint());
    let covered = long.history.events.len();
    (0..3).for_each(|_| long.history.plays("1", 1));
    entries.extend(long.events().split_off(covered));
    journal.record(&entries);
    journal
}

#[test]
fn a_start_with_386_000_events_in_one_lobby_reads_the_checkpoint_and_what_came_after_it() {
    let mut long = Long::of(1_200);
    let mut journal = Played::by(1, 1);
    journal.storage().record(&long.opened()).unwrap();
    // The same moves again and again: how they follow from each other is not the point here.
    let some = long.events();
    let mut left = 386_000 - some.len();
    while left > 0 {
        let batch = &some[..left.min(some.len())];
        journal.storage().record(batch).unwrap();
        left -= batch.len();
    }
    journal.storage().record(&some).unwrap();
    journal.storage().record(&[long.checkpoint()]).unwrap();
    long.history.plays("1", 1);
    journal.storage().record(&long.events()[some.len()..]).unwrap();
    journal.restart();
    let mut found = Vec::new();
    let loaded = journal.storage().load(&mut |lobby| found.push(lobby.unwrap())).unwrap();
    assert_eq!((loaded.next, loaded.events, found.len()), (LobbyId(2), 1, 1));
    assert_eq!(found[0].events.len(), 1);
    assert_eq!(restored(&found[0]), long.history.lobby);
}

#[test]
fn a_checkpoint_and_what_came_after_it_are_the_lobby_that_all_events_result_in() {
    let mut long = Long::of(1_100);
    let mut journal = recorded(&mut long);
    let found = open_in(journal.storage());
    assert_eq!((found[0].events.len(), found[0].checkpoint.is_some()), (3, true));
    assert_eq!(restored(&found[0]), long.history.lobby);
    assert_eq!(check(journal.folder.path()).unwrap().findings, [""; 0]);
}

#[test]
fn of_a_damaged_checkpoint_all_events_are_read_instead_and_check_names_it() {
    let mut long = Long::of(10);
    let mut journal = recorded(&mut long);
    let whole = open_in(journal.storage());
    for spoil in [
        "UPDATE checkpoints SET body = substr(body, 2)",
        "UPDATE checkpoints SET body = x''",
        "UPDATE checkpoints SET event = event + 1",
        "UPDATE checkpoints SET number = number - 1",
        "UPDATE checkpoints SET crc = crc + 1",
        "UPDATE checkpoints SET lobby = 2",
    ] {
        let other = journal.other();
        other.execute_batch("SAVEPOINT before").unwrap();
        assert_eq!(other.execute(spoil, []).unwrap(), 1);
        other.execute_batch("RELEASE before").unwrap();
        let found = open_in(journal.storage());
        assert_eq!((found[0].checkpoint.as_ref(), found[0].events.len()), (None, 16), "{spoil}");
        assert_eq!(restored(&found[0]), long.history.lobby);
        let said = check(journal.folder.path()).unwrap().findings.join("\n");
        assert!(said.contains("of checkpoints does not fit its checksum"), "{spoil}: {said}");
        let checkpoint = whole[0].checkpoint.clone().unwrap();
        other.execute("DELETE FROM checkpoints", []).unwrap();
        let (covered, tail) = (checkpoint.snapshot.events, Note::Checkpoint(Box::new(checkpoint)));
        // Written anew it stands for the last event, so the events after it are written anew too.
        let events = long.events().split_off(covered as usize);
        other.execute("DELETE FROM events WHERE number > ?1", [covered]).unwrap();
        journal.storage().record(&[entry(1, tail)]).unwrap();
        journal.storage().record(&events).unwrap();
        assert_eq!(open_in(journal.storage()), whole);
    }
}

#[test]
fn a_damaged_event_that_seems_covered_by_the_checkpoint_of_another_lobby_is_reported() {
    let long = Long::of(10);
    let mut journal = Played::by(1, 1);
    // Lobby 2 has no checkpoint, and its events come before the checkpoint of lobby 1.
    let short = Long::of(3);
    let of_other = |entries: Vec<Entry>| entries.into_iter().map(|it| Entry { lobby: LobbyId(2), ..it });
    let mut entries = long.opened();
    entries.extend(of_other(short.opened()));
    entries.extend(of_other(short.events()));
    entries.extend(long.events());
    entries.push(long.checkpoint());
    journal.record(&entries);
    assert_eq!(open_in(journal.storage()).len(), 2);
    let last = "UPDATE events SET lobby = 1 WHERE id = (SELECT max(id) FROM events WHERE lobby = 2)";
    assert_eq!(journal.other().execute(last, []).unwrap(), 1);
    let damaged: Vec<_> = loaded(journal.storage()).0.into_iter().filter_map(Result::err).collect();
    let said = damaged.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(said.contains("one of its events is damaged"), "lobby 2 has lost its last event: {said}");
}

#[test]
fn check_finds_a_checkpoint_that_is_not_what_the_events_result_in() {
    type Change = fn(&mut Checkpoint);
    let changes: [Change; 3] = [
        |lie| lie.at = Moment(lie.at.0 + 1),
        |lie| lie.snapshot.score.drawn += 1,
        |lie| lie.snapshot.events += 7,
    ];
    for change in changes {
        let long = Long::of(10);
        let mut journal = Played::by(1, 1);
        let mut lie = long.history.lobby.checkpoint(long.history.now);
        change(&mut lie);
        let mut entries = long.opened();
        entries.extend(long.events());
        entries.push(entry(1, Note::Checkpoint(Box::new(lie))));
        journal.record(&entries);
        let said = check(journal.folder.path()).unwrap().findings.join("\n");
        assert!(said.contains("checkpoint"), "{said}");
    }
}

#[test]
fn a_checkpoint_is_sound_also_after_events_of_other_lobbies() {
    let mut long = Long::of(10);
    let mut journal = Played::by(1, 1);
    let mut entries = long.opened();
    entries.extend(long.events());
    let mut other = Played::by(3, 1);
    for step in other.play.batch(30) {
        entries.push(Entry { lobby: LobbyId(step.lobby.0 + 1), ..step });
    }
    entries.push(long.checkpoint());
    let covered = long.history.events.len();
    long.history.plays("1", 1);
    entries.extend(long.events().split_off(covered));
    journal.record(&entries);
    let said = check(journal.folder.path()).unwrap().findings;
    assert_eq!(said, [""; 0]);
}

#[test]
fn a_closed_lobby_keeps_no_checkpoint() {
    let mut long = Long::of(10);
    let mut journal = recorded(&mut long);
    let number = long.history.lobby.last_event() + 1;
    journal.record(&[entry(1, happened(number, long.history.now, nim::lobby::Event::Closed))]);
    let count = "SELECT count(*) FROM checkpoints";
    let left: u32 = journal.other().query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0);
    assert_eq!(check(journal.folder.path()).unwrap().findings, [""; 0]);
}
