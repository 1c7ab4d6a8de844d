//! Where each slot is, and which nodes there are, as this node sees it. All who ask have the same one; to ask takes
//! no lock.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, RwLock};
use tokio::sync::watch;

use super::about::About;
use super::keys::{Epoch, NodeName, Slot};
use super::node::Living;
use crate::server::{PeerId, Place};

/// The numbers of places that are no epochs: revisions begin with 1 and never get so far.
const MOVING: u64 = 0;
const HERE: u64 = u64::MAX;

/// How many nodes that have gone are remembered by their names.
const MOST_GONE: usize = 64;

/// The nodes that are living, each with its name and what it says of itself.
pub type Nodes = BTreeMap<Epoch, (NodeName, About)>;

/// Where each slot is.
#[derive(Debug)]
pub struct Places {
    slots: [AtomicU64; Slot::COUNT],
    /// How many slots have come here since the start.
    taken: AtomicU64,
    nodes: RwLock<Arc<Nodes>>,
    /// What the last nodes were called that are living no more.
    gone: Mutex<BTreeMap<Epoch, NodeName>>,
    changes: watch::Sender<u64>,
    addresses: watch::Sender<Arc<Vec<String>>>,
}

impl Default for Places {
    /// Everything is on its way, and nobody is known.
    fn default() -> Self {
        Self {
            slots: [const { AtomicU64::new(MOVING) }; Slot::COUNT],
            taken: AtomicU64::default(),
            nodes: RwLock::default(),
            gone: Mutex::default(),
            changes: watch::Sender::new(0),
            addresses: watch::Sender::default(),
        }
    }
}

impl Places {
    /// Where a slot is.
    pub fn place(&self, slot: Slot) -> Place {
        match self.slots[usize::from(slot.0)].load(Ordering::Acquire) {
            MOVING => Place::Moving,
            HERE => Place::Here,
            epoch => Place::At(PeerId(epoch)),
        }
    }

    /// Where this node opens new lobbies: here if it owns a slot, else at the owner of the first slot that has one.
    pub fn place_of_new(&self) -> Place {
        let mut owners = self.slots.iter().map(|place| place.load(Ordering::Acquire));
        let elsewhere = owners.clone().find(|place| ![HERE, MOVING].contains(place));
        if owners.any(|place| place == HERE) {
            return Place::Here;
        }
        elsewhere.map_or(Place::Moving, |epoch| Place::At(PeerId(epoch)))
    }

    /// How many slots are here.
    pub fn here(&self) -> usize {
        self.slots.iter().filter(|place| place.load(Ordering::Acquire) == HERE).count()
    }

    /// How many slots have come here since the start, from living nodes or dead ones.
    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// How many slots are on their way.
    pub fn moving(&self) -> usize {
        self.slots.iter().filter(|place| place.load(Ordering::Acquire) == MOVING).count()
    }

    /// Notes where slots are, and tells those who wait if that is new.
    pub fn set(&self, places: impl IntoIterator<Item = (Slot, Place)>) {
        let mut is_new = false;
        for (slot, place) in places {
            let number = match place {
                Place::Moving => MOVING,
                Place::Here => HERE,
                Place::At(PeerId(epoch)) => epoch,
            };
            let is_other = self.slots[usize::from(slot.0)].swap(number, Ordering::AcqRel) != number;
            if is_other && number == HERE {
                self.taken.fetch_add(1, Ordering::Relaxed);
            }
            is_new |= is_other;
        }
        if is_new {
            self.note_change();
        }
    }

    /// Notes who is living.
    pub fn set_nodes(&self, living: &Living) {
        let mut nodes = Nodes::new();
        for (epoch, (name, value)) in &living.nodes {
            match About::read(value) {
                Ok(about) => drop(nodes.insert(*epoch, (name.clone(), about))),
                Err(why) => tracing::warn!(%name, why, "what a node says of itself cannot be read"),
            }
        }
        if **self.nodes.read() == nodes {
            return;
        }
        let addresses: Vec<String> =
            nodes.values().filter_map(|(_, about)| about.for_clients().cloned()).collect();
        self.remember(&nodes);
        *self.nodes.write() = Arc::new(nodes);
        self.addresses.send_if_modified(|known| {
            let is_new = **known != addresses;
            *known = Arc::new(addresses);
            is_new
        });
        self.note_change();
    }

    /// Remembers the names of those who are not among these nodes any more.
    fn remember(&self, nodes: &Nodes) {
        let (before, mut gone) = (self.nodes(), self.gone.lock());
        let leave = before.iter().filter(|(epoch, _)| !nodes.contains_key(epoch));
        gone.extend(leave.map(|(epoch, (name, _))| (*epoch, name.clone())));
        while gone.len() > MOST_GONE {
            gone.pop_first();
        }
    }

