//! What is under way at a table by itself: a bot that waits to sit down or thinks, and the next thing that falls due.

use tokio::task::AbortHandle;

use crate::lobby::{Moment, Who};

/// Something that is under way for a bot, and how to stop it.
#[derive(Debug, Default)]
pub(super) enum Duty {
    #[default]
    None,
    /// The bot waits for its time to sit down, counted from this event.
    Sitting { since: u32, task: AbortHandle },
    /// A bot thinks about this turn, for itself or for somebody who is away. The thought is its task's, and ends with it.
    Thinking { who: Who, turn: u32, task: AbortHandle },
}

impl Drop for Duty {
    fn drop(&mut self) {
        match self {
            Self::None => {}
            Self::Sitting { task, .. } | Self::Thinking { task, .. } => task.abort(),
        }
    }
}

/// The next moment at which something happens by itself.
#[derive(Debug)]
pub(super) struct Alarm {
    pub(super) at: Moment,
    pub(super) task: AbortHandle,
}

impl Drop for Alarm {
    fn drop(&mut self) {
        self.task.abort();
    }
}
