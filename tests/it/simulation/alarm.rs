//! What is to be heard of a panic in a simulated world: that there was one, wherever it was caught, and by which seed the
//! world can be made again.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Something panicked on this thread, on which a whole world lives.
    static RAISED: Cell<bool> = const { Cell::new(false) };
}

/// Listens for panics from now on, which is over when [`is_raised`] has told of one.
pub(crate) fn listen() {
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

/// Whether anything has panicked on this thread since it was asked last. A task that dies alone tells nobody else.
pub(crate) fn is_raised() -> bool {
    RAISED.take()
}

/// How to see once more what this seed brings about.
fn how_to_repeat(seed: u64) -> String {
    format!("NIM_SEED={seed} cargo test --test it simulation")
}

/// Runs what the seed brings about. If it panics, `tell` is told how to repeat it, and the panic goes on.
pub(crate) fn with_seed<T>(seed: u64, tell: impl FnOnce(&str), run: impl FnOnce() -> T) -> T {
    panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        tell(&how_to_repeat(seed));
        panic::resume_unwind(panic)
    })
}
