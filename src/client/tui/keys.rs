//! The keys of the commands: the default ones, and those that the settings name.

use crossterm::event::KeyCode;

use super::appearance::Appearance;
use super::command::KeyCommand;
use crate::alike::{did_you_mean, most_like};
use crate::client::settings::{KeyBinding, SettingError};
use crate::client::words::screen;
use crate::game::notation::shown;

/// The keys that are not the default ones, by the names of their commands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys(Vec<(&'static str, KeyCode)>);

impl Keys {
    /// Reads the table `keys` of the settings. Returns the keys without wrong lines, and what is wrong.
    pub fn read(bindings: &[KeyBinding]) -> (Self, Vec<SettingError>) {
        let (mut keys, mut wrong) = (Self::default(), Vec::new());
        for KeyBinding { action, key, at } in bindings {
            match read(action, key) {
                Ok(binding) => keys.0.push(binding),
                Err(why) => wrong.push(SettingError { at: at.clone(), why }),
            }
        }
        for KeyBinding { action, at, .. } in bindings {
            wrong.extend(keys.conflict(action).map(|why| SettingError { at: at.clone(), why }));
        }
        (keys, wrong)
    }

    /// The names of the actions with a key that can be changed, each with what it does.
    pub fn actions() -> impl Iterator<Item = (&'static str, &'static str)> {
        KeyCommand::NAMED.iter().map(|command| (command.name(), command.meaning()))
    }

    /// The name of this action; an error lists all names.
    pub fn action(name: &str) -> Result<&'static str, String> {
        named(name).map(|command| command.name()).ok_or_else(|| no_action(name))
    }

    /// The key of the action with this name, as it is written in the settings, and whether it is the default.
    pub fn written(&self, action: &str) -> Option<(String, bool)> {
        let command = named(action)?;
        Some((name(self.of(&command), Appearance::default()), self.is_default(&command)))
    }

    /// Reads a new key for an action, beside the other keys of the settings. Returns it as it is written there.
    pub fn read_new(bindings: &[KeyBinding], action: &str, key: &str) -> Result<String, String> {
        let binding = read(action, key)?;
        let (mut keys, _) = Self::read(bindings);
        keys.0.retain(|(name, _)| *name != binding.0);
        keys.0.push(binding);
        keys.conflict(action).map_or_else(|| Ok(name(binding.1, Appearance::default())), Err)
    }

    /// The key of a command.
    pub fn of(&self, command: &KeyCommand) -> KeyCode {
        let changed = self.0.iter().find(|(name, _)| *name == command.name() && !command.places().is_empty());
        changed.map_or_else(|| command.key(), |(_, key)| *key)
    }

    /// Whether a command has its default key.
    pub(super) fn is_default(&self, command: &KeyCommand) -> bool {
        self.of(command) == command.key()
    }

    /// Why the key of this action cannot be told from that of another one.
    fn conflict(&self, action: &str) -> Option<String> {
        let command = named(action)?;
        let key = self.of(&command);
        let mut others = KeyCommand::NAMED.into_iter().filter(|other| other.name() != command.name());
        let (other, place) = others.find_map(|other| {
            let place = other.places().iter().find(|place| command.places().contains(place))?;
            (self.of(&other) == key).then_some((other, *place))
        })?;
        let key = name(key, Appearance::default());
        Some(format!(
            "{action} and {} would both be {key} in {}; give one of them another key",
            other.name(),
            place.words()
        ))
    }
}

/// Reads a line of the settings.
fn read(action: &str, key: &str) -> Result<(&'static str, KeyCode), String> {
    let command = named(action).ok_or_else(|| no_action(action))?;
    let code = code(key).ok_or_else(|| {
        format!(
            "{action} cannot be {:?}: write a letter, a sign, or F2 to F12, as in {action} = \"x\"; digits choose moves",
            shown(key)
        )
    })?;
    Ok((command.name(), code))
}

fn no_action(name: &str) -> String {
    let names: Vec<&str> = KeyCommand::NAMED.iter().map(KeyCommand::name).collect();
    let meant = did_you_mean(most_like(name, names.iter().copied()));
    format!("{}: no action has this name; there are {}{meant}", shown(name), names.join(", "))
}

