//! Takes the terminal for the application, and restores it at the end, after an error, after a panic, and
//! at a signal.

use std::io::{self, Write, stdout};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use crossterm::{execute, queue};
use tokio::task::JoinHandle;

/// Whether the terminal is taken. A program has one.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// While this lives, the terminal is in raw mode and shows the alternate screen.
#[derive(Debug)]
pub struct Guard {
    /// The task that restores the terminal at a signal.
    signals: Option<JoinHandle<()>>,
}

impl Guard {
    /// Takes the terminal. In a runtime.
    pub fn take() -> io::Result<Self> {
        static HOOK: Once = Once::new();
        HOOK.call_once(give_back_on_panic);
        let guard = Self { signals: give_back_on_signals() };
        enter()?;
        Ok(guard)
    }

    /// Takes it again, if a panic that was caught has restored it. Returns whether that was so: then the
    /// whole screen has to be drawn again.
    pub fn keep(&mut self) -> io::Result<bool> {
        let lost = !TAKEN.load(Ordering::SeqCst);
        if lost {
            enter()?;
        }
        Ok(lost)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(signals) = self.signals.take() {
            signals.abort();
        }
        give_back();
    }
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    execute!(stdout(), EnterAlternateScreen, EnableMouseCapture, Hide)
}

/// Restores the terminal, if it is taken. Errors of a terminal that is gone do not matter.
pub fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let mut out = stdout();
        let _ = queue!(out, DisableMouseCapture, LeaveAlternateScreen, Show);
        let _ = out.flush();
        let _ = disable_raw_mode();
    }
}

/// The message of a panic is shown on the restored terminal.
fn give_back_on_panic() {
    let said = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        give_back();
        said(panic);
    }));
}

/// Restores the terminal before a signal ends the program; the exit code is that of shells, 128 and the
/// signal.
#[cfg(unix)]
fn give_back_on_signals() -> Option<JoinHandle<()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate()).ok()?;
    let mut hangup = signal(SignalKind::hangup()).ok()?;
    let mut interrupt = signal(SignalKind::interrupt()).ok()?;
    Some(tokio::spawn(async move {
        let kind = tokio::select! {
            _ = terminate.recv() => SignalKind::terminate(),
            _ = hangup.recv() => SignalKind::hangup(),
            _ = interrupt.recv() => SignalKind::interrupt(),
        };
        give_back();
        std::process::exit(128 + kind.as_raw_value());
    }))
}

/// Without signals Ctrl-C is a key.
#[cfg(not(unix))]
fn give_back_on_signals() -> Option<JoinHandle<()>> {
    None
}
