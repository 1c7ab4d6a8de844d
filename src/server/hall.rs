//! All lobbies of a server, found by their codes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::table::Table;
use crate::lobby::Code;

/// The tables by code, and the chance that names them.
#[derive(Debug)]
pub(super) struct Hall(Mutex<Tables>);

#[derive(Debug)]
struct Tables {
    by_code: HashMap<Code, Arc<Table>>,
    chance: fastrand::Rng,
    opened: u64,
}

/// How often a code of two words is tried before a number is put behind it.
const SHORT_TRIES: u32 = 16;

impl Hall {
    pub(super) fn new(seed: u64) -> Self {
        Self(Mutex::new(Tables {
            by_code: HashMap::new(),
            chance: fastrand::Rng::with_seed(seed),
            opened: 0,
        }))
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the table that `make` makes of a free code and a number that grows with every table.
    pub(super) fn open(&self, make: impl FnOnce(Code, u64) -> Table) -> Arc<Table> {
        let mut tables = self.tables();
        let code = tables.free_code();
        tables.opened += 1;
        let table = Arc::new(make(code, tables.opened));
        tables.by_code.insert(code, Arc::clone(&table));
        table
    }

    pub(super) fn find(&self, code: Code) -> Option<Arc<Table>> {
        self.tables().by_code.get(&code).cloned()
    }

    pub(super) fn close(&self, code: Code) {
        self.tables().by_code.remove(&code);
    }
}

impl Tables {
    /// There are more than a million codes and never that many lobbies, since each has a connection in it.
    fn free_code(&mut self) -> Code {
        for tries in 0u32.. {
            let number = if tries < SHORT_TRIES { 1 } else { self.chance.u8(2..) };
            let code = Code::from_bits(self.chance.u16(..), number);
            if !self.by_code.contains_key(&code) {
                return code;
            }
        }
        Code::from_bits(0, 1)
    }
}