/// The command with this name whose key can be changed.
fn named(action: &str) -> Option<KeyCommand> {
    KeyCommand::NAMED.into_iter().find(|command| command.name() == action)
}

/// Reads a key: a character that chooses no move, or a function key other than that of the help.
fn code(text: &str) -> Option<KeyCode> {
    let mut letters = text.chars();
    match (letters.next()?, letters.as_str()) {
        ('0'..='9', "") => None,
        (letter, "") if !letter.is_control() && !letter.is_whitespace() => {
            Some(KeyCode::Char(letter.to_ascii_lowercase()))
        }
        ('F' | 'f', number) => number.parse().ok().filter(|number| (2..=12).contains(number)).map(KeyCode::F),
        _ => None,
    }
}

/// The notice after a key that means nothing now.
pub(super) fn no_such_key(keys: &Keys, appearance: Appearance) -> String {
    screen::no_such_key(&name(keys.of(&KeyCommand::Help), appearance))
}

/// The name of a key, as it is shown.
pub(super) fn name(key: KeyCode, appearance: Appearance) -> String {
    match key {
        KeyCode::Enter => appearance.sign("⏎", "Enter").into(),
        KeyCode::Right => appearance.sign("→", "Right").into(),
        KeyCode::Char(letter) => letter.to_string(),
        KeyCode::F(number) => format!("F{number}"),
        _ => "Esc".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::settings::SettingSource;

    /// The keys with these lines of the settings, and what is wrong.
    fn with(lines: &[(&str, &str)]) -> (Keys, Vec<String>) {
        let binding = |(action, key): &(&str, &str)| KeyBinding {
            action: (*action).to_owned(),
            key: (*key).to_owned(),
            at: SettingSource::Variable("keys"),
        };
        let (keys, wrong) = Keys::read(&lines.iter().map(binding).collect::<Vec<_>>());
        (keys, wrong.into_iter().map(|error| error.why).collect())
    }

    #[test]
    fn a_changed_key_replaces_the_default_one() {
        let (keys, wrong) = with(&[("hint", "X"), ("quit", "F10"), ("pause", "!")]);
        assert_eq!(wrong, [""; 0]);
        let key = |command: &KeyCommand| keys.of(command);
        assert_eq!(key(&KeyCommand::Act(crate::client::Action::Hint)), KeyCode::Char('x'));
        assert_eq!(key(&KeyCommand::Leave { quits: true }), KeyCode::F(10));
        assert_eq!(key(&KeyCommand::Act(crate::client::Action::Resume)), KeyCode::Char('!'));
        assert_eq!(key(&KeyCommand::Learn), KeyCode::Char('s'));
    }

    #[test]
    fn wrong_names_keys_and_conflicts_are_told() {
        for (lines, words) in [
            (&[("hnt", "x")][..], "hnt: no action has this name; there are hint, learn, "),
            (&[("move", "x")], "move: no action has this name"),
            (
                &[("hint", "Enter")],
                "hint cannot be \"Enter\": write a letter, a sign, or F2 to F12, as in hint = \"x\"",
            ),
            (&[("hint", "3")], "digits choose moves"),
            (&[("hint", " ")], "hint cannot be"),
            (&[("hint", "F1")], "hint cannot be"),
            (&[("hint", "d")], "hint and draw would both be d in a game; give one of them another key"),
            (&[("export", "q")], "export and quit would both be q in the records"),
        ] {
            let (_, wrong) = with(lines);
            assert!(wrong.len() == 1 && wrong[0].contains(words), "{lines:?}: {wrong:?}");
        }
        // Two actions can swap their keys, and those of different screens can have the same.
        for lines in [&[("hint", "d"), ("draw", "h")][..], &[("export", "d")]] {
            assert_eq!(with(lines).1, [""; 0], "{lines:?}");
        }
    }

    #[test]
    fn the_default_keys_have_no_conflict() {
        for command in KeyCommand::NAMED {
            assert_eq!(Keys::default().conflict(command.name()), None);
            assert!(!command.places().is_empty() && !command.meaning().is_empty());
        }
    }
}
