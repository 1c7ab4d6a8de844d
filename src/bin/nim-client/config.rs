//! `nim-client config`: shows and changes settings. Reads them for the other commands too.

use std::env;

use anyhow::Context;
use clap::error::ErrorKind;
use clap::{Args, Command};
use nim::cli::print;
use nim::client::settings::{Key, KeyBinding, Setting, SettingError, SettingSource, SettingsFile};
use nim::client::theme::Theme;
use nim::client::tui::Keys;
use nim::client::{Failure, Settings};
use nim::game::notation::printable;
use nim::lobby::Level;

use crate::failure;
use crate::flags::{self, ConfigKey, PlayerName};

/// The beginning of an error that leaves the file unchanged.
const UNCHANGED: &str = "nothing was changed";

/// Which setting, and its new value.
#[derive(Debug, Args)]
pub(crate) struct ConfigFlags {
    /// The setting to show or change, or keys.ACTION, as in keys.hint, for the key of an action of the screen
    /// [default: all]
    #[arg(value_name = "KEY", value_parser = flags::key())]
    key: Option<ConfigKey>,

    /// The new value; omit it to show the current one
    #[arg(value_name = "VALUE")]
    value: Option<String>,

    /// Remove this key from the file, even an unknown one
    #[arg(long, value_name = "KEY", value_parser = flags::any_key(), hide_possible_values = true, conflicts_with_all = ["key", "value"])]
    unset: Option<String>,
}

/// The long help.
pub(crate) const ABOUT: &str = "\
Show or change your name, how strong the bot plays, and how the screen looks.

The settings are in a file, ~/.config/nim/client.toml, or below $XDG_CONFIG_HOME if that is set. Without arguments this command \
shows where the file is, and the value and the source of each setting. NIM_CONFIG names another file; if it is empty, none is \
read. The file is TOML with a line for each setting, as in level = \"easy\". A table [keys] in it gives actions of the screen other \
keys, as in hint = \"x\"; this command calls that one keys.hint, and answers a wrong name with all names.

A flag, such as --level fair, has the highest precedence. Then comes an environment variable, such as NIM_LEVEL=fair or \
NIM_PLAIN=false, then the file, then the default. If the environment or the file has an error, no game begins, and a message \
says what is wrong and where.";

/// Shows or changes settings.
pub(crate) fn run(flags: &ConfigFlags) -> Result<(), failure::CliError> {
    match flags {
        ConfigFlags { unset: Some(word), .. } => unset(word)?,
        ConfigFlags { key: Some(ConfigKey::Setting(key)), value: Some(value), .. } => set(*key, value)?,
        ConfigFlags { key: Some(key @ ConfigKey::Action(action)), value: Some(value), .. } => {
            set_key(*key, action, value)?;
        }
        ConfigFlags { key: Some(key), .. } => {
            let gathered = gathered();
            say(&match key {
                ConfigKey::Setting(key) => chosen(*key, &gathered.settings).0,
                ConfigKey::Action(action) => key_of(action, &gathered.settings),
            })?;
            gathered.right()?;
        }
        _ => {
            let gathered = gathered();
            list(&gathered)?;
            gathered.right()?;
        }
    }
    Ok(())
}

/// Shows all settings with their sources.
fn list(gathered: &Gathered) -> anyhow::Result<()> {
    say(&match &gathered.file {
        None => "No settings file is read.".into(),
        Some(file) if file.path().exists() => format!("The settings file is {}.", file.path().display()),
        Some(file) => format!("The settings file is {}, which does not exist yet.", file.path().display()),
    })?;
    say("")?;
    let rows = Key::ALL.map(|key| (key, chosen(key, &gathered.settings)));
    let width = rows.iter().map(|(_, (value, _))| value.chars().count()).max().unwrap_or_default();
    rows.iter().try_for_each(|(key, (value, from))| say(&format!("{key:<9}  {value:<width$}  {from}")))?;
    let keys = gathered.settings.keys().iter();
    keys.map(|KeyBinding { action, key, at }| format!("keys.{action}  {key}  {}", origin(at)))
        .try_for_each(|row| say(&printable(&row).collect::<String>()))
}

/// Where a setting comes from.
fn origin(source: &SettingSource) -> String {
    match source {
        SettingSource::Variable(name) => format!("from {name}"),
        SettingSource::Line(_, line) => format!("from line {line} of the file"),
        SettingSource::File(_) => "from the file".into(),
    }
}

