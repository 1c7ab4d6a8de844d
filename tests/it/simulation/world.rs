//! A simulated world: a server, its people, and the network between them, which a storm breaks in every way.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use nim::client::{Address, SeatStore};
use nim::server::{Config, Server};
use turmoil::{Builder, Sim};

use super::group::Group;
use super::network::{PORT, SimListener, SimNetwork};
use super::observer::{Shared, shared};
use super::panics;
use super::person::{Part, Person};
use super::setting::Setting;
use crate::storage::memory::Memory;

/// The step of simulated time.
const TICK: Duration = Duration::from_millis(10);

/// The length of a storm, and the timeout of the calm after it: a silent connection is dropped after six
/// seconds, a retry pauses for five seconds at most, and most games take less than a minute.
const STORM: Duration = Duration::from_mins(3);
const CALM: Duration = Duration::from_mins(4);

/// How long everything has to be well at the end, so that all late messages have arrived.
const SETTLED: Duration = Duration::from_secs(8);

/// The longest time between two failures, in milliseconds.
const RESPITE: u64 = 1_200;

/// One batch in this many cannot be recorded, and is retried.
const FAULTS: u32 = 100;

pub(crate) const PEOPLE: [(&str, Part); 4] =
    [("anna", Part::Opener), ("ben", Part::Player), ("cara", Part::Player), ("dora", Part::Watcher)];

/// The host's configuration. Each start has its own seed, as in reality: otherwise the codes of closed
/// lobbies would repeat, and two lobbies could not be told apart.
fn config(seed: u64, seats_kept: Duration) -> Config {
    Config {
        seats_kept,
        bot_pace: Duration::from_millis(100),
        thinkers: Some(0),
        // As short as the returns, so that a stand-in often plays for somebody who is just coming back.
        shortest_away: Duration::ZERO,
        seed,
        ping_after: Duration::from_secs(2),
        gone_after: Duration::from_secs(6),
        ..Config::default()
    }
}

/// A server, its people, and the network between them.
pub(super) struct World<'a> {
    sim: Sim<'a>,
    pub(super) group: Group,
    disk: Memory,
    /// The broken connections or programs, by person; the last one is the host's.
    troubled: [bool; PEOPLE.len() + 1],
    /// The folders of their seats, which live as long as the world.
    _folder: tempfile::TempDir,
}

impl World<'_> {
    /// A world in which all random choices follow the seed.
    pub(super) fn new(seed: u64, setting: &Setting, chance: &mut Rng) -> Self {
        panics::watch();
        let mut sim = Builder::new()
            .tick_duration(TICK)
            .simulation_duration(STORM + CALM * 2)
            .min_message_latency(Duration::from_millis(1))
            .max_message_latency(Duration::from_millis(200))
            .rng_seed(seed)
            .build();
        // The client's own random choice, the jitter of its pauses, follows the seed too.
        fastrand::seed(seed);
        let disk = Memory::default();
        let (memory, faults) = (disk.clone(), shared(chance.fork()));
        let kept = setting.kept;
        sim.host("server", move || {
            let [of_disk, of_host_program] = [(); 2].map(|()| faults.lock().u64(..));
            memory.fails(of_disk, FAULTS);
            let storage = memory.clone();
            async move {
                let (server, found) = Server::on_with_storage(
                    SimListener::open().await?,
                    config(of_host_program, kept),
                    Box::new(storage),
                )?;
                assert_eq!(found.damaged, [], "no lobby is damaged");
                server.run(std::future::pending()).await;
                Ok(())
            }
        });
        let folder = tempfile::tempdir().unwrap();
        let observer = Shared::default();
        let people = PEOPLE.map(|(name, part)| Person {
            name,
            part,
            server: Address { host: "server".into(), port: Some(PORT) },
            others: Vec::new(),
            network: Arc::new(SimNetwork),
            speed: 1,
            setting: setting.clone(),
            seats: SeatStore::at(folder.path().join(name)),
            chance: shared(chance.fork()),
            observer: Shared::clone(&observer),
        });
        let group = Group { people: people.into(), observer };
        let mut world = Self { sim, group, disk, troubled: Default::default(), _folder: folder };
        world.begins();
        world
    }

    fn begins(&mut self) {
        for person in self.group.people.clone() {
            self.sim.host(person.name, move || {
                let person = person.clone();
                async move {
                    person.live().await;
                    Ok(())
                }
            });
        }
    }

    /// Advances time. Fails if anything in this world fails: a person, the server, or the simulator itself.
    pub(super) fn passes(&mut self, time: Duration) {
        let end = self.sim.elapsed() + time;
        while self.sim.elapsed() < end {
            self.sim.step().unwrap();
            assert!(!panics::seen(), "something panicked in this world");
        }
    }

    /// Causes failures for the length of a storm; then everything works again.
    pub(super) fn storms(&mut self, chance: &mut Rng) {
        while self.sim.elapsed() < STORM {
            self.passes(Duration::from_millis(chance.u64(50..RESPITE)));
            self.suffers(chance);
        }
        (0..=PEOPLE.len()).for_each(|place| self.recovers(place));
    }

    /// Breaks or repairs something for a random person.
    fn suffers(&mut self, chance: &mut Rng) {
        let place = chance.usize(..=PEOPLE.len());
        if self.troubled[place] {
            if chance.u8(..3) > 0 {
                self.recovers(place);
            }
        } else if chance.u8(..3) == 0 {
            self.breaks(place, chance);
            self.troubled[place] = true;
        }
    }

    fn breaks(&mut self, place: usize, chance: &mut Rng) {
        let Some((who, _)) = PEOPLE.get(place).copied() else {
            return if chance.bool() { self.sim.crash("server") } else { self.disk.is_full(true) };
        };
        match chance.u8(..6) {
            0 => self.sim.partition(who, "server"),
            1 => self.sim.partition_oneway(who, "server"),
            2 => self.sim.partition_oneway("server", who),
            3 => self.sim.hold(who, "server"),
            4 => self.sim.set_link_fail_rate(who, "server", 0.1),
            _ => self.sim.crash(who),
        }
    }

    /// Repairs everything for this person.
    fn recovers(&mut self, place: usize) {
        let who = PEOPLE.get(place).map_or("server", |(name, _)| *name);
        if who == "server" {
            self.disk.is_full(false);
        } else {
            self.sim.release(who, "server");
            self.sim.repair(who, "server");
            self.sim.set_link_fail_rate(who, "server", 0.0);
        }
        if !self.sim.is_host_running(who) {
            self.sim.bounce(who);
        }
        self.troubled[place] = false;
    }

    /// Lets people finish their games and return to their seats. Fails if that takes too long.
    pub(super) fn calms(&mut self) {
        self.group.observer.lock().is_calm = true;
        let end = self.sim.elapsed() + CALM;
        let mut settled = Duration::ZERO;
        while settled < SETTLED {
            self.passes(Duration::from_millis(100));
            let trouble = self.group.trouble();
            settled = if trouble.is_none() { settled + Duration::from_millis(100) } else { Duration::ZERO };
            assert!(
                self.sim.elapsed() < end,
                "it is not well in the end, {trouble:?}: {:#?}",
                self.group.observer.lock().known
            );
        }
        self.group.check();
    }
}

impl Drop for World<'_> {
    /// The simulator's connections can be closed only while it exists.
    fn drop(&mut self) {
        self.sim.crash("server");
        for (who, _) in PEOPLE {
            self.sim.crash(who);
        }
    }
}
