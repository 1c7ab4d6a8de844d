//! Compares what players were told with what etcd keeps: no event that anybody was told of is missing there, doubled, out
//! of order or different.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use nim::cluster::engine::EngineError;
use nim::cluster::keys::Slot;
use nim::cluster::log::ReadError;
use nim::cluster::pages::{Histories, History};
use nim::lobby::Code;
use parking_lot::Mutex;

use crate::programs::Cluster;
use crate::told::Told;

/// How often etcd is asked again where it does not answer on a busy machine.
const TRIES: usize = 20;

/// The players of each lobby, by its code.
type Players<'a> = BTreeMap<Code, Vec<&'a Arc<Mutex<Told>>>>;

/// Compares all that these players were told. Only the lobbies of one slot are in memory at the same time.
pub(crate) async fn compare_with_record(cluster: &Cluster, players: impl Iterator<Item = &Arc<Mutex<Told>>>) {
    let mut of_slots = BTreeMap::<Slot, Players>::new();
    for told in players {
        let code = told.lock().code.expect("everybody was in a lobby");
        of_slots.entry(Slot::of(code)).or_default().entry(code).or_default().push(told);
    }
    let engine = cluster.engine();
    let histories = answered(async || match Histories::read(&engine).await {
        Err(ReadError::Engine(error)) => Err(error),
        read => Ok(read.expect("no log is damaged")),
    });
    let (histories, mut compared, mut wrong) = (histories.await, 0, Vec::new());
    for (slot, players) in &of_slots {
        let recorded = answered(async || histories.of_slot(*slot).await).await;
        let (sound, damaged): (Vec<_>, Vec<_>) = recorded.into_iter().partition(Result::is_ok);
        wrong.extend(damaged.into_iter().filter_map(Result::err).map(|damage| damage.to_string()));
        let sound: Vec<History> = sound.into_iter().flatten().collect();
        compared += compare(players, &sound, &mut wrong);
    }
    assert_eq!(wrong, Vec::<String>::new(), "etcd does not have what players were told");
    assert!(compared > 0, "nobody was told of anything");
    println!("etcd has all {compared} events that players were told of");
}

/// Compares what the players of some lobbies were told. Returns of how many events that was.
fn compare(players: &Players, recorded: &[History], wrong: &mut Vec<String>) -> usize {
    let mut compared = 0;
    for (code, players) in players {
        // A code may be that of an earlier lobby too.
        let history = recorded.iter().rfind(|history| history.code == *code);
        let frames = history.map(|history| &history.frames[..]).unwrap_or_default();
        for told in players {
            let told = told.lock();
            compared += told.events.len();
            let events = told.events.iter().map(|(number, bytes)| (*number, bytes));
            wrong.extend(differences(*code, events, frames));
            // A snapshot tells of events too.
            if told.seen > u32::try_from(frames.len()).expect("few events") {
                wrong.push(format!(
                    "{} has seen event {} of {code}, which is not recorded",
                    told.name, told.seen
                ));
            }
        }
    }
    compared
}

/// What is told and not recorded like that.
fn differences<'a>(
    code: Code,
    told: impl Iterator<Item = (u32, &'a Bytes)>,
    recorded: &[Bytes],
) -> Vec<String> {
    let frame = |number: u32| recorded.get(usize::try_from(number).ok()?.checked_sub(1)?);
    let word = |(number, bytes): (u32, &Bytes)| match frame(number) {
        Some(frame) if frame == bytes => None,
        Some(_) => Some(format!("event {number} of {code} is recorded in another version")),
        None => Some(format!("event {number} of {code} is not recorded; {} are", recorded.len())),
    };
    told.filter_map(word).collect()
}

/// The answer of etcd, which may be late.
async fn answered<T>(mut ask: impl AsyncFnMut() -> Result<T, EngineError>) -> T {
    for _ in 1..TRIES {
        match ask().await {
            Err(error) if error.is_in_doubt() => tokio::time::sleep(Duration::from_millis(100)).await,
            answer => return answer.expect("etcd has what is asked for"),
        }
    }
    ask().await.expect("etcd answers")
}

#[test]
fn an_event_that_was_told_and_is_altered_or_missing_in_the_record_is_found() {
    let code: Code = "brave-otter".parse().expect("a code");
    let recorded = ["a", "b", "c"].map(Bytes::from);
    let found = |told: &[(u32, &'static str)]| {
        let told: Vec<_> = told.iter().map(|(number, text)| (*number, Bytes::from(*text))).collect();
        differences(code, told.iter().map(|(number, bytes)| (*number, bytes)), &recorded).len()
    };
    // Who enters late is told of the later events alone.
    assert_eq!(found(&[(2, "b"), (3, "c")]), 0);
    assert_eq!(found(&[(1, "a"), (2, "x"), (3, "c")]), 1, "altered");
    assert_eq!(found(&[(3, "c"), (4, "d")]), 1, "not recorded");
    assert_eq!(found(&[(0, "a")]), 1, "no number");
}
