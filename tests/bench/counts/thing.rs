//! The measured operations: read, decide, send and apply a request.

use std::hint::black_box;
use std::process::{Command, Stdio};

use anyhow::Context;
use bytes::Bytes;
use clap::ValueEnum;
use nim::game::Game;
use nim::game::any::Variant;
use nim::lobby::{
    BotRule, Code, Conditions, Event, Kind, Lobby, Moment, Name, Phase, PlayerId, Request, Who,
};
use nim::wire::{LobbyRequest, ToClient, ToServer, decode, encode};

use crate::clock::cpu_time;
use crate::load::kind::name;
use crate::load::report::{Table, short};
use crate::smoke;

/// The games of the measurement: one with a small board, one with a large one.
const VARIANTS: [&str; 2] = ["java-tech", "connect-four"];

/// The number of events to apply before starting over.
const EVENTS: usize = 1_000;

/// The repetitions of each operation when it is timed.
const TIMES: u64 = 200_000;

/// An operation that every move needs.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Thing {
    /// Decode a request from a frame's body
    Decode,
    /// Decide a request in a lobby
    Decide,
    /// Encode an event as a frame
    Encode,
    /// Apply an event to a lobby
    Apply,
}

/// Repeats one operation `times` times.
pub(crate) fn only(thing: &str, variant: &str, times: u64) -> anyhow::Result<()> {
    let thing = Thing::from_str(thing, true).map_err(anyhow::Error::msg)?;
    Stage::of(variant)?.repeat(thing, times)
}

/// Counts all operations, and prints a table.
pub(crate) fn run() -> anyhow::Result<()> {
    let times = smoke::all_or(1_000, TIMES);
    let mut table = Table::new(&["", "of", "instructions", "allocations", "bytes", "ns"]);
    for &thing in Thing::value_variants() {
        for variant in VARIANTS {
            let instructions = instructions(&name(&thing), variant);
            let mut stage = Stage::of(variant)?;
            let (start, mut done) = (cpu_time(), Ok(()));
            let counted = allocation_counter::measure(|| done = stage.repeat(thing, times));
            done?;
            let nanos = (cpu_time().saturating_sub(start)).as_nanos() as f64 / times as f64;
            let (count, bytes) =
                (counted.count_total as f64 / times as f64, counted.bytes_total as f64 / times as f64);
            let shown = instructions.map_or_else(|| "not measured".to_owned(), short);
            table.row(vec![
                name(&thing),
                variant.to_owned(),
                shown,
                short(count),
                short(bytes),
                short(nanos),
            ]);
        }
    }
    table.print("counts, of one move");
    Ok(())
}

/// The repetitions while instructions are counted, in the first and the second run.
const COUNTED: [u64; 2] = [1_000, 3_000];

/// The instructions of one operation. This program runs under `valgrind` twice, with fewer and more
/// repetitions, so that the start-up cancels out. The number is the same on every run. `None` without
/// `valgrind`.
fn instructions(thing: &str, variant: &str) -> Option<f64> {
    let [some, more] = COUNTED.map(|times| collected(thing, variant, times));
    Some((more? - some?) / (COUNTED[1] - COUNTED[0]) as f64)
}

fn collected(thing: &str, variant: &str, times: u64) -> Option<f64> {
    let program = std::env::current_exe().ok()?;
    let said = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(["--only", thing, variant, &times.to_string()])
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    said.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())
}

/// The state that the operations work on.
struct Stage {
    /// A lobby at the start of its first game.
    lobby: Lobby,
    events: Vec<(Event, Moment)>,
    request: Request,
    /// The body of a received request.
    body: Bytes,
    told: ToClient,
}

impl Stage {
    fn of(variant: &str) -> anyhow::Result<Self> {
        let lobby = seated(variant.parse().context("no such variant")?)?;
        let mv = lobby.board().position().moves().next().context("a game has a first move")?;
        let turn = lobby.turn();
        let frame = encode(&ToServer::Lobby { id: 7, request: LobbyRequest::Play { turn, mv } });
        let events = played(lobby.clone())?;
        let (event, at) = events[0].clone();
        Ok(Self {
            request: Request::Ask(LobbyRequest::Play { turn, mv }),
            body: frame.slice(4..),
            told: ToClient::Lobby { number: lobby.last_event() + 1, at, event },
            lobby,
            events,
        })
    }

    fn repeat(&mut self, thing: Thing, times: u64) -> anyhow::Result<()> {
        match thing {
            Thing::Decode => often(times, || decode::<ToServer>(black_box(&self.body))),
            Thing::Decide => often(times, || {
                let request = black_box(self.request.clone());
                self.lobby.decide(Who::Player(PlayerId(1)), request, Moment(5_000))
            }),
            Thing::Encode => often(times, || encode(black_box(&self.told))),
            Thing::Apply => return self.apply(times),
        }
        Ok(())
    }

    fn apply(&mut self, times: u64) -> anyhow::Result<()> {
        let mut lobby = self.lobby.clone();
        for (number, (event, at)) in (0..times).zip(self.events.iter().cycle()) {
            if number.is_multiple_of(EVENTS as u64) {
                lobby = self.lobby.clone();
            }
            lobby.apply(black_box(event), *at)?;
        }
        Ok(())
    }
}

fn often<T>(times: u64, thing: impl Fn() -> T) {
    for _ in 0..times {
        drop(black_box(thing()));
    }
}

/// A lobby in which two people have just begun a game.
fn seated(variant: Variant) -> anyhow::Result<Lobby> {
    let conditions = Conditions { bot: BotRule::Never, ..Conditions::default() };
    let mut lobby = Lobby::new(Code::from_bits(1, 1), variant, conditions);
    for _ in 0..2 {
        let sit = Request::Sit { name: Name::anyone(), kind: Kind::Person };
        happen(&mut lobby, Who::Newcomer, sit, Moment::START)?;
    }
    Ok(lobby)
}

fn happen(lobby: &mut Lobby, who: Who, request: Request, at: Moment) -> anyhow::Result<Vec<Event>> {
    let decision = lobby.decide(who, request, at)?;
    lobby.carry_out(&decision, at)?;
    Ok(decision.events.into_iter().collect())
}

/// The next events: games in which everybody makes the first legal move.
fn played(mut lobby: Lobby) -> anyhow::Result<Vec<(Event, Moment)>> {
    let mut events = Vec::new();
    while events.len() < EVENTS {
        let at = Moment(10 * events.len() as u64);
        let (player, request) = next(&lobby).context("somebody goes on")?;
        let happened = happen(&mut lobby, Who::Player(player), request, at)?;
        events.extend(happened.into_iter().map(|event| (event, at)));
    }
    events.truncate(EVENTS);
    Ok(events)
}

fn next(lobby: &Lobby) -> Option<(PlayerId, Request)> {
    if let Phase::Over { again, .. } = lobby.phase() {
        let (side, _) = again.iter().find(|(_, asked)| !**asked)?;
        return Some((lobby.seats()[side].as_ref()?.id, Request::Ask(LobbyRequest::Again)));
    }
    let mv = lobby.board().position().moves().next()?;
    Some((lobby.to_move()?.id, Request::Ask(LobbyRequest::Play { turn: lobby.turn(), mv })))
}
