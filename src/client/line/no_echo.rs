//! Turns off the echo of the terminal while a password is typed.

#[cfg(unix)]
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// While this exists, the terminal of standard input shows only line ends of what is typed.
#[derive(Debug)]
pub(super) struct NoEcho {
    #[cfg(unix)]
    before: Termios,
}

#[cfg(unix)]
impl NoEcho {
    /// Turns it off; `None` if standard input is not a terminal that can.
    pub(super) fn start() -> Option<Self> {
        let stdin = rustix::stdio::stdin();
        let before = tcgetattr(stdin).ok()?;
        let mut modes = before.clone();
        modes.local_modes.remove(LocalModes::ECHO);
        modes.local_modes.insert(LocalModes::ECHONL);
        tcsetattr(stdin, OptionalActions::Now, &modes).ok()?;
        Some(Self { before })
    }
}

#[cfg(unix)]
impl Drop for NoEcho {
    fn drop(&mut self) {
        // This fails only if the terminal is gone.
        let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, &self.before);
    }
}

#[cfg(not(unix))]
impl NoEcho {
    /// Not supported on this system.
    pub(super) fn start() -> Option<Self> {
        None
    }
}
