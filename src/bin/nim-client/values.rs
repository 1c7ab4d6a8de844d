//! Values of flags that are words: read as they are read everywhere, and listed in helps and for shells.

use std::ffi::OsStr;
use std::fmt::Display;
use std::str::FromStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::Error;
use clap::{Arg, Command};
use nim::client::settings::Key;
use nim::client::theme::Theme;
use nim::game::any::Variant;
use nim::lobby::Level;

/// Reads a word, and knows those that there are.
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

/// How strong a bot plays.
pub(crate) fn level() -> Words<Level> {
    Words { read, all: || Level::ALL.map(|level| PossibleValue::new(level.as_str())).into() }
}

/// A game. There are more than can be listed: those are that can be typed without a number of one's own.
pub(crate) fn game() -> Words<Variant> {
    Words {
        read,
        all: || Variant::forms().filter_map(|(form, _)| plain(form)).map(PossibleValue::new).collect(),
    }
}

/// What can be typed of a form with nothing that may be left out, if that is a game.
fn plain(form: &'static str) -> Option<&'static str> {
    form.split('[').next().filter(|word| read::<Variant>(word).is_ok())
}

/// The colours of the screen.
pub(crate) fn theme() -> Words<Theme> {
    let all = || Theme::CHOICES.map(|theme| PossibleValue::new(theme.as_str()).help(theme.about())).into();
    Words { read, all }
}

/// A setting.
pub(crate) fn key() -> Words<Key> {
    Words { read, all: keys }
}

/// A setting, or what somebody took for one.
pub(crate) fn any_key() -> Words<String> {
    Words { read, all: keys }
}

fn keys() -> Vec<PossibleValue> {
    Key::ALL.map(|key| PossibleValue::new(key.as_str()).help(key.about())).into()
}
