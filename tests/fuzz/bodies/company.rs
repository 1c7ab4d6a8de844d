use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use nim::game::Game;
use nim::lobby::{ClockRule, Code, Hints, Level, Offer, Phase, Text, WhenAway};
use nim::wire::limits::MAX_FRAME;
use nim::wire::{AwayWish, BotWish, HallRequest, LobbyRequest, NewLobby, Secret, Starts, Ticket};

use super::feed::Feed;
use super::guest::{Guest, SavedSeat};
use super::memory_server::{MemoryServer, run, settle};
use super::session::{TOO_DEEP, assert_serves, contains};
use crate::storage::memory::Memory;

/// The most connections at a time.
const GUESTS: usize = 5;

/// The most steps of one scenario.
const STEPS: usize = 120;

/// Short games: some can be drawn, and some can repeat positions.
const VARIANTS: [&str; 6] =
    ["take:5:3", "tic-tac-toe", "nim:1-2", "pong-hau-ki", "even-or-odd:5", "nim:2-2-1:misere"];

const NAMES: [&str; 4] = ["anna", "ben", "Anna", "minimax"];

/// The lengths of a wait in milliseconds: until a bot comes, a stand-in moves, a ping is sent, or closed
/// seats expire.
const WAITS: [u64; 8] = [1, 20, 300, 1_100, 5_000, 11_000, 46_000, 901_000];

/// The longest wait, in milliseconds, before the pings that have arrived are answered.
const ATTENTION: u64 = 10_000;

/// Several connections act as the bytes say, and the server restarts now and then. Every message that a
/// client receives is valid, and all clients in a lobby have equal copies of it.
pub fn body(data: &[u8]) {
    if !contains(data, TOO_DEEP) {
        run(live(Feed::of(data)));
    }
}

async fn live(mut feed: Feed<'_>) {
    let mut scenario = Scenario::new(feed.byte());
    for _ in 0..STEPS {
        if feed.is_empty() {
            break;
        }
        scenario.step(&mut feed).await;
        scenario.receive_all().await;
    }
    scenario.assert_agreement().await;
    assert_serves(&scenario.server).await;
    scenario.server.close().await;
}

struct Scenario {
    server: MemoryServer,
    memory: Memory,
    setting: u8,
    /// The number of server starts.
    starts: u64,
    guests: [Option<Guest>; GUESTS],
    /// The last seat of each guest.
    seats: [Option<SavedSeat>; GUESTS],
    /// The lobbies that any guest was in.
    codes: Vec<Code>,
}

impl Scenario {
    fn new(setting: u8) -> Self {
        let memory = Memory::default();
        let server = MemoryServer::open(&memory, 7, has_bots(setting));
        Self {
            server,
            memory,
            setting,
            starts: 1,
            guests: Default::default(),
            seats: Default::default(),
            codes: Vec::new(),
        }
    }

    async fn step(&mut self, feed: &mut Feed<'_>) {
        let (action, place) = (feed.byte(), usize::from(feed.byte()) % GUESTS);
        match action {
            0..16 => self.wait(feed.choice(&WAITS)).await,
            16..20 => self.restart().await,
            20..26 => self.guests[place] = None,
            _ if self.guests[place].is_none() => self.connect(place, feed).await,
            _ => self.act(action, place, feed).await,
        }
    }

    async fn connect(&mut self, place: usize, feed: &mut Feed<'_>) {
        // Two guests share an address.
        let last = u8::try_from(place.max(1)).unwrap_or_default();
        let mut guest = Guest::connect(&self.server, IpAddr::V4(Ipv4Addr::new(192, 0, 2, last)));
        if !feed.one_in(16) {
            guest.greet(feed.choice(&NAMES)).await;
        }
        self.guests[place] = Some(guest);
    }

