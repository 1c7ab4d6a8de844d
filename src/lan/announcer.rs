//! A host that lets itself be found: announced by multicast, and answering whoever asks by broadcast. What it says is
//! given to it; it knows no lobby.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::UdpSocket;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::datagram::{self, DISCOVERY_PORT, REQUEST};
use super::multicast::Speaker;
use super::{Card, Reach};

/// How often what is announced may change: every machine on the network hears it.
pub const BETWEEN_ANNOUNCEMENTS: Duration = Duration::from_secs(5);

/// How many requests a second are answered in all: a class that looks at the same time, each machine twice.
const MAX_ANSWERS: u32 = 100;

/// How many of them for one address: several programs of one machine.
const MAX_ANSWERS_EACH: u32 = 5;

/// How long it may take to say goodbye.
const GOODBYE_DEADLINE: Duration = Duration::from_secs(2);

/// How long to wait before hearing is tried again once it has failed.
const PAUSE: Duration = Duration::from_millis(100);

/// A host that is announced, until it is told to stop or dropped.
#[derive(Debug)]
pub struct Announcer {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Announcer {
    /// Lets a host be found within this reach, with the number of its open lobbies as it changes. `None` if the reach is
    /// empty: then nothing is sent and nothing is heard.
    ///
    /// Must be called within a tokio runtime.
    pub fn start(card: Card, open_lobbies: watch::Receiver<u32>, reach: Reach) -> Option<Self> {
        if reach.is_empty() {
            return None;
        }
        let hearing = hearing().inspect_err(|error| {
            tracing::warn!(%error, "port {DISCOVERY_PORT}/udp cannot be had: found by multicast alone");
        });
        let speaker = Speaker::start(&reach);
        let ear = hearing.ok().map(|socket| Ear {
            socket,
            reach,
            gate: Gate::default(),
            open_lobbies: open_lobbies.clone(),
        });
        let stop = CancellationToken::new();
        let task = tokio::spawn(stand(card, open_lobbies, speaker, ear, stop.clone()));
        Some(Self { stop, task })
    }

    /// Begins to say goodbye; [`Self::gone`] waits for it.
    pub fn leave(&self) {
        self.stop.cancel();
    }

    /// Says goodbye, if that is not done yet.
    pub async fn gone(mut self) {
        self.stop.cancel();
        // Whoever is not told finds out.
        let _ = timeout(GOODBYE_DEADLINE, &mut self.task).await;
    }
}

impl Drop for Announcer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The socket at which requests arrive; other servers on this machine may hear them too.
fn hearing() -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
    socket.set_reuse_address(true)?;
    // There the other option alone is not enough for two programs to hear the same broadcast.
    #[cfg(any(target_os = "macos", target_os = "freebsd"))]
    socket.set_reuse_port(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&SocketAddr::from((Ipv4Addr::UNSPECIFIED, DISCOVERY_PORT)).into())?;
    UdpSocket::from_std(socket.into())
}

/// Announces a host and answers for it, until `stop`; then says goodbye.
async fn stand(
    mut card: Card,
    mut open_lobbies: watch::Receiver<u32>,
    mut speaker: Option<Speaker>,
    mut ear: Option<Ear>,
    stop: CancellationToken,
) {
    let mut due = Some(Instant::now());
    let mut last = None::<Instant>;
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            () = until(due) => {
                (due, last) = (None, Some(Instant::now()));
                card.open_lobbies = counted(*open_lobbies.borrow_and_update());
                if let Some(speaker) = &mut speaker {
                    speaker.say(&card);
                }
            }
            // Once the server is gone, so is whoever changes the number.
            Ok(()) = open_lobbies.changed(), if due.is_none() => {
                due = last.map(|last| last + BETWEEN_ANNOUNCEMENTS);
            }
            () = answer_one(ear.as_mut(), &card) => {}
        }
    }
    // Whoever asks now is not told of a host that is going.
    drop(ear);
    if let Some(speaker) = speaker {
        speaker.say_goodbye().await;
    }
}

fn counted(open: u32) -> u16 {
    u16::try_from(open).unwrap_or(u16::MAX)
}

async fn until(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => std::future::pending().await,
    }
}

async fn answer_one(ear: Option<&mut Ear>, card: &Card) {
    match ear {
        Some(ear) => ear.answer_one(card).await,
        None => std::future::pending().await,
    }
}

/// What hears requests.
struct Ear {
    socket: UdpSocket,
    reach: Reach,
    gate: Gate,
    open_lobbies: watch::Receiver<u32>,
}

impl Ear {
    /// Hears one datagram, and answers it if it is a request from somebody near, to them alone.
    async fn answer_one(&mut self, card: &Card) {
        // One byte more, so that what is longer than a request is not taken for one.
        let mut bytes = [0; REQUEST + 1];
        let Ok((length, asker)) = self.socket.recv_from(&mut bytes).await else {
            return tokio::time::sleep(PAUSE).await;
        };
        let Some(nonce) = datagram::read_request(&bytes[..length]) else { return };
        // Whoever is far takes no answer from those who are near.
        if !self.is_near(asker.ip()) || !self.gate.lets(asker.ip(), Instant::now()) {
            return;
        }
        let card = Card { open_lobbies: counted(*self.open_lobbies.borrow()), ..card.clone() };
        // Whoever gets no answer asks again.
        let _ = self.socket.try_send_to(&datagram::answer(nonce, &card), asker);
    }

    fn is_near(&self, asker: IpAddr) -> bool {
        self.reach.networks().iter().any(|network| network.includes(asker))
    }
}

/// How many answers this second still has.
#[derive(Debug, Default)]
struct Gate {
    began: Option<Instant>,
    answered: u32,
    each: HashMap<IpAddr, u32>,
}

impl Gate {
    /// Whether one more is answered, to this address, now.
    fn lets(&mut self, asker: IpAddr, now: Instant) -> bool {
        if self.began.is_none_or(|began| now >= began + Duration::from_secs(1)) {
            *self = Self { began: Some(now), ..Self::default() };
        }
        if self.answered >= MAX_ANSWERS {
            return false;
        }
        let times = self.each.entry(asker).or_default();
        *times += 1;
        let lets = *times <= MAX_ANSWERS_EACH;
        self.answered += u32::from(lets);
        lets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_that_asks_without_end_costs_the_others_nothing() {
        let (mut gate, start) = (Gate::default(), Instant::now());
        let mut let_in =
            |last: u8, millis| gate.lets([192, 168, 1, last].into(), start + Duration::from_millis(millis));
        let flood = (0..1_000).filter(|_| let_in(66, 0)).count();
        assert_eq!(flood, 5);
        assert!(let_in(7, 10));
        let others = (0..=255).filter(|last| let_in(*last, 20)).count();
        assert_eq!(others, 94, "a hundred in all");
        assert!(!let_in(7, 999) && let_in(7, 1_000) && let_in(66, 1_001));
    }
}
