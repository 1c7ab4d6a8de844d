//! Flags and values that several commands share, and input and output by lines before a game.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::{self, Display};
use std::io::{BufRead, Write, stdin, stdout};
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::Error;
use clap::{Arg, Args, Command};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use nim::client::failure::NoSeat;
use nim::client::fold;
use nim::client::input::read_line;
use nim::client::settings::{BadKey, Key};
use nim::client::theme::Theme;
use nim::client::tui::Keys;
use nim::client::{Failure, SavedSeat, SeatStore, Settings};
use nim::game::any::Variant;
use nim::lobby::{Level, Name};

/// Where a person's seats and local games are kept.
#[derive(Debug, Clone, Args)]
pub(crate) struct StateFlag {
    /// Where your seats are saved, so that resume finds them [default: this system's folder for such data]
    #[arg(long, env = "NIM_STATE", value_name = "FOLDER")]
    pub(crate) state: Option<PathBuf>,
}

impl StateFlag {
    /// The folder that the environment names, if it does.
    pub(crate) fn from_environment() -> Self {
        Self { state: std::env::var_os("NIM_STATE").map(PathBuf::from) }
    }

    /// The store of seats; `None` if this system has no folder for it.
    pub(crate) fn seats(&self) -> Option<SeatStore> {
        self.state.as_ref().map_or_else(SeatStore::in_default_folder, |folder| Some(SeatStore::at(folder)))
    }

    /// The command line that resumes this seat.
    pub(crate) fn command(&self, seat: &SavedSeat) -> String {
        NoSeat { why: String::new(), kept: Vec::new(), folder: self.state.clone() }.command(seat)
    }
}

/// A parser for words of a known list, which the help and shell completions show.
#[derive(Clone)]
pub(crate) struct Words<T> {
    read: fn(&str) -> Result<T, String>,
    all: fn() -> Vec<PossibleValue>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Words<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, text: &OsStr) -> Result<T, Error> {
        TypedValueParser::parse_ref(&self.read, command, arg, text)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.all)().into_iter()))
    }
}

fn read<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|bad: T::Err| bad.to_string())
}

/// The level of a bot.
pub(crate) fn level() -> Words<Level> {
    Words { read, all: || Level::ALL.map(|level| PossibleValue::new(level.as_str())).into() }
}

/// Completes a game: every game with and without its usual parameters, and the endings of one that is typed.
pub(crate) fn games() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let typed = typed.to_string_lossy();
        let usual = Variant::forms().flat_map(|(form, _)| usual(form));
        let offered: BTreeSet<String> =
            usual.chain(ended(&typed)).filter(|game| game.starts_with(&*typed)).collect();
        offered.into_iter().map(CompletionCandidate::new).collect()
    })
}

/// A form without its optional parts, and the same with its default parameters.
fn usual(form: &'static str) -> Vec<String> {
    let plain = form.split('[').next().unwrap_or(form);
    match plain.parse::<Variant>() {
        Ok(variant) => vec![plain.to_owned(), variant.text()],
        Err(_) => vec![plain.replace("PILE", "21").replace('K', "3")],
    }
}

/// A typed game with each of its endings, if it has any.
fn ended(typed: &str) -> impl Iterator<Item = String> {
    let game =
        typed.rsplit_once(':').map(|(game, _)| game.to_owned()).filter(|game| read::<Variant>(game).is_ok());
    let endings =
        game.into_iter().flat_map(|game| ["normal", "misere"].map(|ending| format!("{game}:{ending}")));
    endings.filter(|game| read::<Variant>(game).is_ok())
}

/// The colours of the screen.
pub(crate) fn theme() -> Words<Theme> {
    let all = || Theme::CHOICES.map(|theme| PossibleValue::new(theme.as_str()).help(theme.about())).into();
    Words { read, all }
}

/// A line of the settings file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ConfigKey {
    /// A setting.
    Setting(Key),
    /// The key of the action of the screen with this name.
    Action(&'static str),
}

/// What stands before the name of an action.
const KEYS: &str = "keys";

impl FromStr for ConfigKey {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix(KEYS).map(|rest| rest.strip_prefix('.').ok_or(rest)) {
            Some(Ok(action)) => Keys::action(action).map(Self::Action),
            Some(Err("")) => Err(format!("name one action, as in {KEYS}.hint; {}", one_of_actions())),
            _ => text.parse().map(Self::Setting).map_err(|bad: BadKey| format!("{bad}; {}", about_actions())),
        }
    }
}

fn about_actions() -> String {
    format!("{KEYS}.hint is the key of the action hint")
}

fn one_of_actions() -> String {
    let names: Vec<&str> = Keys::actions().map(|(name, _)| name).collect();
    format!("there are {}", names.join(", "))
}

impl Display for ConfigKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setting(key) => key.fmt(f),
            Self::Action(action) => write!(f, "{KEYS}.{action}"),
        }
    }
}

/// A setting, or the key of an action.
pub(crate) fn key() -> Words<ConfigKey> {
    Words { read, all: keys }
}

/// The same, or any other word.
pub(crate) fn any_key() -> Words<String> {
    Words { read, all: keys }
}

/// All settings; the help would be too long with all actions, and only completions offer them.
fn keys() -> Vec<PossibleValue> {
    let settings = Key::ALL.into_iter().map(|key| PossibleValue::new(key.as_str()).help(key.about()));
    // Clap takes no owned names here; a run of the program needs them a few times.
    let named = |name: &str| -> &'static str { format!("{KEYS}.{name}").leak() };
    let action = |(name, about)| PossibleValue::new(named(name)).help(about).hide(true);
    settings.chain(Keys::actions().map(action)).collect()
}

/// A player's name, and the text that was typed for it.
#[derive(Debug, Clone)]
pub(crate) struct PlayerName {
    typed: String,
    name: Name,
}

impl PlayerName {
    /// Reads a name.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let name = name(text)?;
        Ok(Self { typed: text.trim().into(), name })
    }

    /// The default name: the setting, or the login name.
    pub(crate) fn default_for(settings: &Settings) -> Self {
        settings.name().map_or_else(Self::login, Self::from)
    }

    /// The login name, or a neutral name if it is not usable.
    pub(crate) fn login() -> Self {
        let told = ["USER", "LOGNAME", "USERNAME"].into_iter().filter_map(|key| std::env::var(key).ok());
        let mut names = told.chain(whoami::username().ok()).filter_map(|login| Name::clean(&login).ok());
        names.next().unwrap_or_else(Name::anyone).into()
    }

    /// The text as it was typed, without blanks around it.
    pub(crate) fn typed(&self) -> &str {
        &self.typed
    }

    pub(crate) fn name(&self) -> &Name {
        &self.name
    }
}

impl From<Name> for PlayerName {
    fn from(name: Name) -> Self {
        Self { typed: name.to_string(), name }
    }
}

/// Reads a name.
pub(crate) fn name(text: &str) -> Result<Name, String> {
    Name::clean(text).map_err(|fault| fault.to_string())
}

/// The next line; `None` at the end of the input.
pub(crate) fn line() -> Result<Option<String>, Failure> {
    read_line(&mut stdin().lock()).map_err(Failure::Start)
}

/// Writes a line to standard output.
pub(crate) fn say(line: &str) -> Result<(), Failure> {
    writeln!(stdout(), "{}", fold::for_output(line, &stdout())).map_err(Failure::Output)
}

/// Whether the input is at its end. Waits for a line, without reading it.
pub(crate) fn is_at_end() -> Result<bool, Failure> {
    Ok(stdin().lock().fill_buf().map_err(Failure::Start)?.is_empty())
}