    async fn act(&mut self, action: u8, place: usize, feed: &mut Feed<'_>) {
        let code = self.codes.get(usize::from(feed.byte()) % self.codes.len().max(1)).copied();
        let seat = self.seats[usize::from(feed.byte()) % GUESTS].clone();
        let Some(guest) = &mut self.guests[place] else { return };
        // Most messages are sent whole.
        let but = usize::from(feed.byte()).saturating_sub(240);
        match action {
            26..60 => guest.ask_hall(hall_request(feed), but).await,
            60..80 => {
                let code = Text::cut(&code.map_or_else(|| "brave-otter".into(), |code| code.to_string()));
                let password = password(feed);
                let request = if feed.one_in(4) {
                    HallRequest::Watch { code, password }
                } else {
                    HallRequest::Join { code, password, seat: Ticket::of([0; 16]).hash() }
                };
                guest.ask_hall(request, but).await;
            }
            80..100 => {
                if let Some(seat) = seat {
                    guest.return_to(&seat, feed.bool()).await;
                }
            }
            100..150 => {
                if let Some(request) = a_move(guest, feed) {
                    guest.ask_lobby(request, but).await;
                }
            }
            150..200 => guest.ask_lobby(request(guest, feed), but).await,
            200..204 => guest.close_write(),
            204..208 => guest.ignores_pings = !guest.ignores_pings,
            208..212 => guest.limit_buffer(usize::from(feed.u16())),
            212..235 => {
                // A complete frame with any body.
                let count = usize::from(feed.byte()).min(MAX_FRAME);
                let body = feed.bytes(count);
                let length = u32::try_from(body.len()).unwrap_or_default();
                guest.send(&[&length.to_be_bytes(), body].concat(), but).await;
            }
            _ => {
                let count = usize::from(feed.byte());
                let bytes = feed.bytes(count);
                guest.send(bytes, but).await;
            }
        }
    }

    /// Time passes, and the guests answer pings.
    async fn wait(&mut self, millis: u64) {
        // Nobody answers pings during a long wait.
        let step = if millis > 100_000 { millis } else { ATTENTION };
        let mut left = millis;
        while left > 0 {
            let now = left.min(step);
            tokio::time::sleep(Duration::from_millis(now)).await;
            self.receive_all().await;
            left -= now;
        }
    }

    /// All guests read what has arrived.
    async fn receive_all(&mut self) {
        settle().await;
        for (place, guest) in self.guests.iter_mut().enumerate() {
            let Some(guest) = guest else { continue };
            guest.receive().await;
            if guest.seat.is_some() {
                self.seats[place].clone_from(&guest.seat);
            }
            if let Some(code) =
                guest.lobby().map(nim::lobby::Lobby::code).filter(|code| !self.codes.contains(code))
            {
                self.codes.push(code);
            }
        }
        settle().await;
    }

    /// The server stops, and a new one loads its lobbies.
    async fn restart(&mut self) {
        self.server.close().await;
        self.receive_all().await;
        self.guests = Default::default();
        self.starts += 1;
        self.server = MemoryServer::open(&self.memory, 7 + self.starts, has_bots(self.setting));
    }

    /// All guests in the same lobby who have received everything have equal copies of it.
    async fn assert_agreement(&mut self) {
        for guest in self.guests.iter().flatten() {
            guest.limit_buffer(usize::MAX);
        }
        // Reading makes room for what the server has queued.
        self.receive_all().await;
        self.wait(300).await;
        let here: Vec<&Guest> = self.guests.iter().flatten().filter(|guest| guest.is_well()).collect();
        for one in &here {
            for other in &here {
                let (Some(mine), Some(theirs)) = (one.lobby(), other.lobby()) else { continue };
                if mine.code() == theirs.code()
                    && mine.phase() != Phase::Closed
                    && theirs.phase() != Phase::Closed
                {
                    assert_eq!(mine.snapshot(), theirs.snapshot(), "two copies of a lobby differ");
                }
            }
        }
    }
}

/// Three scenarios out of four have bots.
fn has_bots(setting: u8) -> bool {
    !setting.is_multiple_of(4)
}

