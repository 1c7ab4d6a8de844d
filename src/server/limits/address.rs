//! The rate limits of each address.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::bucket::{Bucket, Rate};
use crate::server::config::Config;
use crate::wire::limits::GUESSES_WITHIN;

/// The longest pause before a connection is read again. An address that owes more is refused.
pub(in crate::server) const MAX_WAIT: Duration = Duration::from_secs(1);

/// The shortest pause: a timer's resolution is a millisecond, and a smaller debt is paid with the next
/// requests.
const MIN_WAIT: Duration = Duration::from_millis(10);

/// How many other refusals count as much as one wrong guess: 60 guesses a minute are 200 refusals a second.
const REFUSALS_PER_GUESS: u32 = 200;

/// The most addresses whose buckets are kept; beyond, idle ones are dropped: those with full buckets and no
/// connection.
const MAX_KEPT: usize = 4_096;

/// The buckets of all addresses.
#[derive(Debug)]
pub(in crate::server) struct RateLimits {
    /// The buckets of a new address.
    full: Buckets,
    /// Held for a look-up when somebody connects.
    addresses: Mutex<HashMap<IpAddr, Arc<AddressLimits>>>,
}

/// The buckets of one address. All its connections share them.
#[derive(Debug)]
pub(in crate::server) struct AddressLimits {
    /// Held for one calculation.
    buckets: Mutex<Buckets>,
}

#[derive(Debug, Clone, Copy)]
struct Buckets {
    connections: Bucket,
    requests: Bucket,
    refusals: Bucket,
}

/// The address has used up its limit, so the request is refused.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::server) struct TooFast;

impl RateLimits {
    pub(in crate::server) fn new(config: &Config) -> Self {
        let (second, now) = (Duration::from_secs(1), Instant::now());
        let full = |size, within| Bucket::full(Rate::new(size, within), now);
        let full = Buckets {
            connections: full(config.max_hellos_each, second),
            requests: full(config.max_requests_each, second),
            refusals: full(config.max_guesses.saturating_mul(REFUSALS_PER_GUESS), GUESSES_WITHIN),
        };
        Self { full, addresses: Mutex::default() }
    }

    /// The limits of this address.
    pub(in crate::server) fn of(&self, address: IpAddr) -> Arc<AddressLimits> {
        let (mut addresses, now) = (self.addresses.lock(), Instant::now());
        if addresses.len() >= MAX_KEPT && !addresses.contains_key(&address) {
            addresses.retain(|_, limits| Arc::strong_count(limits) > 1 || !limits.is_untouched(now));
        }
        let new = || Arc::new(AddressLimits { buckets: Mutex::new(self.full) });
        Arc::clone(addresses.entry(address).or_insert_with(new))
    }
}

impl AddressLimits {
    fn is_untouched(&self, now: Instant) -> bool {
        let Buckets { connections, requests, refusals } = *self.buckets.lock();
        [connections, requests, refusals].into_iter().all(|bucket| bucket.is_full(now))
    }

    /// Charges a new connection. Returns how long to pause reading it.
    pub(in crate::server) fn connect(&self) -> Result<Duration, TooFast> {
        charge(&mut self.buckets.lock().connections, 1).map(|(before, _)| before)
    }

    /// Charges a request that costs as much as `price` moves. Returns how long to pause reading its
    /// connection.
    pub(in crate::server) fn request(&self, price: u32) -> Result<Duration, TooFast> {
        charge(&mut self.buckets.lock().requests, price).map(|(_, after)| after)
    }

    /// Charges a refusal. Returns how long to pause reading its connection.
    pub(in crate::server) fn refuse(&self) -> Duration {
        let charged = charge(&mut self.buckets.lock().refusals, 1);
        charged.map_or(MAX_WAIT, |(_, after)| after)
    }

    /// Whether a guess is checked: of a code, a password, a ticket or the name of a game.
    pub(in crate::server) fn may_guess(&self) -> bool {
        self.buckets.lock().refusals.wait(REFUSALS_PER_GUESS, Instant::now()).is_zero()
    }

    /// Charges a wrong guess, in addition to its refusal.
    pub(in crate::server) fn charge_wrong_guess(&self) {
        self.buckets.lock().refusals.spend(REFUSALS_PER_GUESS - 1, Instant::now());
    }
}

/// Takes tokens. Returns how long to wait for them, and how long the next request has to wait.
fn charge(bucket: &mut Bucket, count: u32) -> Result<(Duration, Duration), TooFast> {
    let now = Instant::now();
    let before = bucket.wait(1, now);
    if before >= MAX_WAIT {
        return Err(TooFast);
    }
    bucket.spend(count, now);
    let worth_it = |wait: Duration| if wait < MIN_WAIT { Duration::ZERO } else { wait.min(MAX_WAIT) };
    Ok((worth_it(before), worth_it(bucket.wait(1, now))))
}

