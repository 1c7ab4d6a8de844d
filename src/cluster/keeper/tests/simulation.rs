//! Nodes that join, play, move slots, are cut off, leave and die, by seed. All that was told is then compared with what is
//! recorded in logs and pages, and with what the servers know.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::member::{Member, Written, settle};
use crate::cluster::engine::Engine;
use crate::cluster::engine::memory::{DEADLINE, Fate, MemoryClient, MemoryEtcd};
use crate::cluster::keys::Slot;
use crate::cluster::mistake::{Mistake, Mistaken};
use crate::cluster::node::LEASE;
use crate::cluster::pages::Histories;
use crate::cluster::simulation::seeds;
use crate::server::storage::{Entry, Note};

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// How long a node that is to leave or to write may take for it before the next thing happens.
const PATIENCE: Duration = LEASE.saturating_mul(3);

/// What has happened in all, so that a test sees that enough did.
#[derive(Debug, Default)]
struct Count {
    told: usize,
    in_doubt: usize,
    fenced_off: usize,
    died: usize,
    left: usize,
    joined: usize,
}

struct World {
    etcd: MemoryEtcd,
    rng: fastrand::Rng,
    mistake: Mistake,
    clients: [Arc<MemoryClient>; 4],
    members: [Option<Member>; 4],
    /// The number of the next lobby.
    next: u64,
    versions: u64,
    /// The frames that were told, by lobby and number.
    told: Vec<(u64, u32, Bytes)>,
    count: Count,
}

impl World {
    fn new(seed: u64, mistake: Mistake) -> Self {
        let (etcd, rng) = (MemoryEtcd::default(), fastrand::Rng::with_seed(seed));
        let clients = NAMES.map(|_| etcd.client());
        let (members, told, count) = (NAMES.map(|_| None), Vec::new(), Count::default());
        Self { etcd, rng, mistake, clients, members, next: 1, versions: 0, told, count }
    }

    /// Lets all of this happen, and returns what is wrong then.
    async fn run(&mut self) -> Vec<String> {
        for _ in 0..100 {
            let place = self.rng.usize(0..NAMES.len());
            match self.rng.u8(0..24) {
                0 => self.clients[place].cut_off(),
                1..=3 => self.clients[place].heal(),
                4 => {
                    let fates =
                        [Fate::Lost, Fate::Run, Fate::RunLater(DEADLINE / 2), Fate::RunLater(LEASE * 3)];
                    self.clients[place].lose_reply_after(self.rng.usize(0..5), fates[self.rng.usize(0..4)]);
                }
                5 => tokio::time::sleep(LEASE * self.rng.u32(0..3)).await,
                6 => self.count.died += usize::from(self.members[place].take().is_some()),
                7 => self.leave(place).await,
                8 => {
                    let works = self.rng.u8(0..3) > 0;
                    if let Some(member) = &self.members[place] {
                        member.network.0.send_replace(works);
                    }
                }
                9 => self.write_pages(place).await,
                _ => self.play(place).await,
            }
            // What the tasks have to do, and some of what they wait for.
            tokio::time::sleep(Duration::from_millis(self.rng.u64(1..80))).await;
        }
        self.end().await
    }

    async fn join(&mut self, place: usize) {
        let client = Arc::clone(&self.clients[place]);
        let (mut of_the_log, mut of_the_keeper): (Arc<dyn Engine>, Arc<dyn Engine>) =
            (client.clone(), client.clone());
        match self.mistake {
            Mistake::NoFence => of_the_log = Arc::new(Mistaken(client.clone(), self.mistake)),
            Mistake::OrderByEpoch => of_the_keeper = Arc::new(Mistaken(client.clone(), self.mistake)),
            Mistake::None | Mistake::ToldBefore => {}
        }
        let joined = Member::try_to_join(client, (of_the_log, of_the_keeper), NAMES[place]).await;
        self.members[place] = joined.ok();
        self.count.joined += usize::from(self.members[place].is_some());
    }

    async fn leave(&mut self, place: usize) {
        let Some(member) = self.members[place].take_if(|member| !member.is_writing()) else { return };
        // One that does not get rid of its slots dies.
        if tokio::time::timeout(PATIENCE, member.leaving.give_all()).await.is_ok() {
            self.count.left += 1;
            let _ = member.node.leave().await;
        }
    }

    async fn write_pages(&self, place: usize) {
        if let Some(member) = &self.members[place] {
            let _ = tokio::time::timeout(PATIENCE, member.pager.write()).await;
        }
    }

    /// Something happens in a lobby of this node, or a new one is opened there. A node that is not there joins.
    async fn play(&mut self, place: usize) {
        let Some(member) = &mut self.members[place] else { return self.join(place).await };
        if !member.is_writing() {
            let lobbies: Vec<u64> = member.server.lobbies().into_keys().collect();
            let lobby = if lobbies.is_empty() || self.rng.u8(0..5) == 0 {
                // The next number whose code is in a slot of this node.
                let Some(lobby) = (self.next..self.next + 500).find(|lobby| member.has(*lobby)) else {
                    return;
                };
                self.next = lobby + 1;
                lobby
            } else {
                lobbies[self.rng.usize(0..lobbies.len())]
            };
            self.versions += 1;
            let entry = member.begin(lobby, self.versions);
            if self.mistake == Mistake::ToldBefore {
                self.tell(entry);
            }
        }
        self.go_on(place).await;
    }

