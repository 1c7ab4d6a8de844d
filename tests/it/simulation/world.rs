//! A simulated world: a server, the people who come to it, and the network between them, which a storm breaks in every way.

use std::time::Duration;

use fastrand::Rng;
use nim::client::Seats;
use nim::game::Side;
use nim::lobby::Phase;
use nim::server::{Config, Server};
use turmoil::{Builder, Sim};

use super::alarm;
use super::chronicle::{Chronicle, Shared};
use super::network::Door;
use super::person::{Part, Person};
use super::setting::Setting;

/// How much of simulated time passes at once.
const TICK: Duration = Duration::from_millis(10);

/// For how long things go wrong, and how long it may take afterwards until everything is well again: a silent connection is
/// left after six seconds, a pause before the next try is at most five, and most games take less than a minute.
const STORM: Duration = Duration::from_mins(3);
const CALM: Duration = Duration::from_mins(4);

/// How long all has to be well before it is believed: what is still on its way has arrived by then.
const SETTLED: Duration = Duration::from_secs(8);

/// The longest time between two things that go wrong, in milliseconds.
const RESPITE: u64 = 1_200;

const PEOPLE: [(&str, Part); 4] =
    [("anna", Part::Opener), ("ben", Part::Player), ("cara", Part::Player), ("dora", Part::Watcher)];

/// Seats are kept for longer than all of it takes.
fn config(seed: u64) -> Config {
    Config {
        bot_pace: Duration::from_millis(100),
        thinkers: Some(0),
        seed,
        ping_after: Duration::from_secs(2),
        gone_after: Duration::from_secs(6),
        ..Config::default()
    }
}

/// A server and the people, and the network between them.
pub(super) struct World<'a> {
    sim: Sim<'a>,
    people: Vec<Person>,
    /// Whose connection or program is broken.
    troubled: [bool; PEOPLE.len()],
    pub(super) chronicle: Shared<Chronicle>,
    /// The folders of their seats; kept as long as the world.
    _folder: tempfile::TempDir,
}

impl World<'_> {
    /// A world in which all that is left to chance follows the seed.
    pub(super) fn new(seed: u64, setting: &Setting, chance: &mut Rng) -> Self {
        alarm::listen();
        let mut sim = Builder::new()
            .tick_duration(TICK)
            .simulation_duration(STORM + CALM * 2)
            .min_message_latency(Duration::from_millis(1))
            .max_message_latency(Duration::from_millis(200))
            .rng_seed(seed)
            .build();
        // What chance the client has of its own, the spread of its pauses, follows the seed too.
        fastrand::seed(seed);
        sim.host("server", move || async move {
            let server = Server::on(Door::open().await?, config(seed));
            server.run(std::future::pending()).await;
            Ok(())
        });
        let folder = tempfile::tempdir().unwrap();
        let chronicle = Shared::default();
        let people = PEOPLE.map(|(name, part)| Person {
            name,
            part,
            setting: setting.clone(),
            seats: Seats::at(folder.path().join(name)),
            chance: Shared::of(chance.fork()),
            chronicle: Shared::clone(&chronicle),
        });
        let mut world =
            Self { sim, people: people.into(), troubled: Default::default(), chronicle, _folder: folder };
        world.begins();
        world
    }

    fn begins(&mut self) {
        for person in self.people.clone() {
            self.sim.host(person.name, move || {
                let person = person.clone();
                async move {
                    person.live().await;
                    Ok(())
                }
            });
        }
    }

    /// Lets time pass. Fails if anything in this world does: a person, the server, or the simulator itself.
    pub(super) fn passes(&mut self, time: Duration) {
        let end = self.sim.elapsed() + time;
        while self.sim.elapsed() < end {
            self.sim.step().unwrap();
            assert!(!alarm::is_raised(), "something panicked in this world");
        }
    }

    /// Things go wrong, for as long as a storm lasts; then everything works again.
    pub(super) fn storms(&mut self, chance: &mut Rng) {
        while self.sim.elapsed() < STORM {
            self.passes(Duration::from_millis(chance.u64(50..RESPITE)));
            self.suffers(chance);
        }
        (0..PEOPLE.len()).for_each(|place| self.recovers(place));
    }

    /// Something goes wrong for somebody, or gets better.
    fn suffers(&mut self, chance: &mut Rng) {
        let place = chance.usize(..PEOPLE.len());
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
        let who = PEOPLE[place].0;
        match chance.u8(..6) {
            0 => self.sim.partition(who, "server"),
            1 => self.sim.partition_oneway(who, "server"),
            2 => self.sim.partition_oneway("server", who),
            3 => self.sim.hold(who, "server"),
            4 => self.sim.set_link_fail_rate(who, "server", 0.1),
            _ => self.sim.crash(who),
        }
    }

    /// All works again for this person.
    fn recovers(&mut self, place: usize) {
        let who = PEOPLE[place].0;
        self.sim.release(who, "server");
        self.sim.repair(who, "server");
        self.sim.set_link_fail_rate(who, "server", 0.0);
        if !self.sim.is_host_running(who) {
            self.sim.bounce(who);
        }
        self.troubled[place] = false;
    }

    /// People play what they have begun to its end, and come back to where they belong. Fails if that takes too long.
    pub(super) fn calms(&mut self) {
        self.chronicle.open().is_calm = true;
        let end = self.sim.elapsed() + CALM;
        let mut settled = Duration::ZERO;
        while settled < SETTLED {
            self.passes(Duration::from_millis(100));
            settled = if self.is_well() { settled + Duration::from_millis(100) } else { Duration::ZERO };
            assert!(
                self.sim.elapsed() < end,
                "it is not well in the end: {:#?}",
                self.chronicle.open().known
            );
        }
        self.check();
    }

    /// Whether the game is over, all who sit here are here, and everybody in the lobby knows the same.
    fn is_well(&self) -> bool {
        let chronicle = self.chronicle.open();
        let Some(lobby) = chronicle.latest() else { return false };
        let is_over = matches!(lobby.phase(), Phase::Over { .. });
        let all_here = Side::BOTH.into_iter().all(|side| lobby.absence(side).is_none());
        is_over && all_here && chronicle.known.values().all(|(known, _)| known == lobby)
    }

    /// What has to be true in the end: seats belong to those who own them, and to nobody else.
    fn check(&self) {
        let chronicle = self.chronicle.open();
        let lobby = chronicle.latest().expect("somebody has opened a lobby");
        let mut seated = 0;
        for Person { name, seats, .. } in &self.people {
            let kept: Vec<_> = seats.all().unwrap().iter().map(|seat| (seat.code, seat.player)).collect();
            let own = chronicle.seat_of(name);
            assert_eq!(kept, Vec::from_iter(own), "{name} keeps the seat that they have");
            let is_here = |(code, you)| code == lobby.code() && lobby.side_of(you).is_some();
            assert!(own.is_none_or(is_here), "{name} has a seat where people meet");
            seated += usize::from(own.is_some());
        }
        let seats = lobby.seats().iter().filter(|(_, seat)| seat.is_some()).count();
        assert_eq!(seated, seats, "each seat has one owner, who knows of it");
    }
}

impl Drop for World<'_> {
    /// The simulator's connections can be closed only while it lives.
    fn drop(&mut self) {
        self.sim.crash("server");
        for (who, _) in PEOPLE {
            self.sim.crash(who);
        }
    }
}
