//! Looking for hosts: hears what is announced by multicast and asks by broadcast, for as long as somebody wants to know.

use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::net::{TcpStream, UdpSocket};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};

use super::Reach;
use super::datagram::{self, DISCOVERY_PORT, MAX_ANSWER, Nonce};
use super::multicast::{Heard, Listener};
use super::reach::Network;
use super::roll::{Change, Host, Roll};

/// How long after the first request the next ones follow, so that what is lost is soon made up for; then one each
/// [`BETWEEN_REQUESTS`].
const FIRST_REQUESTS: [Duration; 3] =
    [Duration::from_millis(250), Duration::from_millis(500), Duration::from_secs(1)];

/// How often hosts are asked whether they are still there.
const BETWEEN_REQUESTS: Duration = Duration::from_secs(5);

/// How long a host may take to answer a connection: a second is an age on a local network.
const ROUND_TRIP_DEADLINE: Duration = Duration::from_secs(1);

/// Room for an answer of a later version.
const LONGEST: usize = 4 * MAX_ANSWER;

/// Somebody who looks for hosts. Nothing is sent or heard any more once this is dropped.
pub struct Lookout {
    reach: Reach,
    networks: Vec<Network>,
    socket: UdpSocket,
    announced: Option<Listener>,
    nonce: Nonce,
    asked: usize,
    next_request: Instant,
    roll: Roll,
    news: VecDeque<Change>,
}

impl Lookout {
    /// Begins to look within this reach. Fails as the operating system says.
    ///
    /// Must be called within a tokio runtime.
    pub fn start(reach: Reach) -> io::Result<Self> {
        let socket = std::net::UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        socket.set_nonblocking(true)?;
        socket.set_broadcast(true)?;
        Ok(Self {
            networks: reach.networks(),
            socket: UdpSocket::from_std(socket)?,
            announced: Listener::start(&reach),
            reach,
            nonce: fastrand::u64(..).to_be_bytes(),
            asked: 0,
            next_request: Instant::now(),
            roll: Roll::default(),
            news: VecDeque::new(),
        })
    }

    /// The hosts that are there, as far as is known, in the order in which they were found.
    pub fn hosts(&self) -> impl Iterator<Item = &Host> {
        self.roll.hosts()
    }

    /// The next thing that is new of them. Waits as long as it takes; nothing is lost if the future is dropped before it is
    /// ready.
    pub async fn next(&mut self) -> Change {
        loop {
            if let Some(change) = self.news.pop_front() {
                return change;
            }
            self.look().await;
        }
    }

    /// Looks for so long, and gives the hosts that are there then.
    pub async fn look_around(mut self, time: Duration) -> Vec<Host> {
        // It never ends by itself.
        let _ = timeout(time, async {
            loop {
                self.next().await;
            }
        })
        .await;
        self.roll.hosts().cloned().collect()
    }

    async fn look(&mut self) {
        let mut bytes = [0; LONGEST];
        tokio::select! {
            () = sleep_until(self.next_request) => {
                let now = Instant::now();
                self.news.extend(self.roll.expire(now));
                self.next_request = now + FIRST_REQUESTS.get(self.asked).copied().unwrap_or(BETWEEN_REQUESTS);
                self.asked += 1;
                self.ask().await;
            }
            received = self.socket.recv_from(&mut bytes) => {
                // What could not be received, because a host refused it for instance, is asked for again.
                if let Ok((length, from)) = received {
                    self.note_answer(&bytes[..length], from);
                }
            }
            heard = hear(self.announced.as_ref()) => match heard {
                Some(heard) => self.note_heard(heard),
                None => self.announced = None,
            },
        }
    }

    /// Asks everybody near, and those by themselves who are known already: some networks pass on nothing else.
    async fn ask(&mut self) {
        self.networks = self.reach.networks();
        let everybody = self.networks.iter().filter_map(Network::broadcast).map(IpAddr::V4);
        let known =
            self.roll.hosts().flat_map(|host| &host.addresses).map(SocketAddr::ip).filter(IpAddr::is_ipv4);
        let request = datagram::request(self.nonce);
        for ip in everybody.chain(known) {
            // A network that is down now may be up the next time.
            let _ = self.socket.send_to(&request, (ip, DISCOVERY_PORT)).await;
        }
    }

    fn is_near(&self, ip: IpAddr) -> bool {
        self.networks.iter().any(|network| network.includes(ip))
    }

    fn note_answer(&mut self, bytes: &[u8], from: SocketAddr) {
        let Some((nonce, card)) = datagram::read_answer(bytes) else { return };
        if nonce == self.nonce && self.is_near(from.ip()) {
            let address = SocketAddr::new(from.ip(), card.port);
            self.news.extend(self.roll.note_answer(card, address, Instant::now()));
        }
    }

    fn note_heard(&mut self, heard: Heard) {
        self.news.extend(match heard {
            Heard::Host(card, mut addresses, name) => {
                addresses.retain(|address| self.is_near(address.ip()));
                self.roll.note_announcement(card, &addresses, name)
            }
            Heard::Goodbye(name) => self.roll.note_goodbye(&name),
        });
    }
}

/// What is announced next; waits for ever where nothing can be heard.
async fn hear(announced: Option<&Listener>) -> Option<Heard> {
    match announced {
        Some(listener) => listener.next().await,
        None => std::future::pending().await,
    }
}

/// How near each of these hosts is: the address that answered first, and how long it took to connect. `None` for one that
/// takes no connection, perhaps because its firewall lets nobody in.
pub async fn round_trips(hosts: &[Host]) -> Vec<Option<(SocketAddr, Duration)>> {
    let mut trips = JoinSet::new();
    for (number, host) in hosts.iter().enumerate() {
        let addresses = host.addresses.clone();
        trips.spawn(async move { (number, nearest(addresses).await) });
    }
    let mut found = vec![None; hosts.len()];
    while let Some(trip) = trips.join_next().await {
        if let Ok((number, trip)) = trip {
            found[number] = trip;
        }
    }
    found
}

async fn nearest(addresses: Vec<SocketAddr>) -> Option<(SocketAddr, Duration)> {
    let mut trips = JoinSet::new();
    for address in addresses {
        trips.spawn(async move { Some((address, round_trip(address).await?)) });
    }
    while let Some(trip) = trips.join_next().await {
        if let Ok(Some(trip)) = trip {
            return Some(trip);
        }
    }
    None
}

/// How long it takes to connect there, which is one round trip.
async fn round_trip(address: SocketAddr) -> Option<Duration> {
    let start = Instant::now();
    let connected = timeout(ROUND_TRIP_DEADLINE, TcpStream::connect(address)).await;
    connected.ok()?.ok().map(|_| start.elapsed())
}
