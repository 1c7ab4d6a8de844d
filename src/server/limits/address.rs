//! The rate limits of each address.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::bucket::{Bucket, Rate};
use crate::number::saturating;
use crate::server::config::Config;
use crate::wire::limits::{GUESSES_WITHIN, SAID_WITHIN};

/// The longest pause before a request is read. An address that owes more is refused.
pub(in crate::server) const MAX_WAIT: Duration = Duration::from_secs(1);

/// The shortest pause: a timer's resolution is a millisecond, and a smaller debt is paid with the next
/// requests.
const MIN_WAIT: Duration = Duration::from_millis(10);

/// The time in which an address may add to the journal at once what it may add in the long run: half an hour,
/// some 28 MiB. That is some 450,000 moves: students' bots that play as fast as they can for minutes.
const JOURNAL_WITHIN: Duration = Duration::from_mins(30);

/// The longest pause where nothing is refused: for pings, and for what is added to the journal. It is so long
/// that all connections of an address together stay below the rate, and shorter than a client waits for a sign
/// of life.
const MAX_PAUSE: Duration = Duration::from_secs(30);

/// How many other refusals count as much as one wrong guess: 60 guesses a minute are 200 refusals a second.
const REFUSALS_PER_GUESS: u32 = 200;

/// How many addresses are kept before idle ones are dropped: those with full buckets, no connection and no
/// lobby.
const MAX_KEPT: usize = 4_096;

/// The buckets of all addresses.
#[derive(Debug)]
pub(in crate::server) struct RateLimits {
    /// The buckets of a new address.
    full: Buckets,
    /// Held for a look-up when somebody connects.
    addresses: Mutex<Addresses>,
}

#[derive(Debug)]
struct Addresses {
    all: HashMap<IpAddr, Arc<AddressLimits>>,
    /// With how many of them idle ones are dropped next.
    most: usize,
}

/// The buckets of one address. All its connections and lobbies share them.
#[derive(Debug)]
pub(in crate::server) struct AddressLimits {
    address: IpAddr,
    /// Held for one calculation.
    buckets: Mutex<Buckets>,
}

#[derive(Debug, Clone, Copy)]
struct Buckets {
    connections: Bucket,
    requests: Bucket,
    refusals: Bucket,
    /// Of bytes.
    journal: Bucket,
    chat: Bucket,
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
            journal: full(journal_bytes(config.max_journal_each), JOURNAL_WITHIN),
            chat: full(config.max_lines, SAID_WITHIN),
        };
        Self { full, addresses: Mutex::new(Addresses { all: HashMap::new(), most: MAX_KEPT }) }
    }

    /// The limits of this address.
    pub(in crate::server) fn of(&self, address: IpAddr) -> Arc<AddressLimits> {
        let (mut addresses, now) = (self.addresses.lock(), Instant::now());
        if addresses.all.len() >= addresses.most && !addresses.all.contains_key(&address) {
            addresses.all.retain(|_, limits| Arc::strong_count(limits) > 1 || !limits.is_untouched(now));
            // Those that are left are not looked at again for each new one.
            addresses.most = MAX_KEPT.max(2 * addresses.all.len());
        }
        let new = || Arc::new(AddressLimits { address, buckets: Mutex::new(self.full) });
        Arc::clone(addresses.all.entry(address).or_insert_with(new))
    }
}

impl AddressLimits {
    fn is_untouched(&self, now: Instant) -> bool {
        let Buckets { connections, requests, refusals, journal, chat } = *self.buckets.lock();
        [connections, requests, refusals, journal, chat].into_iter().all(|bucket| bucket.is_full(now))
    }

    /// The address itself.
    pub(in crate::server) fn address(&self) -> IpAddr {
        self.address
    }

    /// How much of its requests and of its part of the journal is used up, in percent.
    pub(in crate::server) fn used(&self) -> (u32, u32) {
        let (Buckets { requests, journal, .. }, now) = (*self.buckets.lock(), Instant::now());
        (requests.used(now), journal.used(now))
    }

    /// Charges a new connection. Returns how long to pause reading it.
    pub(in crate::server) fn connect(&self) -> Result<Duration, TooFast> {
        charge(&mut self.buckets.lock().connections, 1, Instant::now()).map(|(before, _)| before)
    }

    /// Charges a request that costs as much as `price` moves. Returns how long to pause reading its
    /// connection.
    pub(in crate::server) fn request(&self, price: u32) -> Result<Duration, TooFast> {
        let (mut buckets, now) = (self.buckets.lock(), Instant::now());
        let (_, after) = charge(&mut buckets.requests, price, now)?;
        Ok(after.max(journal_wait(buckets.journal, now)))
    }

    /// Charges a sign of life, which is never refused. Returns how long to pause reading its connection.
    pub(in crate::server) fn sign_of_life(&self) -> Duration {
        let (mut buckets, now) = (self.buckets.lock(), Instant::now());
        buckets.requests.spend(1, now);
        worth_it(buckets.requests.wait_for_one(now), MAX_PAUSE)
    }

    /// Charges what is added to the journal, in bytes. The next requests are read later if that is too much.
    pub(in crate::server) fn record(&self, bytes: u32, now: Instant) {
        self.buckets.lock().journal.spend(bytes, now);
    }

    /// How long to wait before more is added to the journal.
    pub(in crate::server) fn journal_wait(&self) -> Duration {
        journal_wait(self.buckets.lock().journal, Instant::now())
    }

    /// Charges a line of chat. Returns `false` if there were too many.
    pub(in crate::server) fn chat(&self, now: Instant) -> bool {
        self.buckets.lock().chat.take(now)
    }

    /// Charges a refusal. Returns how long to pause reading its connection.
    pub(in crate::server) fn refuse(&self) -> Duration {
        let charged = charge(&mut self.buckets.lock().refusals, 1, Instant::now());
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
fn charge(bucket: &mut Bucket, count: u32, now: Instant) -> Result<(Duration, Duration), TooFast> {
    let before = bucket.wait_for_one(now);
    if before >= MAX_WAIT {
        return Err(TooFast);
    }
    bucket.spend(count, now);
    Ok((worth_it(before, MAX_WAIT), worth_it(bucket.wait_for_one(now), MAX_WAIT)))
}

/// The pause for this debt, which is still owed where it is too small for a pause.
fn worth_it(wait: Duration, most: Duration) -> Duration {
    if wait < MIN_WAIT { Duration::ZERO } else { wait.min(most) }
}

fn journal_wait(journal: Bucket, now: Instant) -> Duration {
    worth_it(journal.wait_for_one(now), MAX_PAUSE)
}

/// How many bytes an address may add to the journal at once, if it may add this many KiB a second.
fn journal_bytes(each_second: u32) -> u32 {
    saturating(u64::from(each_second) * 1024 * JOURNAL_WITHIN.as_secs())
}

/// The address under which connections from this one are counted.
///
/// An IPv6 user controls a whole /64, so a global /64 counts as one address (RFC 4291, section 2.5.4). Other
/// addresses count for themselves.
pub fn address_key(address: IpAddr) -> IpAddr {
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
        connected.chat(Instant::now());
        limits.of(address(u16::MAX));
        assert_eq!(limits.addresses.lock().all.len(), 2);
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
