//! Errors of the engine: whether the outcome is certain, and a sentence for the host.

use std::time::Duration;

/// Why the engine did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// There was no answer, so a change was made or not. Ask the same again.
    #[error("etcd did not answer: {0}; are its servers running, and can this machine reach them?")]
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
    /// The lease has ended.
    #[error("the lease in etcd has ended")]
    NoSuchLease,
}

impl EngineError {
    /// The error for a request without an answer within this time.
    pub fn silent_for(deadline: Duration) -> Self {
        Self::NoAnswer(format!("nothing came within {} ms", deadline.as_millis()))
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
        ];
        assert!(!certain.iter().any(EngineError::is_in_doubt));
    }
}
