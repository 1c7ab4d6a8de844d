//! Flags for new lobbies: their conditions, and a record to continue from.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::error::ErrorKind;
use nim::client::{Failure, Settings, Terms};
use nim::lobby::{ClockRule, Hints, Level, Origin, WhenAway};
use nim::number::{millis, saturating};
use nim::record::Record;
use nim::server::duration;
use nim::system::ErrorText;
use nim::wire::limits::SHORTEST_AWAY;
use nim::wire::{AwayWish, BotWish, MAX_PASSWORD, Secret, Starts};

use crate::failure;
use crate::flags;
use crate::record::read;

/// The conditions of new lobbies.
#[derive(Debug, Args)]
#[command(next_help_heading = "For every lobby that you open, with --new, --quick or in the hall")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
pub(crate) struct ConditionFlags {
    /// Have the bot take the other seat at once
    #[arg(long, conflicts_with_all = ["join", "people_only"])]
    bot: bool,

    /// Have bots take both seats, and watch them
    #[arg(long, conflicts_with_all = ["join", "watch", "bot", "people_only", "no_watchers"])]
    bots: bool,

    /// Wait for a person: no bot may take the other seat, and no program may join
    #[arg(long, conflicts_with = "join")]
    people_only: bool,

    /// Who makes the first move of the first game [default: depends on the game, mostly you]
    #[arg(long, value_enum, conflicts_with = "join")]
    starts: Option<Starts>,

    /// Who may ask for hints during a game
    #[arg(long, value_enum, default_value_t = Hints::AgainstBots, conflicts_with = "join")]
    hints: Hints,

    /// How strong the bot plays as an opponent [default: the setting level, or perfect]
    #[arg(long, value_name = "LEVEL", value_parser = flags::level(), conflicts_with = "join")]
    level: Option<Level>,

    /// What happens on the turn of a player whose connection is lost
    #[arg(long, value_enum, default_value_t = WhenAway::StandIn, conflicts_with = "join")]
    when_away: WhenAway,

    /// How strong a stand-in plays [default: beginner; with --hints all as strong as the bot]
    #[arg(long, value_name = "LEVEL", value_parser = flags::level(), conflicts_with = "join")]
    stand_in_level: Option<Level>,

    /// How long to wait for a player who is away on their turn, 5s at least; up to 30 seconds longer if the
    /// connection was not closed
    #[arg(long, value_name = "TIME", value_parser = away_after, default_value = "10s", conflicts_with = "join")]
    away_after: Duration,

    /// How much time players have: none, 30s/move, 5m+3s (some more with every move) or 5m~3s (runs after a
    /// delay)
    #[arg(long, value_name = "CLOCK", default_value_t, conflicts_with = "join")]
    clock: ClockRule,

    /// Play a match of this many games; it ends once one player cannot be overtaken [default: no limit]
    #[arg(
        long,
        value_name = "GAMES",
        default_value_t = 0,
        hide_default_value = true,
        conflicts_with = "join"
    )]
    best_of: u8,

    /// Allow no watchers
    #[arg(long, conflicts_with = "join")]
    no_watchers: bool,

    /// Keep the lobby out of the list: people need its code to join
    #[arg(long, conflicts_with = "join")]
    private: bool,

    /// Ask for a password: that of the lobby to join or watch, or one for the lobbies that you open. Not
    /// asked if `NIM_PASSWORD` is set
    #[arg(long)]
    password: bool,
}

impl ConditionFlags {
    /// The conditions. Asks for the password if a flag wants one.
    pub(crate) fn preferences(&self, settings: &Settings) -> Result<Terms, Failure> {
        Ok(Terms {
            starts: self.starts.unwrap_or(Starts::Variant),
            bot: match (self.bot, self.bots, self.people_only) {
                (true, _, _) => BotWish::AtOnce,
                (_, true, _) => BotWish::Both,
                (_, _, true) => BotWish::PeopleOnly,
                _ => BotWish::WhenNobodyComes,
            },
            hints: self.hints,
            level: self.level.or_else(|| settings.level()).unwrap_or_default(),
            away: AwayWish {
                then: self.when_away,
                level: self.stand_in_level,
                after: millis(self.away_after),
            },
            clock: self.clock,
            best_of: self.best_of,
            watched: !self.no_watchers,
            listed: !self.private,
            password: if self.password { Some(password()?) } else { None },
            ..Terms::default()
        })
    }
}

