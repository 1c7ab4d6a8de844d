//! The kinds of attacks.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use clap::ValueEnum;
use fastrand::Rng;
use nim::game::Game;
use nim::game::any::Variant;
use nim::lobby::{Checksum, Code, Origin, Text};
use nim::wire::{BotWish, GamesWish, HallRequest, LobbyRequest, NewLobby, Secret, Ticket, ToServer, encode};

use super::choice::Lobbies;
use super::player::{self, Player};
use super::raider::Raider;
use super::web;
use crate::load::cutter::{ENTERED, PONG, WELCOME};
use crate::load::guest::{Setting, terms};

/// One kind of attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Means {
    /// Nothing: nobody connects, but one core is kept busy, for comparison
    Nothing,
    /// Hellos sent one byte at a time
    Hellos,
    /// Frames that begin and never end
    Halves,
    /// Connections that close as soon as they open
    Drops,
    /// Connections that say hello and nothing else
    Idle,
    /// Connections that send requests and never read
    Deaf,
    /// Endless requests for the lobby list
    Looks,
    /// Endless pings
    Pings,
    /// Pings at an even pace, from one address nearly three times as many as it may send
    Paced,
    /// Endless chat lines
    Chats,
    /// A line of chat to those who watch a game, by connections that then drop
    Hecklers,
    /// Games of others watched and left, endlessly
    Watches,
    /// Moves as fast as possible, in games that do not end
    Moves,
    /// Lobbies opened and left, endlessly
    Lobbies,
    /// Lobbies with passwords opened and left, endlessly
    Sealed,
    /// Lobbies opened by connections that then drop
    Litter,
    /// Seats in lobbies of their own, held
    Seats,
    /// Seats in games against the bot, held without a move
    Games,
    /// Games against the bot begun by connections that then drop
    Ruins,
    /// Endless requests for hints that take long to compute
    Hints,
    /// Endless requests for a list of records that takes long to find
    Records,
    /// Guessed codes
    Codes,
    /// Guessed passwords
    Passwords,
    /// Guessed tickets
    Tickets,
    /// Web browsers that keep their connections
    Browsers,
    /// Requests of browsers that begin and never end
    HalfRequests,
    /// Requests of browsers sent one byte at a time
    SlowRequests,
    /// Requests of browsers with endless heads
    LongRequests,
    /// Endless requests for the pages of lobbies, with guessed codes
    Paths,
    /// `WebSocket`s that say nothing
    Mute,
    /// Messages of pages that are too long
    LongMessages,
    /// Pages that send messages and never read
    DeafPages,
    /// Messages of pages as fast as possible
    Clicks,
    /// Pages that explore the tree of a game as fast as possible
    Studies,
    /// Walls with all games
    Walls,
    /// Requests of programs over a `WebSocket` as fast as possible
    Programs,
    /// TLS clients
    Tls,
}

/// The pause of a slow sender between two bytes.
const SLOWLY: Duration = Duration::from_millis(500);

/// With this many stones the opening book of Connect Four ends, and the search takes longest.
const HARD_STONES: u32 = 10;

/// The number of different guesses; they repeat.
const GUESSES: usize = 200;

/// The pause of a connection between two requests at an even pace: 250 of them send 11,000 a second.
const EVENLY: Duration = Duration::from_micros(22_700);

/// The start of a TLS handshake record.
const TLS: [u8; 11] = [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03];

impl Means {
    /// Attacks over one connection until it closes or the attack is complete.
    pub(crate) async fn attack(self, raider: &mut Raider, lobbies: &Lobbies) -> io::Result<()> {
        if self.is_web() {
            return self.attack_web(raider).await;
        }
        if !matches!(self, Self::Nothing | Self::Drops | Self::Hellos | Self::Tls) {
            raider.send(&Raider::hello()).await?;
            raider.until(WELCOME).await?;
        }
        if let Some(request) = self.seat() {
            raider.send(&request).await?;
            raider.until(ENTERED).await?;
        }
        let words = self.words(lobbies);
        match self {
            // The caller then drops the connection.
            Self::Nothing | Self::Drops | Self::Litter | Self::Ruins => Ok(()),
            Self::Hellos => raider.send_slowly(&words, SLOWLY).await,
            Self::Deaf => raider.send_for_ever(&words).await,
            Self::Paced => raider.send_evenly(&words, EVENLY).await,
            Self::Hecklers => {
                raider.send(&words).await?;
                raider.until(PONG).await
            }
            Self::Moves => {
                raider.send(&words).await?;
                raider.play(Player::new().ok_or(io::ErrorKind::InvalidData)?).await
            }
            Self::Halves | Self::Idle | Self::Seats | Self::Games | Self::Tls => {
                raider.send(&words).await?;
                raider.hear_out().await
            }
            _ => raider.flood(&words).await,
        }
    }