/// The value of a setting, and its source.
fn chosen(key: Key, settings: &Settings) -> (String, String) {
    let Some((setting, source)) = settings.found(key) else { return usual(key) };
    (setting.as_str().to_owned(), origin(source))
}

/// The default of a setting, and its source.
fn usual(key: Key) -> (String, String) {
    let value = match key {
        Key::Name => return (PlayerName::login().name().to_string(), "your login name".into()),
        Key::Level => Level::default().as_str(),
        Key::Theme => Theme::default().as_str(),
        Key::Animation | Key::Bell | Key::Title => "true",
        Key::Ascii | Key::Plain => "false",
    };
    (value.into(), "default".into())
}

fn set(key: Key, value: &str) -> Result<(), failure::CliError> {
    let setting = Setting::read(key, value).unwrap_or_else(|why| wrong(&why));
    let file = file()?;
    file.set(&setting).context(UNCHANGED)?;
    let gathered = gathered();
    say(&format!("{key} is now {}, in {}.", setting.as_str(), file.path().display()))?;
    if let Some((before, SettingSource::Variable(name))) = gathered.settings.found(key) {
        let before = before.as_str();
        say(&format!("But {name} overrides the file while it is set: it says {before}."))?;
    }
    gathered.right()?;
    Ok(())
}

/// The key of the action with this name, as it is written in the file.
fn key_of(action: &str, settings: &Settings) -> String {
    let (keys, _) = Keys::read(settings.keys());
    keys.written(action).map(|(key, _)| key).unwrap_or_default()
}

/// Gives an action another key.
fn set_key(called: ConfigKey, action: &str, key: &str) -> Result<(), failure::CliError> {
    let key = Keys::read_new(gathered().settings.keys(), action, key).unwrap_or_else(|why| wrong(&why));
    let file = file()?;
    file.set_key(action, &key).context(UNCHANGED)?;
    say(&format!("{called} is now {key}, in {}.", file.path().display()))?;
    gathered().right()?;
    Ok(())
}

fn unset(word: &str) -> Result<(), failure::CliError> {
    let file = file()?;
    let path = file.path().display();
    match (file.unset(word).context(UNCHANGED)?, word.parse::<ConfigKey>()) {
        (true, _) => say(&format!("{word} is removed from {path}."))?,
        (false, Ok(_)) => say(&format!("{word} is not in {path}."))?,
        (false, Err(bad)) => wrong(&format!("{}: {bad}", nim::game::notation::shown(word))),
    }
    gathered().right()?;
    Ok(())
}

fn file() -> anyhow::Result<SettingsFile> {
    settings_file().context("there is no place for settings; name a file with NIM_CONFIG")
}

/// Ends the program with a usage error.
fn wrong(why: &str) -> ! {
    ConfigFlags::augment_args(Command::new("nim-client config")).error(ErrorKind::InvalidValue, why).exit()
}

fn say(line: &str) -> anyhow::Result<()> {
    print(format!("{line}\n").as_bytes())
}

/// The environment variable that names the settings file; if it is empty, none is read.
const FILE: &str = "NIM_CONFIG";

/// The settings, and the errors in them.
pub(crate) struct Gathered {
    /// The file that was read; `None` if there is no place for one.
    file: Option<SettingsFile>,
    settings: Settings,
    faults: Vec<SettingError>,
}

impl Gathered {
    /// Returns the settings if there are no errors. With only some of them a game could start that was not
    /// asked for, such as one against a perfect bot instead of an easy one.
    pub(crate) fn right(self) -> Result<Settings, Failure> {
        if self.faults.is_empty() { Ok(self.settings) } else { Err(Failure::Settings(self.faults)) }
    }
}

/// Reads the environment and the file.
pub(crate) fn gathered() -> Gathered {
    let file = settings_file();
    let variable = |name: &str| env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    let (settings, mut faults) = Settings::gather(variable, file.as_ref());
    faults.extend(Keys::read(settings.keys()).1);
    Gathered { file, settings, faults }
}

/// The settings file, which may not exist yet.
fn settings_file() -> Option<SettingsFile> {
    match env::var_os(FILE) {
        None => SettingsFile::in_default_folder(),
        Some(none) if none.is_empty() => None,
        Some(path) => Some(SettingsFile::at(path.as_ref())),
    }
}