    /// What a log calls a node, also one that was living until lately.
    pub fn called(&self, epoch: Epoch) -> String {
        let name = self.nodes().get(&epoch).map(|(name, _)| name.to_string());
        let gone = || self.gone.lock().get(&epoch).map(NodeName::to_string);
        name.or_else(gone).unwrap_or_else(|| epoch.to_string())
    }

    /// Who is living.
    pub fn nodes(&self) -> Arc<Nodes> {
        Arc::clone(&self.nodes.read())
    }

    /// Whether any node but this one is living and does not leave.
    pub fn has_others(&self, own: Epoch) -> bool {
        self.nodes.read().iter().any(|(epoch, (_, about))| *epoch != own && !about.is_leaving)
    }

    /// Whether a living node listens at this address for others.
    pub fn is_machine_of_node(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.nodes.read().values().any(|(_, about)| about.tunnel.ip().to_canonical() == address)
    }

    /// Changes whenever a slot or a node has.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Where clients reach the nodes.
    pub fn addresses(&self) -> watch::Receiver<Arc<Vec<String>>> {
        self.addresses.subscribe()
    }

    /// Where clients reach this node; `None` if they are not told, or it is about to leave.
    pub fn address_of(&self, epoch: Epoch) -> Option<String> {
        self.nodes.read().get(&epoch).and_then(|(_, about)| about.for_clients()).cloned()
    }

    /// Returns once this node is living no more.
    pub async fn gone(&self, epoch: Epoch) {
        let mut changes = self.changes();
        while self.nodes().contains_key(&epoch) {
            // The sender lives as long as this.
            if changes.changed().await.is_err() {
                return;
            }
        }
    }

    fn note_change(&self) {
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::engine::Revision;

    #[test]
    fn only_news_is_told() {
        let (places, at) = (Places::default(), Place::At(PeerId(7)));
        let mut changes = places.changes();
        assert_eq!((places.place(Slot(3)), places.place_of_new()), (Place::Moving, Place::Moving));
        places.set([(Slot(3), at)]);
        assert_eq!(
            places.place_of_new(),
            at,
            "a node without slots has its visitors' lobbies opened by another one"
        );
        places.set([(Slot(4), Place::Here)]);
        assert_eq!([3, 4, 5].map(|slot| places.place(Slot(slot))), [at, Place::Here, Place::Moving]);
        assert_eq!((places.place_of_new(), places.here(), places.moving()), (Place::Here, 1, 254));
        assert_eq!(places.taken(), 1);
        assert!(changes.has_changed().unwrap());
        changes.mark_unchanged();
        places.set([(Slot(3), at)]);
        assert!(!changes.has_changed().unwrap());
    }

    #[tokio::test]
    async fn nodes_come_with_their_addresses_and_go() {
        let places = Places::default();
        let about = |clients: &str| About::new("10.0.0.1:1".parse().unwrap(), Some(clients.into()), "attic");
        let leaving = About { is_leaving: true, ..about("b:1") };
        let nodes = [(1, "a", about("a:1").value()), (2, "b", leaving.value()), (3, "c", "nonsense".into())];
        let nodes =
            nodes.map(|(epoch, name, value)| (Epoch(Revision(epoch)), (name.parse().unwrap(), value)));
        let living = Living { revision: Revision(9), nodes: nodes.into() };
        places.set_nodes(&living);
        assert_eq!(**places.addresses().borrow(), ["a:1"]);
        let told = [1, 2, 3].map(|epoch| places.address_of(Epoch(Revision(epoch))));
        assert_eq!(told, [Some("a:1".into()), None, None], "one that leaves wants no more clients");
        let have_others = [1, 2].map(|own| places.has_others(Epoch(Revision(own))));
        assert_eq!(have_others, [false, true], "one that leaves takes no lobbies");
        assert_eq!(places.nodes().len(), 2);
        let waits = async {
            tokio::task::yield_now().await;
            places.set_nodes(&Living { revision: Revision(10), nodes: BTreeMap::new() });
        };
        tokio::join!(places.gone(Epoch(Revision(1))), waits);
        assert!(places.addresses().borrow().is_empty());
        let called = [1, 3].map(|epoch| places.called(Epoch(Revision(epoch))));
        assert_eq!(
            called,
            ["a", "0000000000000003"],
            "one that has gone is remembered, and one that was never known has its epoch"
        );
    }
}
