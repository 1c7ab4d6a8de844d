//! A terminal that does not show what is typed, for a password.

#[cfg(unix)]
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// While this lives, the terminal behind standard input shows nothing of what is typed but the ends of lines.
#[derive(Debug)]
pub(super) struct Hush {
    #[cfg(unix)]
    before: Termios,
}

#[cfg(unix)]
impl Hush {
    /// Begins; `None` if standard input is no terminal, or one that cannot be told.
    pub(super) fn begin() -> Option<Self> {
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
impl Drop for Hush {
    fn drop(&mut self) {
        // A terminal that is gone shows nothing either.
        let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, &self.before);
    }
}

#[cfg(not(unix))]
impl Hush {
    /// There is no way to ask for it here.
    pub(super) fn begin() -> Option<Self> {
        None
    }
}
