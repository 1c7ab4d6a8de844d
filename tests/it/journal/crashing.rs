//! The real server under load, killed at random moments and started again: nothing that anybody was told is
//! missing, nothing is doubled, and everybody comes back by themselves. The people are those of the
//! [simulation](crate::simulation), in a hurry, and over a real network; every event that anybody hears is
//! looked at in the same way.
//!
//! `NIM_CYCLES=1000 cargo test --test it killed_again_and_again -- --nocapture` kills it that many times;
//! `NIM_SEED` repeats the people's choices, and after how many events it is killed, and
//! `NIM_DURABILITY=power` has every move synced.

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
use crate::simulation::observer::{Observer, Shared, shared};
use crate::simulation::panics;
use crate::simulation::person::{Group, Person};
use crate::simulation::setting::Setting;
use crate::simulation::world::PEOPLE;

/// How many lobbies are played in at once.
const GROUPS: usize = 4;

/// The names of people are one group's alone, or they would get numbers.
const NAMES: [[&str; 4]; GROUPS] = [
    ["anna", "ben", "cara", "dora"],
    ["emma", "finn", "greta", "hugo"],
    ["ida", "jona", "kim", "lena"],
    ["mia", "nils", "olga", "paul"],
];

/// How many times faster people are here. They think in real time, since the server is a program of its own
/// that no clock of ours can be stopped for; what is tested waits for what they hear, never for a time.
const SPEED: u64 = 10;

/// Of how many events people hear before the server is killed: none, so that it dies while they are coming
/// back, or some, so that it dies in the middle of their games. It is also busy with the other
/// lobbies, and where that finds it is chance.
const LIVES: std::ops::Range<usize> = 0..40;

/// How long may pass until people hear of this many events, and until everything is well in the end: a pause
/// before another try is five seconds at most, and short games are played to their end.
const CALM: Duration = Duration::from_mins(2);

/// The cycles of every test run.
const FEW: u64 = 4;

/// A port that is free now. Somebody else may take it between two lives; then the test fails, and not by
/// what it tests.
fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port()
}

fn group(number: usize, port: u16, folder: &Path, news: &Arc<Notify>, chance: &mut Rng) -> Group {
    let setting = Setting::by(&mut chance.fork());
    let observer = shared(Observer::telling(Arc::clone(news)));
    let people = PEOPLE.into_iter().zip(NAMES[number]).map(|((_, part), name)| Person {
        name,
        part,
        server: Address { host: "127.0.0.1".into(), port: Some(port) },
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

/// Nothing that the server cannot trust, ever, and nothing that it takes for damage.
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

/// Waits until this is so, looking whenever somebody has heard something. Fails when something that was
/// told is not so, or nobody hears what they wait for: then somebody may have been told that they have no
/// seat, who still sits there.
async fn until(groups: &[Group], news: &Notify, is_so: impl Fn() -> bool) {
    let waits = async {
        while !is_so() {
            news.notified().await;
            assert!(!panics::seen(), "something that was told is not so any more");
        }
    };
    if tokio::time::timeout(CALM, waits).await.is_err() {
        groups.iter().for_each(Group::check);
        let known: Vec<_> = groups.iter().map(|it| it.observer.lock().known.clone()).collect();
        panic!("nothing comes of it in {CALM:?}: {known:#?}");
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

/// People play what they have begun to its end, and everybody knows the same.
async fn calms(groups: &[Group], news: &Notify) {
    for group in groups {
        group.observer.lock().is_calm = true;
    }
    until(groups, news, || groups.iter().all(Group::is_well)).await;
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
