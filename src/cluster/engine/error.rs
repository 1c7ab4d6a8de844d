//! Errors of the engine: whether the outcome is certain, and a sentence for the host.

use std::time::Duration;

/// Why the engine did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// There was no answer, so a change was made or not. Ask the same again.
    #[error(
        "etcd did not answer: {0}; are its servers running, can this machine reach them, and are \
             their disks fast enough?"
    )]
    NoAnswer(String),
    /// Refused, and nothing was changed. The same request would be refused again.
    #[error("etcd refused a request: {0}")]
    Refused(String),
    /// Refused for a name, a password or a certificate, and nothing was changed.
    #[error(
        "etcd lets this server do nothing: {0}; check the user, the password and the certificate for etcd"
    )]
    NotAllowed(String),
    /// The quota of the engine is used up, and nothing was changed.
    #[error(
        "etcd is full: raise its --quota-backend-bytes, compact and defragment it, then disarm its alarm"
    )]
    Full,
    /// What was asked for is older than the oldest revision that is kept.
    #[error("etcd has already forgotten what was asked for, since it was compacted")]
    Compacted,
    /// A server is of another cluster than the first one that was asked. It was asked nothing.
    #[error(
        "etcd at {0} is of another cluster than the others, or than etcd was before: name the servers of one cluster; \
         where etcd was made anew, restart this node"
    )]
    OtherCluster(String),
    /// etcd has forgotten what it knew.
    #[error(
        "etcd has gone back to an earlier state, as if it was restored from a snapshot while nodes were running; this node \
         starts anew with what is there. Before etcd is restored, stop all nodes"
    )]
    WentBack,
    /// The lease has ended.
    #[error("the lease in etcd has ended")]
    NoSuchLease,
}

impl EngineError {
    /// The error for a request without an answer within this time.
    pub fn silent_for(deadline: Duration) -> Self {
        Self::NoAnswer(format!("nothing came within {} ms", deadline.as_millis()))
    }

    /// Whether this is not the etcd any more in which the node is a member.
    pub fn is_of_another(&self) -> bool {
        matches!(self, Self::OtherCluster(_) | Self::WentBack)
    }

    /// Whether a change that was asked for may have been made.
    pub fn is_in_doubt(&self) -> bool {
        matches!(self, Self::NoAnswer(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_missing_answer_leaves_a_change_in_doubt() {
        assert!(EngineError::silent_for(Duration::from_millis(600)).is_in_doubt());
        let certain = [
            EngineError::Refused("no".into()),
            EngineError::NotAllowed("no".into()),
            EngineError::Full,
            EngineError::Compacted,
            EngineError::NoSuchLease,
            EngineError::OtherCluster("http://10.0.0.1:2379".into()),
            EngineError::WentBack,
        ];
        assert!(!certain.iter().any(EngineError::is_in_doubt));
    }
}
