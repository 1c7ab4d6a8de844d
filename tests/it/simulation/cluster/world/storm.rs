//! A storm: it breaks people, nodes, etcd and what is between them, and repairs them again.

use std::time::Duration;

use fastrand::Rng;
use nim::cluster::engine::memory::{DEADLINE, Fate};
use nim::cluster::node::LEASE;

use super::{STORM, World};
use crate::simulation::cluster::hosts::{NODES, Place, people};

/// The longest time between two failures, in milliseconds.
const RESPITE: u64 = 800;

impl World<'_> {
    /// Causes failures for the length of a storm; then everything works again.
    pub(in crate::simulation::cluster) fn storms(&mut self, chance: &mut Rng) {
        let end = self.sim.elapsed() + STORM;
        while self.sim.elapsed() < end {
            self.passes(Duration::from_millis(chance.u64(50..RESPITE)));
            self.suffers(chance);
        }
        for place in std::mem::take(&mut self.troubled) {
            self.recovers(place);
        }
    }

    /// Breaks or repairs something.
    fn suffers(&mut self, chance: &mut Rng) {
        let people: Vec<_> = people().collect();
        let place = match chance.u8(..20) {
            0 => Place::Etcd,
            1..10 => Place::Node(chance.usize(..NODES.len())),
            _ => Place::Person(people[chance.usize(..people.len())]),
        };
        match self.troubled.iter().position(|troubled| *troubled == place) {
            Some(found) if chance.u8(..3) > 0 => {
                self.troubled.swap_remove(found);
                self.recovers(place);
            }
            None if chance.u8(..3) == 0 => {
                self.breaks(place, chance);
                self.troubled.push(place);
            }
            _ => {}
        }
    }

    fn breaks(&mut self, place: Place, chance: &mut Rng) {
        self.notes(format!("{place:?} is in trouble"));
        match place {
            Place::Person(who) => self.breaks_person(who, chance),
            Place::Node(number) => self.breaks_node(number, chance),
            Place::Etcd => self.nodes.iter().for_each(|node| node.way.cut_off()),
        }
    }

    fn breaks_person(&mut self, who: &'static str, chance: &mut Rng) {
        let (node, how) = (NODES[chance.usize(..NODES.len())], chance.u8(..6));
        self.notes(format!("in way {how}, with {node}"));
        match how {
            0 => self.sim.partition(who, node),
            1 => self.sim.partition_oneway(who, node),
            2 => self.sim.partition_oneway(node, who),
            3 => self.sim.hold(who, node),
            4 => NODES.iter().for_each(|node| self.sim.set_link_fail_rate(who, *node, 0.1)),
            _ => self.sim.crash(who),
        }
    }

    fn breaks_node(&mut self, number: usize, chance: &mut Rng) {
        let (name, other) = (NODES[number], NODES[(number + chance.usize(1..NODES.len())) % NODES.len()]);
        let (node, how) = (&self.nodes[number], chance.u8(..8));
        self.notes(format!("in way {how}, with {other}"));
        match how {
            0 | 1 => self.sim.crash(name),
            2 => node.way.cut_off(),
            3 => {
                let fates = [Fate::Lost, Fate::Run, Fate::RunLater(DEADLINE / 2), Fate::RunLater(LEASE * 3)];
                node.way.lose_reply(fates[chance.usize(..fates.len())]);
            }
            4 => node.stop.notify_one(),
            5 => self.sim.partition(name, other),
            6 => self.sim.hold(name, other),
            _ => people().for_each(|who| self.sim.partition(who, name)),
        }
    }

    fn notes(&self, what: String) {
        self.course.lock().note(self.sim.elapsed(), what);
    }

    /// Repairs everything there.
    fn recovers(&mut self, place: Place) {
        self.notes(format!("{place:?} is well again"));
        match place {
            Place::Person(who) => {
                for node in NODES {
                    self.mends(who, node);
                }
                self.starts(who);
            }
            Place::Node(number) => {
                let name = NODES[number];
                self.nodes[number].way.heal();
                for other in people().chain(NODES).filter(|other| *other != name) {
                    self.mends(name, other);
                }
                self.starts(name);
            }
            Place::Etcd => self.nodes.iter().for_each(|node| node.way.heal()),
        }
    }

    fn mends(&mut self, one: &str, other: &str) {
        self.sim.release(one, other);
        self.sim.repair(one, other);
        self.sim.set_link_fail_rate(one, other, 0.0);
    }
}
