//! The terms of the lobbies that somebody opens, as flags.

use std::io::IsTerminal;
use std::time::Duration;

use clap::{Args, ValueEnum};
use nim::client::{Failure, Preferences, Settings};
use nim::lobby::{ClockRule, Hints, Level, WhenAway};
use nim::server::duration;
use nim::system::Said;
use nim::wire::{AwayWish, BotWish, MAX_PASSWORD, Secret, Starts};

use crate::values;

/// The terms of lobbies that are opened.
#[derive(Debug, Args)]
#[command(
    next_help_heading = "For every lobby that you open, by --new or --quick or by what you type in the hall"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
pub(crate) struct TermFlags {
    /// Have the bot take the other seat at once
    #[arg(long, conflicts_with_all = ["join", "people_only"])]
    bot: bool,

    /// Have bots take both seats, and watch them
    #[arg(long, conflicts_with_all = ["join", "watch", "bot", "people_only", "no_watchers"])]
    bots: bool,

    /// Wait for a person: no bot may take the other seat
    #[arg(long, conflicts_with = "join")]
    people_only: bool,

    /// Who makes the first move of the first game [default: as the game says, mostly you]
    #[arg(long, value_enum, conflicts_with = "join")]
    starts: Option<Starter>,

    /// Who may ask for hints during a game
    #[arg(long, value_enum, default_value = "against-bots", conflicts_with = "join")]
    hints: HintsFor,

    /// How strong the bot plays, if it comes or stands in [default: the setting level, or perfect]
    #[arg(long, value_name = "LEVEL", value_parser = values::level(), conflicts_with = "join")]
    level: Option<Level>,

    /// What happens on the turn of somebody whose connection is lost
    #[arg(long, value_enum, default_value = "stand-in", conflicts_with = "join")]
    when_away: WhenAwayFlag,

    /// How long somebody who is away on their turn is waited for; up to 30 seconds longer where the connection has not closed
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s", conflicts_with = "join")]
    away_after: Duration,

    /// How much time players have: none, 30s/move, 5m+3s (some more with every move) or 5m~3s (runs after a delay)
    #[arg(long, value_name = "CLOCK", default_value_t, conflicts_with = "join")]
    clock: ClockRule,

    /// A match of so many games, which whoever cannot be caught up with wins [default: as many as you like]
    #[arg(
        long,
        value_name = "GAMES",
        default_value_t = 0,
        hide_default_value = true,
        conflicts_with = "join"
    )]
    best_of: u8,

    /// Let nobody watch
    #[arg(long, conflicts_with = "join")]
    no_watchers: bool,

    /// Keep the lobby out of the list: who knows its code finds it
    #[arg(long, conflicts_with = "join")]
    private: bool,

    /// Ask for a password, that of the lobby to join or to watch, or one for those to open, unless it stands in `NIM_PASSWORD`
    #[arg(long)]
    password: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Starter {
    /// You
    Me,
    /// The other one
    Them,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum HintsFor {
    /// Nobody
    Nobody,
    /// A player whose opponent is a bot
    AgainstBots,
    /// Those who watch
    #[value(alias = "spectators")]
    Watchers,
    /// Both players, and those who watch
    #[value(alias = "everyone")]
    All,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum WhenAwayFlag {
    /// The game waits
    Wait,
    /// A bot plays until they are back; where the server has no bots, the game waits
    StandIn,
    /// The other one may claim the game
    Forfeit,
}

impl From<WhenAwayFlag> for WhenAway {
    fn from(flag: WhenAwayFlag) -> Self {
        match flag {
            WhenAwayFlag::Wait => Self::Wait,
            WhenAwayFlag::StandIn => Self::StandIn,
            WhenAwayFlag::Forfeit => Self::Forfeit,
        }
    }
}

impl TermFlags {
    /// What they come to. Asks for the password where one is wanted.
    pub(crate) fn preferences(&self, settings: &Settings) -> Result<Preferences, Failure> {
        Ok(Preferences {
            starts: self.starts.map_or(Starts::Variant, Starts::from),
            bot: match (self.bot, self.bots, self.people_only) {
                (true, _, _) => BotWish::AtOnce,
                (_, true, _) => BotWish::Both,
                (_, _, true) => BotWish::PeopleOnly,
                _ => BotWish::WhenNobodyComes,
            },
            hints: match self.hints {
                HintsFor::Nobody => Hints::Nobody,
                HintsFor::AgainstBots => Hints::AgainstBots,
                HintsFor::Watchers => Hints::Watchers,
                HintsFor::All => Hints::All,
            },
            level: self.level.or_else(|| settings.level()).unwrap_or_default(),
            away: AwayWish {
                then: self.when_away.into(),
                after: u32::try_from(self.away_after.as_millis()).unwrap_or(u32::MAX),
            },
            clock: self.clock,
            best_of: self.best_of,
            watched: !self.no_watchers,
            listed: !self.private,
            password: if self.password { Some(password()?) } else { None },
        })
    }
}

/// The password, from the environment or from somebody who types it unseen.
fn password() -> Result<Secret, Failure> {
    let typed = match std::env::var("NIM_PASSWORD") {
        Ok(password) => password,
        Err(_) if !std::io::stdin().is_terminal() => {
            return Err(Failure::NoPassword("nobody is there to type it; set NIM_PASSWORD instead".into()));
        }
        Err(_) => rpassword::prompt_password("Password: ")
            .map_err(|error| Failure::NoPassword(format!("it could not be read: {}", Said(&error))))?,
    };
    let words = format!("it has 1 to {MAX_PASSWORD} bytes");
    Secret::of(typed.trim_end_matches(['\r', '\n'])).ok_or(Failure::NoPassword(words))
}

impl From<Starter> for Starts {
    fn from(starter: Starter) -> Self {
        match starter {
            Starter::Me => Self::Me,
            Starter::Them => Self::Them,
        }
    }
}
