//! What a client came for.

use super::SavedSeat;
use crate::game::any::Variant;
use crate::lobby::{ClockRule, Code, Hints, Level, Origin, Text, WhenAway};
use crate::wire::{AwayWish, BotWish, HallRequest, NewLobby, Secret, Starts};

/// What to do once the server has said welcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// See what there is, and choose.
    Hall,
    /// Open a lobby.
    New(Terms),
    /// Join a lobby, with its password if it has one.
    Join(Code, Option<Secret>),
    /// Watch in a lobby, with its password if it has one.
    Watch(Code, Option<Secret>),
    /// Join the oldest open lobby of the same variant, else open one.
    Quick(Terms),
    /// Be back in this seat.
    Return(SavedSeat),
}

/// The terms of a lobby that a client wants to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// What is played.
    pub variant: Variant,
    /// Where games come from, if they are not to begin as the variant does.
    pub origin: Option<Origin>,
    /// All else.
    pub preferences: Preferences,
}

/// How somebody likes their lobbies, whatever is played in them.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// How much time players have.
    pub clock: ClockRule,
    /// How many games a match has; 0 if people play as long as they like.
    pub best_of: u8,
    /// Whether others may watch.
    pub watched: bool,
    /// Whether the lobby is in the list, or found by its code alone.
    pub listed: bool,
    /// What whoever joins or watches has to know.
    pub password: Option<Secret>,
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
            clock: ClockRule::None,
            best_of: 0,
            watched: true,
            listed: true,
            password: None,
        }
    }
}

impl Terms {
    fn lobby(&self) -> NewLobby {
        let Preferences { starts, bot, hints, level, away, clock, best_of, watched, listed, password } =
            self.preferences.clone();
        NewLobby {
            variant: Text::cut(&self.variant.text()),
            starts,
            bot,
            hints,
            level,
            away,
            clock,
            best_of,
            watched,
            listed,
            password,
            origin: self.origin.clone(),
        }
    }
}

impl From<&Wish> for HallRequest {
    fn from(wish: &Wish) -> Self {
        match wish {
            Wish::Hall => Self::Look,
            Wish::New(terms) => Self::Create(terms.lobby()),
            Wish::Join(code, password) => {
                Self::Join { code: Text::cut(&code.to_string()), password: password.clone() }
            }
            Wish::Watch(code, password) => {
                Self::Watch { code: Text::cut(&code.to_string()), password: password.clone() }
            }
            Wish::Quick(terms) => Self::Quick(terms.lobby()),
            Wish::Return(seat) => {
                Self::Return { code: Text::cut(&seat.code.to_string()), ticket: seat.ticket, seen: 0 }
            }
        }
    }
}
