//! Looks at the server's memory and connections while it is attacked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::load::process::Process;

/// How often it is looked at.
const EVERY: Duration = Duration::from_millis(100);

/// What a process takes at one moment.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Hold {
    /// Bytes.
    pub(crate) resident: u64,
    pub(crate) descriptors: usize,
}

impl Hold {
    pub(crate) fn of(process: &Process) -> anyhow::Result<Self> {
        Ok(Self { resident: process.resident()?, descriptors: process.descriptors()? })
    }

    /// The larger of both, each.
    fn most(self, other: Self) -> Self {
        Self {
            resident: self.resident.max(other.resident),
            descriptors: self.descriptors.max(other.descriptors),
        }
    }
}

/// The most that it takes until it is enough.
pub(crate) fn most(process: Process, enough: &Arc<AtomicBool>) -> thread::JoinHandle<anyhow::Result<Hold>> {
    let enough = Arc::clone(enough);
    thread::spawn(move || {
        let mut most = Hold::default();
        while !enough.load(Ordering::Acquire) {
            most = most.most(Hold::of(&process)?);
            thread::sleep(EVERY);
        }
        Ok(most)
    })
}
