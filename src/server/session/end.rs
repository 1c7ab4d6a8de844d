//! Why a connection ends.

use std::borrow::Cow;

use crate::server::connection::Closing;
use crate::wire::{Farewell, HelloRefusal};

/// Why a connection ends.
#[derive(Debug)]
pub(super) enum End {
    /// The other side closed it, or it broke.
    Gone,
    /// The server ends it, with a goodbye.
    Farewell(Farewell),
    /// The hello was refused.
    Unwelcome(HelloRefusal),
    /// It speaks HTTP.
    Browser,
    /// It speaks another protocol; this is the answer, if any.
    Stranger(Cow<'static, str>),
    /// It has said nothing, and is told nothing. It may be of a browser, which opens some connections ahead of its
    /// requests, and would take a goodbye for the answer to a later one.
    Unheard,
}

impl End {
    /// The label in the metrics.
    pub(super) fn reason(&self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Farewell(word) => word.into(),
            Self::Unwelcome(refusal) => refusal.into(),
            Self::Browser => "browser",
            Self::Stranger(_) => "stranger",
            Self::Unheard => "unheard",
        }
    }
}

impl From<Closing> for End {
    fn from(closing: Closing) -> Self {
        match closing {
            Closing::Farewell(word) => Self::Farewell(word),
            Closing::Broken => Self::Gone,
        }
    }
}

/// Before the welcome a connection receives `Unwelcome` instead of `Goodbye`.
pub(super) fn before_the_welcome(end: End) -> End {
    match end {
        End::Farewell(Farewell::Stopping | Farewell::Kept | Farewell::Moved) => {
            End::Unwelcome(HelloRefusal::Stopping)
        }
        End::Farewell(Farewell::NoRoom) => End::Gone,
        end => end,
    }
}
