//! Three nodes as a whole, with an etcd that the tests play, and people who connect to all of them. Nodes die and start
//! anew, are stopped, and are cut off from etcd, from each other and from people; replies of etcd are lost, and transactions
//! run later. `NIM_SEED=7 cargo test --features cluster --test it simulation::cluster` repeats one seed.
//!
//! A seed decides what fails and what people choose, but not the whole course: tokio wakes those who wait for the same news in
//! an order of its own, and so are the ways of its `select!` and the hash maps of std. So a failure tells its course.

mod course;
mod etcd;
mod hosts;
mod network;
mod node;
mod record;
mod world;

use fastrand::Rng;

use self::course::Course;
use self::etcd::Mistake;
use self::world::World;
use super::observer::{Shared, Sightings};
use super::setting::Setting;
use super::{panics, try_all};
use crate::harness::campaign;

/// A storm with this seed, and the calm after it. Returns what was seen.
fn survives(seed: u64, mistake: Mistake) -> Sightings {
    let (mut chance, course) = (Rng::with_seed(seed), Shared::<Course>::default());
    let settings = [(); 2].map(|()| Setting::by(&mut chance.fork()));
    let tell = |_: &str| {
        eprintln!("{}{settings:#?}", course.lock());
        eprintln!(
            "repeat it with: NIM_SEED={seed} cargo test --features cluster --test it simulation::cluster"
        );
    };
    panics::with_seed(seed, tell, || {
        let mut world = World::new(seed, &settings, mistake, &mut chance.fork(), &course);
        world.storms(&mut chance);
        world.calms();
        world.seen()
    })
}

/// Whether one of the first seeds is found to go wrong.
fn is_found(mistake: Mistake, seeds: u64) -> bool {
    (0..seeds).any(|seed| !try_all([seed], |seed| survives(seed, mistake)).1.is_empty())
}

#[test]
fn people_at_three_nodes_play_to_the_end_where_nothing_fails() {
    let settings = [Setting::plain(), Setting::plain()];
    let mut world = World::new(0, &settings, Mistake::None, &mut Rng::with_seed(0), &Shared::default());
    world.calms();
    let seen = world.seen();
    assert!(!seen.contains_key("away") && !seen.contains_key("restarted"), "{seen:?}");
    assert!(seen["carried by another node"] > 0 && seen["went to the nearer server"] > 0, "{seen:?}");
}

#[test]
fn whatever_fails_people_at_three_nodes_finish_their_games() {
    if let Some(seed) = campaign::seed() {
        println!("{:#?}", survives(seed, Mistake::None));
        return;
    }
    let count = campaign::count("NIM_SEEDS", 4, 1_000);
    // A campaign has new seeds each time.
    let first = campaign::sample(0, u64::from(getrandom::u32().unwrap()));
    let (seen, failing) = try_all(first..first + count, |seed| survives(seed, Mistake::None));
    println!("{count} seeds: {seen:#?}");
    assert!(failing.is_empty(), "these seeds fail; repeat each with NIM_SEED: {failing:?}");
    for (kind, least) in [
        ("moved", 40),
        ("gone on at another node", 4),
        ("carried by another node", 3),
        ("went to the nearer server", 2),
        ("returned", 5),
    ] {
        let times = seen.get(kind).copied().unwrap_or_default();
        assert!(u64::from(times) > least * count, "{kind}: {times} times in {count} seeds");
    }
}

#[test]
fn a_node_that_tells_of_moves_before_they_are_recorded_is_found() {
    assert!(is_found(Mistake::ToldBefore, 1));
}

#[test]
fn a_node_that_records_though_others_have_taken_over_is_found() {
    assert!(is_found(Mistake::NoFence, 20));
}
