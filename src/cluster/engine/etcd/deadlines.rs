//! How long etcd may take.

use std::time::Duration;

/// How long a connection may take to be made.
pub(super) const CONNECT_DEADLINE: Duration = Duration::from_millis(300);

/// How long an answer may take.
pub(super) const CALL_DEADLINE: Duration = Duration::from_millis(600);

/// The same where a lease is kept alive: a lease of a second leaves time for another server.
pub(super) const KEEP_ALIVE_DEADLINE: Duration = Duration::from_millis(300);
