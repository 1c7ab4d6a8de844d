//! All that has happened in a simulated world, as text.

use std::fmt;
use std::time::Duration;

/// All that has happened in a world, for who reads why it fails.
#[derive(Debug, Default)]
pub(super) struct Course(Vec<(Duration, String)>);

impl Course {
    /// Notes what has happened.
    pub(super) fn note(&mut self, at: Duration, what: String) {
        self.0.push((at, what));
    }
}

impl fmt::Display for Course {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(at, what)| writeln!(f, "{:7.2} {what}", at.as_secs_f64()))
    }
}
