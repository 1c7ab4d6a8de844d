//! The time that a bench takes, as far as it is its own and not that of others on the same machine.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// The CPU time of this thread; where the system does not tell, the time on the clock.
pub(crate) fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = stat.and_then(|stat| stat.split(' ').next()?.parse().ok());
    nanos.map_or_else(|| CLOCK.elapsed(), Duration::from_nanos)
}

static CLOCK: LazyLock<Instant> = LazyLock::new(Instant::now);
