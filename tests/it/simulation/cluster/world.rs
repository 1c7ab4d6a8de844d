//! A simulated world of three nodes, the host that plays etcd, people at all nodes, and the network between them. A storm
//! breaks it in every way.

mod storm;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use nim::client::SeatStore;
use nim::cluster::check::check;
use tokio::sync::Notify;
use turmoil::{Builder, Sim};

use super::course::Course;
use super::etcd::{EtcdHost, Mistake, Way};
use super::hosts::{GROUPS, Knows, NODES, Place, address, people};
use super::network::SimNodes;
use super::node::NodeProgram;
use super::record::Record;
use crate::simulation::group::Group;
use crate::simulation::network::SimNetwork;
use crate::simulation::observer::{Observer, Report, Shared, Sightings, shared};
use crate::simulation::panics;
use crate::simulation::person::Person;
use crate::simulation::setting::Setting;

/// The step of simulated time.
const TICK: Duration = Duration::from_millis(10);

/// The length of a storm, how long people then go on before the calm, and the timeout of each thing that is waited for.
const STORM: Duration = Duration::from_mins(1);
const PATIENCE: Duration = Duration::from_mins(4);

/// How long everything has to be well at the end, so that all late messages have arrived.
const SETTLED: Duration = Duration::from_secs(8);

/// How many connections may wait to be accepted: a link that is held keeps all attempts to connect, and then lets them through
/// at once.
const BACKLOG: usize = 1_024;

/// A node as the world sees it.
struct Node {
    way: Way,
    stop: Arc<Notify>,
}

/// Nodes, people, and what is between them.
pub(super) struct World<'a> {
    sim: Sim<'a>,
    groups: Vec<Group>,
    nodes: [Node; 3],
    etcd: EtcdHost,
    record: Shared<Record>,
    carrying: Shared<u32>,
    troubled: Vec<Place>,
    course: Shared<Course>,
    /// The folders of seats and archives, which live as long as the world.
    _folder: tempfile::TempDir,
}