/// Reads the time until the rule for absent players applies.
fn away_after(text: &str) -> Result<Duration, String> {
    let time = duration(text)?;
    let enough = Some(time).filter(|&time| time >= SHORTEST_AWAY);
    enough.ok_or_else(|| {
        format!("a lobby waits {} seconds at least for a player who is away", SHORTEST_AWAY.as_secs())
    })
}

/// The password, from the environment or typed without echo.
fn password() -> Result<Secret, Failure> {
    let typed = match std::env::var("NIM_PASSWORD") {
        Ok(password) => password,
        Err(_) if !std::io::stdin().is_terminal() => {
            return Err(Failure::NoPassword("nobody is there to type it; set NIM_PASSWORD instead".into()));
        }
        Err(_) => rpassword::prompt_password("Password: ")
            .map_err(|error| Failure::NoPassword(format!("it could not be read: {}", ErrorText(&error))))?,
    };
    let words = format!("it has 1 to {MAX_PASSWORD} bytes");
    Secret::of(typed.trim_end_matches(['\r', '\n'])).ok_or(Failure::NoPassword(words))
}

/// The record to continue from.
#[derive(Debug, Args)]
pub(crate) struct OriginFlags {
    /// Continue from a position of the record in this file
    #[arg(long, value_name = "FILE", group = "wish")]
    from: Option<PathBuf>,

    /// Continue after this many moves of the record; 0 is its first position [default: its last one]
    #[arg(long, value_name = "N", requires = "from")]
    at: Option<usize>,
}

impl OriginFlags {
    /// Whether a record is given.
    pub(crate) fn is_given(&self) -> bool {
        self.from.is_some()
    }

    /// The game to play, if a record is given.
    pub(crate) fn terms(&self, preferences: &Terms) -> Result<Option<Terms>, Failure> {
        let Some(file) = &self.from else {
            return if self.at.is_none() { Ok(None) } else { missing_from() };
        };
        if file.as_os_str() == "-" {
            return Err(Failure::BadRecord("the standard input is for your moves; name a file".into()));
        }
        let record = read(file).map_err(|why| game_failure(&why))?;
        let origin = origin(&record, self.at)?;
        Ok(Some(Terms { variant: record.variant().clone(), origin: Some(origin), ..preferences.clone() }))
    }
}

/// Ends the program with a usage error. Clap accepts `--at` without `--from` if another flag of its
/// group is given.
fn missing_from() -> ! {
    clap::Error::raw(
        ErrorKind::MissingRequiredArgument,
        "--at names a position of a record: add --from FILE\n",
    )
    .exit()
}

/// The position after this many moves, or the last one, if a game can start there.
fn origin(record: &Record, at: Option<usize>) -> Result<Origin, Failure> {
    let boards = record.boards();
    let last = boards.len() - 1;
    let is_over = boards[last].finish().is_some();
    let most = if is_over { last.saturating_sub(1) } else { last };
    let number = at.unwrap_or(last);
    if number > most {
        let why = if is_over { "the game is over after" } else { "it ends with" };
        let range = format!("--at takes a number from 0 to {most}");
        return Err(Failure::BadRecord(format!("{why} move {last}: {range}")));
    }
    let moves = saturating(number);
    Ok(Origin::of(record.checksum(), moves, &boards[number]))
}

/// Converts a failure to read the record into one of a game.
fn game_failure(why: &failure::CliError) -> Failure {
    match why {
        failure::CliError::Wrong(..) => Failure::BadRecord(why.to_string()),
        _ => Failure::Start(io::Error::other(why.to_string())),
    }
}
