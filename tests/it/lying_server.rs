//! The player's program on servers that say anything: it ends with a code and a sentence, and never panics.

use fastrand::Rng;
use nim::game::any::Move;
use nim::game::nim::Take;
use nim::game::{BySide, Outcome, Side};
use nim::lobby::{
    Cause, Departure, Event, GameResult, Hand, Kind, Level, Lobby, Loss, Moment, Name, Offer, Phase, Player,
    PlayerId, Refusal as LobbyRefusal, Text,
};
use nim::wire::{
    Farewell, HallEvent, HallRefusal, List, Listing, Misplaced, Presence, Refusal, Sitter, ToClient, encode,
};

use crate::harness::pretender::{against, entered, game};
use crate::harness::{campaign, frame, mutate};

/// What somebody might type during that.
const TYPED: &str =
    "1\nhint\nboard\nrules\nhelp\nlist\n2\nagain\nbrave-otter\nquick java-tech\nresign\nagain\n3\n";

/// A message of any kind that says nothing of what happened in the lobby.
fn any_message(chance: &mut Rng) -> ToClient {
    let side = chance.choice(Side::BOTH).unwrap();
    let refused = |refusal| ToClient::Refused { id: 1, turn: 1, refusal };
    match chance.u8(..8) {
        0 => entered_somehow(chance, side),
        1 => refused(Refusal::Lobby(LobbyRefusal::NotYourTurn)),
        2 => refused(Refusal::Hall(HallRefusal::Variant(Text::cut("chess: no game has this name")))),
        3 => refused(Refusal::Misplaced(Misplaced::InHall)),
        4 => ToClient::Hint { turn: chance.u32(1..4), mv: some_move(chance), words: Text::cut("it wins") },
        5 => ToClient::Hall(HallEvent::Lobbies {
            listed: List::first_of([listing(side)]),
            gone: List::first_of(["brave-otter".parse().unwrap()]),
            complete: chance.bool(),
        }),
        6 => ToClient::Ping(1),
        _ => ToClient::Outside,
    }
}

/// Something that could happen in this lobby by the letter, though no honest server would tell it.
fn next_event(lobby: &mut Lobby, chance: &mut Rng) -> Option<ToClient> {
    let mut events = std::iter::repeat_with(|| any_event(chance)).take(50);
    let event = events.find(|event| lobby.apply(event, Moment::START).is_ok())?;
    Some(ToClient::Lobby { number: lobby.last_event(), at: Moment(chance.u64(..)), event })
}

fn some_move(chance: &mut Rng) -> Move {
    Move::Nim(Take { pile: 0, count: chance.u64(1..4) })
}

fn any_event(chance: &mut Rng) -> Event {
    let side = chance.choice(Side::BOTH).unwrap();
    let player = PlayerId(chance.u32(1..4));
    match chance.u8(..23) {
        0..5 => {
            let hand = chance.choice([Hand::Own, Hand::StandIn]).unwrap();
            Event::Moved { turn: chance.u32(1..9), player, mv: some_move(chance), hand }
        }
        5 => {
            let outcome = chance.choice([Outcome::Win(side), Outcome::Draw]).unwrap();
            let cause = chance.choice([Cause::Rules, Cause::Resigned, Cause::Left]).unwrap();
            Event::Ended { result: GameResult { outcome, cause } }
        }
        6 => Event::AgainWanted { side },
        7..9 => Event::Started { game: chance.u32(1..4), swap: chance.bool() },
        9 => Event::Left { side, how: Departure::Lost },
        10 => {
            let player = Player { id: player, name: Name::clean("anna").unwrap(), kind: Kind::Bot };
            Event::Sat { side, player }
        }
        11 => Event::Away { side, since: Moment(chance.u64(..)), loss: Loss::Silent },
        12 => Event::Back { side },
        13 => Event::StoodIn { side },
        14 => Event::WaitedFor { side },
        15 => Event::Offered { side, offer: chance.choice(Offer::ALL).unwrap() },
        16 => Event::Declined { side },
        17 => Event::TakenBack { moves: chance.u8(..4) },
        18 => Event::Paused,
        19 => Event::Resumed { side },
        20 => Event::WaitedNoMore { side },
        _ if chance.u8(..4) == 0 => Event::Closed,
        _ => Event::Started { game: 2, swap: true },
    }
}

/// A lobby where what is told does not fit together.
fn entered_somehow(chance: &mut Rng, side: Side) -> ToClient {
    let ToClient::Entered { mut lobby, .. } = entered() else { unreachable!("that is what it makes") };
    lobby.base = Text::cut(chance.choice(["21 first", "20 second", "0 first", "1 first"]).unwrap());
    lobby.phase = chance.choice([Phase::Playing, Phase::Waiting, Phase::Closed]).unwrap();
    if chance.bool() {
        lobby.seats[chance.choice(Side::BOTH).unwrap()] = None;
    }
    ToClient::Entered { you: side, lobby, now: Moment(chance.u64(..)) }
}

fn listing(side: Side) -> Listing {
    let eve = game().seats()[side].clone().map(|player| Sitter {
        name: player.name,
        kind: Kind::Bot,
        presence: Presence::StandIn,
    });
    let seats = BySide { first: eve, second: None };
    Listing {
        seats,
        level: Level::Fair,
        ..crate::harness::listing("brave-otter".parse().unwrap(), "java-tech:21")
    }
}

/// What one such server says behind its welcome. Every third one spoils a frame.
fn say_anything(chance: &mut Rng) -> Vec<u8> {
    let (mut lobby, mut said) = (game(), vec![entered()]);
    for _ in 0..chance.usize(..25) {
        let told = next_event(&mut lobby, chance).filter(|_| chance.u8(..8) > 0);
        said.push(told.unwrap_or_else(|| any_message(chance)));
    }
    let mut bodies: Vec<Vec<u8>> = said.iter().map(|message| encode(message)[4..].to_vec()).collect();
    if chance.u8(..3) == 0 {
        let spoilt = chance.usize(..bodies.len());
        mutate(&mut bodies[spoilt], chance);
    }
    bodies.iter().flat_map(|body| frame(body)).collect()
}

#[tokio::test]
async fn nothing_that_a_server_says_makes_the_program_panic() {
    for seed in 0..campaign::count("NIM_CASES", 30, 1_000) {
        let said = say_anything(&mut Rng::with_seed(seed));
        let ended = against(&["--new", "java-tech:21"], TYPED, async |mut server| {
            server.welcomes().await;
            server.says_bytes(&said).await;
            server.says(&ToClient::Goodbye(Farewell::Stopping)).await;
            server.waits().await;
        })
        .await;
        assert!(matches!(ended.code, Some(0 | 7 | 8 | 9)), "server {seed}: {ended:?}");
        assert!(!ended.stderr.contains("panicked"), "server {seed}: {ended:?}");
    }
}
