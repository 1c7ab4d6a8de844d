//! The project's lobby and the Python copy of one, followed side by side through games in which much happens
//! at random: after each event both are the same, clocks and all.

use std::process::Stdio;

use nim::game::{Game, Side};
use nim::lobby::{
    AwayRule, BotRule, ClockRule, Code, Conditions, Departure, Events, Hints, Kind, Lobby, LobbyRequest,
    Loss, Moment, Name, Offer, Request, WhenAway, Who,
};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use super::PATIENCE;
use crate::harness::campaign;
use crate::vectors;

const VARIANTS: [&str; 4] = ["java-tech:9", "tic-tac-toe", "pong-hau-ki", "zero-sum"];

/// One of them is faster than anything that is agreed for an absence, and one than some of it.
const CLOCKS: [ClockRule; 5] = [
    ClockRule::None,
    ClockRule::Move(2_500),
    ClockRule::Move(5_000),
    ClockRule::Fischer { base: 15_000, bonus: 1_000 },
    ClockRule::Delay { base: 15_000, delay: 2_000 },
];

/// Reads the walks, takes in their events, and complains of the first difference to the snapshot after each.
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
        lobby.apply(happened["event"], happened["at"], step + 1)
        mine, theirs = seen(lobby), seen(Lobby("first", happened["after"]))
        wrong = {key: (mine[key], theirs[key]) for key in theirs if mine[key] != theirs[key]}
        if wrong:
            sys.exit(f"walk {number}, step {step}, {happened['event']} at {happened['at']}: {wrong}")
        if lobby.runs_out != happened["runs_out"]:
            sys.exit(f"walk {number}, step {step}, {happened}: {lobby.runs_out} is not when it runs out")
"#;

/// What happens in one lobby.
struct Walk {
    lobby: Lobby,
    now: Moment,
    chance: fastrand::Rng,
    events: Vec<Value>,
}

impl Walk {
    fn new(seed: u64) -> Self {
        let mut chance = fastrand::Rng::with_seed(seed);
        let then = [WhenAway::Wait, WhenAway::StandIn, WhenAway::Forfeit][chance.usize(..3)];
        let conditions = Conditions {
            away: AwayRule {
                then,
                closed_after: 3_050,
                silent_after: 6_000,
                kept_for: 60_000,
                rests_for: 90_000,
            },
            clock: CLOCKS[chance.usize(..CLOCKS.len())],
            best_of: chance.u8(..4),
            watchers: 2,
            bot: [BotRule::Never, BotRule::After(0), BotRule::After(30_000), BotRule::Both]
                [chance.usize(..4)],
            hints: [Hints::Nobody, Hints::AgainstBots, Hints::All, Hints::Watchers][chance.usize(..4)],
            listed: chance.bool(),
            locked: chance.bool(),
            ..Conditions::default()
        };
        let variant = VARIANTS[chance.usize(..VARIANTS.len())].parse().unwrap();
        let lobby = Lobby::new(Code::from_bits(0, 0), variant, conditions);
        Self { lobby, now: Moment::START, chance, events: Vec::new() }
    }

    fn happen(&mut self, events: Events) {
        for event in events {
            self.lobby.apply(&event, self.now).unwrap();
            // When a stand-in comes or the game can be claimed.
            let runs_out = self.lobby.runs_out().map(|(at, ..)| at);
            let after = self.lobby.snapshot();
            self.events.push(json!({"event": event, "at": self.now, "after": after, "runs_out": runs_out}));
        }
    }

    fn walk(mut self, steps: u32) -> Value {
        let before = self.lobby.snapshot();
        for _ in 0..steps {
            self.now = Moment(self.now.0 + self.chance.u64(..4_000));
            self.happen(self.lobby.decide_due(self.now));
            if self.chance.u8(..60) == 0 {
                self.happen(self.lobby.decide_restart());
            }
            let (who, request) = self.wish();
            let events = self.lobby.decide(who, request, self.now).unwrap_or_default();
            self.happen(events);
        }
        json!({"before": before, "events": self.events})
    }

