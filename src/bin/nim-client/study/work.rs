//! Long work: a progress bar once it takes long, and Ctrl-C ends it with what is known. Does not know the
//! work.

use std::io::{IsTerminal, Write, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use nim::study::Stop;
use tokio::sync::oneshot;
use tokio::time::{Instant, interval_at};

use crate::failure::Failure;

/// The time until the progress bar appears.
const PATIENCE: Duration = Duration::from_millis(500);
/// The time between two updates of the bar.
const TICK: Duration = Duration::from_millis(100);

/// The stack of a search: more than the deepest one needs, in any build.
const STACK: usize = 64 << 20;

/// Runs `work` on a thread with a stack for the deepest search.
pub(super) fn on_large_stack<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).map_err(Failure::Start)?;
    thread.join().map_err(|_| Failure::no_answer())
}

/// Runs `work` on a thread with a large stack; Ctrl-C raises its flag. `show` is called every [`TICK`] after
/// [`PATIENCE`].
pub(super) fn wait_for<T: Send + 'static>(
    work: impl FnOnce(&Stop) -> T + Send + 'static,
    show: impl FnMut(&Stop),
) -> Result<T, Failure> {
    let stop = Stop::new();
    let (send, done) = oneshot::channel();
    let line = stop.clone();
    let working = std::thread::spawn(move || {
        // The receiver is gone only if this program ends.
        let _ = send.send(on_large_stack(move || work(&line)));
    });
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::Start)?;
    let answer = runtime.block_on(wait(done, &stop, show));
    // It has answered, so it ends at once.
    let _ = working.join();
    answer.unwrap_or_else(|_| Err(Failure::no_answer()))
}

/// Waits for the answer, and passes Ctrl-C on to the work.
async fn wait<T>(
    mut done: oneshot::Receiver<T>,
    stop: &Stop,
    mut show: impl FnMut(&Stop),
) -> Result<T, oneshot::error::RecvError> {
    let mut interrupted = std::pin::pin!(tokio::signal::ctrl_c());
    let mut ticks = interval_at(Instant::now() + PATIENCE, TICK);
    loop {
        tokio::select! {
            answer = &mut done => return answer,
            _ = &mut interrupted, if !stop.is_raised() => stop.raise(),
            _ = ticks.tick() => show(stop),
        }
    }
}

/// A progress bar on standard error; it disappears when this is dropped.
pub(super) struct Bar(ProgressBar);

impl Bar {
    /// A bar of this length with a message, in a template of `indicatif`.
    pub(super) fn begin(length: u64, words: &'static str, template: &str) -> Self {
        if !stderr().is_terminal() {
            // A log shows the message once. If nobody reads it, that is no failure.
            let _ = writeln!(stderr(), "{words}");
        }
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
        bar.set_message(words);
        bar.set_style(style(template));
        Self(bar)
    }

    /// Turns the bar into a spinner of unknown length, once.
    pub(super) fn be_endless(&self, template: &str) {
        if self.0.length().is_some() {
            self.0.unset_length();
            self.0.set_style(style(template));
        }
    }

    /// Sets the position.
    pub(super) fn show(&self, place: u64) {
        self.0.set_position(place);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    // The templates are written out in this program and well-formed; a bar without them is still a bar.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
