//! Panics in a simulated world: notices even caught ones, and names the seed that repeats them.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Whether something has panicked on this thread. A world runs on one thread.
    static RAISED: Cell<bool> = const { Cell::new(false) };
}

/// Notices panics on this thread from now on.
pub(crate) fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            RAISED.set(true);
            usual(panic);
        }));
    });
    RAISED.set(false);
}

/// Whether anything has panicked on this thread since the last call, even in a task that nobody awaits.
pub(crate) fn seen() -> bool {
    RAISED.take()
}

/// The command that repeats this seed.
fn how_to_repeat(seed: u64) -> String {
    format!("NIM_SEED={seed} cargo test --test it simulation")
}

/// Runs the world of a seed. On a panic it calls `tell` with the command that repeats it, and panics again.
pub(crate) fn with_seed<T>(seed: u64, tell: impl FnOnce(&str), run: impl FnOnce() -> T) -> T {
    panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        tell(&how_to_repeat(seed));
        panic::resume_unwind(panic)
    })
}
