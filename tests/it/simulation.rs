//! The real server and the real client on a simulated network with loss, delay, partitions, half-open
//! connections and crashes. The server crashes too; its journal is on a disk that fails now and then and
//! fills up. A seed decides the games, their conditions, the players' choices and the failures, so a run can
//! be repeated: `NIM_SEED=7 cargo test --test it simulation`. `NIM_SEEDS=1000 cargo test --test it
//! many_new_seeds -- --nocapture` tries a thousand new seeds.

mod choice;
#[cfg(feature = "cluster")]
mod cluster;
pub(crate) mod group;
mod network;
pub(crate) mod observer;
pub(crate) mod panics;
pub(crate) mod person;
mod requests;
pub(crate) mod setting;
mod told;
pub(crate) mod world;

use std::panic::RefUnwindSafe;

use fastrand::Rng;
use nim::lobby::{Cause, Event, Lobby, Notice, Phase};
use parking_lot::Mutex;
use strum::VariantNames;

use observer::Sightings;
use setting::Setting;
use world::World;

use crate::harness::campaign;

/// The seeds of every test run, which together cause most kinds of events. Any change of the simulated world changes the meaning of
/// a seed, so a bug that a seed finds needs its own test, as in `absence` and `returning`.
const SEEDS: [u64; 2] = [1, 9];

/// How many seeds a campaign has of those that have to cause all kinds.
const ALL_KINDS: u64 = 100;

/// What these seeds have to cause together, in addition to all events; otherwise the simulation checks too
/// little.
const COMMON: [&str; 14] = [
    "abandoned",
    "agreed",
    "ended by leaving",
    "forfeited",
    "found no free seat",
    "freed",
    "halted",
    "might not watch",
    "moved by a stand-in",
    "repetition",
    "resigned",
    "rules",
    "showed a wrong ticket",
    "time",
];

/// A storm with this seed, and the calm after it. Returns what was seen.
fn survives(seed: u64) -> Sightings {
    let mut chance = Rng::with_seed(seed);
    let setting = Setting::by(&mut chance.fork());
    let tell = |how: &str| eprintln!("{setting:#?}\nrepeat it with: {how}");
    panics::with_seed(seed, tell, || {
        let mut world = World::new(seed, &setting, &mut chance.fork());
        world.storms(&mut chance);
        world.calms();
        world.group.observer.lock().seen().clone()
    })
}

/// Tries all these seeds on one thread per core. Returns what was seen in all of them, and the seeds that fail.
fn try_all(
    seeds: impl IntoIterator<Item = u64>,
    survives: impl Fn(u64) -> Sightings + Sync + RefUnwindSafe,
) -> (Sightings, Vec<u64>) {
    let seeds = Mutex::new(seeds.into_iter().collect::<Vec<_>>());
    let found = Mutex::new((Sightings::new(), Vec::new()));
    let next = || seeds.lock().pop();
    let work = || {
        while let Some(seed) = next() {
            // A panic ends only its own simulated world.
            let outcome = std::panic::catch_unwind(|| survives(seed));
            let mut found = found.lock();
            let Ok(more) = outcome else {
                found.1.push(seed);
                continue;
            };
            for (kind, count) in more {
                *found.0.entry(kind).or_default() += count;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    found.into_inner()
}

#[test]
fn people_play_to_the_end_over_a_network_that_works() {
    let mut world = World::new(0, &Setting::plain(), &mut Rng::with_seed(0));
    world.calms();
    let observer = world.group.observer.lock();
    let Some(Phase::Over { result, .. }) = observer.latest().map(Lobby::phase) else {
        panic!("the game is over")
    };
    assert_eq!(result.cause, Cause::Rules);
    let seen = observer.seen();
    assert!(!seen.contains_key("away") && !seen.contains_key("moved by a stand-in"), "{seen:?}");
}

#[test]
fn every_game_is_finished_over_a_faulty_network() {
    if let Some(seed) = campaign::seed() {
        println!("{:?}", survives(seed));
        return;
    }
    let seeds = if campaign::is_on() { (0..ALL_KINDS).collect() } else { Vec::from(SEEDS) };
    let (seen, failing) = try_all(seeds, survives);
    assert!(failing.is_empty(), "these seeds fail; repeat each with NIM_SEED: {failing:?}");
    // The end of a game is counted by its cause.
    let events = Event::VARIANTS.iter().copied().filter(|kind| *kind != "ended");
    let notices = Notice::VARIANTS.iter().copied();
    let missing: Vec<_> =
        COMMON.into_iter().chain(events).chain(notices).filter(|kind| !seen.contains_key(kind)).collect();
    let is_enough = missing.is_empty() || (!campaign::is_on() && missing.len() < 11);
    assert!(is_enough, "these kinds never occurred: {missing:?}");
}

/// New seeds: a handful, a thousand in a campaign, or `NIM_SEEDS`.
#[test]
fn many_new_seeds() {
    let count = campaign::count("NIM_SEEDS", 5, 1_000);
    let mut chance = Rng::with_seed(getrandom::u64().unwrap());
    let (seen, failing) = try_all((0..count).map(|_| chance.u64(..)), survives);
    println!("{count} seeds: {seen:#?}");
    assert!(failing.is_empty(), "these seeds fail; repeat each with NIM_SEED: {failing:?}");
}

#[test]
fn a_failure_names_its_seed() {
    let mut told = String::new();
    let run = || panics::with_seed(7, |how| told = how.into(), || -> () { panic!("this one is on purpose") });
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err(), "and it keeps failing");
    assert_eq!(told, "NIM_SEED=7 cargo test --test it simulation");
}

#[test]
fn a_caught_panic_is_noticed() {
    panics::watch();
    assert!(!panics::seen());
    let _ = std::panic::catch_unwind(|| panic!("this one is on purpose"));
    assert!(panics::seen());
    assert!(!panics::seen(), "it is reported once");
}
