//! Bytes by chance, and honest frames with a few bytes changed, from a fixed seed: thousands of them at one
//! server.

use fastrand::Rng;

use crate::harness::{TestServer, Wire, campaign, frame, mutate, within};
use crate::vectors::TO_SERVER;

/// How many connections of each kind are tried.
fn cases() -> u64 {
    campaign::count("NIM_CASES", 100, 2_000)
}

/// A server that lets as many strangers in a second come from one address as like to.
fn unhurried() -> TestServer {
    TestServer::with(|config| config.max_hellos_each = u32::MAX)
}

/// Says something to the server and reads what it answers to its end, whatever that is.
async fn say(mut wire: Wire, bytes: &[u8]) {
    // The server may close before it has heard all.
    if wire.try_send_bytes(bytes).await.is_ok() {
        wire.finish_writing().await;
    }
    let answers = async { while let Ok(Some(_)) = wire.try_read().await {} };
    within("the end of the answers", answers).await;
}

fn noise(chance: &mut Rng, most: usize) -> Vec<u8> {
    (0..chance.usize(..most)).map(|_| chance.u8(..)).collect()
}

#[tokio::test]
async fn random_bytes_instead_of_a_hello_harm_nobody() {
    let (server, mut chance) = (unhurried(), Rng::with_seed(1));
    for case in 0..cases() {
        // Every other one is at least a frame.
        let bytes = if case % 2 == 0 { noise(&mut chance, 200) } else { frame(&noise(&mut chance, 60)) };
        say(server.connect().await, &bytes).await;
    }
    server.still_serves().await;
}

#[tokio::test]
async fn random_frames_after_the_hello_harm_nobody() {
    let (server, mut chance) = (unhurried(), Rng::with_seed(2));
    for _ in 0..cases() {
        let mut wire = server.connect().await;
        wire.send_hello("noise").await;
        // Few leading numbers mean anything: make those likely.
        let mut body = noise(&mut chance, 40);
        body.splice(..0, [chance.u8(..5), chance.u8(..), chance.u8(..5)]);
        say(wire, &frame(&body)).await;
    }
    server.still_serves().await;
}

#[tokio::test]
async fn honest_messages_in_any_order_and_somewhat_changed_harm_nobody() {
    let (server, mut chance) =
        (TestServer::with(|config| config.max_lobbies_each = usize::MAX), Rng::with_seed(3));
    for case in 0..cases() {
        let mut wire = server.connect().await;
        wire.send_hello("noise").await;
        let mut bytes: Vec<u8> =
            (0..chance.usize(1..12)).flat_map(|_| chance.choice(&*TO_SERVER).unwrap().hex.clone()).collect();
        if case % 2 == 0 {
            mutate(&mut bytes, &mut chance);
        }
        say(wire, &bytes).await;
    }
    server.still_serves().await;
}
