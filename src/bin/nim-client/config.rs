//! `nim-client config`: what the settings are, where each comes from, and how they are changed in the file. What a setting is, is
//! known in `nim::client::settings`.

use anyhow::{Context, anyhow};
use clap::error::ErrorKind;
use clap::{Args, Command};
use nim::cli::print;
use nim::client::Settings;
use nim::client::settings::{BadKey, Key, Setting, SettingsFile, Source};
use nim::client::theme::Theme;
use nim::lobby::Level;

use crate::called::Called;
use crate::settings::{self, Gathered};
use crate::values;

/// What is said first where the file was left as it is.
const UNCHANGED: &str = "nothing was changed";

/// Which setting, and what it is to be.
#[derive(Debug, Args)]
pub(crate) struct ConfigFlags {
    /// The setting that is meant [default: all of them]
    #[arg(value_name = "KEY", value_parser = values::key())]
    key: Option<Key>,

    /// What it is to be from now on; without a value, what it is is told
    #[arg(value_name = "VALUE")]
    value: Option<String>,

    /// Remove from the file what it says of this setting, also if that is none
    #[arg(long, value_name = "KEY", value_parser = values::any_key(), hide_possible_values = true, conflicts_with_all = ["key", "value"])]
    unset: Option<String>,
}

/// What the long help begins with.
pub(crate) const ABOUT: &str = "\
Show or change what you are called, how strong the bot plays, and how the screen looks.

The settings stand in a file, ~/.config/nim/client.toml or below $XDG_CONFIG_HOME where that is set; without anything behind it \
this command tells where it is, what holds, and where each setting comes from. NIM_CONFIG names another file; if it is empty, none \
is read. The file is TOML, a line for each setting, as in level = \"easy\".

A flag goes before everything, and holds once: --level fair. Then comes a variable of the environment, NIM_LEVEL=fair or \
NIM_PLAIN=false, then the file, then what is usual. Where anything in the environment or in the file is wrong no game begins, and \
it is said what and where.";

/// Tells or changes what is meant.
pub(crate) fn run(flags: &ConfigFlags) -> anyhow::Result<()> {
    match flags {
        ConfigFlags { unset: Some(word), .. } => unset(word),
        ConfigFlags { key: Some(key), value: Some(value), .. } => set(*key, value),
        ConfigFlags { key: Some(key), .. } => {
            let gathered = settings::gathered();
            say(&chosen(*key, &gathered.settings).0)?;
            right(gathered)
        }
        _ => {
            let gathered = settings::gathered();
            list(&gathered)?;
            right(gathered)
        }
    }
}

/// All settings, and where they are from.
fn list(gathered: &Gathered) -> anyhow::Result<()> {
    say(&match &gathered.file {
        None => "No file of settings is read.".into(),
        Some(file) if file.path().exists() => format!("The file of settings is {}.", file.path().display()),
        Some(file) => format!("The file of settings is {}, which is not there yet.", file.path().display()),
    })?;
    say("")?;
    let rows = Key::ALL.map(|key| (key, chosen(key, &gathered.settings)));
    let width = rows.iter().map(|(_, (value, _))| value.chars().count()).max().unwrap_or_default();
    rows.iter().try_for_each(|(key, (value, from))| say(&format!("{key:<9}  {value:<width$}  {from}")))
}

/// What holds of a key, and where it is from.
fn chosen(key: Key, settings: &Settings) -> (String, String) {
    match settings.get(key) {
        Some((setting, Source::Variable(name))) => (setting.to_string(), format!("from {name}")),
        Some((setting, Source::Line(_, line))) => {
            (setting.to_string(), format!("from line {line} of the file"))
        }
        Some((setting, Source::File(_))) => (setting.to_string(), "from the file".into()),
        None => usual(key),
    }
}

/// What holds where nobody says anything.
fn usual(key: Key) -> (String, String) {
    let value = match key {
        Key::Name => return (Called::login().name().to_string(), "your login name".into()),
        Key::Level => Level::default().as_str(),
        Key::Theme => Theme::default().as_str(),
        Key::Animation => "true",
        Key::Ascii | Key::Plain => "false",
    };
    (value.into(), "as usual".into())
}

fn set(key: Key, value: &str) -> anyhow::Result<()> {
    let setting = Setting::read(key, value).unwrap_or_else(|why| wrong(&why));
    let file = file()?;
    file.set(&setting).context(UNCHANGED)?;
    let gathered = settings::gathered();
    say(&format!("{key} is now {setting}, in {}.", file.path().display()))?;
    if let Some((before, Source::Variable(name))) = gathered.settings.get(key) {
        say(&format!("But {name} goes before the file as long as it is set, and says {before}."))?;
    }
    right(gathered)
}

fn unset(word: &str) -> anyhow::Result<()> {
    let file = file()?;
    let path = file.path().display();
    match (file.unset(word).context(UNCHANGED)?, word.parse::<Key>()) {
        (true, _) => say(&format!("{word} does not stand in {path} any more."))?,
        (false, Ok(_)) => say(&format!("{word} does not stand in {path}."))?,
        (false, Err(bad @ BadKey)) => wrong(&format!("{}: {bad}", nim::game::notation::shown(word))),
    }
    right(settings::gathered())
}

fn file() -> anyhow::Result<SettingsFile> {
    settings::file().context("there is no place for settings; name a file with NIM_CONFIG")
}

/// Whether nothing is wrong with the settings, as they stand now.
fn right(gathered: Gathered) -> anyhow::Result<()> {
    gathered.right().map(drop).map_err(|failure| anyhow!(failure))
}

/// Ends the program as a wrong command line does.
fn wrong(why: &str) -> ! {
    ConfigFlags::augment_args(Command::new("nim-client config")).error(ErrorKind::InvalidValue, why).exit()
}

fn say(line: &str) -> anyhow::Result<()> {
    print(format!("{line}\n").as_bytes())
}
