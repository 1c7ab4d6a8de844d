//! What tells a host to stop: Ctrl-C, SIGTERM, and that the terminal is closed.

/// Ready when the host is told to stop. When it is told so once more, the program ends at once.
pub(crate) async fn stopped(mut interrupts: Interrupts) {
    interrupts.next().await;
    super::complain("stopping; Ctrl-C again to end at once");
    tokio::spawn(async move {
        interrupts.next().await;
        // What a shell shows for a program that Ctrl-C ended.
        std::process::exit(130);
    });
}

/// Ctrl-C, SIGTERM, and SIGHUP unless that is ignored. From the moment this is made none of them ends the program by itself, and none is missed.
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

    async fn next(&mut self) {
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

/// Whether the program is to end with its terminal: not if whoever started it had the signal ignored, as `nohup` does. Where
/// the system does not say, it is left as it was found.
#[cfg(unix)]
fn heeds_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // The signals count from one, and this is the first.
    ignored.is_some_and(|mask| mask & 1 == 0)
}

/// Ctrl-C, from the moment this is made.
#[cfg(windows)]
pub(crate) struct Interrupts(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Interrupts {
    pub(crate) fn listen() -> std::io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    async fn next(&mut self) {
        self.0.recv().await;
    }
}
