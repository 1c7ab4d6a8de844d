//! A node whose server only counts the events of its lobbies.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use crate::cluster::about::About;
use crate::cluster::engine::Engine;
use crate::cluster::engine::memory::{MemoryClient, MemoryEtcd};
use crate::cluster::format::Format;
use crate::cluster::keeper::{Keeper, Leaving, Lobbies, Others};
use crate::cluster::keys::{Epoch, Slot};
use crate::cluster::log::{Appending, Batch, Log, Outcome};
use crate::cluster::node::{JoinError, LEASE, Node};
use crate::cluster::paging::{Pager, Paging, RecordedSender};
use crate::cluster::places::Places;
use crate::cluster::sample::{code, event, opened};
use crate::server::storage::{Damage, Entry, StorageError, StoredLobby};
use crate::server::{Later, PeerId, Place};

/// How many events each lobby of a server has had, and whether one more is being recorded.
#[derive(Debug, Clone, Default)]
pub(super) struct Server(Arc<Mutex<(BTreeMap<u64, u32>, bool)>>);

impl Server {
    pub(super) fn lobbies(&self) -> BTreeMap<u64, u32> {
        self.0.lock().0.clone()
    }
}

impl Lobbies for Server {
    fn restore(&self, lobbies: Vec<StoredLobby>) -> Vec<Damage> {
        for stored in lobbies {
            let events = u32::try_from(stored.events.len()).unwrap();
            let before = self.0.lock().0.insert(stored.lobby.0, events);
            assert_eq!(before, None, "lobby {} was there", stored.lobby.0);
        }
        Vec::new()
    }

    async fn give_away(&self, slots: &BTreeSet<Slot>) -> Result<(), StorageError> {
        let mut known = self.0.lock();
        known.0.retain(|lobby, _| !slots.contains(&Slot::of(code(*lobby))));
        if known.1 { Err(StorageError::of_host("an event is not recorded yet")) } else { Ok(()) }
    }
}

/// The network between nodes, if it works. Otherwise a node reaches the others once it does.
#[derive(Debug)]
pub(super) struct Network(pub(super) watch::Sender<bool>);

impl Others for Network {
    fn until_reached(&self, _: Epoch) -> Later<'_, bool> {
        let mut works = self.0.subscribe();
        Box::pin(async move { works.wait_for(|works| *works).await.is_ok() })
    }

    fn until_gone(&self, _: Epoch) -> Later<'_, ()> {
        // In these tests leases tell who has died.
        Box::pin(std::future::pending())
    }
}

/// What becomes of the log.
enum Writing {
    Idle(Log),
    InFlight(Appending, Box<Entry>),
}

/// What became of the event that a node has recorded.
#[derive(Debug, Clone)]
pub(super) enum Written {
    /// It is recorded.
    Done(Entry),
    /// That is in doubt.
    Waiting,
    /// The node is no member any more.
    FencedOff,
}

pub(super) struct Member {
    pub(super) client: Arc<MemoryClient>,
    pub(super) node: Node,
    pub(super) places: Arc<Places>,
    pub(super) server: Server,
    pub(super) leaving: Leaving,
    pub(super) network: Arc<Network>,
    pub(super) pager: Pager,
    writing: Option<Writing>,
    recorded: RecordedSender,
    _tasks: [AbortOnDropHandle<()>; 2],
}

impl Member {
    pub(super) async fn join(etcd: &MemoryEtcd, name: &str) -> Self {
        Self::join_with(etcd, name, true).await
    }

    /// The same where the network works or not.
    pub(super) async fn join_with(etcd: &MemoryEtcd, name: &str, works: bool) -> Self {
        let client = etcd.client();
        let member = Self::try_to_join(client.clone(), (client.clone(), client), name).await.unwrap();
        member.network.0.send_replace(works);
        member
    }

