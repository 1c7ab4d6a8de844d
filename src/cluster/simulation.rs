//! Three nodes that write, fail and take over from each other on an etcd in memory, by seed; and the mistakes
//! that the checker must find in what they leave.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::checker::{Told, Violation, violations};
use super::engine::Engine;
use super::engine::memory::{DEADLINE, Fate, MemoryClient, MemoryEtcd};
use super::format::Format;
use super::keys::Epoch;
use super::log::{Appending, Batch, Log, LogReader, Outcome, RecordedBatch};
use super::mistake::{Mistake, Mistaken};
use super::node::{LEASE, Living, Node};
use super::sample::event;
use crate::server::storage::{Entry, Note};

/// A process that is a node now and then.
struct Process {
    client: Arc<MemoryClient>,
    life: Option<Life>,
}

/// A node from joining to being fenced off.
struct Life {
    node: Node,
    log: Writing,
    /// The last event of each lobby as the node knows it, if it is the owner.
    owned: Option<BTreeMap<u64, u32>>,
}

enum Writing {
    Idle(Log),
    InFlight(Appending, Vec<Entry>),
}

/// What has happened in all, so that a test sees that enough did.
#[derive(Debug, Default)]
struct Count {
    told: usize,
    in_doubt: usize,
    fenced_off: usize,
    taken_over: usize,
    by_older: usize,
}

struct World {
    etcd: MemoryEtcd,
    rng: fastrand::Rng,
    mistake: Mistake,
    processes: Vec<Process>,
    /// The epoch that owns the lobbies.
    owner: Option<Epoch>,
    epochs: Vec<Epoch>,
    told: Vec<Told>,
    versions: u64,
    count: Count,
}

const LOBBIES: u64 = 4;

impl World {
    fn new(seed: u64, mistake: Mistake) -> Self {
        let etcd = MemoryEtcd::default();
        let processes = (0..3).map(|_| Process { client: etcd.client(), life: None }).collect();
        let (rng, told, count) = (fastrand::Rng::with_seed(seed), Vec::new(), Count::default());
        Self { etcd, rng, mistake, processes, owner: None, epochs: Vec::new(), told, versions: 0, count }
    }

    /// Lets all of this happen, and returns what the checker finds.
    async fn run(&mut self) -> Vec<Violation> {
        for _ in 0..120 {
            let process = self.rng.usize(0..self.processes.len());
            match self.rng.u8(0..20) {
                0 => self.processes[process].client.cut_off(),
                1..=3 => self.processes[process].client.heal(),
                4 => {
                    let fates =
                        [Fate::Lost, Fate::Run, Fate::RunLater(DEADLINE / 2), Fate::RunLater(LEASE * 3)];
                    self.processes[process].client.lose_reply(fates[self.rng.usize(0..4)]);
                }
                5 => tokio::time::sleep(LEASE * self.rng.u32(0..4)).await,
                6 => self.die(process),
                7..=9 => self.take_over(process).await,
                _ => self.write(process).await,
            }
        }
        self.settle().await
    }

    /// The process dies, and another one starts in its place.
    fn die(&mut self, process: usize) {
        if self.rng.bool() {
            self.processes[process].life = None;
        }
    }

    /// The node goes on with what it writes, or writes something new if it owns the lobbies.
    async fn write(&mut self, process: usize) {
        if self.processes[process].life.is_none() {
            return self.join(process).await;
        }
        let Some(Life { node, log, mut owned }) = self.processes[process].life.take() else { return };
        let (appending, entries) = match log {
            Writing::InFlight(appending, entries) => (appending, entries),
            Writing::Idle(log) => {
                let Some(owned) = &mut owned else {
                    return self.processes[process].life =
                        Some(Life { node, log: Writing::Idle(log), owned: None });
                };
                let entries: Vec<Entry> = (0..self.rng.usize(1..4)).map(|_| self.event(owned)).collect();
                if self.mistake == Mistake::ToldBefore {
                    self.tell(&entries);
                }
                (log.append(Batch::of(Format::FIRST, &entries)), entries)
            }
        };
        let log = match appending.go_on().await {
            Outcome::Recorded(log, _) => {
                self.tell(&entries);
                Writing::Idle(log)
            }
            Outcome::Waiting(appending, _) => {
                self.count.in_doubt += 1;
                Writing::InFlight(appending, entries)
            }
            Outcome::FencedOff(_) => return self.count.fenced_off += 1,
        };
        self.processes[process].life = Some(Life { node, log, owned });
    }

    fn event(&mut self, owned: &mut BTreeMap<u64, u32>) -> Entry {
        let lobby = self.rng.u64(1..=LOBBIES);
        let number = owned.entry(lobby).or_default();
        (*number, self.versions) = (*number + 1, self.versions + 1);
        event(lobby, *number, self.versions)
    }

    fn tell(&mut self, entries: &[Entry]) {
        for Entry { lobby, note, .. } in entries {
            if let Note::Happened { number, frame, .. } = note {
                self.told.push((*lobby, *number, frame.clone()));
            }
        }
        self.count.told += entries.len();
    }

