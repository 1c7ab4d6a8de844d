//! The terminal, taken for the screen and given back as it was: at the end, after an error, after a panic, and by a signal.

use std::io::{self, Write, stdout};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableFocusChange, DisableMouseCapture, EnableFocusChange, EnableMouseCapture};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use crossterm::{execute, queue};
use tokio::task::JoinHandle;

/// The terminal is taken. There is one for each program.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// While this lives, the terminal belongs to the screen.
#[derive(Debug)]
pub struct Guard {
    /// Whoever gives it back when the program is told to end.
    signals: Option<JoinHandle<()>>,
}

impl Guard {
    /// Takes the terminal. In a runtime, since signals are waited for.
    pub fn take() -> io::Result<Self> {
        static HOOK: Once = Once::new();
        HOOK.call_once(give_back_on_panic);
        let guard = Self { signals: give_back_on_signals() };
        enter()?;
        Ok(guard)
    }

    /// Takes it again, if a panic that was survived has given it back. Returns whether that was so: all of the screen is to
    /// be drawn anew.
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
    execute!(stdout(), EnterAlternateScreen, EnableMouseCapture, EnableFocusChange, Hide)
}

/// Gives the terminal back, if it is taken. What cannot be undone on a terminal that is gone does no harm either.
pub fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let mut out = stdout();
        let _ = queue!(out, DisableFocusChange, DisableMouseCapture, LeaveAlternateScreen, Show);
        let _ = out.flush();
        let _ = disable_raw_mode();
    }
}

/// What is said of a panic is read on the terminal as it was.
fn give_back_on_panic() {
    let said = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        give_back();
        said(panic);
    }));
}

/// A signal that ends a program does so once the terminal is given back; the exit code says which, as shells do.
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

/// Where there are no signals, Ctrl-C is a key.
#[cfg(not(unix))]
fn give_back_on_signals() -> Option<JoinHandle<()>> {
    None
}
