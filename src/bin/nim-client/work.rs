//! Runs long work: shows a progress bar after a while, and stops the work at Ctrl-C.

use std::io::{IsTerminal, Write, stderr};
use std::pin::pin;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};
use nim::study::Stop;
use tokio::signal::ctrl_c;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, interval_at};

use crate::failure::CliError;

/// The time until the progress bar appears.
const PATIENCE: Duration = Duration::from_millis(500);
/// The time between two updates of the bar.
const TICK: Duration = Duration::from_millis(100);

/// The stack size of a search: more than the deepest one needs, in any build.
const STACK: usize = 64 << 20;

/// Starts `work` on a thread with a stack for the deepest search.
pub(crate) fn on_large_stack<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>, CliError> {
    thread::Builder::new().stack_size(STACK).spawn(work).map_err(CliError::Start)
}

/// A progress bar on standard error: its length, a message, and a template of `indicatif`.
pub(crate) type BarLook = (u64, &'static str, &'static str);

/// Runs `work` on a thread with a large stack; Ctrl-C raises its flag. After [`PATIENCE`] a progress bar
/// appears, which `show` updates every [`TICK`].
pub(crate) fn wait_for<T: Send + 'static>(
    look: BarLook,
    work: impl FnOnce(&Stop) -> T + Send + 'static,
    mut show: impl FnMut(&ProgressBar, &Stop),
) -> Result<T, CliError> {
    let stop = Stop::new();
    let line = stop.clone();
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.thread_stack_size(STACK).enable_all().build().map_err(CliError::Start)?;
    runtime.block_on(async {
        let mut working = spawn_blocking(move || work(&line));
        let mut interrupted = pin!(ctrl_c());
        let mut ticks = interval_at(Instant::now() + PATIENCE, TICK);
        let mut bar = None;
        loop {
            tokio::select! {
                done = &mut working => return done.map_err(|_| CliError::no_answer()),
                _ = &mut interrupted, if !stop.is_raised() => stop.raise(),
                _ = ticks.tick() => show(bar.get_or_insert_with(|| begin(look)), &stop),
            }
        }
    })
}

/// A bar, which disappears when it is dropped.
fn begin((length, words, template): BarLook) -> ProgressBar {
    if !stderr().is_terminal() {
        // A log shows the message once. If nobody reads it, that is no failure.
        let _ = writeln!(stderr(), "{words}");
    }
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
    bar.with_message(words).with_style(style(template)).with_finish(ProgressFinish::AndClear)
}

/// The look of a bar by its template.
pub(crate) fn style(template: &str) -> ProgressStyle {
    // All templates are constants of this program; the default serves if one is malformed.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
