//! Work for which somebody waits: a bar once it takes long, and Ctrl-C ends it with what is known. It does not know
//! what is worked on.

use std::io::{IsTerminal, Write, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use nim::study::Stop;
use tokio::sync::oneshot;
use tokio::time::{Instant, interval_at};

use super::{Failure, deep_inside};

/// How long it takes before it says that it takes long.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often the bar moves.
const TICK: Duration = Duration::from_millis(100);

/// What `work` comes to, on a thread with a large stack; Ctrl-C raises its flag. `show` is called again and again
/// once it takes long.
pub(super) fn wait_for<T: Send + 'static>(
    work: impl FnOnce(&Stop) -> T + Send + 'static,
    show: impl FnMut(&Stop),
) -> Result<T, Failure> {
    let stop = Stop::new();
    let (send, done) = oneshot::channel();
    let line = stop.clone();
    let working = std::thread::spawn(move || {
        // If nobody waits for it any more, nobody wants it.
        let _ = send.send(deep_inside(move || work(&line)));
    });
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::Start)?;
    let answer = runtime.block_on(wait(done, &stop, show));
    // It has answered, so it is at its end.
    let _ = working.join();
    answer.unwrap_or_else(|_| Err(Failure::failed()))
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

/// What is shown on the standard error while it takes long; it is gone when this is dropped.
pub(super) struct Bar(ProgressBar);

impl Bar {
    /// A bar of `length` with these words, in this template of indicatif's.
    pub(super) fn begin(length: u64, words: &'static str, template: &str) -> Self {
        if !stderr().is_terminal() {
            // A program that looks on wants to know as well, once. If nobody reads it, that is no failure.
            let _ = writeln!(stderr(), "{words}");
        }
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
        bar.set_message(words);
        bar.set_style(style(template));
        Self(bar)
    }

    /// Goes on without an end in sight, if it has not done so before.
    pub(super) fn lose_sight(&self, template: &str) {
        if self.0.length().is_some() {
            self.0.unset_length();
            self.0.set_style(style(template));
        }
    }

    /// Moves to this place of its length.
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