    async fn go_on(&mut self, place: usize) {
        let Some(member) = &mut self.members[place] else { return };
        match member.go_on().await {
            Written::Done(entry) => self.tell(entry),
            Written::Waiting => self.count.in_doubt += 1,
            Written::FencedOff => {
                self.members[place] = None;
                self.count.fenced_off += 1;
            }
        }
    }

    /// Somebody is told of this, if it is an event.
    fn tell(&mut self, entry: Entry) {
        if let Entry { lobby, note: Note::Happened { number, frame, .. }, .. } = entry {
            self.told.push((lobby.0, number, frame));
            self.count.told += 1;
        }
    }

    /// Everything is healed, and all finish what they write. Returns what is wrong.
    async fn end(&mut self) -> Vec<String> {
        self.clients.iter().for_each(|client| client.heal());
        tokio::time::sleep(LEASE * 4).await;
        for place in 0..NAMES.len() {
            while self.members[place].as_ref().is_some_and(Member::is_writing) {
                self.go_on(place).await;
            }
            self.members[place].take_if(|member| member.node.membership().check().is_err());
            if let Some(member) = &self.members[place] {
                member.network.0.send_replace(true);
            }
        }
        if self.members.iter().flatten().next().is_none() {
            self.join(0).await;
        }
        let members: Vec<&Member> = self.members.iter().flatten().collect();
        settle(&members).await;
        let mut wrong = Vec::new();
        let recorded = self.recorded(&mut wrong).await;
        for (lobby, number, frame) in &self.told {
            let place = usize::try_from(*number).unwrap() - 1;
            if recorded.get(lobby).and_then(|frames| frames.get(place)) != Some(frame) {
                wrong.push(format!("event {number} of {lobby} is not recorded as it was told"));
            }
        }
        let mut known = BTreeMap::new();
        for (lobby, events) in members.iter().flat_map(|member| member.server.lobbies()) {
            if known.insert(lobby, usize::try_from(events).unwrap()).is_some() {
                wrong.push(format!("lobby {lobby} is at two nodes"));
            }
        }
        if known != recorded.iter().map(|(lobby, frames)| (*lobby, frames.len())).collect() {
            wrong.push(format!("the servers know other events than are recorded: {known:?}"));
        }
        wrong
    }

    /// The frames of all lobbies that are recorded.
    async fn recorded(&self, wrong: &mut Vec<String>) -> BTreeMap<u64, Vec<Bytes>> {
        let (client, mut recorded) = (self.etcd.client(), BTreeMap::new());
        let histories = match Histories::read(&*client).await {
            Ok(histories) => histories,
            Err(error) => {
                wrong.push(error.to_string());
                return recorded;
            }
        };
        for slot in Slot::all() {
            for history in histories.of_slot(slot).await.unwrap() {
                match history {
                    Ok(history) => drop(recorded.insert(history.lobby.0, history.frames)),
                    Err(damage) => wrong.push(damage.to_string()),
                }
            }
        }
        recorded
    }
}

#[tokio::test(start_paused = true)]
async fn whatever_becomes_of_nodes_all_that_was_told_is_recorded_and_known() {
    let mut all = Count::default();
    for seed in 0..seeds(10) {
        let mut world = World::new(seed, Mistake::None);
        assert_eq!(world.run().await, Vec::<String>::new(), "seed {seed}");
        let Count { told, in_doubt, fenced_off, died, left, joined } = world.count;
        all.told += told;
        all.in_doubt += in_doubt;
        all.fenced_off += fenced_off;
        all.died += died;
        all.left += left;
        all.joined += joined;
    }
    let Count { told, in_doubt, fenced_off, died, left, joined } = all;
    let enough = told > 150 && in_doubt > 20 && fenced_off > 3 && died > 10 && left > 10 && joined > 50;
    assert!(enough, "{all:?}");
    println!("{all:?}");
}

/// Whether something is found within so many seeds, if this mistake is made.
async fn is_found(mistake: Mistake, seeds: u64) -> bool {
    for seed in 0..seeds {
        if !World::new(seed, mistake).run().await.is_empty() {
            return true;
        }
    }
    false
}

#[tokio::test(start_paused = true)]
async fn a_log_without_a_fence_is_found() {
    assert!(is_found(Mistake::NoFence, 100).await);
}

#[tokio::test(start_paused = true)]
async fn an_order_of_batches_by_epoch_is_found() {
    assert!(is_found(Mistake::OrderByEpoch, 100).await);
}

#[tokio::test(start_paused = true)]
async fn what_is_told_before_it_is_recorded_is_found() {
    assert!(is_found(Mistake::ToldBefore, 100).await);
}
