//! What a move was worth, found out while somebody waits, but not for too long.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use nim::game::any::{Board, Move};
use nim::study::{Stop, annotation};

use super::Failure;

/// How long one move is thought about: nearly all are judged at once, and nobody waits longer for one.
const PATIENCE: Duration = Duration::from_secs(10);

/// The stack of a search: far more than the deepest one takes, in any build.
const STACK: usize = 64 << 20;

/// What this move was worth and why, and the same of a better one: a line each.
pub(super) fn worth(board: &Board, mv: Move) -> Result<String, Failure> {
    let (stop, board) = (Stop::new(), board.clone());
    let (done, waiting) = channel::<()>();
    let line = stop.clone();
    let watchdog = thread::spawn(move || {
        if waiting.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            line.raise();
        }
    });
    let search = thread::Builder::new().stack_size(STACK).spawn(move || annotation(&board, mv, &stop));
    let words = search.map_err(Failure::Start)?.join();
    drop(done);
    // It only waits, and has been told that nobody needs it.
    let _ = watchdog.join();
    Ok(words.ok().flatten().unwrap_or_else(|| {
        format!("This move was not judged: it would take longer than {} seconds.", PATIENCE.as_secs())
    }))
}
