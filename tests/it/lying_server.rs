//! The client program on servers that send anything: it exits with a code and a message, and never panics.

use fastrand::Rng;
use nim::game::Side;
use nim::lobby::{Lobby, Moment};
use nim::wire::{Farewell, ToClient, encode};

use crate::bodies::story::{STEP, Story};
use crate::harness::pretender::against;
use crate::harness::{campaign, frame, mutate};
use crate::vectors::TO_CLIENT;

/// Lines that a person might type meanwhile.
const TYPED: &str =
    "1\nhint\nboard\nrules\nhelp\nlist\n2\nagain\nbrave-otter\nquick java-tech\nresign\nagain\n3\n";

/// The events of a lobby from a player's entry on. Some are left out, and some events without a meaning
/// there are added.
fn said(chance: &mut Rng) -> Vec<Vec<u8>> {
    let bytes: Vec<u8> = std::iter::repeat_with(|| chance.u8(..)).take(60 * STEP).collect();
    let Story { setting, events, .. } = Story::told(&["java-tech:21"], &bytes);
    let mut lobby = Lobby::new(setting.code, setting.variant, setting.conditions);
    let mut said = Vec::new();
    for (at, event) in events {
        lobby.apply(&event, at).unwrap();
        let seat = Side::BOTH.into_iter().find(|side| lobby.seats()[*side].is_some());
        let Some(you) = seat.filter(|_| said.is_empty() || chance.u8(..40) > 0) else { continue };
        said.push(encode(&match said.len() {
            0 => ToClient::Entered { you, lobby: lobby.snapshot(), now: at },
            _ => ToClient::Lobby { number: lobby.last_event(), at: Moment(chance.u64(..)), event },
        }));
        if chance.u8(..8) == 0 {
            said.push(chance.choice(&*TO_CLIENT).unwrap().hex.clone().into());
        }
    }
    said.into_iter().map(|frame| frame[4..].to_vec()).collect()
}

/// The messages of such a server after its welcome. Every third server damages a frame.
fn say_anything(chance: &mut Rng) -> Vec<u8> {
    let mut bodies = said(chance);
    if chance.u8(..3) == 0 && !bodies.is_empty() {
        let spoilt = chance.usize(..bodies.len());
        mutate(&mut bodies[spoilt], chance);
    }
    bodies.iter().flat_map(|body| frame(body)).collect()
}

#[tokio::test]
async fn no_message_of_a_server_makes_the_program_panic() {
    for seed in 0..campaign::count("NIM_CASES", 30, 1_000) {
        let said = say_anything(&mut Rng::with_seed(seed));
        let ended = against(&["--new", "java-tech:21"], TYPED, async |mut server| {
            server.welcomes().await;
            server.says_bytes(&said).await;
            server.says(&ToClient::Goodbye(Farewell::Stopping)).await;
            server.waits().await;
        })
        .await;
        assert!(matches!(ended.code, Some(0..=13)), "server {seed}: {ended:?}");
        assert!(!ended.stderr.contains("panicked"), "server {seed}: {ended:?}");
    }
}
