//! What a request costs, and how whoever asks for too much is read more slowly, so that everybody else has a turn. It knows no
//! lobby.

use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::task::coop::poll_proceed;

use super::Session;
use crate::server::allowance::{Allowance, Rate};
use crate::wire::{HallRequest, Refusal};

/// For how long nothing is read of whoever asks for more than they may, or is one of too many at their address who come or
/// are refused at once.
pub(in crate::server) const SLOWED: Duration = Duration::from_secs(1);

/// Those who are slowed together are heard again one after the other: in so many steps, and so long after each other.
const STEPS: u32 = 16;
const STEP: Duration = Duration::from_millis(16);

/// How much each request takes of what tokio gives a task until others take their turn, 128, while more of them wait behind it:
/// so whoever asks faster than they are answered gets a few answers, and then everybody else has a turn.
const EACH_TAKES: u32 = 32;

/// All of it: what is dear is answered one at a time.
const TURN: u32 = 128;

/// What it costs to make a list of lobbies, or to open one: as much as so many moves.
const DEAR: u32 = 50;

/// What it costs to open a lobby with a password, which is turned into what can be kept of it: a millisecond.
const DEAREST: u32 = 200;

/// So many requests are not slowed since others at the same address ask much: whoever comes to play is to sit down once they have
/// been let in.
const FIRST: u32 = 3;

/// What a connection may ask, and what it asked last.
#[derive(Debug)]
pub(super) struct Pace {
    requests: Allowance,
    /// How many there were.
    asked: u32,
    /// How many of them were granted.
    granted: u32,
    /// Of what was asked last.
    price: u32,
    /// How much is to be taken of what tokio gives a task before it goes on.
    turns: u32,
}

impl Pace {
    /// That of somebody who has asked for nothing yet.
    pub(super) fn new() -> Self {
        Self { requests: Allowance::whole(), asked: 0, granted: 0, price: 0, turns: 0 }
    }

    /// Whoever asks faster than they are answered is never waited for: so they take turns with the others, and short ones; the
    /// dearer what they asked last, the shorter.
    pub(super) fn take_turns(&mut self, has_more: bool) {
        let price = std::mem::take(&mut self.price);
        self.turns = if has_more { price.saturating_mul(EACH_TAKES).clamp(1, TURN) } else { 1 };
    }

    /// Waits until the others have had theirs.
    pub(super) fn poll_turns(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while self.turns > 0 {
            ready!(poll_proceed(context)).made_progress();
            self.turns -= 1;
        }
        Poll::Ready(())
    }
}

/// How many usual requests cost the server as much as this one.
pub(super) fn price_of(request: &HallRequest) -> u32 {
    match request {
        HallRequest::Create(wish) | HallRequest::Quick(wish) if wish.password.is_some() => DEAREST,
        HallRequest::Look | HallRequest::Create(_) | HallRequest::Quick(_) => DEAR,
        _ => 1,
    }
}

impl Session {
    /// Whether one more request is answered now, which costs as much as so many usual ones.
    pub(super) fn may_ask(&mut self, price: u32) -> Result<(), Refusal> {
        let most = self.app().config.max_requests;
        if self.pay(price) { Ok(()) } else { Err(Refusal::TooFast { most }) }
    }

    /// What was asked last is granted.
    pub(super) fn note_granted(&mut self) {
        self.note_merits(self.pace.granted.saturating_add(1));
    }

    /// So much was granted, or has happened in the lobby to which it came back: so long it makes no room for others.
    pub(super) fn note_merits(&mut self, count: u32) {
        self.pace.granted = self.pace.granted.max(count);
        self.receiver.connected.has_been_granted(
            self.connection(),
            self.pace.granted,
            self.receiver.counted(),
        );
    }

    /// Signs of life are never refused, and whoever sends too many is read more slowly.
    pub(super) fn count_sign(&mut self) {
        self.pay(1);
    }

    /// Takes what a request costs of all that the connection may ask; `false` if nothing of that is left. Whoever asks much, or
    /// for what is dear, takes it also of what their address may ask, and of what all may who ask much, and is read more slowly when nothing of
    /// that is left either.
    fn pay(&mut self, price: u32) -> bool {
        let (now, address) = (self.receiver.counted(), self.connection().address());
        let rate = Rate::new(self.app().config.max_requests, Duration::from_secs(1));
        self.pace.price = price;
        self.pace.asked = self.pace.asked.saturating_add(1);
        let paid = self.pace.requests.take_some(rate, now, price);
        let asks_much = price > 1 || self.pace.requests.is_much_used(rate, now);
        let is_new = self.pace.asked <= FIRST;
        let may_go_on =
            || (is_new || self.app().requests.take_some(address, price)) && self.app().crowd.take_some(price);
        if !paid || asks_much && !may_go_on() {
            self.slow();
        }
        paid
    }

    /// Nothing is read of it for a while.
    pub(super) fn slow(&mut self) {
        self.receiver.hold(SLOWED + STEP * self.receiver.connected.group(STEPS));
    }
}
