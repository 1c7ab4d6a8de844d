//! What each address may still do of something: wrong guesses, hellos, requests, refused ones.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::allowance::{Allowance, Rate};

/// The most addresses of which it is kept; beyond, those are forgotten that have done nothing for a while.
const MAX_KEPT: usize = 4_096;

/// An allowance for each address.
#[derive(Debug)]
pub(super) struct Tally {
    rate: Rate,
    /// The lock is held for a look-up, mostly.
    kept: Mutex<HashMap<IpAddr, Allowance>>,
}

impl Tally {
    /// `most` of each address at once, and as many again within that time.
    pub(super) fn new(most: u32, within: Duration) -> Self {
        Self { rate: Rate::new(most, within), kept: Mutex::default() }
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<IpAddr, Allowance>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this address may not now.
    pub(super) fn is_spent(&self, address: IpAddr) -> bool {
        self.kept().get(&address).is_some_and(|allowance| allowance.is_spent(self.rate, Instant::now()))
    }

    /// Whether nothing of what this address may is used.
    pub(super) fn is_whole(&self, address: IpAddr) -> bool {
        self.kept().get(&address).is_none_or(|allowance| allowance.is_whole(Instant::now()))
    }

    /// Counts one of this address; `false` if that is one too many.
    pub(super) fn take(&self, address: IpAddr) -> bool {
        self.take_some(address, 1)
    }

    /// Counts so many of this address; `false` if there was not one left.
    pub(super) fn take_some(&self, address: IpAddr, count: u32) -> bool {
        let (mut kept, now) = (self.kept(), Instant::now());
        if kept.len() >= MAX_KEPT && !kept.contains_key(&address) {
            kept.retain(|_, allowance| !allowance.is_whole(now));
        }
        kept.entry(address).or_insert_with(Allowance::whole).take_some(self.rate, now, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_one_address_does_costs_no_other() {
        let (tally, [one, other]) =
            (Tally::new(3, Duration::from_secs(3)), [1, 2].map(|last| IpAddr::from([10, 0, 0, last])));
        assert_eq!([(); 5].map(|()| tally.take(one)), [true, true, true, false, false]);
        assert!(tally.is_spent(one) && !tally.is_spent(other) && tally.take(other));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(!tally.is_spent(one) && tally.take(one) && !tally.take(one));
    }

    #[tokio::test(start_paused = true)]
    async fn addresses_that_did_nothing_for_a_while_are_forgotten() {
        let tally = Tally::new(1, Duration::from_secs(1));
        let address = |number: u16| IpAddr::from([10, 0, number.to_be_bytes()[0], number.to_be_bytes()[1]]);
        for number in 0..u16::try_from(MAX_KEPT).unwrap() {
            tally.take(address(number));
        }
        tokio::time::advance(Duration::from_secs(1)).await;
        tally.take(address(u16::MAX));
        assert_eq!(tally.kept().len(), 1);
    }
}
