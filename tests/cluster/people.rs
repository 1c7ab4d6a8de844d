//! Players who play games without end, and note what they are told and when.

use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use nim::client::session::{SessionEvent, SessionInput};
use nim::client::{Action, Address, Endpoint, Failure, Model, Session, Terms};
use nim::game::Game;
use nim::lobby::{ClockRule, Code, Name, Phase};
use nim::wire::{BotWish, ClientKind, ToClient};
use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::programs::Cluster;
use crate::record::compare_with_record;
use crate::told::{Shared, Told};
use crate::views::NotedTcp;
use crate::witness::Witness;

/// How long a player waits before a move, on average. With many games that is longer, so that this machine has time for what
/// is tested.
fn pace(games: usize) -> Duration {
    Duration::from_millis(number_from("NIM_PACE").unwrap_or(if games < 100 { 400 } else { 2_000 }))
}

/// The number in this variable of the environment.
pub(crate) fn number_from<T: FromStr>(variable: &str) -> Option<T> {
    std::env::var(variable).ok().and_then(|text| text.parse().ok())
}

/// How long a client tries to come back. In the tests nobody may need as long.
const PATIENCE: Duration = Duration::from_mins(2);

/// A client tells nobody of a loss that lasts less than a second; this is less, since the test notes it a little later.
const UNREAD: Duration = Duration::from_millis(900);

/// How long before a fault a diary of it begins.
const DIARY_BEFORE: Duration = Duration::from_secs(10);

/// How many games somebody watches at a node: some of them are at each of three nodes.
const MAX_WITNESSES: usize = 12;

/// All players of a test.
#[derive(Debug)]
pub(crate) struct People {
    tasks: JoinSet<()>,
    /// How long a player thinks at most.
    pub(crate) thinking: Duration,
    is_over: Arc<AtomicBool>,
    /// The players of each game.
    pub(crate) games: Vec<[Arc<Mutex<Told>>; 2]>,
    /// What those were told who only watched.
    watched: Vec<Arc<Mutex<Told>>>,
}

impl People {
    /// Two players for each game, who are connected to different nodes. Returns once all games are being played.
    pub(crate) async fn play(addresses: &[std::net::SocketAddr], games: usize, clock: ClockRule) -> Self {
        let (tasks, thinking) = (JoinSet::new(), pace(games).mul_f64(1.5));
        let (games_of, watched) = (Vec::new(), Vec::new());
        let mut people = Self { tasks, thinking, is_over: Arc::default(), games: games_of, watched };
        for game in 0..games {
            let shared = Shared::default();
            let told = [0, 1]
                .map(|number| Arc::new(Mutex::new(Told::new(format!("g{game}-{number}"), shared.clone()))));
            let (opened, code) = oneshot::channel();
            let address = |place: usize| addresses[place % addresses.len()].to_string();
            let player = |number: usize, told: &Arc<Mutex<Told>>| Player {
                name: told.lock().name.clone(),
                address: address(game + number),
                network: NotedTcp::default(),
                told: Arc::clone(told),
                pace: pace(games),
                is_over: Arc::clone(&people.is_over),
            };
            let [one, other] = [player(0, &told[0]), player(1, &told[1])];
            people.tasks.spawn(one.open(clock, opened));
            people.tasks.spawn(other.join(code));
            people.games.push(told);
        }
        people.until_all_have_moved(Duration::from_mins(2)).await;
        people
    }

    /// Somebody watches each of some games by way of the node at this address. What they are told is checked in the end.
    pub(crate) async fn witnesses(&mut self, address: std::net::SocketAddr) -> Vec<Witness> {
        let games = self.games.iter().take(MAX_WITNESSES);
        let witnesses = join_all(games.map(|[player, _]| Witness::of(player, address))).await;
        self.watched.extend(witnesses.iter().map(|witness| Arc::clone(&witness.told)));
        witnesses
    }

