//! Why a node cannot follow what happens in the cluster.

use crate::cluster::engine::{Engine, EngineError};
use crate::cluster::keys;
use crate::cluster::log::ReadError;
use crate::cluster::map::MapError;
use crate::cluster::node::FencedOff;

/// Why a node cannot follow what happens in the cluster.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeepError {
    /// etcd does not do what was asked. It is asked again.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// This node is no member any more.
    #[error(transparent)]
    FencedOff(#[from] FencedOff),
    /// What lies in etcd is damaged, and a person has to look at it.
    #[error("{0}")]
    Damaged(String),
}

impl From<MapError> for KeepError {
    fn from(error: MapError) -> Self {
        match error {
            MapError::Engine(error) => error.into(),
            MapError::FencedOff(off) => off.into(),
            MapError::Damaged { .. } => Self::Damaged(error.to_string()),
        }
    }
}

impl KeepError {
    /// Why slots of the dead cannot be taken over: without a part of a log nobody knows which lobbies it was about.
    pub(super) fn of_log(engine: &dyn Engine, error: ReadError) -> Self {
        match error {
            ReadError::Engine(error) => error.into(),
            ReadError::Damaged { epoch, .. } => {
                let log = engine.whole_key(&keys::log(epoch));
                Self::Damaged(format!(
                    "{error}; its node has died, and lobbies that it had wait: restore etcd from a snapshot, or have them go on \
                     without what happened in their last minutes: `etcdctl del --prefix {log}`"
                ))
            }
        }
    }
}
