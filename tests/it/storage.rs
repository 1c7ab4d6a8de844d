//! Storage: the journal in a folder, compared with a model, in both degrees of durability.

mod archive;
mod checking;
pub(crate) mod crash;
mod damage;
pub(crate) mod faulty;
mod folder;
pub(crate) mod memory;
pub(crate) mod model;
mod page;
pub(crate) mod random_play;

use nim::lobby::{Event, Moment, PlayerId};
use nim::server::storage::sqlite::Durability;
use nim::server::storage::{Bounds, Damage, Entry, LobbyId, Note, Owner, Sqlite, Storage, WallTime};
use nim::wire::{self, Secret, ToClient, TokenHash};
use proptest::prelude::*;
use tempfile::TempDir;

use crash::opened;
use model::{Model, loaded, open_in};
use random_play::{RandomPlay, START};

use crate::harness::campaign;

/// A storage to test, and how it is opened again.
struct Engine {
    name: &'static str,
    durability: Durability,
    storage: Option<Sqlite>,
    /// Removed when the test is over.
    folder: TempDir,
}

impl Engine {
    /// One of each kind.
    fn each() -> [Self; 2] {
        [("process", Durability::Process), ("power", Durability::Power)].map(|(name, durability)| {
            let folder = tempfile::tempdir().unwrap();
            Self { name, durability, storage: Some(opened(folder.path(), durability)), folder }
        })
    }

    fn storage(&mut self) -> &mut dyn Storage {
        self.storage.as_mut().unwrap()
    }

    /// As when the server ends and starts.
    fn restart(&mut self) {
        self.storage = None;
        self.storage = Some(opened(self.folder.path(), self.durability));
    }

    fn record(&mut self, entries: &[Entry], model: &mut Model) {
        model.record_in(self.storage(), entries);
    }

    fn set_aside(&mut self, damage: &Damage, model: &mut Model) {
        self.storage().set_aside(damage).unwrap();
        model.set_aside(damage);
    }

    fn prune(&mut self, bounds: &Bounds) -> u64 {
        std::iter::from_fn(|| Some(self.storage().prune(bounds).unwrap()).filter(|count| *count > 0)).sum()
    }

    /// Compares storage and model, before a restart and after it.
    fn check(&mut self, model: &Model) {
        for _ in 0..2 {
            let (found, next) = loaded(self.storage());
            let found: Vec<_> = found.into_iter().map(|lobby| lobby.unwrap()).collect();
            assert_eq!(found, model.open(), "{}", self.name);
            assert_eq!(next, model.next(), "{}", self.name);
            let aside: Vec<Damage> = model.aside.values().cloned().collect();
            assert_eq!(self.storage().aside().unwrap(), aside, "{}", self.name);
            self.restart();
        }
    }
}

#[test]
fn recorded_lobbies_are_loaded_in_order() {
    for mut engine in Engine::each() {
        let (mut play, mut model) = (RandomPlay::by(1, 10), Model::default());
        engine.check(&model);
        for size in [1, 2, 50, 3, 200] {
            let batch = play.batch(size);
            engine.record(&batch, &mut model);
            engine.check(&model);
        }
        assert!(model.open().len() > 3 && model.entries.len() > 150, "the play is too quiet");
    }
}

#[test]
fn an_event_is_loaded_in_the_bytes_in_which_it_was_sent() {
    for mut engine in Engine::each() {
        let (mut play, mut model) = (RandomPlay::by(2, 1), Model::default());
        engine.record(&play.batch(1), &mut model);
        let longest = ToClient::Lobby { number: u32::MAX, at: Moment(u64::MAX), event: Event::Closed };
        let frames = [wire::encode(&longest), wire::encode(&ToClient::Outside)];
        for (number, frame) in (1..).zip(&frames) {
            let (at, event, frame) = (Moment(u64::MAX), Event::Paused, frame.clone());
            let note = Note::Happened { number, at, event, frame };
            engine.record(&[Entry { lobby: LobbyId(1), wall: WallTime(u64::MAX), note }], &mut model);
        }
        engine.check(&model);
        assert_eq!(open_in(engine.storage())[0].events, frames);
    }
}

#[test]
fn owners_are_replaced_and_removed() {
    for mut engine in Engine::each() {
        let (mut play, mut model) = (RandomPlay::by(3, 1), Model::default());
        engine.record(&play.batch(1), &mut model);
        let owner = |player, hash| Owner {
            player: PlayerId(player),
            name: nim::lobby::Name::clean("Zoë").unwrap(),
            seat: TokenHash::of([hash; 32]),
        };
        let notes = [
            Note::Seated(owner(2, 1)),
            Note::Seated(owner(1, 2)),
            Note::Seated(owner(2, 3)),
            Note::Unseated(PlayerId(1)),
            Note::Unseated(PlayerId(9)),
        ];
        for note in notes {
            engine.record(&[Entry { lobby: LobbyId(1), wall: WallTime(START), note }], &mut model);
            engine.check(&model);
        }
        assert_eq!(open_in(engine.storage())[0].owners, [owner(2, 3)]);
    }
}

