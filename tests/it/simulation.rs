//! The real server and the real client on a simulated network with loss, delay, partitions, half-open connections and crashes,
//! of the server too, which keeps a journal on a disk that fails now and then and fills up. A seed says what is played on which terms, what people do and all that goes wrong, so that a run can be repeated:
//! `NIM_SEED=7 cargo test --test it simulation`.
//! `NIM_SEEDS=1000 cargo test --test it many_new_seeds -- --nocapture` tries so many new ones.

pub(crate) mod alarm;
pub(crate) mod chronicle;
pub(crate) mod company;
mod deeds;
mod network;
pub(crate) mod person;
mod seating;
pub(crate) mod setting;
mod thief;
mod whim;
mod world;

use fastrand::Rng;
use nim::lobby::{Cause, Lobby, Phase};

use chronicle::Sightings;
use setting::Setting;
use world::World;

/// The seeds that are tried in every run of the tests. A seed that fails is no test for long, since whatever is added to the
/// world makes another one of each seed: what it found is to be told by a test of that name, as those are in `absence` and
/// `returning` of which campaigns have found what they are about.
const SEEDS: [u64; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 21];

/// What the seeds above have to bring about between them; else nothing was looked at.
const COMMON: [&str; 34] = [
    "again wanted",
    "away",
    "back",
    "closed",
    "declined",
    "ended by a claim",
    "ended by agreement",
    "ended by leaving",
    "ended by nobody",
    "ended by repetition",
    "ended by resigning",
    "ended by the clock",
    "ended by the rules",
    "found no free seat",
    "freed",
    "halted",
    "left",
    "might not watch",
    "moved",
    "moved by a stand-in",
    "offered",
    "paused",
    "placed",
    "restarted",
    "resumed",
    "sat",
    "showed a wrong ticket",
    "started",
    "stood in",
    "taken back",
    "unwatched",
    "waited for",
    "waited no more",
    "watched",
];

/// A storm by this seed, and the calm behind it. Returns what was seen.
fn survives(seed: u64) -> Sightings {
    let mut chance = Rng::with_seed(seed);
    let setting = Setting::by(&mut chance.fork());
    let tell = |how: &str| eprintln!("{setting}\nto see it once more: {how}");
    alarm::with_seed(seed, tell, || {
        let mut world = World::new(seed, &setting, &mut chance.fork());
        world.storms(&mut chance);
        world.calms();
        world.company.chronicle.open().seen().clone()
    })
}

#[test]
fn people_play_to_the_end_over_a_network_that_works() {
    let mut world = World::new(0, &Setting::plain(), &mut Rng::with_seed(0));
    world.calms();
    let chronicle = world.company.chronicle.open();
    let Some(Phase::Over { result, .. }) = chronicle.latest().map(Lobby::phase) else {
        panic!("the game is over")
    };
    assert_eq!(result.cause, Cause::Rules);
    let seen = chronicle.seen();
    assert!(!seen.contains_key("away") && !seen.contains_key("moved by a stand-in"), "{seen:?}");
}

#[test]
fn whatever_the_network_does_everybody_plays_on_in_the_end() {
    if let Ok(seed) = std::env::var("NIM_SEED") {
        println!("{:?}", survives(seed.parse().expect("NIM_SEED is a number")));
        return;
    }
    let seen = SEEDS.into_iter().map(survives).fold(Sightings::new(), together);
    let missing: Vec<_> = COMMON.into_iter().filter(|kind| !seen.contains_key(kind)).collect();
    assert!(missing.is_empty(), "nothing of this kind has happened at all: {missing:?}");
}

/// A long campaign, for a scheduled run: `NIM_SEEDS` says how many seeds are tried that nobody has tried before.
#[test]
fn many_new_seeds() {
    let count: u64 =
        std::env::var("NIM_SEEDS").map_or(0, |count| count.parse().expect("NIM_SEEDS is a number"));
    // A generator of its own: the one that all share begins anew with each world, by that world's seed.
    let mut chance = Rng::with_seed(getrandom::u64().unwrap());
    let (mut seen, mut failing) = (Sightings::new(), Vec::new());
    for seed in (0..count).map(|_| chance.u64(..)) {
        match std::panic::catch_unwind(|| survives(seed)) {
            Ok(more) => seen = together(seen, more),
            Err(_) => failing.push(seed),
        }
    }
    println!("{count} seeds: {seen:#?}");
    assert!(failing.is_empty(), "these seeds fail, each for itself with NIM_SEED: {failing:?}");
}

fn together(mut seen: Sightings, more: Sightings) -> Sightings {
    for (kind, count) in more {
        *seen.entry(kind).or_default() += count;
    }
    seen
}

#[test]
fn a_failure_is_told_with_the_seed_that_brings_it_about_again() {
    let mut told = String::new();
    let run = || alarm::with_seed(7, |how| told = how.into(), || -> () { panic!("this one is on purpose") });
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err(), "and it goes on failing");
    assert_eq!(told, "NIM_SEED=7 cargo test --test it simulation");
}

#[test]
fn a_panic_that_somebody_has_caught_is_noticed_all_the_same() {
    alarm::listen();
    assert!(!alarm::is_raised());
    let _ = std::panic::catch_unwind(|| panic!("this one is on purpose"));
    assert!(alarm::is_raised());
    assert!(!alarm::is_raised(), "it is told of once");
}