    /// Waits until every player was told of something new.
    pub(crate) async fn until_all_have_moved(&mut self, within: Duration) {
        let before = self.seen();
        let deadline = Instant::now() + within;
        loop {
            let is_behind = |(told, before): &(&Arc<Mutex<Told>>, &u32)| told.lock().seen < **before + 2;
            let behind: Vec<_> =
                self.all().zip(&before).filter(is_behind).map(|(told, _)| told.lock()).collect();
            if behind.is_empty() {
                return;
            }
            assert!(Instant::now() < deadline, "these were told of nothing within {within:?}: {behind:#?}");
            drop(behind);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until every player is connected to the node that has the lobby, but not for long: the way to one may fail.
    pub(crate) async fn until_all_are_near(&self) {
        let deadline = Instant::now() + Duration::from_secs(8);
        while self.all().any(|told| told.lock().is_far) && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// For how long players were out of their games to go to the nodes with their lobbies, since this was last asked.
    pub(crate) fn take_goings(&self) -> Vec<Duration> {
        self.all().flat_map(|told| std::mem::take(&mut told.lock().goings)).collect()
    }

    /// Waits until every player was told that nothing can be recorded.
    pub(crate) async fn until_all_are_halted(&self, within: Duration) {
        let deadline = Instant::now() + within;
        while !self.all().all(|told| told.lock().is_halted) {
            assert!(Instant::now() < deadline, "some were not told within {within:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The numbers of the last events that the players have seen.
    pub(crate) fn seen(&self) -> Vec<u32> {
        self.all().map(|told| told.lock().seen).collect()
    }

    fn all(&self) -> impl Iterator<Item = &Arc<Mutex<Told>>> {
        self.games.iter().flatten()
    }

    /// For each game how long its players waited at most, since `since`, for a move or to be back, from when one of them was
    /// ready to move; and its code. The shortest first. Nobody waits for a player who thinks.
    pub(crate) fn waits(&self, since: Instant) -> Vec<(Duration, Option<Code>)> {
        self.by_length(|told| Some(told.longest_wait(since)))
    }

    /// For each game with a player who was out of it since then, how long one was out at most; and its code. The shortest first.
    pub(crate) fn gaps(&self, since: Instant) -> Vec<(Duration, Option<Code>)> {
        self.by_length(|told| told.longest_outage(since))
    }

    /// For each game with a player who was out of it since then, how long after that all were back; and its code. The
    /// shortest first.
    pub(crate) fn outages(&self, since: Instant) -> Vec<(Duration, Option<Code>)> {
        self.by_length(|told| told.back_after(since))
    }

    /// When the last player was back. All were out of their games at that time.
    pub(crate) fn back_from(&self, at: Instant) -> Instant {
        let back = |told: &Arc<Mutex<Told>>| {
            let told = told.lock();
            told.back_from(at).unwrap_or_else(|| panic!("{told:?} was not told that the game goes on"))
        };
        self.all().map(back).max().expect("somebody plays")
    }

    /// How long players waited at most, since then, in the games that nobody was out of.
    pub(crate) fn waits_in_other_games(&self, since: Instant) -> Duration {
        let nobody_was_out = |game: &&[Arc<Mutex<Told>>; 2]| {
            game.iter().all(|told| told.lock().longest_outage(since).is_none())
        };
        let players = self.games.iter().filter(nobody_was_out).flatten();
        players.map(|told| told.lock().longest_wait(since)).max().unwrap_or_default()
    }

    fn by_length(&self, of: impl Fn(&Told) -> Option<Duration>) -> Vec<(Duration, Option<Code>)> {
        let longest = |players: &[Arc<Mutex<Told>>; 2]| {
            let longest = players.iter().filter_map(|told| of(&told.lock())).max()?;
            Some((longest, players[0].lock().code))
        };
        let mut all: Vec<_> = self.games.iter().filter_map(longest).collect();
        all.sort_unstable_by_key(|(length, _)| *length);
        all
    }

    /// What became of the connections of this game's players since then, and in the seconds before, for a person who looks
    /// for the reason of a long gap.
    pub(crate) fn diary(&self, code: Code, since: Instant) -> String {
        let players = self.all().map(|told| told.lock()).filter(|told| told.code == Some(code));
        let lines = players.flat_map(|told| {
            let lines = told.diary.iter().filter(|(at, _)| *at + DIARY_BEFORE > since);
            let line = |(at, line): &(Instant, String)| {
                let (after, before) = (at.duration_since(since), since.duration_since(*at));
                let sign = if before.is_zero() { "" } else { "-" };
                format!("  {sign}{:.2?} {}: {line}\n", after.max(before), told.name)
            };
            lines.map(line).collect::<Vec<_>>()
        });
        lines.collect()
    }

    /// What people would have read of connections in the games that nobody was out of for [`UNREAD`] since then.
    pub(crate) fn read(&self, since: Instant) -> Vec<String> {
        let is_brief =
            |told: &Arc<Mutex<Told>>| told.lock().longest_outage(since).is_none_or(|time| time < UNREAD);
        let brief = self.games.iter().filter(|players| players.iter().all(is_brief));
        brief.flatten().flat_map(|told| told.lock().read.clone()).collect()
    }

    /// How often lobbies moved while tunnels led to them, for each player who was told so.
    pub(crate) fn moved(&self) -> usize {
        self.all().map(|told| told.lock().moved).sum()
    }

    /// How many games ended since somebody's time ran out, for each player who was told so.
    pub(crate) fn out_of_time(&self) -> usize {
        self.all().map(|told| told.lock().out_of_time).sum()
    }

    /// Ends all games, and checks what was told: no event is missing, doubled or out of order in anybody's view, nobody came
    /// to less than anybody had been told of before, no number was told in two versions, and etcd has every event that was
    /// told. All is healed by now: each slot gets one owner.
    pub(crate) async fn end(mut self, cluster: &Cluster) {
        self.is_over.store(true, Ordering::Relaxed);
        while self.tasks.join_next().await.is_some() {}
        cluster.until_settled().await;
        for players in &self.games {
            let [one, other] = [players[0].lock(), players[1].lock()];
            assert_eq!((&one.wrong, &other.wrong), (&Vec::new(), &Vec::new()), "{:?}", one.code);
            for (number, bytes) in &one.events {
                if let Some(version) = other.events.get(number) {
                    assert_eq!(bytes, version, "event {number} of {:?} was told in two versions", one.code);
                }
            }
        }
        for watcher in &self.watched {
            assert_eq!(watcher.lock().wrong, Vec::<String>::new());
        }
        compare_with_record(cluster, self.all().chain(&self.watched)).await;
    }
}

/// One player.
struct Player {
    name: String,
    address: String,
    network: NotedTcp,
    told: Arc<Mutex<Told>>,
    pace: Duration,
    is_over: Arc<AtomicBool>,
}

impl Player {
    async fn open(self, clock: ClockRule, opened: oneshot::Sender<Code>) {
        let terms = Terms { bot: BotWish::PeopleOnly, clock, ..Terms::default() };
        let mut opened = Some(opened);
        let played = self.play(Action::Create(terms), |code| {
            let _ = opened.take().map(|opened| opened.send(code));
        });
        if let Err(failure) = played.await {
            self.told.lock().wrong.push(format!("{} gave up: {failure:?}", self.name));
        }
    }

    async fn join(self, code: oneshot::Receiver<Code>) {
        let Ok(code) = code.await else { return };
        if let Err(failure) = self.play(Action::Join(code, None), |_| ()).await {
            self.told.lock().wrong.push(format!("{} gave up: {failure:?}", self.name));
        }
    }

    async fn connect(&self) -> Result<Session, Failure> {
        let endpoint = Endpoint {
            address: self.address.parse::<Address>().expect("an address"),
            others: Vec::new(),
            default_port: nim::server::DEFAULT_PORT,
            name: Name::clean(&self.name).expect("a name"),
            kind: ClientKind::Person,
            patience: PATIENCE,
            network: Arc::new(self.network.clone()),
        };
        let (connection, given) = endpoint.connect().await?;
        Ok(Session::new(connection, Model::new(given)).coming_back(endpoint, None))
    }

    async fn play(&self, wish: Action, mut entered: impl FnMut(Code)) -> Result<(), Failure> {
        let mut session = self.connect().await?;
        self.told.lock().note_asks(Some(Instant::now()));
        session.act(wish);
        let (mut acts_at, mut is_ready) = (Instant::now() + self.pace, false);
        while !self.is_over.load(Ordering::Relaxed) {
            let heard = tokio::select! {
                heard = session.next() => heard?,
                () = tokio::time::sleep_until(acts_at) => {
                    acts_at = Instant::now() + self.pace.mul_f64(0.5 + fastrand::f64());
                    is_ready = !self.act(&mut session);
                    continue;
                }
            };
            self.note(&heard);
            let event = session.handle(heard)?;
            self.told.lock().reads(&event);
            match event {
                SessionEvent::Entered => {
                    let code = session.lobby().expect("it has entered").code();
                    self.told.lock().code = Some(code);
                    entered(code);
                }
                SessionEvent::Lost { .. } => is_ready |= self.told.lock().was_ready(),
                SessionEvent::Halted if session.model().halted().is_none() => {
                    is_ready |= self.told.lock().was_ready();
                }
                SessionEvent::Refused { refusal, .. } if session.is_arriving() => {
                    self.told.lock().wrong.push(format!("{} was refused: {refusal}", self.name));
                    return Ok(());
                }
                _ => {}
            }
            if !session.is_away() {
                self.told.lock().note_stays();
            }
            // Who was away in the meantime moves at once, and so does who has moved in vain, or was refused.
            is_ready = is_ready && !self.act(&mut session);
        }
        Ok(())
    }

    /// Notes what a session has received.
    fn note(&self, heard: &SessionInput) {
        let mut told = self.told.lock();
        told.note_in_diary(heard);
        told.note_outage(heard);
        match heard {
            // The request for the seat may have been sent with the hello.
            SessionInput::Reached(_) => told.note_asks(self.network.begun()),
            // It is sent now.
            SessionInput::Nearer(_) => told.note_asks(Some(Instant::now())),
            SessionInput::Said(message) => {
                if matches!(**message, ToClient::LobbyMoved) {
                    told.note_asks(Some(Instant::now()));
                }
                told.hear(message);
            }
            _ => {}
        }
    }

    /// Makes a move, or asks for the next game. Returns whether nothing was in the way.
    fn act(&self, session: &mut Session) -> bool {
        let Some(mine) = session.model().lobby() else { return true };
        if mine.is_to_move() {
            self.told.lock().note_ready();
        }
        if session.is_pending() || session.is_lost() {
            return false;
        }
        if mine.is_to_move() {
            let moves: Vec<_> = mine.lobby.board().position().moves().collect();
            if let Some(mv) = moves.get(fastrand::usize(..moves.len().max(1))) {
                session.act(Action::Play(*mv));
            }
        } else if matches!(mine.lobby.phase(), Phase::Over { .. }) {
            session.act(Action::Again);
        }
        true
    }
}
