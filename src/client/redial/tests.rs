//! Tests: when which address is tried.

use std::collections::HashMap;
use std::sync::Mutex;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::time::Instant;

use super::*;
use crate::client::dial::{Dialing, Stream};
use crate::lobby::Text;
use crate::wire::{ToClient, VERSION, encode};

/// What is at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Host {
    /// A server that welcomes everybody.
    Works,
    /// Nothing listens there.
    Refuses,
    /// A machine that does not answer.
    Dead,
    /// Something that accepts connections and says nothing.
    Mute,
    /// A server that takes nobody of this version.
    OfAnotherVersion,
}

/// A network with these hosts, and the attempts to connect.
#[derive(Debug, Default)]
struct FakeNetwork {
    hosts: HashMap<String, Host>,
    dialed: Mutex<Vec<(String, Instant)>>,
    /// The far ends of connections to which nobody says anything.
    mute: Mutex<Vec<DuplexStream>>,
}

impl FakeNetwork {
    fn with(hosts: &[(&str, Host)]) -> Arc<Self> {
        let hosts = hosts.iter().map(|(name, host)| ((*name).to_owned(), *host)).collect();
        Arc::new(Self { hosts, ..Self::default() })
    }

    /// The names of the hosts that were dialed, in order.
    fn names(&self) -> Vec<String> {
        self.dialed.lock().unwrap().iter().map(|(name, _)| name.clone()).collect()
    }

    /// The times of the attempts, from the first one on.
    fn times(&self, from: Instant) -> Vec<Duration> {
        self.dialed.lock().unwrap().iter().map(|(_, at)| *at - from).collect()
    }
}

impl Dial for FakeNetwork {
    fn dial<'a>(&'a self, address: &'a Address, port: u16) -> Dialing<'a> {
        Box::pin(async move {
            self.dialed.lock().unwrap().push((address.host.clone(), Instant::now()));
            let (near, mut far) = tokio::io::duplex(4_096);
            let answer = match self.hosts[&address.host] {
                Host::Dead => std::future::pending().await,
                Host::Refuses => {
                    let why = "nothing listens there".into();
                    return Err(Failure::Unreachable { address: address.clone(), port, why });
                }
                Host::Mute => {
                    self.mute.lock().unwrap().push(far);
                    return Ok(Box::new(near) as Box<dyn Stream>);
                }
                Host::Works => ToClient::Welcome {
                    version: VERSION,
                    name: Name::clean("anna").unwrap(),
                    server: Text::cut("a server"),
                    ping_after: 1_000,
                    gone_after: 2_000,
                },
                Host::OfAnotherVersion => {
                    ToClient::Unwelcome(HelloRefusal::Version { yours: 1.into(), ours: 2.into() })
                }
            };
            far.write_all(&encode(&answer)).await.unwrap();
            tokio::spawn(async move { far.read_to_end(&mut Vec::new()).await });
            Ok(Box::new(near) as Box<dyn Stream>)
        })
    }
}

fn endpoint(network: &Arc<FakeNetwork>, address: &str, others: &[&str]) -> Endpoint {
    Endpoint {
        address: address.parse().unwrap(),
        others: others.iter().map(|other| other.parse().unwrap()).collect(),
        default_port: 7_646,
        name: Name::clean("anna").unwrap(),
        kind: ClientKind::Person,
        patience: DEFAULT_PATIENCE,
        network: Arc::clone(network) as Arc<dyn Dial>,
    }
}

/// Dials again. Returns the address that was reached, and after how long.
async fn again(there: &Endpoint, last: &str, cause: Cause) -> (Result<String, Failure>, Duration) {
    let (began, last) = (Instant::now(), last.parse().unwrap());
    let reached = Reconnect::begin(there, &last, cause, there.patience, None).done().await;
    (reached.map(|reached| reached.address.to_string()), began.elapsed())
}

