//! The real server under load, killed at random times and restarted. No event that was sent is missing or
//! repeated, and everybody returns without help. The people are those of the
//! [simulation](crate::simulation), but faster and on a real network; every event that they receive is
//! checked in the same way.
//!
//! `NIM_CYCLES=1000 cargo test --test it killed_again_and_again -- --nocapture` kills it that many times;
//! `NIM_SEED` repeats the people's choices and the number of events before each kill; `NIM_DURABILITY=power`
//! syncs every move to the disk.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use nim::client::dial::Tcp;
use nim::client::{Address, SeatStore};
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::harness::{Program, campaign};
use crate::simulation::group::Group;
use crate::simulation::observer::{Observer, Shared, shared};
use crate::simulation::panics;
use crate::simulation::person::Person;
use crate::simulation::setting::Setting;
use crate::simulation::world::PEOPLE;

/// The number of lobbies in use.
const GROUPS: usize = 4;

/// Each group has its own names, or the server would number them.
const NAMES: [[&str; 4]; GROUPS] = [
    ["anna", "ben", "cara", "dora"],
    ["emma", "finn", "greta", "hugo"],
    ["ida", "jona", "kim", "lena"],
    ["mia", "nils", "olga", "paul"],
];

/// How many times faster people are here. They think in real time, since no test can pause the clock of
/// another process; the test waits for received events and never for a time.
const SPEED: u64 = 10;

/// The number of events that people receive before the server is killed: none, so that it dies during their
/// returns, or some, so that it dies during their games. The state of the other lobbies at that time is
/// random.
const LIVES: std::ops::Range<usize> = 0..40;

/// The timeout until people receive this many events, and until all games are over at the end: a retry
/// pauses for five seconds at most, and the games are short.
const CALM: Duration = Duration::from_mins(2);

/// The number of kills in every test run.
const FEW: u64 = 4;

/// A port that is free now. If another program takes it between two starts, the test fails for no fault of
/// the server.
fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port()
}

fn group(number: usize, port: u16, folder: &Path, news: &Arc<Notify>, chance: &mut Rng) -> Group {
    let mut setting = Setting::by(&mut chance.fork());
    // The program allows no shorter time.
    setting.away.after = setting.away.after.max(5_000);
    let observer = shared(Observer::telling(Arc::clone(news)));
    let people = PEOPLE.into_iter().zip(NAMES[number]).map(|((_, part), name)| Person {
        name,
        part,
        server: Address { host: "127.0.0.1".into(), port: Some(port) },
        others: Vec::new(),
        network: Arc::new(Tcp),
        speed: SPEED,
        setting: setting.clone(),
        seats: SeatStore::at(folder.join(name)),
        chance: shared(chance.fork()),
        observer: Shared::clone(&observer),
    });
    Group { people: people.collect(), observer }
}

async fn starts(port: u16, data: &Path) -> Program {
    let bind = SocketAddr::from((Ipv4Addr::LOCALHOST, port)).to_string();
    let durability = std::env::var("NIM_DURABILITY").unwrap_or_else(|_| "process".into());
    let data = data.to_str().unwrap();
    let flags =
        ["--ping-after", "2s", "--gone-after", "6s", "--max-guesses", "1000000", "--durability", &durability];
    let mut server = Program::server(&[&["--bind", &bind, "--data", data], &flags[..]].concat());
    let first = server.line().await;
    assert_eq!(first, format!("listening on {bind}"), "it starts again");
    server
}

/// Fails on any report of damage.
async fn trusts_everything(server: &mut Program) {
    loop {
        let told = server.line().await;
        for word in ["Set aside", "journal.sqlite", "damaged"] {
            assert!(!told.contains(word), "{told}");
        }
        if told.contains("Ctrl-C stops the server.") {
            break;
        }
    }
}

/// Waits until a condition holds, and checks it after every received event. Fails if an event contradicts
/// another, or if nothing arrives in time: then a client may have been told that it has no seat although it
/// still has one.
async fn until(groups: &[Group], news: &Notify, is_so: impl Fn() -> bool) {
    let waits = async {
        while !is_so() {
            news.notified().await;
            assert!(!panics::seen(), "a received event was revoked");
        }
    };
    if tokio::time::timeout(CALM, waits).await.is_err() {
        groups.iter().for_each(Group::check);
        let known: Vec<_> = groups.iter().map(|it| it.observer.lock().known.clone()).collect();
        panic!("the condition was not met in {CALM:?}: {known:#?}");
    }
}

async fn goes_through(cycles: u32, seed: u64) {
    panics::watch();
    let (mut chance, folder) = (Rng::with_seed(seed), tempfile::tempdir().unwrap());
    let (port, data) = (free_port(), folder.path().join("data"));
    let news = Arc::default();
    let groups: Vec<_> =
        (0..GROUPS).map(|number| group(number, port, folder.path(), &news, &mut chance)).collect();
    let told = || groups.iter().map(|group| group.observer.lock().count()).sum::<usize>();
    let mut server = starts(port, &data).await;
    let mut lives = JoinSet::new();
    for person in groups.iter().flat_map(|group| &group.people) {
        lives.spawn_local(person.clone().live());
    }
    for _ in 0..cycles {
        let dies_at = told() + chance.usize(LIVES);
        until(&groups, &news, || told() >= dies_at).await;
        server.dies().await;
        server = starts(port, &data).await;
        trusts_everything(&mut server).await;
    }
    calms(&groups, &news).await;
}

/// People finish their games, and all of them end with equal copies.
async fn calms(groups: &[Group], news: &Notify) {
    for group in groups {
        group.observer.lock().is_calm = true;
    }
    until(groups, news, || groups.iter().all(|group| group.trouble().is_none())).await;
    groups.iter().for_each(Group::check);
    for group in groups {
        println!("{:?}", group.observer.lock().seen());
    }
}

#[test]
fn a_server_that_is_killed_again_and_again_loses_nothing_that_it_sent() {
    let cycles = u32::try_from(campaign::count("NIM_CYCLES", FEW, 1_000)).unwrap();
    let seed = campaign::seed().unwrap_or_else(|| getrandom::u64().unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let tell = |_: &str| {
        eprintln!(
            "to try it once more: NIM_SEED={seed} NIM_CYCLES={cycles} cargo test --test it killed_again"
        );
    };
    panics::with_seed(seed, tell, || {
        tokio::task::LocalSet::new().block_on(&runtime, goes_through(cycles, seed));
    });
}
