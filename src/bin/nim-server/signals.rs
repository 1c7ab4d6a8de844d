//! Signals that stop a host: Ctrl-C, SIGTERM, and SIGHUP.

/// Says that the server stops. From now on a signal ends the program at once.
pub(crate) fn stopping(mut interrupts: Interrupts) {
    super::values::complain("stopping; Ctrl-C again to end at once");
    tokio::spawn(async move {
        interrupts.next().await;
        // The exit code of a program that Ctrl-C ended.
        std::process::exit(130);
    });
}

/// A receiver of Ctrl-C, SIGTERM, and SIGHUP unless it is ignored. Once it exists, none of them ends the
/// program by itself.
#[cfg(unix)]
pub(crate) struct Interrupts {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Interrupts {
    pub(crate) fn listen() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: heeds_hangup().then(|| signal(SignalKind::hangup())).transpose()?,
        })
    }

    /// Waits for the next signal.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            () = hung_up(self.hangup.as_mut()) => {}
        }
    }
}

#[cfg(unix)]
async fn hung_up(hangup: Option<&mut tokio::signal::unix::Signal>) {
    match hangup {
        Some(hangup) => drop(hangup.recv().await),
        None => std::future::pending().await,
    }
}

/// Whether SIGHUP stops the program: not if it is ignored, as with `nohup`, or if that is unknown.
#[cfg(unix)]
fn heeds_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // SIGHUP is number 1.
    ignored.is_some_and(|mask| mask & 1 == 0)
}

/// A receiver of Ctrl-C.
#[cfg(windows)]
pub(crate) struct Interrupts(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Interrupts {
    pub(crate) fn listen() -> std::io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    /// Waits for the next signal.
    pub(crate) async fn next(&mut self) {
        self.0.recv().await;
    }
}
