//! An honest newcomer at the attacked address: takes a seat, leaves and tries again until the bench ends.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nim::wire::{BotWish, HallRequest, LobbyRequest, ToClient};

use crate::load::guest::{Guest, Setting, terms};

/// The pauses between tries, as in the client: each is twice the previous one.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The timeout of one answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// The pause of a newcomer between two seats.
const REST: Duration = Duration::from_millis(100);

/// Takes a seat from this address again and again until `enough`. Returns the wait for each seat in seconds,
/// including an unfinished last wait.
pub(crate) fn come_and_go(
    from: Ipv4Addr,
    server: SocketAddr,
    enough: &Arc<AtomicBool>,
) -> thread::JoinHandle<Vec<f64>> {
    let enough = Arc::clone(enough);
    thread::spawn(move || {
        let mut waits = Vec::new();
        while !enough.load(Ordering::Acquire) {
            waits.push(arrive(from, server, &enough).as_secs_f64());
            thread::sleep(REST);
        }
        waits
    })
}

fn arrive(from: Ipv4Addr, server: SocketAddr, enough: &AtomicBool) -> Duration {
    let (start, mut pause) = (Instant::now(), FIRST_PAUSE);
    while sit(from, server).is_err() && !enough.load(Ordering::Acquire) {
        thread::sleep(pause);
        pause = (2 * pause).min(LONGEST_PAUSE);
    }
    start.elapsed()
}

/// Takes a seat against the bot and asks for a hint.
fn sit(from: Ipv4Addr, server: SocketAddr) -> anyhow::Result<()> {
    let mut guest = Guest::connect_from(from, server)?;
    guest.set_patience(PATIENCE)?;
    guest.say_hello(0)?;
    guest.ask_hall(HallRequest::Create(terms(Setting::untimed("take:3:1"), BotWish::AtOnce)))?;
    guest.until_seated()?;
    guest.ask(LobbyRequest::Hint)?;
    guest.until(|message| matches!(message, ToClient::Hint { .. }).then_some(()))?;
    guest.ask(LobbyRequest::Leave)
}
