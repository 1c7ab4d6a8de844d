//! What all connections of one server share.

use std::sync::atomic::{AtomicU64, Ordering};

use super::config::Config;
use super::directory::Directory;
use super::hall::Hall;
use super::names::Names;
use super::thinkers::Thinkers;

/// The server as its sessions and tables see it.
#[derive(Debug)]
pub(super) struct House {
    pub(super) config: Config,
    pub(super) hall: Hall,
    pub(super) directory: Directory,
    pub(super) names: Names,
    pub(super) thinkers: Thinkers,
    connections: AtomicU64,
}

impl House {
    pub(super) fn new(config: Config) -> Self {
        Self {
            hall: Hall::new(config.seed),
            directory: Directory::default(),
            names: Names::default(),
            thinkers: Thinkers::start(),
            connections: AtomicU64::new(0),
            config,
        }
    }

    /// A number for a new connection, for the logs.
    pub(super) fn next_connection(&self) -> u64 {
        self.connections.fetch_add(1, Ordering::Relaxed) + 1
    }
}