    /// Joins by this way to etcd. The log is written, and slots are taken, by ways of their own.
    pub(super) async fn try_to_join(
        client: Arc<MemoryClient>,
        (of_the_log, of_the_keeper): (Arc<dyn Engine>, Arc<dyn Engine>),
        name: &str,
    ) -> Result<Self, JoinError> {
        let about = About::new("127.0.0.1:1".parse().unwrap(), Some(format!("{name}:1")), "attic");
        let name = name.parse().unwrap();
        let node = Node::join(client.clone(), &name, &about, LEASE).await?;
        let (membership, places) = (node.membership().clone(), Arc::<Places>::default());
        let (paging, pager, recorded) = Paging::new(client.clone(), membership.clone());
        let (server, network) = (Server::default(), Arc::new(Network(watch::Sender::new(true))));
        let (keeper, leaving) = Keeper::new(
            of_the_keeper,
            membership.clone(),
            (name, about),
            Arc::clone(&places),
            pager.clone(),
            (server.clone(), Arc::clone(&network) as _),
        );
        let tasks = [tokio::spawn(paging.run()), tokio::spawn(keeper.run())].map(AbortOnDropHandle::new);
        let writing = Some(Writing::Idle(Log::new(of_the_log, membership)));
        Ok(Self { client, node, places, server, leaving, network, pager, writing, recorded, _tasks: tasks })
    }

    pub(super) fn epoch(&self) -> Epoch {
        self.node.membership().epoch()
    }

    /// The next event of a lobby of this node's, or its opening.
    pub(super) async fn play(&mut self, lobby: u64) {
        self.begin(lobby, 0);
        loop {
            match self.go_on().await {
                Written::Done(_) => return,
                Written::Waiting => {}
                Written::FencedOff => panic!("the node is fenced off"),
            }
        }
    }

    /// Begins to record that, in one of the versions that the event could have. Returns what is recorded.
    pub(super) fn begin(&mut self, lobby: u64, version: u64) -> Entry {
        let Some(Writing::Idle(log)) = self.writing.take() else { panic!("it writes already") };
        let number = self.server.lobbies().get(&lobby).map(|last| last + 1);
        let entry = number.map_or_else(|| opened(lobby), |number| event(lobby, number, version));
        self.server.0.lock().1 = true;
        let appending = log.append(Batch::of(Format::FIRST, [&entry]));
        self.writing = Some(Writing::InFlight(appending, Box::new(entry.clone())));
        entry
    }

    /// Whether it is in doubt whether the last event is recorded.
    pub(super) fn is_writing(&self) -> bool {
        matches!(self.writing, Some(Writing::InFlight(..)))
    }

    /// Goes on with that. It does not have to be called again once the node is fenced off.
    pub(super) async fn go_on(&mut self) -> Written {
        let Some(Writing::InFlight(appending, entry)) = self.writing.take() else {
            panic!("it writes nothing")
        };
        match appending.go_on().await {
            Outcome::Recorded(log, recorded) => {
                self.writing = Some(Writing::Idle(log));
                let entries = [*entry];
                self.recorded.send(&entries, recorded).await;
                let [entry] = entries;
                let mut known = self.server.0.lock();
                known.1 = false;
                // It was stopped meanwhile, if it is on its way to another node.
                if self.places.place(Slot::of(code(entry.lobby.0))) == Place::Here {
                    let events = known.0.get(&entry.lobby.0).map_or(0, |last| last + 1);
                    known.0.insert(entry.lobby.0, events);
                }
                Written::Done(entry)
            }
            Outcome::Waiting(same, _) => {
                self.writing = Some(Writing::InFlight(same, entry));
                Written::Waiting
            }
            Outcome::FencedOff(_) => Written::FencedOff,
        }
    }

    pub(super) fn has(&self, lobby: u64) -> bool {
        self.places.place(Slot::of(code(lobby))) == Place::Here
    }

    pub(super) fn count(&self) -> usize {
        Slot::all().filter(|slot| self.places.place(*slot) == Place::Here).count()
    }
}

/// Whether each slot is at one of these nodes, and all of them know that.
pub(super) fn is_settled(members: &[&Member]) -> bool {
    Slot::all().all(|slot| {
        let owners: Vec<_> =
            members.iter().filter(|member| member.places.place(slot) == Place::Here).collect();
        let [owner] = owners[..] else { return false };
        let at = Place::At(PeerId(owner.epoch().0.0));
        members.iter().all(|member| member.epoch() == owner.epoch() || member.places.place(slot) == at)
    })
}

/// Waits until all slots are at these nodes, shared equally. Returns how long that took.
pub(super) async fn settle(members: &[&Member]) -> Duration {
    let began = Instant::now();
    let fair = Slot::COUNT / members.len();
    loop {
        if is_settled(members) && members.iter().all(|member| (fair..=fair + 1).contains(&member.count())) {
            return began.elapsed();
        }
        let counts: Vec<usize> = members.iter().map(|member| member.count()).collect();
        assert!(began.elapsed() < Duration::from_mins(2), "{counts:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