    fn wish(&mut self) -> (Who, Request) {
        if let Some(open) = self.lobby.offer().filter(|_| self.chance.bool()) {
            let (turn, offer) = (self.lobby.turn(), open.offer);
            return (
                self.player(!open.side),
                Request::Ask(LobbyRequest::Answer { turn, offer, accept: self.chance.bool() }),
            );
        }
        let name = Name::clean("anna").unwrap();
        let side = if self.chance.bool() { Side::First } else { Side::Second };
        let request = match self.chance.u8(..40) {
            0..18 => return self.play(),
            18..22 => Request::Ask(LobbyRequest::Offer(Offer::ALL[self.chance.usize(..3)])),
            22..24 => Request::Ask(LobbyRequest::Resume),
            24..28 => Request::Ask(LobbyRequest::Again),
            28..30 => Request::Lose { loss: Loss::Closed, since: self.now },
            30..32 => Request::Return,
            32 => Request::Lose { loss: Loss::Silent, since: self.now },
            33 => Request::Ask(LobbyRequest::Wait),
            34 => Request::Ask(LobbyRequest::Claim),
            39 => Request::Ask(LobbyRequest::WaitNoMore),
            35 => Request::Ask(LobbyRequest::Resign),
            36 => Request::Leave(Departure::Quit),
            37 => return (Who::Newcomer, Request::Watch { name }),
            38 if self.lobby.watchers() > 0 => {
                let how = if self.chance.bool() { Departure::Quit } else { Departure::Lost };
                return (Who::Watcher, Request::Unwatch { name, how });
            }
            _ => return (Who::Newcomer, Request::Sit { name, kind: self.newcomer() }),
        };
        (self.player(side), request)
    }

    fn player(&self, side: Side) -> Who {
        self.lobby.seats()[side].as_ref().map_or(Who::Newcomer, |player| Who::Player(player.id))
    }

    /// Mostly a person.
    fn newcomer(&mut self) -> Kind {
        if self.chance.u8(..4) == 0 { Kind::Bot } else { Kind::Person }
    }

    /// A move of the player to move, or somebody's coming where nobody is.
    fn play(&mut self) -> (Who, Request) {
        let moves: Vec<_> = self.lobby.board().position().moves().collect();
        let (Some(player), Some(&mv)) = (self.lobby.to_move(), self.chance.choice(&moves)) else {
            let name = Name::clean("ben").unwrap();
            return (Who::Newcomer, Request::Sit { name, kind: self.newcomer() });
        };
        let who = self.lobby.stood_in_for().map_or(Who::Player(player.id), Who::StandIn);
        (who, Request::Ask(LobbyRequest::Play { turn: self.lobby.turn(), mv }))
    }
}

#[tokio::test]
async fn the_python_copy_of_a_lobby_follows_it_event_by_event() {
    let walks: Vec<Value> =
        (0..campaign::count("NIM_CASES", 50, 250)).map(|seed| Walk::new(seed).walk(60)).collect();
    let told = serde_json::to_string(&walks).unwrap();
    for event in [
        "TakenBack",
        "Paused",
        "Resumed",
        "Declined",
        "\"cause\":\"agreed\"",
        "\"cause\":\"time\"",
        "Back",
        "StoodIn",
        "Restarted",
        "\"swap\":true",
    ] {
        assert!(told.contains(event), "in no walk there is {event}");
    }
    let Some(mut command) = super::python() else { return };
    command.arg("-c").arg(FOLLOW).arg(vectors::proto("python")).stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let telling = async {
        // A program that complains early does not read to the end.
        let _ = stdin.write_all(told.as_bytes()).await;
        drop(stdin);
    };
    let ((), output) = tokio::join!(telling, tokio::time::timeout(PATIENCE, child.wait_with_output()));
    let output = output.expect("it ends").unwrap();
    assert!(output.status.success(), "{}", super::stderr(&output));
}