    async fn join(&mut self, process: usize) {
        let client = &self.processes[process].client;
        let name = format!("node-{process}").parse().unwrap();
        let Ok(node) = Node::join(client.clone(), &name, &crate::cluster::sample::about(), LEASE).await
        else {
            return;
        };
        let engine: Arc<dyn Engine> = match self.mistake {
            Mistake::NoFence => Arc::new(Mistaken(client.clone(), self.mistake)),
            _ => client.clone(),
        };
        self.epochs.push(node.membership().epoch());
        let log = Writing::Idle(Log::new(engine, node.membership().clone()));
        self.processes[process].life = Some(Life { node, log, owned: None });
    }

    /// The node takes over if the owner's log is sealed.
    async fn take_over(&mut self, process: usize) {
        let Process { client, life: Some(life) } = &self.processes[process] else { return };
        let epoch = life.node.membership().epoch();
        let (client, Ok(living)) = (client.clone(), Living::read(&**client).await) else { return };
        let is_sealed = self.owner.is_none_or(|owner| living.sealed(owner).is_some());
        if !is_sealed || !living.nodes.contains_key(&epoch) {
            return;
        }
        let Some(recorded) = self.recorded(&*client, &living).await else { return };
        let mut owned = BTreeMap::new();
        for Entry { lobby, note, .. } in recorded.iter().flat_map(|batch| &batch.entries) {
            if let Note::Happened { number, .. } = note {
                owned.insert(lobby.0, *number);
            }
        }
        self.count.taken_over += 1;
        self.count.by_older += usize::from(self.owner.is_some_and(|owner| epoch < owner));
        self.owner = Some(epoch);
        if let Some(life) = &mut self.processes[process].life {
            life.owned = Some(owned);
        }
    }

    /// All batches of all sealed logs in their order.
    async fn recorded(&self, engine: &dyn Engine, living: &Living) -> Option<Vec<RecordedBatch>> {
        let mut batches = Vec::new();
        for sealed in self.epochs.iter().filter_map(|epoch| living.sealed(*epoch)) {
            let mut reader = LogReader::open(engine, sealed).await.ok()?;
            while let Some(batch) = reader.next().await.ok()? {
                batches.push(batch);
            }
        }
        if self.mistake != Mistake::OrderByEpoch {
            batches.sort_by_key(|batch| batch.revision);
        }
        Some(batches)
    }

    /// Everything is healed, all finish what they write, and all leave. Returns what the checker finds.
    async fn settle(&mut self) -> Vec<Violation> {
        tokio::time::sleep(LEASE * 4).await;
        for process in 0..self.processes.len() {
            self.processes[process].client.heal();
            let is_in_flight =
                |process: &Process| matches!(process.life, Some(Life { log: Writing::InFlight(..), .. }));
            while is_in_flight(&self.processes[process]) {
                self.write(process).await;
            }
            if let Some(Life { node, .. }) = self.processes[process].life.take() {
                node.leave().await.unwrap();
            }
        }
        tokio::time::sleep(LEASE * 4).await;
        let client = self.etcd.client();
        let living = Living::read(&*client).await.unwrap();
        let Some(recorded) = self.recorded(&*client, &living).await else {
            return vec![Violation::Recorded {
                lobby: crate::server::storage::LobbyId(0),
                expected: 0,
                found: 0,
            }];
        };
        violations(recorded.iter().flat_map(|batch| &batch.entries), &self.told)
    }
}

/// How many of the first seeds have a violation, and what happened in all of them.
async fn violated(mistake: Mistake, seeds: u64) -> (usize, Count) {
    let (mut violated, mut all) = (0, Count::default());
    for seed in 0..seeds {
        let mut world = World::new(seed, mistake);
        let found = world.run().await;
        if mistake == Mistake::None {
            assert_eq!(found, [], "seed {seed}");
        }
        violated += usize::from(!found.is_empty());
        let Count { told, in_doubt, fenced_off, taken_over, by_older } = world.count;
        all.told += told;
        all.in_doubt += in_doubt;
        all.fenced_off += fenced_off;
        all.taken_over += taken_over;
        all.by_older += by_older;
    }
    (violated, all)
}

/// How many worlds there are: `NIM_SEEDS`, or a thousand in a campaign, or else a few.
pub(super) fn seeds(few: u64) -> u64 {
    let given = std::env::var("NIM_SEEDS").ok().and_then(|text| text.parse().ok());
    given.unwrap_or(if std::env::var_os("NIM_CAMPAIGN").is_some() { 1_000 } else { few })
}

#[tokio::test(start_paused = true)]
async fn whatever_fails_told_is_kept_and_nothing_is_told_twice() {
    let (_, count) = violated(Mistake::None, seeds(150)).await;
    let Count { told, in_doubt, fenced_off, taken_over, by_older } = count;
    let enough = told > 500 && in_doubt > 50 && fenced_off > 20 && taken_over > 150 && by_older > 10;
    assert!(enough, "{count:?}");
}

#[tokio::test(start_paused = true)]
async fn the_checker_finds_an_append_without_a_comparison() {
    assert!(violated(Mistake::NoFence, 60).await.0 > 5);
}

#[tokio::test(start_paused = true)]
async fn the_checker_finds_an_order_by_epoch() {
    assert!(violated(Mistake::OrderByEpoch, 60).await.0 > 5);
}

#[tokio::test(start_paused = true)]
async fn the_checker_finds_telling_before_the_append() {
    assert!(violated(Mistake::ToldBefore, 60).await.0 > 5);
}
