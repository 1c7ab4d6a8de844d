//! Solving while somebody waits: a progress bar once it takes long, and Ctrl-C ends it with what is known.

use std::io::{IsTerminal, Write, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use nim::game::any::Board;
use nim::study::Stop;
use nim::study::solve::{PATIENT, solve as solve_board};
use tokio::sync::oneshot;
use tokio::time::{Instant, interval_at};

use super::{Failure, deep_inside};

/// How long it takes before it says that it takes long.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often the bar moves.
const TICK: Duration = Duration::from_millis(100);

/// The solution as text, or what is known of it when Ctrl-C is pressed.
pub(super) fn solve(board: Board) -> Result<String, Failure> {
    let stop = Stop::new();
    let (send, solved) = oneshot::channel();
    let line = stop.clone();
    let thinking = std::thread::spawn(move || {
        // If nobody waits for it any more, nobody wants it.
        let _ = send.send(deep_inside(move || solve_board(&board, &line)));
    });
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::Start)?;
    let answer = runtime.block_on(wait(solved, &stop));
    // It has answered, so it is at its end.
    let _ = thinking.join();
    match answer {
        Ok(answer) => Ok(answer??),
        Err(_) => Err(Failure::failed()),
    }
}

/// Waits for the answer, and passes Ctrl-C on to the search.
async fn wait<T>(mut solved: oneshot::Receiver<T>, stop: &Stop) -> Result<T, oneshot::error::RecvError> {
    let mut interrupted = std::pin::pin!(tokio::signal::ctrl_c());
    let mut ticks = interval_at(Instant::now() + PATIENCE, TICK);
    let mut progress = None;
    loop {
        tokio::select! {
            answer = &mut solved => return answer,
            _ = &mut interrupted, if !stop.is_raised() => stop.raise(),
            _ = ticks.tick() => progress.get_or_insert_with(Progress::begin).show(stop.nodes()),
        }
    }
}

/// What is shown on the standard error while it takes long; it is gone when this is dropped.
struct Progress(ProgressBar);

impl Progress {
    fn begin() -> Self {
        if !stderr().is_terminal() {
            // A program that looks on wants to know as well, once. If nobody reads it, that is no failure.
            let _ = writeln!(stderr(), "{SEARCHING}");
        }
        let bar = ProgressBar::with_draw_target(Some(PATIENT.nodes), ProgressDrawTarget::stderr());
        bar.set_message(SEARCHING);
        bar.set_style(style("{bar:30} {human_pos} of at most {human_len} positions, {elapsed}. {msg}"));
        Self(bar)
    }

    fn show(&self, nodes: u64) {
        if nodes > PATIENT.nodes && self.0.length().is_some() {
            // It is too large to be searched to its end, and looks ahead until it is stopped.
            self.0.unset_length();
            self.0.set_style(style("{spinner} {human_pos} positions, {elapsed}. {msg}"));
        }
        self.0.set_position(nodes);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

const SEARCHING: &str = "Ctrl-C ends the search with what is known";

fn style(template: &str) -> ProgressStyle {
    // The templates are those above, which are well-formed; a bar without them is still a bar.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
