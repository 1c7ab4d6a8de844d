//! What is added to the message about a wrong command line: what was probably meant.

use clap::Error;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use nim::client::Address;
use nim::game::any::Variant;

/// The message with a tip, if it is known what was meant.
pub(crate) fn with_tip(mut error: Error) -> Error {
    if let Some(tip) = tip(&error) {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
        error.remove(ContextKind::SuggestedSubcommand);
    }
    error
}

fn tip(error: &Error) -> Option<String> {
    let word = |kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.as_str()),
        _ => None,
    };
    match error.kind() {
        ErrorKind::InvalidSubcommand => instead(word(ContextKind::InvalidSubcommand)?),
        ErrorKind::ArgumentConflict => {
            let (command, flag) = (word(ContextKind::InvalidSubcommand)?, word(ContextKind::PriorArg)?);
            Some(format!("write {flag} after the command, as in nim-client {command} {flag}"))
        }
        ErrorKind::UnknownArgument => {
            let given: Vec<String> = std::env::args().skip(1).collect();
            let game = in_several_words(&given, word(ContextKind::InvalidArg)?)?;
            Some(format!("write a game as one word, as in {game}"))
        }
        _ => None,
    }
}

/// The game that was written as several words, of which this unexpected one is one.
fn in_several_words(given: &[String], unexpected: &str) -> Option<String> {
    let words = given
        .rsplit(|word| word.starts_with('-'))
        .find(|words| words.iter().any(|word| word == unexpected))?;
    let at = words.iter().position(|word| word == unexpected)?;
    (0..at).find_map(|first| {
        let (name, rest) = (&words[first], &words[first + 1..]);
        let ways = [words[first..].join("-"), format!("{name}:{}", rest.join("-")), words[first..].join(":")];
        ways.into_iter().find(|way| way.parse::<Variant>().is_ok())
    })
}

/// The command that a word which is none may be the argument of.
fn instead(word: &str) -> Option<String> {
    if word.parse::<Variant>().is_ok() {
        return Some(format!("to play this game, write nim-client play {word}"));
    }
    let is_address = word.contains(['.', ':']) && word.parse::<Address>().is_ok();
    is_address.then(|| format!("to play on this server, write nim-client connect {word}"))
}