impl World<'_> {
    /// A world in which all random choices follow the seed.
    pub(super) fn new(
        seed: u64,
        settings: &[Setting; 2],
        mistake: Mistake,
        chance: &mut Rng,
        course: &Shared<Course>,
    ) -> Self {
        panics::watch();
        let mut sim = Builder::new()
            .tick_duration(TICK)
            .simulation_duration(STORM + PATIENCE * 3)
            .min_message_latency(Duration::from_millis(1))
            .max_message_latency(Duration::from_millis(50))
            .tcp_capacity(BACKLOG)
            .rng_seed(seed)
            .build();
        // The client's own random choice, the jitter of its pauses, follows the seed too.
        fastrand::seed(seed);
        let (folder, etcd, record) = (tempfile::tempdir().unwrap(), EtcdHost::new(), Record::new());
        let (host, recording) = (etcd.clone(), Shared::clone(&record));
        sim.host("etcd", move || {
            let (host, recording) = (host.clone(), Shared::clone(&recording));
            async move {
                tokio::join!(Record::follow(recording, host.clone()), host.run());
                Ok(())
            }
        });
        let (carrying, kept) = (shared(0), settings.iter().map(|one| one.kept).min().unwrap());
        let nodes = NODES.map(|name| {
            let (way, stop) = (etcd.way(mistake), Arc::<Notify>::default());
            let path = folder.path().join(name);
            std::fs::create_dir(&path).unwrap();
            let program = NodeProgram {
                name,
                way: way.clone(),
                network: SimNodes(Shared::clone(&carrying)),
                folder: path,
                seats_kept: kept,
                chance: shared(chance.fork()),
                stop: Arc::clone(&stop),
            };
            sim.host(name, move || program.clone().run());
            Node { way, stop }
        });
        let settings = GROUPS.iter().zip(settings);
        let groups =
            settings.map(|(people, setting)| group(people, setting, folder.path(), chance)).collect();
        let (troubled, course) = (Vec::new(), Shared::clone(course));
        let mut world =
            Self { sim, groups, nodes, etcd, record, carrying, troubled, course, _folder: folder };
        world.begins();
        world
    }

    fn begins(&mut self) {
        for person in self.groups.iter().flat_map(|group| group.people.clone()) {
            self.sim.host(person.name, move || {
                let person = person.clone();
                async move {
                    person.live().await;
                    Ok(())
                }
            });
        }
    }

    /// Advances time. Fails if anything in this world fails: a person, a node, the record, or the simulator itself.
    fn passes(&mut self, time: Duration) {
        let end = self.sim.elapsed() + time;
        while self.sim.elapsed() < end {
            self.sim.step().unwrap();
            assert!(!panics::seen(), "something panicked in this world");
            self.hears();
            self.starts_stopped();
        }
    }

    /// Compares what people were told since the last time with what is recorded.
    fn hears(&self) {
        let (mut record, mut course, now) = (self.record.lock(), self.course.lock(), self.sim.elapsed());
        for group in &self.groups {
            for report in group.observer.lock().reports.replace(Vec::new()).into_iter().flatten() {
                match report {
                    Report::Stopped(why) => course.note(now, why),
                    Report::Told(code, number, event) => {
                        course.note(now, format!("somebody is told event {number} of {code}: {event:?}"));
                        record.told(code, number, &event);
                    }
                }
            }
        }
        assert_eq!(record.violations(), [] as [String; 0]);
    }

    /// A node that was stopped is started again, unless that is to be later.
    fn starts_stopped(&mut self) {
        for (number, name) in NODES.into_iter().enumerate() {
            if !self.troubled.contains(&Place::Node(number)) {
                self.starts(name);
            }
        }
    }

    fn starts(&mut self, who: &'static str) {
        if !self.sim.is_host_running(who) {
            self.sim.bounce(who);
        }
    }

    /// Everything works. Waits until people in all lobbies have moved once more, then until they have finished their games
    /// and are in their seats. Fails if that takes too long.
    pub(super) fn calms(&mut self) {
        let moves = |group: &Group| group.observer.lock().seen().get("moved").copied().unwrap_or_default();
        let before: Vec<_> = self.groups.iter().map(moves).collect();
        self.waits(|world| {
            let has_moved = world.groups.iter().zip(&before).all(|(group, before)| moves(group) > *before);
            (!has_moved).then_some("somebody cannot move")
        });
        for group in &self.groups {
            group.observer.lock().is_calm = true;
        }
        let mut settled = Duration::ZERO;
        self.waits(|world| {
            let trouble = world.groups.iter().find_map(Group::trouble);
            settled = if trouble.is_none() { settled + Duration::from_millis(100) } else { Duration::ZERO };
            trouble.or_else(|| (settled < SETTLED).then_some("it does not stay well"))
        });
        self.groups.iter().for_each(Group::check);
        self.checks_etcd();
    }

    /// Advances time until there is no trouble. Fails if there is still some at the end of its patience.
    fn waits(&mut self, mut trouble: impl FnMut(&Self) -> Option<&'static str>) {
        let end = self.sim.elapsed() + PATIENCE;
        while let Some(trouble) = trouble(self) {
            self.passes(Duration::from_millis(100));
            let known: Vec<_> = self.groups.iter().map(|group| &group.observer).collect();
            assert!(self.sim.elapsed() < end, "in the end, {trouble}: {known:#?}");
        }
    }

    /// What lies in etcd is sound, and each slot has a living owner.
    fn checks_etcd(&self) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        let client = self.etcd.etcd.client();
        let report = runtime.unwrap().block_on(check(&*client, |_| {})).unwrap().expect("there is a cluster");
        assert_eq!(report.findings, [] as [String; 0]);
    }

    /// What has happened, by kind.
    pub(super) fn seen(&self) -> Sightings {
        let mut all = Sightings::new();
        for group in &self.groups {
            for (kind, count) in group.observer.lock().seen() {
                *all.entry(kind).or_default() += count;
            }
        }
        all.insert("gone on at another node", self.record.lock().takeovers);
        all.insert("carried by another node", *self.carrying.lock());
        all
    }
}

/// The people who meet in the same lobby. The seats of each are in this folder.
fn group(people: &[Knows], setting: &Setting, folder: &Path, chance: &mut Rng) -> Group {
    let observer = Shared::<Observer>::default();
    observer.lock().reports = Some(Vec::new());
    let people = people.iter().map(|(name, part, node)| Person {
        name,
        part: *part,
        server: address(NODES[*node]),
        others: NODES.into_iter().map(address).collect(),
        network: Arc::new(SimNetwork),
        speed: 1,
        setting: setting.clone(),
        seats: SeatStore::at(folder.join(name)),
        chance: shared(chance.fork()),
        observer: Shared::clone(&observer),
    });
    Group { people: people.collect(), observer: Shared::clone(&observer) }
}

impl Drop for World<'_> {
    /// The simulator's connections can be closed only while it exists.
    fn drop(&mut self) {
        for who in people().chain(NODES).chain(["etcd"]) {
            self.sim.crash(who);
        }
    }
}
