//! Storage: the journal in a folder, compared with a model, with both kinds of durability.

pub(crate) mod archive;
mod checking;
pub(crate) mod checkpoints;
pub(crate) mod crash;
mod damage;
mod folder;
pub(crate) mod memory;
pub(crate) mod model;
mod page;
pub(crate) mod pruning;
pub(crate) mod random_play;

use nim::lobby::{Event, Moment, Name, PlayerId};
use nim::server::storage::sqlite::Durability;
use nim::server::storage::{Bounds, Entry, LobbyId, Note, Owner, Sqlite, Storage, WallTime};
use nim::wire::{self, Secret, ToClient, TokenHash};
use proptest::prelude::*;
use rusqlite::Connection;
use tempfile::TempDir;

use crash::{MAIN, opened};
use model::{Model, loaded, open_in};
use random_play::{RandomPlay, START};

use crate::harness::campaign;

/// A journal in its own folder, the random play that it records, and a model of its content.
struct Played {
    durability: Durability,
    storage: Option<Sqlite>,
    play: RandomPlay,
    model: Model,
    /// Removed at the end of the test.
    folder: TempDir,
}

impl Played {
    /// A journal that survives the process, for a random play with this seed in this number of lobbies at
    /// most.
    fn by(seed: u64, most: usize) -> Self {
        Self::surviving(Durability::Process, seed, most)
    }

    fn surviving(durability: Durability, seed: u64, most: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let storage = Some(opened(folder.path(), durability));
        Self { durability, storage, play: RandomPlay::by(seed, most), model: Model::default(), folder }
    }

    fn storage(&mut self) -> &mut Sqlite {
        self.storage.as_mut().unwrap()
    }

    /// Closes and opens the journal, as a restart of the server does.
    fn restart(&mut self) {
        self.storage = None;
        self.storage = Some(opened(self.folder.path(), self.durability));
    }

    fn record(&mut self, entries: &[Entry]) {
        self.model.record_in(self.storage.as_mut().unwrap(), entries);
    }

    /// Records this number of steps of the play.
    fn plays(&mut self, steps: usize) {
        let batch = self.play.batch(steps);
        self.record(&batch);
    }

    fn prune(&mut self, bounds: &Bounds) -> u64 {
        let mut count = 0;
        loop {
            let pruned = self.storage().prune(bounds).unwrap();
            count += pruned.lobbies;
            if pruned.is_done {
                return count;
            }
        }
    }

    /// Another connection to the same files.
    fn other(&self) -> Connection {
        Connection::open(self.folder.path().join(MAIN)).unwrap()
    }

    /// Closes the journal, and keeps its files.
    fn closes(self) -> TempDir {
        self.folder
    }

    /// Compares the storage with the model, before and after a restart.
    fn check(&mut self) {
        for _ in 0..2 {
            let (found, next) = loaded(self.storage());
            let found: Vec<_> = found.into_iter().map(|lobby| lobby.unwrap()).collect();
            assert_eq!((found, next), (self.model.to_load(), self.model.next()));
            self.restart();
        }
    }
}

/// Nothing was too old at the start.
const NEVER: WallTime = WallTime(0);

pub(crate) fn owner(player: u32, hash: u8) -> Owner {
    let name = Name::clean("Zoë").unwrap();
    Owner { player: PlayerId(player), name, seat: TokenHash::of([hash; 32]) }
}

pub(crate) fn entry(lobby: u64, note: Note) -> Entry {
    Entry { lobby: LobbyId(lobby), wall: WallTime(START), note }
}

/// An event in its recorded form.
pub(crate) fn happened(number: u32, at: Moment, event: Event) -> Note {
    let frame = wire::encode(&ToClient::Lobby { number, at, event: event.clone() });
    Note::Happened { number, at, event, frame, players: None }
}

#[test]
fn an_event_is_loaded_with_the_bytes_that_were_sent() {
    let mut journal = Played::by(2, 1);
    journal.plays(1);
    let longest = ToClient::Lobby { number: u32::MAX, at: Moment(u64::MAX), event: Event::Closed };
    let frames = [wire::encode(&longest), wire::encode(&ToClient::Outside)];
    for (number, frame) in (1..).zip(&frames) {
        let (at, event, frame) = (Moment(u64::MAX), Event::Paused, frame.clone());
        let note = Note::Happened { number, at, event, frame, players: None };
        journal.record(&[Entry { wall: WallTime(u64::MAX), ..entry(1, note) }]);
    }
    journal.check();
    assert_eq!(open_in(journal.storage())[0].events, frames);
}