#[test]
fn a_password_is_known_again_after_a_restart() {
    for mut engine in Engine::each() {
        let mut entries = RandomPlay::by(4, 1).batch(1);
        let Note::Opened(opening) = &mut entries[0].note else { panic!("random play begins with a lobby") };
        opening.password = Some(random_play::password());
        engine.record(&entries, &mut Model::default());
        engine.restart();
        let password = open_in(engine.storage())[0].opening.password.unwrap();
        assert!(password.fits(&Secret::of("open sesame").unwrap()));
    }
}

#[test]
fn a_lobby_that_was_set_aside_is_not_loaded_and_its_number_is_not_used_again() {
    for mut engine in Engine::each() {
        let (mut play, mut model) = (RandomPlay::by(5, 3), Model::default());
        engine.record(&play.batch(100), &mut model);
        let last = model.open().pop().unwrap();
        let damage =
            Damage { lobby: last.lobby, code: Some(last.opening.code), why: "it tells of no lobby".into() };
        engine.set_aside(&damage, &mut model);
        engine.check(&model);
    }
}

#[test]
fn closed_lobbies_are_pruned_by_age_and_open_ones_never() {
    for mut engine in Engine::each() {
        let (mut play, mut model) = (RandomPlay::by(6, 8), Model::default());
        for _ in 0..20 {
            engine.record(&play.batch(50), &mut model);
        }
        let last_event =
            |id| model.entries.iter().filter(|entry| entry.lobby == id).map(|entry| entry.wall).max();
        let closed = |id: &LobbyId| model.is_closed(*id);
        let ids: Vec<LobbyId> = (1..model.next().0).map(LobbyId).filter(closed).collect();
        assert!(ids.len() > 10, "the play has no past");
        let since = last_event(ids[ids.len() / 2]).unwrap();
        let old = ids.iter().filter(|id| last_event(**id) < Some(since)).count() as u64;
        assert_eq!(engine.prune(&Bounds { since, bytes: u64::MAX }), old, "{}", engine.name);
        engine.check(&model);
        assert_eq!(engine.prune(&Bounds { since: WallTime(0), bytes: u64::MAX }), 0);
        assert_eq!(engine.prune(&Bounds { since: WallTime(u64::MAX), bytes: 0 }), ids.len() as u64 - old);
        engine.check(&model);
    }
}

#[test]
fn closed_lobbies_are_pruned_by_size_the_oldest_first() {
    for mut engine in Engine::each() {
        let (mut play, mut model) = (RandomPlay::by(7, 8), Model::default());
        for _ in 0..30 {
            engine.record(&play.batch(100), &mut model);
        }
        let mut prune = |bytes| engine.prune(&Bounds { since: WallTime(0), bytes });
        assert_eq!(prune(u64::MAX), 0);
        let some = (0..30).rev().map(|size| prune(1 << size)).find(|pruned| *pruned > 0).unwrap();
        let others = prune(0);
        assert!(others > 0, "{}: {some} went at once", engine.name);
        engine.check(&model);
    }
}

/// What may happen to a storage.
#[derive(Debug, Clone)]
enum Step {
    Record(usize),
    Restart,
    /// The lobby of this place, counted round.
    SetAside(usize),
    /// All that is closed and older than this number of the newest entries.
    Prune(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0..60_usize).prop_map(Step::Record),
        2 => Just(Step::Restart),
        1 => any::<usize>().prop_map(Step::SetAside),
        1 => (0..200_usize).prop_map(Step::Prune),
    ];
    proptest::collection::vec(step, 1..12)
}

proptest! {
    #![proptest_config(campaign::cases(6))]
    #[test]
    fn what_is_loaded_is_what_was_recorded(seed: u64, most in 1..30_usize, steps in steps()) {
        for mut engine in Engine::each() {
            let (mut play, mut model) = (RandomPlay::by(seed, most), Model::default());
            let mut aside = false;
            for step in &steps {
                match step {
                    Step::Record(steps) => engine.record(&play.batch(*steps), &mut model),
                    // The host sees what is set aside.
                    Step::Restart if aside => {}
                    Step::Restart => engine.restart(),
                    Step::SetAside(place) => {
                        let open = model.open();
                        let Some(lobby) = open.get(place % open.len().max(1)) else { continue };
                        let damage = Damage { lobby: lobby.lobby, code: None, why: "for a test".into() };
                        engine.set_aside(&damage, &mut model);
                        aside = true;
                    }
                    Step::Prune(newest) => {
                        let place = model.entries.len().saturating_sub(*newest);
                        let since = model.entries.get(place).map_or(WallTime(0), |entry| entry.wall);
                        engine.prune(&Bounds { since, bytes: u64::MAX });
                    }
                }
            }
            prop_assert_eq!(open_in(engine.storage()), model.open(), "{}", engine.name);
        }
    }
}
