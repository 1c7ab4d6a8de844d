//! CPU time, so that other work on the same machine does not count.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// The CPU time of this thread; on other systems the wall clock.
pub(crate) fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = stat.and_then(|stat| stat.split(' ').next()?.parse().ok());
    nanos.map_or_else(|| CLOCK.elapsed(), Duration::from_nanos)
}

static CLOCK: LazyLock<Instant> = LazyLock::new(Instant::now);
