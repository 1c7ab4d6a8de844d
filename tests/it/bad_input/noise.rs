//! Random bytes, and valid frames with a few changed bytes, from a fixed seed: thousands of them for one
//! server.

use fastrand::Rng;

use crate::harness::{TestServer, Wire, campaign, frame, mutate, within};
use crate::vectors::TO_SERVER;

/// Sends bytes to the server and reads its answers to the end.
async fn say(mut wire: Wire, bytes: &[u8]) {
    // The server may close before it has read everything.
    if wire.try_send_bytes(bytes).await.is_ok() {
        wire.finish_writing().await;
    }
    let answers = async { while let Ok(Some(_)) = wire.try_read().await {} };
    within("the end of the answers", answers).await;
}

fn noise(chance: &mut Rng, most: usize) -> Vec<u8> {
    (0..chance.usize(..most)).map(|_| chance.u8(..)).collect()
}

/// Random bytes instead of a hello, in half of the cases as a frame.
fn no_hello(case: u64, chance: &mut Rng) -> Vec<u8> {
    if case.is_multiple_of(2) { noise(chance, 200) } else { frame(&noise(chance, 60)) }
}

/// A frame with random bytes. Its first number is mostly a small one, since only these have a meaning.
fn any_frame(_: u64, chance: &mut Rng) -> Vec<u8> {
    let mut body = noise(chance, 40);
    body.splice(..0, [chance.u8(..5), chance.u8(..), chance.u8(..5)]);
    frame(&body)
}

/// Valid messages in random order, in half of the cases with changed bytes.
fn honest_messages(case: u64, chance: &mut Rng) -> Vec<u8> {
    let count = chance.usize(1..12);
    let mut bytes: Vec<u8> =
        (0..count).flat_map(|_| chance.choice(&*TO_SERVER).unwrap().hex.clone()).collect();
    if case.is_multiple_of(2) {
        mutate(&mut bytes, chance);
    }
    bytes
}

#[tokio::test]
async fn random_bytes_frames_and_messages_do_not_disturb_other_clients() {
    let server = TestServer::with(|config| config.max_hellos_each = u32::MAX);
    let mut chance = Rng::with_seed(1);
    for case in 0..campaign::count("NIM_CASES", 100, 2_000) {
        let kinds: [fn(u64, &mut Rng) -> Vec<u8>; 3] = [no_hello, any_frame, honest_messages];
        for (kind, bytes) in kinds.into_iter().enumerate() {
            let mut wire = server.connect().await;
            if kind > 0 {
                wire.send_hello("noise").await;
            }
            say(wire, &bytes(case, &mut chance)).await;
        }
    }
    server.still_serves().await;
}
