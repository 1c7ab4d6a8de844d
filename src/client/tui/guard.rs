//! Takes the terminal for the application, and restores it at the end, after an error, after a panic, at a
//! signal, and while the program is stopped.

use std::io::{self, Write, stdout};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use crossterm::style::Print;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, SetTitle, disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;

/// Whether the terminal is taken. A program has one.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Whether the window has a title of this program.
static TITLED: AtomicBool = AtomicBool::new(false);

/// The control sequences of xterm that save the window's title and restore it.
const SAVE_TITLE: &str = "\x1b[22;0t";
const RESTORE_TITLE: &str = "\x1b[23;0t";

/// While this lives, the terminal is in raw mode and shows the alternate screen.
#[derive(Debug)]
pub struct Guard {
    /// The task that restores the terminal at a signal.
    signals: Option<JoinHandle<()>>,
}

impl Guard {
    /// Takes the terminal. In a runtime. When the program is continued after a stop, the terminal has to be
    /// [taken again](Self::keep), and `on_return` is called.
    pub fn take(on_return: impl Fn() + Send + 'static) -> io::Result<Self> {
        static HOOK: Once = Once::new();
        HOOK.call_once(give_back_on_panic);
        let guard = Self { signals: give_back_on_signals(on_return) };
        enter()?;
        Ok(guard)
    }

    /// Takes it again, if it was restored for a stop of the program or by a panic that was caught. Returns whether that was so: then the
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

/// Gives the window a title. The one before is restored with the terminal.
pub(super) fn set_title(title: &str) -> io::Result<()> {
    let mut out = stdout();
    if !TITLED.swap(true, Ordering::SeqCst) {
        queue!(out, Print(SAVE_TITLE))?;
    }
    execute!(out, SetTitle(title))
}

/// Rings the terminal's bell.
pub(super) fn ring() -> io::Result<()> {
    execute!(stdout(), Print("\x07"))
}

/// Restores the terminal, if it is taken. Errors of a terminal that is gone do not matter.
pub fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let mut out = stdout();
        if TITLED.swap(false, Ordering::SeqCst) {
            // A terminal that saves no titles shows its own for an empty one.
            let _ = queue!(out, SetTitle(""), Print(RESTORE_TITLE));
        }
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

/// Restores the terminal, and stops the program and all that belongs to its job, as a shell expects of Ctrl-Z.
/// Returns once it is continued. A program that no shell could continue is not stopped.
#[cfg(unix)]
pub(super) fn suspend() {
    give_back();
    // Without job control the program just goes on.
    let _ = rustix::process::kill_current_process_group(rustix::process::Signal::TSTP);
}

/// The signal with which a shell continues a stopped job.
#[cfg(unix)]
const CONTINUE: SignalKind = SignalKind::from_raw(rustix::process::Signal::CONT.as_raw());

/// Restores the terminal before a signal ends the program; the exit code is that of shells, 128 and the
/// signal. Restores it also when the program is continued, and calls `on_return`.
#[cfg(unix)]
fn give_back_on_signals(on_return: impl Fn() + Send + 'static) -> Option<JoinHandle<()>> {
    let mut terminate = signal(SignalKind::terminate()).ok()?;
    let mut hangup = signal(SignalKind::hangup()).ok()?;
    let mut interrupt = signal(SignalKind::interrupt()).ok()?;
    let mut quit = signal(SignalKind::quit()).ok()?;
    let mut go_on = signal(CONTINUE).ok()?;
    Some(tokio::spawn(async move {
        let kind = loop {
            tokio::select! {
                _ = terminate.recv() => break SignalKind::terminate(),
                _ = hangup.recv() => break SignalKind::hangup(),
                _ = interrupt.recv() => break SignalKind::interrupt(),
                _ = quit.recv() => break SignalKind::quit(),
                _ = go_on.recv() => {
                    // A shell may have changed the modes of the terminal.
                    give_back();
                    on_return();
                }
            }
        };
        give_back();
        std::process::exit(128 + kind.as_raw_value());
    }))
}

/// There is no job control.
#[cfg(not(unix))]
pub(super) fn suspend() {}

/// Without signals Ctrl-C is a key.
#[cfg(not(unix))]
fn give_back_on_signals(_: impl Fn() + Send + 'static) -> Option<JoinHandle<()>> {
    None
}
