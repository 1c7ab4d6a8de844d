//! What a client came for.

use super::KeptSeat;
use crate::game::any::Variant;
use crate::lobby::{Code, Hints, Level, Text, WhenAway};
use crate::wire::{AwayWish, BotWish, HallRequest, NewLobby, Starts};

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
    /// Be back in this seat.
    Return(KeptSeat),
}

/// The terms of a lobby that a client wants to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// What is played.
    pub variant: Variant,
    /// All else.
    pub preferences: Preferences,
}

/// How somebody likes their lobbies, whatever is played in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preferences {
    /// Who makes the first move.
    pub starts: Starts,
    /// Whether a bot may take the other seat.
    pub bot: BotWish,
    /// Who may ask for the best move.
    pub hints: Hints,
    /// How strong the bot plays, if it comes or stands in.
    pub level: Level,
    /// What happens when somebody is away.
    pub away: AwayWish,
}

/// What is usual when somebody is away: a stand-in, 10 seconds after the connection closed.
pub const USUAL_ABSENCE: AwayWish = AwayWish { then: WhenAway::StandIn, after: 10_000 };

impl Default for Preferences {
    /// What is usual: the game says who starts, the bot comes when nobody else does, plays perfectly, and there are hints
    /// against it.
    fn default() -> Self {
        Self {
            starts: Starts::Variant,
            bot: BotWish::WhenNobodyComes,
            hints: Hints::AgainstBots,
            level: Level::default(),
            away: USUAL_ABSENCE,
        }
    }
}

impl Terms {
    fn lobby(&self) -> NewLobby {
        let Preferences { starts, bot, hints, level, away } = self.preferences;
        NewLobby { variant: Text::cut(&self.variant.text()), starts, bot, hints, level, away }
    }
}

impl From<&Wish> for HallRequest {
    fn from(wish: &Wish) -> Self {
        match wish {
            Wish::Hall => Self::Look,
            Wish::New(terms) => Self::Create(terms.lobby()),
            Wish::Join(code) => Self::Join { code: Text::cut(&code.to_string()) },
            Wish::Quick(terms) => Self::Quick(terms.lobby()),
            Wish::Return(seat) => {
                Self::Return { code: Text::cut(&seat.code.to_string()), ticket: seat.ticket, seen: 0 }
            }
        }
    }
}
