//! A storage with a person at its desk, who may be asked to wait, or to say that there is no more paper.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use nim::server::storage::{
    Archive, Bounds, Damage, Entry, LobbyId, Memory, Note, Storage, StorageError, StoredLobby,
};

/// Memory behind a desk. All clones are the same one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Desk {
    memory: Memory,
    shared: Arc<(Mutex<Orders>, Condvar)>,
}

#[derive(Debug, Default)]
struct Orders {
    /// Whoever comes has to wait.
    closed: bool,
    /// There is no more paper.
    full: bool,
    /// What has happened to the desk.
    mishap: Option<Mishap>,
    /// No lobby can be trusted.
    stained: bool,
    /// What was set aside since then.
    aside: Vec<Damage>,
    /// How many wait now.
    waiting: usize,
    /// The numbers of the events that are recorded.
    recorded: Vec<(LobbyId, u32)>,
}

#[derive(Debug, PartialEq, Eq)]
enum Mishap {
    /// What was recorded is lost.
    Burnt,
    /// Whoever is to record falls off their chair.
    Fallen,
}

impl Desk {
    fn orders(&self) -> MutexGuard<'_, Orders> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nothing is recorded until the desk is opened again.
    pub(crate) fn close(&self) {
        self.orders().closed = true;
    }

    pub(crate) fn open(&self) {
        self.orders().closed = false;
        self.shared.1.notify_all();
    }

    /// Somebody stands before the closed desk.
    pub(crate) fn has_a_queue(&self) -> bool {
        self.orders().waiting > 0
    }

    /// From now on nothing can be recorded, or again everything.
    pub(crate) fn is_full(&self, full: bool) {
        self.orders().full = full;
    }

    /// What was recorded will not be found again.
    pub(super) fn burns(&self) {
        self.orders().mishap = Some(Mishap::Burnt);
    }

    /// Whoever is to record next falls off their chair.
    pub(super) fn falls(&self) {
        self.orders().mishap = Some(Mishap::Fallen);
    }

    /// Nothing that was recorded of a lobby can be trusted.
    pub(crate) fn is_stained(&self) {
        self.orders().stained = true;
    }

    /// A copy from before that lies there now.
    pub(crate) fn is_copied(&self) {
        let mut orders = self.orders();
        (orders.stained, orders.aside) = (false, Vec::new());
    }

    /// Whether this event of any lobby is recorded.
    pub(crate) fn has(&self, number: u32) -> bool {
        self.orders().recorded.iter().any(|(_, known)| *known == number)
    }
}

impl Storage for Desk {
    fn record(&mut self, entries: &[Entry]) -> Result<(), StorageError> {
        let mut orders = self.orders();
        orders.waiting += 1;
        orders = self.shared.1.wait_while(orders, |orders| orders.closed).unwrap();
        orders.waiting -= 1;
        assert!(orders.mishap != Some(Mishap::Fallen), "the chair has broken");
        if orders.full {
            return Err(StorageError::new("there is no more paper", "buy some paper"));
        }
        for entry in entries {
            if let Note::Happened { number, .. } = &entry.note {
                orders.recorded.push((entry.lobby, *number));
            }
        }
        drop(orders);
        self.memory.record(entries)
    }

    fn load(&mut self, each: &mut dyn FnMut(Result<StoredLobby, Damage>)) -> Result<LobbyId, StorageError> {
        if !self.orders().stained {
            return self.memory.load(each);
        }
        let aside: Vec<LobbyId> = self.orders().aside.iter().map(|damage| damage.lobby).collect();
        self.memory.load(&mut |kept| {
            if kept.as_ref().is_ok_and(|kept| aside.contains(&kept.lobby)) {
                return;
            }
            let damage = |kept: StoredLobby| Damage {
                lobby: kept.lobby,
                code: Some(kept.opening.code),
                why: "there is coffee on it".into(),
            };
            each(kept.and_then(|kept| Err(damage(kept))));
        })
    }

    fn set_aside(&mut self, damage: &Damage) -> Result<(), StorageError> {
        self.orders().aside.push(damage.clone());
        Ok(())
    }

    fn aside(&mut self) -> Result<Vec<Damage>, StorageError> {
        Ok(self.orders().aside.clone())
    }

    fn prune(&mut self, bounds: &Bounds) -> Result<u64, StorageError> {
        self.memory.prune(bounds)
    }

    fn try_out(&mut self) -> Result<(), StorageError> {
        if self.orders().full {
            Err(StorageError::new("there is no more paper", "buy some paper"))
        } else {
            Ok(())
        }
    }

    fn prove(&mut self) -> Result<(), StorageError> {
        if self.orders().mishap == Some(Mishap::Burnt) {
            Err(StorageError::of_host("the desk has burnt"))
        } else {
            Ok(())
        }
    }

    fn archive(&self) -> Result<Box<dyn Archive>, StorageError> {
        self.memory.archive()
    }
}
