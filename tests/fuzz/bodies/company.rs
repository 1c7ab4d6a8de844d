use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use nim::game::Game;
use nim::lobby::{ClockRule, Code, Hints, Level, Offer, Phase, Text, WhenAway};
use nim::wire::limits::MAX_FRAME;
use nim::wire::{AwayWish, BotWish, HallRequest, LobbyRequest, NewLobby, Secret, Starts, Ticket};

use super::feed::Feed;
use super::guest::{Guest, Kept};
use super::memory_server::{MemoryServer, run, settle};
use super::session::{TOO_DEEP, has, serves};
use crate::storage::memory::Memory;

/// The most connections at a time.
const GUESTS: usize = 5;

/// So much happens at most.
const STEPS: usize = 120;

/// What is played: short games, in which some can be drawn and some go round in circles.
const VARIANTS: [&str; 6] =
    ["take:5:3", "tic-tac-toe", "nim:1-2", "pong-hau-ki", "even-or-odd:5", "nim:2-2-1:misere"];

const NAMES: [&str; 4] = ["anna", "ben", "Anna", "minimax"];

/// How long somebody waits at once, in milliseconds: for a bot, for a stand-in, for a ping, for seats that
/// are given up.
const WAITS: [u64; 8] = [1, 20, 300, 1_100, 5_000, 11_000, 46_000, 901_000];

/// So long a time passes until the pings are answered that have come.
const ATTENTION: u64 = 10_000;

/// Several connections do what the bytes say, and the server restarts now and then. Everybody receives what
/// makes sense, and all who are in a lobby know the same of it.
pub fn body(data: &[u8]) {
    if !has(data, TOO_DEEP) {
        run(live(Feed::of(data)));
    }
}

async fn live(mut feed: Feed<'_>) {
    let mut scenario = Scenario::new(feed.byte());
    for _ in 0..STEPS {
        if feed.is_empty() {
            break;
        }
        scenario.goes_on(&mut feed).await;
        scenario.listens().await;
    }
    scenario.agrees().await;
    serves(&scenario.server).await;
    scenario.server.close().await;
}

struct Scenario {
    server: MemoryServer,
    memory: Memory,
    setting: u8,
    /// How often the server has been started.
    starts: u64,
    guests: [Option<Guest>; GUESTS],
    /// The seats that were somebody's, by the guest's place.
    seats: [Option<Kept>; GUESTS],
    /// Lobbies that somebody was in.
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

    async fn goes_on(&mut self, feed: &mut Feed<'_>) {
        let (deed, place) = (feed.byte(), usize::from(feed.byte()) % GUESTS);
        match deed {
            0..16 => self.waits(feed.choice(&WAITS)).await,
            16..20 => self.starts_anew().await,
            20..26 => self.guests[place] = None,
            _ if self.guests[place].is_none() => self.comes(place, feed).await,
            _ => self.does(deed, place, feed).await,
        }
    }

    async fn comes(&mut self, place: usize, feed: &mut Feed<'_>) {
        // Two of them are at the same machine.
        let last = u8::try_from(place.max(1)).unwrap_or_default();
        let mut guest = Guest::comes_to(&self.server, IpAddr::V4(Ipv4Addr::new(192, 0, 2, last)));
        if !feed.one_in(16) {
            guest.greets(feed.choice(&NAMES)).await;
        }
        self.guests[place] = Some(guest);
    }

    async fn does(&mut self, deed: u8, place: usize, feed: &mut Feed<'_>) {
        let code = self.codes.get(usize::from(feed.byte()) % self.codes.len().max(1)).copied();
        let seat = self.seats[usize::from(feed.byte()) % GUESTS].clone();
        let Some(guest) = &mut self.guests[place] else { return };
        // Most of what is said is said as a whole.
        let but = usize::from(feed.byte()).saturating_sub(240);
        match deed {
            26..60 => guest.asks_hall(wish(feed), but).await,
            60..80 => {
                let code = Text::cut(&code.map_or_else(|| "brave-otter".into(), |code| code.to_string()));
                let password = password(feed);
                let request = if feed.one_in(4) {
                    HallRequest::Watch { code, password }
                } else {
                    HallRequest::Join { code, password, seat: Ticket::of([0; 16]).hash() }
                };
                guest.asks_hall(request, but).await;
            }
            80..100 => {
                if let Some(seat) = seat {
                    guest.returns(&seat, feed.bool()).await;
                }
            }
            100..150 => {
                if let Some(request) = a_move(guest, feed) {
                    guest.asks_lobby(request, but).await;
                }
            }
            150..200 => guest.asks_lobby(request(guest, feed), but).await,
            200..204 => guest.hushes(),
            204..208 => guest.is_mute = !guest.is_mute,
            208..212 => guest.narrows(usize::from(feed.u16())),
            212..235 => {
                // A whole frame with any body.
                let count = usize::from(feed.byte()).min(MAX_FRAME);
                let body = feed.bytes(count);
                let length = u32::try_from(body.len()).unwrap_or_default();
                guest.says(&[&length.to_be_bytes(), body].concat(), but).await;
            }
            _ => {
                let count = usize::from(feed.byte());
                let bytes = feed.bytes(count);
                guest.says(bytes, but).await;
            }
        }
    }

    /// Time passes, and every ping is answered.
    async fn waits(&mut self, millis: u64) {
        // After that time only those are here who come back.
        let step = if millis > 100_000 { millis } else { ATTENTION };
        let mut left = millis;
        while left > 0 {
            let now = left.min(step);
            tokio::time::sleep(Duration::from_millis(now)).await;
            self.listens().await;
            left -= now;
        }
    }

    /// Everybody takes in what there is to be heard.
    async fn listens(&mut self) {
        settle().await;
        for (place, guest) in self.guests.iter_mut().enumerate() {
            let Some(guest) = guest else { continue };
            guest.hears().await;
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

    /// The server stops, and another one goes on with its lobbies.
    async fn starts_anew(&mut self) {
        self.server.close().await;
        self.listens().await;
        self.guests = Default::default();
        self.starts += 1;
        self.server = MemoryServer::open(&self.memory, 7 + self.starts, has_bots(self.setting));
    }

    /// All who are in the same lobby and have heard everything know the same of it.
    async fn agrees(&mut self) {
        for guest in self.guests.iter().flatten() {
            guest.narrows(usize::MAX);
        }
        // What waited for room comes once what stood in its way is heard.
        self.listens().await;
        self.waits(300).await;
        let here: Vec<&Guest> = self.guests.iter().flatten().filter(|guest| guest.is_well()).collect();
        for one in &here {
            for other in &here {
                let (Some(mine), Some(theirs)) = (one.lobby(), other.lobby()) else { continue };
                if mine.code() == theirs.code()
                    && mine.phase() != Phase::Closed
                    && theirs.phase() != Phase::Closed
                {
                    assert_eq!(mine.snapshot(), theirs.snapshot(), "two know different lobbies");
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

/// What somebody would like to do in the hall.
fn wish(feed: &mut Feed<'_>) -> HallRequest {
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
        1 | 2 => LobbyRequest::Again,
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
