//! What a client came for.

use crate::game::any::Variant;
use crate::lobby::{Code, Hints, Level, Text};
use crate::wire::{BotWish, HallRequest, NewLobby, Starts};

/// What to do once the server has said welcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// See what there is, and choose.
    Hall,
    /// Open a lobby.
    New(Terms),
    /// Join a lobby.
    Join(Code),
    /// Join the oldest open lobby of the same variant, else open one.
    Quick(Terms),
}

/// The terms of a lobby that a client wants to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// What is played.
    pub variant: Variant,
    /// Who makes the first move.
    pub starts: Starts,
    /// Whether a bot may take the other seat.
    pub bot: BotWish,
    /// Who may ask for the best move.
    pub hints: Hints,
    /// How strong the bot plays, if it comes.
    pub level: Level,
}

impl Terms {
    /// The usual terms for this variant.
    pub fn of(variant: Variant) -> Self {
        Self {
            variant,
            starts: Starts::Variant,
            bot: BotWish::WhenNobodyComes,
            hints: Hints::AgainstBots,
            level: Level::default(),
        }
    }

    fn lobby(&self) -> NewLobby {
        NewLobby {
            variant: Text::cut(&self.variant.text()),
            starts: self.starts,
            bot: self.bot,
            hints: self.hints,
            level: self.level,
        }
    }
}

impl From<&Wish> for HallRequest {
    fn from(wish: &Wish) -> Self {
        match wish {
            Wish::Hall => Self::Look,
            Wish::New(terms) => Self::Create(terms.lobby()),
            Wish::Join(code) => Self::Join { code: Text::cut(&code.to_string()) },
            Wish::Quick(terms) => Self::Quick(terms.lobby()),
        }
    }
}
