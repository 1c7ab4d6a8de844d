//! The rate limits of each address.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::bucket::{Bucket, TooFast};
use crate::number::saturating;
use crate::server::config::Config;
use crate::wire::limits::{GUESSES_WITHIN, SAID_WITHIN};

/// The largest debt with which requests and new connections are not refused, and the pause of one that is:
/// somebody who shares the address waits no longer. The longer it is, the fewer requests are refused: a client
/// that waits sends nothing meanwhile, and a refusal costs as much work as a request.
pub(in crate::server) const MAX_DEBT: Duration = Duration::from_secs(5);

/// The longest pause where nothing is refused: for pings, and for what is added to the journal. It is so long
/// that all connections of an address together stay below the rate, and shorter than a client waits for a sign
/// of life.
const MAX_PAUSE: Duration = Duration::from_secs(30);

/// The time in which an address may add to the journal at once what it may add in the long run: half an hour,
/// some 28 MiB. That is some 450,000 moves: students' bots that play as fast as they can for minutes.
const JOURNAL_WITHIN: Duration = Duration::from_mins(30);

/// The limits of all addresses.
#[derive(Debug)]
pub(in crate::server) struct RateLimits {
    config: Arc<Config>,
    /// Held for a look-up when somebody connects.
    addresses: Mutex<HashMap<IpAddr, Arc<AddressLimits>>>,
}

/// The limits of one address. All its connections and lobbies share them.
#[derive(Debug)]
pub(in crate::server) struct AddressLimits {
    address: IpAddr,
    /// A permit for each connection that it may have.
    connections: Arc<Semaphore>,
    max_connections: usize,
    /// A permit for each lobby that may be opened from it.
    lobbies: Arc<Semaphore>,
    /// Held for one calculation.
    buckets: Mutex<Buckets>,
}

#[derive(Debug, Clone, Copy)]
struct Buckets {
    connections: Bucket,
    requests: Bucket,
    guesses: Bucket,
    /// Of bytes.
    journal: Bucket,
    chat: Bucket,
}

impl RateLimits {
    pub(in crate::server) fn new(config: &Arc<Config>) -> Self {
        Self { config: Arc::clone(config), addresses: Mutex::default() }
    }

    /// The limits of this address. Before the table of addresses grows, the idle ones are forgotten: those that
    /// have nothing open and owe nothing.
    pub(in crate::server) fn of(&self, address: IpAddr) -> Arc<AddressLimits> {
        let (mut addresses, now) = (self.addresses.lock(), Instant::now());
        if addresses.len() == addresses.capacity() && !addresses.contains_key(&address) {
            addresses.retain(|_, limits| Arc::strong_count(limits) > 1 || !limits.is_untouched(now));
            // Twice as many as are left fit in, so that these are not looked at again soon.
            let left = addresses.len();
            addresses.reserve(left);
        }
        let new = || Arc::new(AddressLimits::new(address, &self.config, now));
        Arc::clone(addresses.entry(address).or_insert_with(new))
    }
}

impl AddressLimits {
    fn new(address: IpAddr, config: &Config, now: Instant) -> Self {
        let permits = |most| Arc::new(Semaphore::new(most));
        let most = |flag: usize| flag.min(Semaphore::MAX_PERMITS);
        let max_connections = most(config.max_connections_each);
        let (second, full) = (Duration::from_secs(1), |size, within| Bucket::full(size, within, now));
        let buckets = Buckets {
            connections: full(config.max_hellos_each, second),
            requests: full(config.max_requests_each, second),
            guesses: full(config.max_guesses, GUESSES_WITHIN),
            journal: full(journal_bytes(config.max_journal_each), JOURNAL_WITHIN),
            chat: full(config.max_lines, SAID_WITHIN),
        };
        Self {
            address,
            connections: permits(max_connections),
            max_connections,
            lobbies: permits(most(config.max_lobbies_each)),
            buckets: Mutex::new(buckets),
        }
    }

    fn is_untouched(&self, now: Instant) -> bool {
        let Buckets { connections, requests, guesses, journal, chat } = *self.buckets.lock();
        [connections, requests, guesses, journal, chat].into_iter().all(|bucket| bucket.is_full(now))
    }

    /// The address itself.
    pub(in crate::server) fn address(&self) -> IpAddr {
        self.address
    }

    /// How many connections it has.
    pub(in crate::server) fn open_connections(&self) -> usize {
        self.max_connections.saturating_sub(self.connections.available_permits())
    }

    /// How much of its requests and of its part of the journal is used up, in percent.
    pub(in crate::server) fn used(&self) -> (u32, u32) {
        let (Buckets { requests, journal, .. }, now) = (*self.buckets.lock(), Instant::now());
        (requests.used(now), journal.used(now))
    }

    /// Charges a new connection. Returns the permit that it holds, and how long to pause reading it.
    pub(in crate::server) fn connect(&self) -> Result<(OwnedSemaphorePermit, Duration), TooFast> {
        let permit = self.carry()?;
        let (mut buckets, now) = (self.buckets.lock(), Instant::now());
        let pause = buckets.connections.debt(now);
        buckets.connections.take(1, MAX_DEBT, now)?;
        Ok((permit, pause))
    }

    /// Returns the permit of a connection that another server has carried here. That one has charged it.
    pub(in crate::server) fn carry(&self) -> Result<OwnedSemaphorePermit, TooFast> {
        Arc::clone(&self.connections).try_acquire_owned().map_err(|_| TooFast)
    }