/// The address under which connections from this one are counted.
///
/// An IPv6 user controls a whole /64, so a global /64 counts as one address (RFC 4291, section 2.5.4). Other
/// addresses count for themselves.
pub(in crate::server) fn address_key(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) if is_global(v6) => Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX)).into(),
        other => other,
    }
}

/// Whether this is an address of the internet, `2000::/3` (RFC 4291, section 2.4).
fn is_global(address: Ipv6Addr) -> bool {
    address.segments()[0] >> 13 == 0b001
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    fn limits(change: impl FnOnce(&mut Config)) -> RateLimits {
        let mut config = Config::default();
        change(&mut config);
        RateLimits::new(&config)
    }

    fn address(number: u16) -> IpAddr {
        let [high, low] = number.to_be_bytes();
        [10, 0, high, low].into()
    }

    #[tokio::test(start_paused = true)]
    async fn beyond_its_requests_an_address_waits_and_beyond_a_second_it_is_refused() {
        let limits = limits(|config| config.max_requests_each = 100);
        let [one, other] = [1, 2].map(|number| limits.of(address(number)));
        let waits: Vec<_> = (0..201).map(|_| one.request(1)).collect();
        assert_eq!(waits[98..102], [0, 10, 20, 30].map(|millis| Ok(Duration::from_millis(millis))));
        assert_eq!(waits[198..], [Ok(MAX_WAIT), Err(TooFast), Err(TooFast)]);
        assert_eq!(other.request(1), Ok(Duration::ZERO), "nobody else waits");
        advance(MAX_WAIT).await;
        assert_eq!(one.request(1), Ok(Duration::from_millis(10)));
    }

    /// Sends requests as fast as allowed for these seconds, and returns how many were answered.
    async fn answered_within(limits: &AddressLimits, price: u32, seconds: u64) -> u64 {
        let (until, mut answered) = (Instant::now() + Duration::from_secs(seconds), 0);
        while Instant::now() < until {
            match limits.request(price) {
                Ok(wait) => {
                    answered += 1;
                    advance(wait).await;
                }
                Err(TooFast) => advance(MAX_WAIT).await,
            }
        }
        answered
    }

    #[tokio::test(start_paused = true)]
    async fn in_the_long_run_an_address_gets_its_rate_and_no_more() {
        for (price, each_second) in [(1, 100), (50, 2), (200, 1)] {
            let limits = limits(|config| config.max_requests_each = 100).of(address(1));
            let answered = answered_within(&limits, price, 60).await;
            let most = 61 * 100 / u64::from(price) + 2;
            assert!((each_second * 29..=most).contains(&answered), "{answered} at a price of {price}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn wrong_guesses_come_back_in_a_minute_and_refusals_in_less() {
        let limits = limits(|config| config.max_guesses = 4).of(address(1));
        for _ in 0..4 {
            assert!(limits.may_guess());
            limits.refuse();
            limits.charge_wrong_guess();
        }
        assert!(!limits.may_guess());
        advance(GUESSES_WITHIN / 4).await;
        assert!(limits.may_guess());
        limits.charge_wrong_guess();
        assert!(!limits.refuse().is_zero(), "other refusals are of the same bucket");
    }

    #[tokio::test(start_paused = true)]
    async fn of_too_many_new_connections_the_next_ones_wait_and_then_they_are_refused() {
        let limits = limits(|config| config.max_hellos_each = 10).of(address(1));
        let waits: Vec<_> = (0..20).map(|_| limits.connect()).collect();
        assert_eq!(waits[9..12], [0, 100, 200].map(|millis| Ok(Duration::from_millis(millis))));
        assert_eq!((&waits[18], &waits[19]), (&Ok(Duration::from_millis(900)), &Err(TooFast)));
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_is_forgotten_that_is_not_connected_and_has_done_nothing_for_a_while() {
        let limits = limits(|config| config.max_hellos_each = 1);
        let connected = limits.of(address(0));
        for number in 0..u16::try_from(MAX_KEPT).unwrap() {
            limits.of(address(number)).connect().unwrap();
        }
        advance(Duration::from_secs(1)).await;
        limits.of(address(u16::MAX));
        assert_eq!(limits.addresses.lock().len(), 2);
        assert!(Arc::ptr_eq(&connected, &limits.of(address(0))));
    }

    #[test]
    fn the_addresses_of_one_network_in_the_internet_count_as_one_and_all_others_for_themselves() {
        for (address, counts_as) in [
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("3fff:ffff::1", "3fff:ffff::"),
            ("fe80::1:2", "fe80::1:2"),
            ("fd00::1:2", "fd00::1:2"),
            ("::1", "::1"),
            ("::ffff:10.0.0.1", "10.0.0.1"),
            ("10.0.0.1", "10.0.0.1"),
        ] {
            let key = address_key(address.parse().unwrap());
            assert_eq!(key, counts_as.parse::<IpAddr>().unwrap(), "{address}");
        }
    }
}
