//! The project's lobby and its Python copy, compared step by step through random games: after each event
//! both are equal, including the clocks.

use std::process::Stdio;

use nim::lobby::Lobby;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use super::PATIENCE;
use crate::fuzzed::bodies::lobby::VARIANTS;
use crate::fuzzed::bodies::story::{STEP, Story, Told};
use crate::harness::campaign;
use crate::vectors;

/// Reads the walks, applies their events, and reports the first difference to the snapshot after each.
const FOLLOW: &str = r#"
import json, sys
sys.path.insert(0, sys.argv[1])
from nim_lobby import Lobby

def seen(lobby):
    hidden = {"result", "you", "seen", "chat", "_heard", "_boards", "_times", "clocks"}
    if lobby.phase != "Over":
        hidden.add("again")  # nobody needs it any more
    counts = {position: times for position, times in lobby._times.items() if times}
    boards = list(lobby._boards)
    return {**{k: v for k, v in vars(lobby).items() if k not in hidden}, **vars(lobby.clocks), "counts": counts, "boards": boards}

for number, walk in enumerate(json.load(sys.stdin)):
    lobby = Lobby("first", walk["before"])
    for step, happened in enumerate(walk["events"]):
        if "event" in happened:
            lobby.apply(happened["event"], happened["at"], happened["number"])
        else:
            lobby.note(happened["notice"], happened["at"])
        mine, theirs = seen(lobby), seen(Lobby("first", happened["after"]))
        wrong = {key: (mine[key], theirs[key]) for key in theirs if mine[key] != theirs[key]}
        if wrong:
            sys.exit(f"walk {number}, step {step}, {happened}: {wrong}")
        if lobby.runs_out != happened["runs_out"]:
            sys.exit(f"walk {number}, step {step}, {happened}: {lobby.runs_out} is not when it runs out")
"#;

/// The events of one lobby, and its state before and after each.
fn walk(seed: u64) -> Value {
    let mut chance = fastrand::Rng::with_seed(seed);
    let bytes: Vec<u8> = std::iter::repeat_with(|| chance.u8(..)).take(80 * STEP).collect();
    let Story { setting, told, .. } = Story::told(&VARIANTS, &bytes);
    let mut lobby = Lobby::new(setting.code, setting.variant, setting.conditions);
    let before = lobby.snapshot();
    let events = told.into_iter().map(|(at, told)| {
        told.update(&mut lobby, at).unwrap();
        // The times when a stand-in moves, or the game can be claimed.
        let runs_out = lobby.absence_deadline().map(|(at, ..)| at);
        let (after, number) = (lobby.snapshot(), lobby.last_event());
        match told {
            Told::Event(event) => {
                json!({"event": event, "at": at, "number": number, "after": after, "runs_out": runs_out})
            }
            Told::Notice(notice) => json!({"notice": notice, "at": at, "after": after, "runs_out": runs_out}),
        }
    });
    let events: Vec<Value> = events.collect();
    json!({"before": before, "events": events})
}

#[tokio::test]
async fn the_python_copy_of_a_lobby_follows_it_event_by_event() {
    let walks: Vec<Value> = (0..campaign::count("NIM_CASES", 50, 250)).map(walk).collect();
    let told = serde_json::to_string(&walks).unwrap();
    for event in [
        "TakenBack",
        "Paused",
        "Resumed",
        "Declined",
        "\"cause\":\"agreed\"",
        "\"cause\":\"time\"",
        "\"Back\"",
        "WaitedNoMore",
        "\"Kicked\"",
        "StoodIn",
        "PlaysAgain",
        "ClockStopped",
        "ClockStarted",
        "Restarted",
        "\"swap\":true",
    ] {
        assert!(told.contains(event), "no walk has the event {event}");
    }
    let Some(mut command) = super::python() else { return };
    command.arg("-c").arg(FOLLOW).arg(vectors::proto("python")).stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let telling = async {
        // A program that fails early does not read its whole input.
        let _ = stdin.write_all(told.as_bytes()).await;
        drop(stdin);
    };
    let ((), output) = tokio::join!(telling, tokio::time::timeout(PATIENCE, child.wait_with_output()));
    let output = output.expect("it ends").unwrap();
    assert!(output.status.success(), "{}", super::stderr(&output));
}