    /// Returns the permit of a new lobby, unless too many are open.
    pub(in crate::server) fn open_lobby(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.lobbies).try_acquire_owned().ok()
    }

    /// Charges a request that costs as much as `price` moves. Returns how long to pause reading its
    /// connection.
    pub(in crate::server) fn request(&self, price: u32) -> Result<Duration, TooFast> {
        let (mut buckets, now) = (self.buckets.lock(), Instant::now());
        let debt = buckets.requests.take(price, MAX_DEBT, now)?;
        Ok(debt.min(MAX_DEBT).max(buckets.journal.debt(now).min(MAX_PAUSE)))
    }

    /// Charges what is never refused, such as a sign of life, and costs as much as `price` moves. Returns how long to
    /// pause reading its connection.
    pub(in crate::server) fn charge_always(&self, price: u32) -> Duration {
        let (mut buckets, now) = (self.buckets.lock(), Instant::now());
        buckets.requests.spend(price, now);
        buckets.requests.debt(now).min(MAX_PAUSE)
    }

    /// Charges what is added to the journal, in bytes. The next requests are read later if that is too much.
    pub(in crate::server) fn record(&self, bytes: u32, now: Instant) {
        self.buckets.lock().journal.spend(bytes, now);
    }

    /// How long to wait before more is added to the journal.
    pub(in crate::server) fn journal_wait(&self) -> Duration {
        self.buckets.lock().journal.debt(Instant::now()).min(MAX_PAUSE)
    }

    /// Charges a line of chat. Returns `false` if there were too many.
    pub(in crate::server) fn chat(&self, now: Instant) -> bool {
        self.buckets.lock().chat.take(1, Duration::ZERO, now).is_ok()
    }

    /// Whether a guess is checked: of a code, a password, a ticket or the name of a game.
    pub(in crate::server) fn may_guess(&self) -> bool {
        self.buckets.lock().guesses.debt(Instant::now()).is_zero()
    }

    /// Charges a wrong guess.
    pub(in crate::server) fn charge_wrong_guess(&self) {
        self.buckets.lock().guesses.spend(1, Instant::now());
    }
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

/// An address under which connections are counted, as text: a network of IPv6 ends in `/64`.
pub fn address_text(key: IpAddr) -> String {
    let is_network = matches!(key, IpAddr::V6(v6) if is_global(v6));
    format!("{key}{}", if is_network { "/64" } else { "" })
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
        RateLimits::new(&Arc::new(config))
    }

    fn address(number: u16) -> IpAddr {
        let [high, low] = number.to_be_bytes();
        [10, 0, high, low].into()
    }

    #[tokio::test(start_paused = true)]
    async fn beyond_its_requests_an_address_waits_and_beyond_five_seconds_it_is_refused() {
        let limits = limits(|config| config.max_requests_each = 100);
        let [one, other] = [1, 2].map(|number| limits.of(address(number)));
        let waits: Vec<_> = (0..601).map(|_| one.request(1)).collect();
        assert_eq!(waits[98..102], [0, 10, 20, 30].map(|millis| Ok(Duration::from_millis(millis))));
        assert_eq!(waits[599..], [Ok(MAX_DEBT), Err(TooFast)]);
        assert_eq!(other.request(1), Ok(Duration::ZERO), "nobody else waits");
        advance(MAX_DEBT).await;
        assert_eq!(one.request(1), Ok(Duration::from_millis(20)));
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
                Err(TooFast) => advance(MAX_DEBT).await,
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
    async fn wrong_guesses_come_back_in_a_minute() {
        let limits = limits(|config| config.max_guesses = 4).of(address(1));
        for _ in 0..4 {
            assert!(limits.may_guess());
            limits.charge_wrong_guess();
        }
        assert!(!limits.may_guess());
        advance(GUESSES_WITHIN / 4).await;
        assert!(limits.may_guess());
        limits.charge_wrong_guess();
        assert!(!limits.may_guess());
    }

    #[tokio::test(start_paused = true)]
    async fn of_too_many_new_connections_the_next_ones_wait_and_then_they_are_refused() {
        let limits = limits(|config| config.max_hellos_each = 10).of(address(1));
        let waits: Vec<_> = (0..62).map(|_| limits.connect().map(|(_, wait)| wait)).collect();
        assert_eq!(waits[9..12], [0, 100, 200].map(|millis| Ok(Duration::from_millis(millis))));
        assert_eq!(waits[59..61], [Ok(MAX_DEBT), Err(TooFast)]);
        assert!(limits.carry().is_ok(), "another server has charged it");
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_is_forgotten_that_is_not_connected_and_has_done_nothing_for_a_while() {
        let limits = limits(|config| config.max_hellos_each = 1);
        let (connected, debtor) = (limits.of(address(0)), address(u16::MAX));
        for number in 1..5_000 {
            drop(limits.of(address(number)).connect().unwrap());
        }
        let remembered = || limits.addresses.lock().len();
        assert_eq!(remembered(), 5_000, "all of them owe something");
        advance(Duration::from_secs(1)).await;
        limits.of(debtor).record(u32::MAX, Instant::now());
        for number in 5_000..15_000 {
            limits.of(address(number));
        }
        assert!(remembered() < 8_000, "{} are remembered", remembered());
        assert!(Arc::ptr_eq(&connected, &limits.of(address(0))));
        assert!(!limits.of(debtor).journal_wait().is_zero());
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