fn password(feed: &mut Feed<'_>) -> Option<Secret> {
    feed.one_in(16).then(|| Secret::of("x")).flatten()
}

/// A random request outside a lobby.
fn hall_request(feed: &mut Feed<'_>) -> HallRequest {
    match feed.byte() % 8 {
        0 => HallRequest::Look,
        1 => HallRequest::Games(nim::wire::GamesWish::default()),
        2 => HallRequest::Quick(terms(feed)),
        _ => HallRequest::Create(terms(feed)),
    }
}

fn terms(feed: &mut Feed<'_>) -> NewLobby {
    let bots = [BotWish::PeopleOnly, BotWish::WhenNobodyComes, BotWish::AtOnce, BotWish::Both];
    NewLobby {
        variant: Text::cut(feed.choice(&VARIANTS)),
        starts: feed.choice(&[Starts::Variant, Starts::Me, Starts::Them]),
        bot: feed.choice(&bots),
        hints: feed.choice(&[Hints::All, Hints::AgainstBots, Hints::Watchers, Hints::Nobody]),
        level: feed.choice(&Level::ALL),
        away: AwayWish {
            then: feed.choice(&[WhenAway::StandIn, WhenAway::Wait, WhenAway::Forfeit]),
            level: None,
            after: u32::from(feed.byte()) * 100,
        },
        clock: match feed.byte() % 8 {
            0 => ClockRule::Move(1_000 + u32::from(feed.byte()) * 50),
            1 => ClockRule::Fischer { base: 2_000, bonus: feed.byte().into() },
            2 => ClockRule::Delay { base: 2_000, delay: feed.byte().into() },
            _ => ClockRule::None,
        },
        best_of: feed.byte() % 4,
        watched: !feed.one_in(4),
        listed: !feed.one_in(4),
        password: password(feed),
        origin: None,
        seat: Ticket::of([0; 16]).hash(),
    }
}

/// A legal move of the side to move.
fn a_move(guest: &Guest, feed: &mut Feed<'_>) -> Option<LobbyRequest> {
    let lobby = guest.lobby()?;
    let position = lobby.board().position();
    let count = position.move_count().clamp(1, 64);
    let mv = position.moves().nth(usize::from(feed.byte()) % usize::try_from(count).ok()?)?;
    Some(LobbyRequest::Play { turn: lobby.turn(), mv })
}

fn request(guest: &Guest, feed: &mut Feed<'_>) -> LobbyRequest {
    let turn = guest.lobby().map_or(0, nim::lobby::Lobby::turn);
    let open = guest.lobby().and_then(nim::lobby::Lobby::offer).map(|open| open.offer);
    match feed.byte() % 16 {
        0 => LobbyRequest::Resign,
        1 => LobbyRequest::Again,
        2 => LobbyRequest::Kick { name: Text::cut(feed.choice(&["anna", "ben", "anna-2", "\u{1b}[2J"])) },
        3 => LobbyRequest::Hint,
        4 => LobbyRequest::Leave,
        5 => LobbyRequest::Wait,
        6 => LobbyRequest::WaitNoMore,
        7 => LobbyRequest::Claim,
        8 | 9 => LobbyRequest::Offer(feed.choice(&Offer::ALL)),
        10 | 11 => {
            let offer = open.unwrap_or(Offer::Draw);
            LobbyRequest::Answer { turn, offer, accept: !feed.one_in(4) }
        }
        12 => LobbyRequest::Resume,
        13 => LobbyRequest::Say { words: Text::cut(feed.choice(&["hello", "\u{1b}[2J", ""])) },
        14 => LobbyRequest::Review { number: feed.byte().into() },
        _ => LobbyRequest::Play { turn, mv: nim::wire::decode(feed.bytes(6)).unwrap_or(NO_MOVE) },
    }
}

const NO_MOVE: nim::game::any::Move = nim::game::any::Move::Nim(nim::game::nim::Take { pile: 9, count: 0 });