    /// Whether more attackers come than the server admits.
    pub(crate) fn is_crowd(self) -> bool {
        matches!(self, Self::Drops | Self::Idle | Self::HalfRequests | Self::Mute)
    }

    /// Whether the attackers are browsers.
    fn is_web(self) -> bool {
        self as u8 >= Self::Browsers as u8 && self != Self::Tls
    }

    /// Attacks the web site.
    async fn attack_web(self, raider: &mut Raider) -> io::Result<()> {
        match self {
            Self::SlowRequests => raider.send_slowly(web::GET.as_bytes(), SLOWLY).await,
            Self::LongRequests => {
                raider.send(web::HALF.as_bytes()).await?;
                raider.flood(web::HEADER.as_bytes()).await
            }
            Self::Paths => raider.flood(&web::guessed_paths()).await,
            Self::Browsers | Self::HalfRequests | Self::Mute | Self::LongMessages | Self::Walls => {
                raider.send(&self.web_words()).await?;
                raider.hear_out().await
            }
            _ => {
                raider.send(&self.web_words()).await?;
                let clicks = match self {
                    Self::Studies => web::opened_lines(),
                    Self::Programs => web::questions(),
                    _ => web::dialogs(),
                };
                if self == Self::DeafPages {
                    raider.send_for_ever(&clicks).await
                } else {
                    raider.flood(&clicks).await
                }
            }
        }
    }

    /// What is sent first to the web site.
    fn web_words(self) -> Vec<u8> {
        match self {
            Self::Browsers => web::GET.into(),
            Self::HalfRequests => web::HALF.into(),
            Self::Mute => web::UPGRADE.into(),
            Self::LongMessages => [web::UPGRADE.as_bytes(), &web::message(&"x".repeat(8_000))].concat(),
            Self::Walls => web::page("/wall"),
            Self::Programs => web::program(),
            Self::Studies => web::page("/study/connect-four"),
            _ => web::page("/"),
        }
    }

    /// The request for a seat, if the attack needs one.
    fn seat(self) -> Option<Bytes> {
        match self {
            Self::Chats | Self::Litter | Self::Seats => Some(create(None)),
            Self::Games | Self::Ruins => Some(create_game(None)),
            Self::Hints => Some(create_game(hard_position())),
            _ => None,
        }
    }

    /// The bytes of the attack, sent once or repeatedly.
    fn words(self, lobbies: &Lobbies) -> Vec<u8> {
        let code = &lobbies.locked;
        match self {
            Self::Hellos => Raider::hello().into(),
            Self::Halves => vec![0, 0, 1],
            Self::Deaf | Self::Looks => hall(HallRequest::Look).into(),
            // A request in a game that has begun counts as playing.
            Self::Pings | Self::Paced | Self::Games => encode(&ToServer::Ping(1)).into(),
            Self::Chats => say().into(),
            Self::Hecklers => {
                let code = fastrand::choice(&lobbies.watched).map_or("", String::as_str);
                [watch(code), say(), encode(&ToServer::Ping(1))].concat()
            }
            Self::Watches => lobbies
                .watched
                .iter()
                .flat_map(|code| [watch(code), lobby(LobbyRequest::Leave)])
                .flatten()
                .collect(),
            Self::Moves => encode(&player::seek()).into(),
            Self::Records => {
                let wish = GamesWish { with: Some(Text::cut("nobody")), ..GamesWish::default() };
                hall(HallRequest::Games(wish)).into()
            }
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
            Self::Tls => [&TLS[..], &[0x5e; 512]].concat(),
            _ => Vec::new(),
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

/// Creates a game against the bot that begins at once. With an origin it is a hard position, else a short
/// game.
fn create_game(origin: Option<Origin>) -> Bytes {
    let variant = if origin.is_some() { "connect-four" } else { "take:21:3" };
    let lobby = terms(Setting::untimed(variant), BotWish::AtOnce);
    hall(HallRequest::Create(NewLobby { origin, ..lobby }))
}

/// A random position with few stones in which the opener is to move.
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

fn watch(code: &str) -> Bytes {
    hall(HallRequest::Watch { code: Text::cut(code), password: None })
}

fn say() -> Bytes {
    lobby(LobbyRequest::Say { words: Text::cut("come and buy") })
}

/// Many guesses in a row.
fn guesses(guess: impl Fn(&mut Rng) -> Bytes) -> Vec<u8> {
    let mut chance = Rng::new();
    (0..GUESSES).flat_map(|_| guess(&mut chance)).collect()
}
