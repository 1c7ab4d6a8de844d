//! What tells a host to stop: Ctrl-C and SIGTERM.

/// Ready at the first Ctrl-C or SIGTERM. The second one ends the program at once.
pub(crate) async fn stopped(mut interrupts: Interrupts) {
    interrupts.next().await;
    super::complain("stopping; Ctrl-C again to end at once");
    tokio::spawn(async move {
        interrupts.next().await;
        // What a shell shows for a program that Ctrl-C ended.
        std::process::exit(130);
    });
}

/// Ctrl-C and SIGTERM. From the moment this is made none of them ends the program by itself, and none is missed.
#[cfg(unix)]
pub(crate) struct Interrupts {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Interrupts {
    pub(crate) fn listen() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
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
