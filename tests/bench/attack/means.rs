//! The kinds of attacks.

use std::time::Duration;

use bytes::Bytes;
use clap::ValueEnum;
use fastrand::Rng;
use nim::game::Game;
use nim::game::any::Variant;
use nim::lobby::{Checksum, Code, Origin, Text};
use nim::wire::{BotWish, HallRequest, LobbyRequest, NewLobby, Secret, Ticket, ToServer, encode};

use super::raider::Raider;
use crate::load::cutter::{ENTERED, WELCOME};
use crate::load::guest::{Setting, terms};

/// One kind of attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Means {
    /// Nothing: nobody connects, and a core is kept busy, to compare
    Nothing,
    /// Hellos that come a byte at a time
    Hellos,
    /// Frames that are begun and not ended
    Halves,
    /// Connections that are opened and dropped
    Drops,
    /// Connections that ask and never read
    Deaf,
    /// Looks at the hall without end
    Looks,
    /// Pings without end
    Pings,
    /// Lines of chat without end
    Chats,
    /// Lobbies that are opened and left without end
    Lobbies,
    /// Lobbies with passwords that are opened and left without end
    Sealed,
    /// Lobbies that are opened by connections that are dropped
    Litter,
    /// Seats in lobbies of their own, which are kept
    Seats,
    /// Seats in games against the bot, in which nothing is done
    Games,
    /// Games against the bot that are begun by connections that are dropped
    Ruins,
    /// Hints of which each is hard to think of, without end
    Hints,
    /// Codes that are guessed
    Codes,
    /// Passwords that are guessed
    Passwords,
    /// Tickets that are guessed
    Tickets,
    /// Browsers
    Browsers,
    /// TLS clients
    Tls,
}

/// How long somebody slow waits between two bytes.
const SLOWLY: Duration = Duration::from_millis(500);

/// With this many stones the book of Connect Four has ended, and the search is longest.
const HARD_STONES: u32 = 10;

/// How many different guesses are made, again and again.
const GUESSES: usize = 200;

/// The opening of a TLS client, as far as it matters: a record of a handshake.
const TLS: [u8; 11] = [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03];

impl Means {
    /// Attacks over one connection until it is closed, or nothing is left to do.
    pub(crate) async fn attack(self, raider: &mut Raider, code: &str) -> std::io::Result<()> {
        if !matches!(self, Self::Nothing | Self::Drops | Self::Hellos | Self::Browsers | Self::Tls) {
            raider.send(&Raider::hello()).await?;
            raider.until(WELCOME).await?;
        }
        if let Some(request) = self.seat() {
            raider.send(&request).await?;
            raider.until(ENTERED).await?;
        }
        let words = self.words(code);
        match self {
            // It is dropped as soon as nothing more is done with it.
            Self::Nothing | Self::Drops | Self::Litter | Self::Ruins => Ok(()),
            Self::Hellos => raider.send_slowly(&words, SLOWLY).await,
            Self::Deaf => raider.send_for_ever(&words).await,
            Self::Halves | Self::Seats | Self::Games | Self::Browsers | Self::Tls => {
                raider.send(&words).await?;
                raider.hear_out().await
            }
            _ => raider.flood(&words).await,
        }
    }

    /// The request for a seat, where the attack needs one.
    fn seat(self) -> Option<Bytes> {
        match self {
            Self::Chats | Self::Litter | Self::Seats => Some(create(None)),
            Self::Games | Self::Ruins => Some(create_game(None)),
            Self::Hints => Some(create_game(hard_position())),
            _ => None,
        }
    }

    /// What is said then, once or without end.
    fn words(self, code: &str) -> Vec<u8> {
        match self {
            Self::Hellos => Raider::hello().into(),
            Self::Halves => vec![0, 0, 1],
            Self::Deaf | Self::Looks => hall(HallRequest::Look).into(),
            // A request in a game that has begun counts as playing.
            Self::Pings | Self::Games => encode(&ToServer::Ping(1)).into(),
            Self::Chats => lobby(LobbyRequest::Say { words: Text::cut("come and buy") }).into(),
            Self::Lobbies => [create(None), lobby(LobbyRequest::Leave)].concat(),
            Self::Sealed => [create(Secret::of("open sesame")), lobby(LobbyRequest::Leave)].concat(),
            Self::Hints => lobby(LobbyRequest::Hint).into(),
            Self::Codes => {
                guesses(|chance| join(&Code::from_bits(chance.u16(..), chance.u8(..)).to_string(), None))
            }
            Self::Passwords => guesses(|chance| join(code, Secret::of(&chance.u64(..).to_string()))),
            Self::Tickets => guesses(|chance| {
                let ticket = Ticket::of(chance.u128(..).to_be_bytes());
                hall(HallRequest::Return { code: Text::cut(code), ticket, seen: 0 })
            }),
            Self::Browsers => b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".into(),
            Self::Tls => [&TLS[..], &[0x5e; 512]].concat(),
            Self::Nothing | Self::Drops | Self::Litter | Self::Seats | Self::Ruins => Vec::new(),
        }
    }
}

fn hall(request: HallRequest) -> Bytes {
    encode(&ToServer::Hall { id: 1, request })
}

fn lobby(request: LobbyRequest) -> Bytes {
    encode(&ToServer::Lobby { id: 1, request })
}

fn create(password: Option<Secret>) -> Bytes {
    let lobby = terms(Setting::untimed("take:21:3"), BotWish::PeopleOnly);
    hall(HallRequest::Create(NewLobby { password, ..lobby }))
}

/// A game against the bot that begins at once: a short one, or one in a position in which it takes long to
/// find the best move.
fn create_game(origin: Option<Origin>) -> Bytes {
    let variant = if origin.is_some() { "connect-four" } else { "take:21:3" };
    let lobby = terms(Setting::untimed(variant), BotWish::AtOnce);
    hall(HallRequest::Create(NewLobby { origin, ..lobby }))
}

/// A position with few stones, by chance, in which the one who asks is to move.
fn hard_position() -> Option<Origin> {
    let (mut board, mut chance) = ("connect-four".parse::<Variant>().ok()?.start(), Rng::new());
    for _ in 0..HARD_STONES {
        board = board.play(chance.choice(board.position().moves().collect::<Vec<_>>())?).ok()?;
    }
    board.finish().is_none().then(|| Origin::of(Checksum(0), HARD_STONES, &board))
}

fn join(code: &str, password: Option<Secret>) -> Bytes {
    hall(HallRequest::Join { code: Text::cut(code), password, seat: Ticket::random().hash() })
}

/// Many guesses, one after the other.
fn guesses(guess: impl Fn(&mut Rng) -> Bytes) -> Vec<u8> {
    let mut chance = Rng::new();
    (0..GUESSES).flat_map(|_| guess(&mut chance)).collect()
}
