//! Two releases in one cluster as whole nodes: one that writes the first format alone, and one that also writes a format
//! that only tests know. People play through both, while each takes over from the other.
//!
//! In one program both can read every format: that nothing is written which the older one could not read is tested by
//! what lies in etcd.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::{LONG, PATIENCE, Running, StartError, memory};
use crate::client::dial::Tcp;
use crate::client::session::{SessionEvent, SessionInput};
use crate::client::{Action, Address, Endpoint, Failure, Model, Session, Terms};
use crate::cluster::engine::memory::MemoryEtcd;
use crate::cluster::engine::{Key, RangeReader};
use crate::cluster::format::{Format, Formats};
use crate::cluster::keys::{self, Slot};
use crate::cluster::node::JoinError;
use crate::cluster::pages::Histories;
use crate::game::Game;
use crate::lobby::{Code, Lobby, Name, Phase};
use crate::server::DEFAULT_PORT;
use crate::wire::{BotWish, ClientKind, ToClient, encode};

const OLD: Formats = (Format::FIRST, Format::FIRST);
const NEW: Formats = (Format::FIRST, Format::TRIAL);

/// The pause before a player does something.
const PACE: Duration = Duration::from_millis(50);

/// A node with a runtime of its own, so that it can die as a process does.
struct Process {
    /// There until the end.
    runtime: Option<Runtime>,
    running: Running,
}

impl Drop for Process {
    fn drop(&mut self) {
        self.runtime.take().into_iter().for_each(Runtime::shutdown_background);
    }
}

impl Process {
    async fn start(etcd: &MemoryEtcd, name: &'static str, formats: Formats) -> Result<Self, StartError> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let engines = memory(etcd);
        let start = async move { Running::start_as(engines, name, LONG, "attic", None, formats).await };
        let started = runtime.spawn(start).await.unwrap();
        match started {
            Ok(running) => Ok(Self { runtime: Some(runtime), running }),
            Err(error) => {
                runtime.shutdown_background();
                Err(error)
            }
        }
    }

    fn format(&self) -> Format {
        self.running.node.membership().format()
    }

    /// Ends at once, and the other node notices that and takes over.
    async fn die(self, survivor: &Self) {
        let (dead, client) = (self.running.id(), "192.0.2.7:4660".parse().unwrap());
        drop(self);
        let survivor = &survivor.running;
        let is_noticed = async {
            // Its tasks end a moment later.
            while survivor.node.nodes() > 1 {
                let _ = survivor.node.peers().connect(dead, client).await;
                tokio::time::sleep(PACE).await;
            }
        };
        timeout(PATIENCE, is_noticed).await.expect("the death is noticed");
        survivor.owns(Slot::COUNT).await;
    }
}

/// What a player was told.
type Told = Arc<Mutex<BTreeMap<u32, Bytes>>>;

/// A player who plays until dropped.
struct Player {
    told: Told,
    code: watch::Receiver<Option<Code>>,
    _task: AbortOnDropHandle<()>,
}

impl Player {
    /// Begins with this wish at this node.
    fn play(node: &Process, name: &'static str, wish: Action) -> Self {
        let (told, (entered, code)) = (Told::default(), watch::channel(None));
        let endpoint = Endpoint {
            address: node.running.address.to_string().parse::<Address>().unwrap(),
            others: Vec::new(),
            default_port: DEFAULT_PORT,
            name: Name::clean(name).unwrap(),
            kind: ClientKind::Person,
            patience: PATIENCE,
            network: Arc::new(Tcp),
        };
        let playing = play(endpoint, wish, Arc::clone(&told), entered);
        let task = async move { panic!("{name} gave up: {:?}", playing.await) };
        Self { told, code, _task: AbortOnDropHandle::new(tokio::spawn(task)) }
    }

    async fn code(&mut self) -> Code {
        let entered = timeout(PATIENCE, self.code.wait_for(Option::is_some)).await;
        entered.expect("it enters").expect("it plays on").expect("it has entered")
    }

    fn seen(&self) -> u32 {
        self.told.lock().last_key_value().map_or(0, |(number, _)| *number)
    }
}

async fn play(
    endpoint: Endpoint,
    wish: Action,
    told: Told,
    entered: watch::Sender<Option<Code>>,
) -> Result<(), Failure> {
    let (connection, given) = endpoint.connect().await?;
    let mut session = Session::new(connection, Model::new(given)).coming_back(endpoint, None);
    session.act(wish);
    let mut acts_at = Instant::now() + PACE;
    loop {
        let heard = tokio::select! {
            heard = session.next() => heard?,
            () = sleep_until(acts_at) => {
                acts_at = Instant::now() + PACE;
                act(&mut session);
                continue;
            }
        };
        if let SessionInput::Said(message) = &heard
            && let ToClient::Lobby { number, .. } = &**message
        {
            told.lock().insert(*number, encode(&**message));
        }
        if let SessionEvent::Entered = session.handle(heard)? {
            entered.send_replace(session.lobby().map(Lobby::code));
        }
    }
}

