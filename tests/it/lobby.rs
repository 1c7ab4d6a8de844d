//! The lobby as a state machine: its invariants under random requests, and its protection against false
//! events.

/// Its queries.
mod asked;
/// Bugs that the comparison with the model has found.
mod found;
/// Impossible events, which it refuses.
mod lies;
/// The lobby and its model with the same requests.
mod machine;
/// The model.
mod model;

use fastrand::Rng;
use nim::lobby::{Checkpoint, Event, Lobby, LobbyRequest, Moment, Offer, PlayerId, Request, Who};
use nim::wire::{body_of, decode, encode};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::fuzzed::bodies;
use crate::fuzzed::bodies::story::{STEP, Story};
use crate::harness::{campaign, take};
use crate::record::history::any_story;

const VARIANTS: [&str; 4] = ["take:4:2", "nim:1-2:misere", "zero-sum:5", "one-two-ten"];

/// Also those whose positions can repeat.
const CHECKPOINTED: [&str; 6] =
    ["take:4:2", "nim:1-2:misere", "tic-tac-toe", "even-or-odd", "pong-hau-ki", "mu-torere"];

proptest! {
    #![proptest_config(campaign::cases(60))]
    #[test]
    fn any_requests_leave_a_valid_lobby_that_its_events_rebuild(
        steps in prop::collection::vec(any::<[u8; STEP]>(), 3..160),
    ) {
        bodies::lobby::body(steps.as_flattened());
    }

    #[test]
    fn a_checkpoint_and_the_events_after_it_are_the_lobby_of_all_events(
        story in any_story(&CHECKPOINTED), place in 0..160_usize,
    ) {
        let Story { lobby, events, setting, now, .. } = story;
        let mut all = Lobby::new(setting.code, setting.variant.clone(), setting.conditions);
        let mut copy = all.clone();
        for (number, (at, event)) in events.iter().enumerate() {
            let bytes = encode(&copy.checkpoint(*at));
            // Between the events of one decision there is no checkpoint.
            if number >= place && let Ok(restored) = Lobby::try_from(decode::<Checkpoint>(body_of(&bytes)).unwrap()) {
                prop_assert_eq!(attended_as(&copy, &restored), copy, "{:?}", &events[..number]);
                copy = restored;
            }
            copy.apply(event, *at).unwrap();
            all.apply(event, *at).unwrap();
        }
        prop_assert_eq!(attended_as(&lobby, &copy), lobby);
        // A start knows nothing of the attendance, and marks everybody as away. It loads no closed lobby.
        let restart = all.decide_restart();
        prop_assert_eq!(&copy.decide_restart(), &restart);
        for event in &restart {
            copy.apply(event, now).unwrap();
            all.apply(event, now).unwrap();
        }
        prop_assert!(restart.is_empty() || copy == all, "{copy:?}\n{all:?}");
    }

    #[test]
    fn a_refused_event_changes_nothing_and_no_event_panics(
        story in any_story(&VARIANTS), other in any_story(&VARIANTS), seed: u64,
    ) {
        let (Story { mut lobby, .. }, mut chance) = (story, Rng::with_seed(seed));
        for lie in lies(&other, &mut chance) {
            let before = lobby.clone();
            if lobby.apply(&lie, Moment::START).is_err() {
                prop_assert_eq!(&lobby, &before, "{:?}", lie);
            }
            bear(&lobby);
        }
    }

    #[test]
    fn a_false_snapshot_is_refused_or_harmless(
        story in any_story(&VARIANTS), other in any_story(&VARIANTS), seed: u64,
    ) {
        let mut chance = Rng::with_seed(seed);
        for _ in 0..10 {
            let Some(snapshot) = garbled(&story.lobby.snapshot(), &mut chance) else { continue };
            let Ok(mut lobby) = Lobby::try_from(snapshot) else { continue };
            bear(&lobby);
            for lie in lies(&other, &mut chance) {
                // Whether it is possible does not matter here.
                let _ = lobby.apply(&lie, Moment::START);
                bear(&lobby);
            }
        }
    }
}

/// A copy of a lobby with the attendance of another one, which no checkpoint has.
fn attended_as(other: &Lobby, lobby: &Lobby) -> Lobby {
    let mut lobby = lobby.clone();
    lobby.set_attendance(*other.attendance()).unwrap();
    lobby
}

/// Events of another lobby, in any order, some of them changed.
fn lies(other: &Story, chance: &mut Rng) -> Vec<Event> {
    let mut lies: Vec<Event> = other.events.iter().map(|(_, event)| event.clone()).collect();
    lies.extend(other.events.iter().filter_map(|(_, event)| garbled(event, chance)));
    chance.shuffle(&mut lies);
    lies.truncate(60);
    lies
}

/// The result of decoding after one to three bytes have changed, if it decodes.
fn garbled<T: Serialize + DeserializeOwned>(value: &T, chance: &mut Rng) -> Option<T> {
    let mut body = encode(value)[4..].to_vec();
    for _ in 0..chance.usize(1..4) {
        let at = chance.usize(..body.len());
        body[at] = if chance.bool() { chance.u8(..5) } else { body[at] ^ 1 << chance.u8(..8) };
    }
    decode(&body).ok()
}

/// Every query of a client, also on an impossible lobby.
fn bear(lobby: &Lobby) {
    let _ = (lobby.to_move(), lobby.open_seat(), lobby.has_people_here(), lobby.snapshot());
    let _ = (lobby.due(), lobby.absence_deadline(), lobby.stood_in_for(), lobby.decide_due(Moment(u64::MAX)));
    let _ = (lobby.board().draw(), lobby.board().prompt(), lobby.board().finish());
    for player in (0..4).map(PlayerId) {
        let _ = lobby.may_hint(Who::Player(player));
        let mv = take(1);
        for request in [
            Request::Ask(LobbyRequest::Play { turn: lobby.turn(), mv }),
            Request::Ask(LobbyRequest::Again),
            Request::Ask(LobbyRequest::Claim),
            Request::Ask(LobbyRequest::Offer(Offer::Takeback)),
            Request::Ask(LobbyRequest::Answer { turn: lobby.turn(), offer: Offer::Draw, accept: true }),
            Request::Ask(LobbyRequest::Leave),
        ] {
            let _ = lobby.decide(Who::Player(player), request, Moment::START);
        }
    }
}
