//! A line of a script, as far as it has been read, and when its time is.

use super::request::{Misread, Request};
use super::vocabulary::Deed;
use crate::client::session::Timing;

/// What a script has said.
#[derive(Debug)]
pub(super) enum Said {
    /// It asks for something.
    Request(Request),
    /// The line means nothing.
    Nonsense(Misread),
    /// There are no more lines.
    End,
}

impl Said {
    /// Reads a line, `None` for the end of them; a blank one is nothing at all.
    pub(super) fn read(line: Option<&str>) -> Option<Self> {
        match line {
            Some(line) if line.trim().is_empty() => None,
            Some(line) => Some(Request::read(line).map_or_else(Self::Nonsense, Self::Request)),
            None => Some(Self::End),
        }
    }

    /// When it is done.
    pub(super) fn timing(&self) -> Timing {
        match self {
            Self::Request(request) => request.deed().timing(),
            Self::Nonsense(_) => Timing::Meanwhile,
            Self::End => Timing::End,
        }
    }
}

impl Deed {
    fn timing(self) -> Timing {
        match self {
            Self::Why | Self::Terms | Self::Mute => Timing::Always,
            Self::Say => Timing::Reached,
            Self::Resign | Self::Offer | Self::Wait | Self::WaitNoMore | Self::Claim => Timing::Meanwhile,
            Self::Review => Timing::Afterwards,
            Self::Play => Timing::Move,
            Self::Leave | Self::Quit => Timing::Departure,
            Self::Look
            | Self::New
            | Self::Join
            | Self::Watch
            | Self::Quick
            | Self::Hint
            | Self::Again
            | Self::Answer
            | Self::Resume => Timing::Answer,
        }
    }
}