/// Makes a move, or asks for the next game.
fn act(session: &mut Session) {
    let Some(mine) = session.model().lobby() else { return };
    if session.is_pending() || session.is_lost() {
        return;
    }
    if mine.is_to_move() {
        let first = mine.lobby.board().position().moves().next();
        if let Some(mv) = first {
            session.act(Action::Play(mv));
        }
    } else if matches!(mine.lobby.phase(), Phase::Over { .. }) {
        session.act(Action::Again);
    }
}

/// Two people of two nodes who play in a lobby of the first one's node.
async fn pair(nodes: [&Process; 2], names: [&'static str; 2]) -> [Player; 2] {
    let terms = Terms { bot: BotWish::PeopleOnly, ..Terms::default() };
    let mut one = Player::play(nodes[0], names[0], Action::Create(terms));
    let other = Player::play(nodes[1], names[1], Action::Join(one.code().await, None));
    [one, other]
}

/// Waits until every player was told of some more events.
async fn all_play_on(players: &[Player]) {
    let before: Vec<u32> = players.iter().map(Player::seen).collect();
    let play_on = async {
        while players.iter().zip(&before).any(|(player, before)| player.seen() < before + 4) {
            tokio::time::sleep(PACE).await;
        }
    };
    let played = timeout(PATIENCE, play_on).await;
    let now: Vec<u32> = players.iter().map(Player::seen).collect();
    assert!(played.is_ok(), "{before:?} events, then {now:?}");
}

/// The formats of all segments, heads and pages.
async fn written(etcd: &MemoryEtcd) -> Vec<u8> {
    let (client, mut formats) = (etcd.client(), Vec::new());
    for prefix in [keys::LOGS, "p/"] {
        let mut reader = RangeReader::of_prefix(&*client, &Key::from(prefix), 1 << 20);
        while let Some(page) = reader.next().await.unwrap() {
            formats.extend(page.iter().map(|found| found.value[0]));
        }
    }
    formats.sort_unstable();
    formats.dedup();
    formats
}

#[tokio::test]
async fn people_play_through_nodes_of_two_releases_which_take_over_from_each_other() {
    let etcd = MemoryEtcd::default();
    let old = Process::start(&etcd, "old", OLD).await.unwrap();
    let new = Process::start(&etcd, "new", NEW).await.unwrap();
    tokio::join!(old.running.owns(128), new.running.owns(128));
    let mut players = pair([&old, &new], ["anna", "ben"]).await.into_iter().collect::<Vec<_>>();
    players.extend(pair([&new, &old], ["clara", "dan"]).await);
    all_play_on(&players).await;
    new.die(&old).await;
    all_play_on(&players).await;

    let new = Process::start(&etcd, "new", NEW).await.unwrap();
    tokio::join!(old.running.owns(128), new.running.owns(128));
    all_play_on(&players).await;
    assert_eq!((old.format(), new.format()), (Format::FIRST, Format::FIRST));
    assert_eq!(written(&etcd).await, [Format::FIRST.number()], "the old one can read no more");

    old.die(&new).await;
    let raised = async {
        while new.format() != Format::TRIAL {
            tokio::time::sleep(PACE).await;
        }
    };
    timeout(PATIENCE, raised).await.expect("the format rises once the old one has gone");
    all_play_on(&players).await;
    assert!(written(&etcd).await.contains(&Format::TRIAL.number()));
    let error = Process::start(&etcd, "old", OLD).await.err();
    let too_old = JoinError::TooOld { written: Format::TRIAL, newest: Format::FIRST };
    assert_eq!(error, Some(StartError::Join(too_old)));
    all_is_recorded(&etcd, players).await;
}

/// Compares what the players were told with what is recorded.
async fn all_is_recorded(etcd: &MemoryEtcd, players: Vec<Player>) {
    let client = etcd.client();
    for mut player in players {
        let (code, told) = (player.code().await, player.told.lock().clone());
        let histories = Histories::read(&*client).await.unwrap();
        let of_slot = histories.of_slot(Slot::of(code)).await.unwrap().into_iter();
        let history = of_slot.map(Result::unwrap).find(|history| history.code == code).unwrap();
        for (number, frame) in told {
            let recorded = &history.frames[usize::try_from(number).unwrap() - 1];
            assert_eq!(*recorded, frame, "event {number} of {code}");
        }
    }
}