#[test]
fn owners_are_replaced_and_removed() {
    let mut journal = Played::by(3, 1);
    journal.plays(1);
    let notes = [
        Note::Seated(owner(2, 1)),
        Note::Seated(owner(1, 2)),
        Note::Seated(owner(2, 3)),
        Note::Unseated(PlayerId(1)),
        Note::Unseated(PlayerId(9)),
    ];
    for note in notes {
        journal.record(&[entry(1, note)]);
        journal.check();
    }
    assert_eq!(open_in(journal.storage())[0].owners, [owner(2, 3)]);
}

#[test]
fn a_password_hash_survives_a_restart() {
    let mut journal = Played::by(4, 1);
    let mut entries = journal.play.batch(1);
    let Note::Opened(meta) = &mut entries[0].note else { panic!("random play begins with a lobby") };
    meta.password = Some(random_play::password());
    journal.record(&entries);
    journal.restart();
    let password = open_in(journal.storage())[0].meta.password.unwrap();
    assert!(password.fits(&Secret::of("open sesame").unwrap()));
    assert!(!password.fits(&Secret::of("open sesam").unwrap()));
    assert_eq!(format!("{password:?}"), "PasswordHash(…)");
}

#[test]
fn closed_lobbies_are_pruned_by_age_and_open_ones_never() {
    let mut journal = Played::by(6, 8);
    for _ in 0..40 {
        journal.plays(50);
    }
    let model = journal.model.clone();
    let last_event =
        |id| model.entries.iter().filter(|entry| entry.lobby == id).map(|entry| entry.wall).max();
    let closed = |id: &LobbyId| model.is_closed(*id);
    let ids: Vec<LobbyId> = (1..model.next().0).map(LobbyId).filter(closed).collect();
    assert!(ids.len() > 10, "the play has no closed lobby");
    let since = last_event(ids[ids.len() / 2]).unwrap();
    let old = ids.iter().filter(|id| last_event(**id) < Some(since)).count() as u64;
    assert_eq!(journal.prune(&Bounds { since, old: NEVER, bytes: u64::MAX }), old);
    journal.check();
    assert_eq!(journal.prune(&Bounds { since: WallTime(0), old: NEVER, bytes: u64::MAX }), 0);
    assert_eq!(
        journal.prune(&Bounds { since: WallTime(u64::MAX), old: NEVER, bytes: 0 }),
        ids.len() as u64 - old
    );
    journal.check();
}

#[test]
fn closed_lobbies_are_pruned_by_size_until_the_journal_is_small_enough() {
    let mut journal = Played::by(7, 8);
    for _ in 0..60 {
        journal.plays(100);
    }
    let mut prune = |bytes| journal.prune(&Bounds { since: WallTime(0), old: NEVER, bytes });
    assert_eq!(prune(u64::MAX), 0);
    let mut sizes = std::iter::successors(Some(1_u64 << 30), |size| Some(size * 7 / 8));
    let some = sizes.find_map(|size| Some(prune(size)).filter(|pruned| *pruned > 0)).unwrap();
    let others = prune(0);
    assert!(others > 0, "{some} went at once");
    journal.check();
}

/// The operations of a random test.
#[derive(Debug, Clone)]
enum Step {
    Record(usize),
    Restart,
    /// Prunes everything that is closed and older than this number of the newest entries.
    Prune(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0..60_usize).prop_map(Step::Record),
        2 => Just(Step::Restart),
        1 => (0..200_usize).prop_map(Step::Prune),
    ];
    proptest::collection::vec(step, 1..12)
}

proptest! {
    #![proptest_config(campaign::cases(6))]
    #[test]
    fn loaded_lobbies_equal_the_recorded_ones(seed: u64, most in 1..30_usize, steps in steps()) {
        for durability in [Durability::Process, Durability::Power] {
            let mut journal = Played::surviving(durability, seed, most);
            for step in &steps {
                match step {
                    Step::Record(steps) => journal.plays(*steps),
                    Step::Restart => journal.restart(),
                    Step::Prune(newest) => {
                        let place = journal.model.entries.len().saturating_sub(*newest);
                        let since = journal.model.entries.get(place).map_or(WallTime(0), |entry| entry.wall);
                        journal.prune(&Bounds { since, old: NEVER, bytes: u64::MAX });
                    }
                }
            }
            journal.check();
        }
    }
}