#[test]
fn each_pause_is_twice_the_one_before_up_to_five_seconds() {
    let first: Vec<u128> = pauses(FIRST, LONGEST).take(8).map(|pause| pause.as_millis()).collect();
    assert_eq!(first, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
}

#[test]
fn nobody_waits_longer_than_the_pause_or_shorter_than_half_of_it() {
    for _ in 0..1_000 {
        let waits = spread(LONGEST);
        assert!((LONGEST / 2..=LONGEST).contains(&waits), "{waits:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_move_all_addresses_are_tried_at_once_and_the_last_one_first() {
    let network = FakeNetwork::with(&[("a", Host::Refuses), ("b", Host::Works), ("c", Host::Refuses)]);
    let (reached, took) = again(&endpoint(&network, "a", &["b", "c"]), "c", Cause::Moved { before: 0 }).await;
    assert_eq!(reached.unwrap(), "b");
    assert!(took <= Duration::from_millis(2), "{took:?}");
    assert_eq!(network.names()[0], "c");
}

#[test]
fn a_client_that_is_sent_to_and_fro_waits_longer_each_time() {
    let first = |before| Cause::Moved { before }.pauses(LONGEST).next().unwrap().as_millis();
    assert_eq!([0, 1, 2, 3, 7, 1_000].map(first), [0, 100, 200, 400, 5_000, 5_000]);
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_is_tried_last() {
    let network = FakeNetwork::with(&[("a", Host::Works), ("b", Host::Works)]);
    let there = endpoint(&network, "a", &["b"]);
    assert_eq!(again(&there, "a", Cause::Silent).await.0.unwrap(), "b");
    assert_eq!(again(&there, "a", Cause::Closed).await.0.unwrap(), "a");
}

#[tokio::test(start_paused = true)]
async fn a_dead_address_costs_a_second_and_so_does_one_that_accepts_and_says_nothing() {
    for host in [Host::Dead, Host::Mute] {
        let network = FakeNetwork::with(&[("a", host), ("b", Host::Works)]);
        let (reached, took) = again(&endpoint(&network, "a", &["b"]), "a", Cause::Closed).await;
        assert_eq!(reached.unwrap(), "b", "{host:?}");
        assert!(took <= ATTEMPT + FIRST + Duration::from_millis(2), "{host:?}: {took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn pauses_come_between_the_rounds_over_all_addresses() {
    let network = FakeNetwork::with(&[("a", Host::Refuses), ("b", Host::Refuses)]);
    let there = Endpoint { patience: Duration::from_mins(2), ..endpoint(&network, "a", &["b"]) };
    let began = Instant::now();
    let (reached, took) = again(&there, "a", Cause::Closed).await;
    assert!(matches!(reached, Err(Failure::GaveUp(time)) if time == there.patience && took == time));
    let rounds: Vec<Duration> = network.times(began).chunks(2).map(|round| round[0]).collect();
    assert!(network.times(began).chunks(2).all(|round| round.iter().all(|time| *time == round[0])));
    assert!(rounds[0] <= FIRST + Duration::from_millis(1), "{rounds:?}");
    assert!(rounds[rounds.len() - 1] >= rounds[rounds.len() - 2] + LONGEST / 2, "{rounds:?}");
    assert_eq!(network.names()[..4], ["a", "b", "a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn the_only_address_has_pauses_and_no_shorter_deadline() {
    let network = FakeNetwork::with(&[("a", Host::Refuses)]);
    let began = Instant::now();
    let there = Endpoint { patience: Duration::from_mins(2), ..endpoint(&network, "a", &[]) };
    assert!(again(&there, "a", Cause::Closed).await.0.is_err());
    let times = network.times(began);
    assert!(times[0] >= FIRST / 2 && times[1] >= times[0] + FIRST, "{times:?}");
    let network = FakeNetwork::with(&[("a", Host::Dead)]);
    assert!(again(&endpoint(&network, "a", &[]), "a", Cause::Closed).await.0.is_err());
    assert_eq!(network.names(), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn after_a_refusal_the_others_are_tried_soon_and_after_many_the_pauses_are_long() {
    let network = FakeNetwork::with(&[("a", Host::Works), ("b", Host::Works)]);
    let there = endpoint(&network, "a", &["b"]);
    let (reached, took) = again(&there, "a", Cause::Refused { rounds: 0 }).await;
    assert!(reached.unwrap() == "b" && took <= FIRST + Duration::from_millis(1), "{took:?}");
    for (rounds, most) in [(1, FIRST * 2), (3, FIRST * 8), (9, LONGEST), (u32::MAX, LONGEST)] {
        let (_, took) = again(&there, "a", Cause::Refused { rounds }).await;
        assert!(took >= most / 2 && took <= most + Duration::from_millis(1), "{rounds}: {took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_of_another_version_ends_the_attempts() {
    let network = FakeNetwork::with(&[("a", Host::OfAnotherVersion), ("b", Host::Works)]);
    let there = endpoint(&network, "a", &["b"]);
    let (reached, _) = again(&there, "a", Cause::Closed).await;
    assert!(matches!(reached, Err(Failure::Unwelcome(HelloRefusal::Version { .. }))));
    assert!(there.connect().await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_single_round_ends_with_the_word_that_led_to_it() {
    let network = FakeNetwork::with(&[("a", Host::Refuses)]);
    let there = endpoint(&network, "a", &[]);
    let reached =
        Reconnect::begin_once(&there, &there.address, Cause::Moved { before: 0 }, None).done().await;
    assert!(reached.is_err_and(|failure| failure.is_move()));
    assert_eq!(network.names(), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn a_first_connection_is_made_at_another_address_if_the_own_one_is_dead() {
    let network = FakeNetwork::with(&[("a", Host::Dead), ("b", Host::Refuses), ("c", Host::Works)]);
    let began = Instant::now();
    endpoint(&network, "a", &["b", "c"]).connect().await.unwrap();
    assert_eq!((network.names(), began.elapsed()), (["a", "b", "c"].map(String::from).to_vec(), ATTEMPT));
    let network = FakeNetwork::with(&[("a", Host::Refuses), ("b", Host::Refuses)]);
    let failure = endpoint(&network, "a", &["b"]).connect().await.unwrap_err();
    assert!(matches!(failure, Failure::Unreachable { address, .. } if address.host == "a"));
}

#[test]
fn texts_that_are_no_addresses_are_ignored_and_none_is_doubled() {
    let mut there = endpoint(&FakeNetwork::with(&[]), "games.example", &["old:1"]);
    let told = ["Games.Example:7646", "10.0.0.1:7646", "", "a b", "c:0", "10.0.0.1", "[::1]:80", "d/e:1"];
    there.set_others(told.into_iter());
    let others: Vec<String> = there.others.iter().map(ToString::to_string).collect();
    assert_eq!(others, ["10.0.0.1:7646", "[::1]:80"]);
    there.set_others(std::iter::empty());
    assert_eq!(there.others, []);
}

#[test]
fn the_clients_of_a_lost_server_go_to_different_ones() {
    let there = endpoint(&FakeNetwork::with(&[]), "a", &["b", "c", "d"]);
    let seconds: std::collections::HashSet<String> =
        (0..200).map(|_| there.route(&there.address, Cause::Closed)[1].host.clone()).collect();
    assert_eq!(seconds.len(), 3);
}
