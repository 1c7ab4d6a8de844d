//! What the players of one lobby were told, and when: who asks for the lobby after somebody was told of an event is told of
//! it too.

use std::sync::Arc;
use std::time::Duration;

use nim::client::Address;
use nim::client::dial::{Dial, Dialing, Tcp};
use parking_lot::Mutex;
use tokio::time::Instant;

/// When somebody was told of the lobby's last event at that time, and which that was; both grow.
#[derive(Debug, Default)]
pub(crate) struct Views(Vec<(Instant, u32)>);

impl Views {
    /// Notes that somebody was told by then that this event is the last one.
    pub(crate) fn note(&mut self, at: Instant, last: u32) {
        if last > self.0.last().map_or(0, |(_, before)| *before) {
            self.0.push((at, last));
        }
    }

    /// The last event that anybody had been told of before then.
    pub(crate) fn last_before(&self, then: Instant) -> u32 {
        let earlier = self.0.partition_point(|(at, _)| *at < then);
        earlier.checked_sub(1).map_or(0, |place| self.0[place].1)
    }
}

/// The operating system's network, and when a player began to use it last: what is sent over a connection is sent later.
#[derive(Debug, Clone, Default)]
pub(crate) struct NotedTcp(Arc<Mutex<Option<Instant>>>);

impl NotedTcp {
    /// When the last connection was begun.
    pub(crate) fn begun(&self) -> Option<Instant> {
        *self.0.lock()
    }
}

impl Dial for NotedTcp {
    fn dial<'a>(&'a self, address: &'a Address, default_port: u16) -> Dialing<'a> {
        *self.0.lock() = Some(Instant::now());
        Tcp.dial(address, default_port)
    }
}

#[test]
fn who_asks_for_a_lobby_is_to_be_told_of_what_others_were_told_of_before() {
    let (start, mut views) = (Instant::now(), Views::default());
    let after = |seconds| start + Duration::from_secs(seconds);
    for (seconds, last) in [(10, 3), (20, 4), (30, 2), (40, 6)] {
        views.note(after(seconds), last);
    }
    let last_before = [5, 10, 11, 25, 35, 41].map(|seconds| views.last_before(after(seconds)));
    assert_eq!(last_before, [0, 0, 3, 4, 4, 6]);
}
