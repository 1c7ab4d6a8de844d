//! The terms of a lobby in a form: their names, choices and meanings.

use crate::client::Terms;
use crate::client::text::spoken;
use crate::game::any::Variant;
use crate::game::names::origin;
use crate::lobby::{Hints, WhenAway};
use crate::wire::{BotWish, Starts};

/// One of the terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    /// What is played.
    Game,
    /// Who makes the first move.
    Starts,
    /// Who may take the other seat.
    Bot,
    /// How strong the bot plays.
    Level,
    /// Who may ask for the best move.
    Hints,
    /// What happens when somebody is away.
    Away,
    /// How long to wait for a player who is away.
    After,
    /// How much time players have.
    Clock,
    /// How many games a match has.
    BestOf,
    /// Whether others may watch.
    Watched,
    /// Whether the lobby is in the list.
    Listed,
    /// The password.
    Password,
}

impl Term {
    /// All of them, in the order in which they are asked for.
    pub const ALL: [Self; 12] = [
        Self::Game,
        Self::Starts,
        Self::Bot,
        Self::Level,
        Self::Hints,
        Self::Away,
        Self::After,
        Self::Clock,
        Self::BestOf,
        Self::Watched,
        Self::Listed,
        Self::Password,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Game => "Game",
            Self::Starts => "First move",
            Self::Bot => "Other seat",
            Self::Level => "Bot's level",
            Self::Hints => "Hints",
            Self::Away => "When away",
            Self::After => "After",
            Self::Clock => "Clock",
            Self::BestOf => "Match",
            Self::Watched => "Watching",
            Self::Listed => "In the list",
            Self::Password => "Password",
        }
    }

    /// Its meaning.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Game => ANOTHER_GAME,
            Self::Starts => {
                "Who makes the first move of the first game; after each game the sides are swapped."
            }
            Self::Bot => {
                "Who may sit down opposite: a bot when nobody comes, a bot at once, or people alone; or two bots play, \
                 and you watch."
            }
            Self::Level => "How strong the bot plays.",
            Self::Hints => "Who may ask for the best move and its reason during a game.",
            Self::Away => {
                "What happens on the turn of somebody whose connection is lost. They always get their seat back."
            }
            Self::After => "How long to wait for a player who is away on their turn before that happens.",
            Self::Clock => {
                "How much time players have; type it, as 30s/move, 5m+3s (more with every move) or 5m~3s (runs after \
                 a delay)."
            }
            Self::BestOf => "How many games a match has; it ends once one player cannot be overtaken.",
            Self::Watched => "Whether others may watch. The players do not see the watchers' chat.",
            Self::Listed => "Whether everybody in the hall sees the lobby, or only those who know its code.",
            Self::Password => "The password to join or watch; empty for none.",
        }
    }

    /// The chosen value, of a term that is not typed.
    pub fn value(self, terms: &Terms) -> String {
        match self {
            Self::Game | Self::Clock | Self::Password => String::new(),
            Self::Starts => starts(terms.starts).into(),
            Self::Bot => match terms.bot {
                BotWish::WhenNobodyComes => "a bot if nobody comes",
                BotWish::AtOnce => "a bot at once",
                BotWish::PeopleOnly => "people only",
                BotWish::Both => "bots on both seats",
            }
            .into(),
            Self::Level => terms.level.to_string(),
            Self::Hints => match terms.hints {
                Hints::Nobody => "nobody",
                Hints::AgainstBots => "against a bot",
                Hints::All => "everybody",
                Hints::Watchers => "those who watch",
            }
            .into(),
            Self::Away => match terms.away.then {
                WhenAway::Wait => "the game waits".into(),
                WhenAway::StandIn => {
                    let usual = || terms.hints.stand_in_level(terms.level);
                    format!("a bot stands in ({})", terms.away.level.unwrap_or_else(usual))
                }
                WhenAway::Forfeit => "the game can be claimed".into(),
            },
            Self::After => spoken(terms.away.after),
            Self::BestOf if terms.best_of == 0 => "as many games as you like".into(),
            Self::BestOf => format!("best of {}", terms.best_of),
            Self::Watched => if terms.watched { "everybody may watch" } else { "nobody may watch" }.into(),
            Self::Listed => if terms.listed { "yes" } else { "no, only by its code" }.into(),
        }
    }
}

/// How to choose a game that is not in the list.
pub const ANOTHER_GAME: &str = "Or type another, such as nim:5-6-7.";

/// What a typed game is, if it is one.
pub fn about_game(typed: &str) -> Option<String> {
    if typed == "any" {
        return Some("Join a player who waits, for any game, or wait for one.".into());
    }
    let variant: Variant = typed.parse().ok()?;
    let origin = origin(variant.name()).map_or_else(String::new, |origin| format!(" {origin}"));
    Some(format!("{} {}{origin}", variant.summary(), variant.goal()))
}

/// Who makes the first move.
pub fn starts(starts: Starts) -> &'static str {
    match starts {
        Starts::Variant => "default",
        Starts::Me => "you",
        Starts::Them => "the other one",
    }
}

/// How to fill in the form, for its help.
pub const HOW_TO_FILL_IN: &str = "The arrow keys, Tab and the wheel go from line to line; left and right go through what a line can be, and so does the \
    space bar where nothing is typed. What you type takes the place of what was chosen.";

/// The heading of a form for a new lobby.
pub const NEW: &str = "A lobby of your own";

/// The heading of a form for a quick match.
pub const QUICK: &str = "Quick match: join a player who waits, or wait for one";
