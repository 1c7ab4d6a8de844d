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
        _ => None,
    }
}

/// The command that a word which is none may be the argument of.
fn instead(word: &str) -> Option<String> {
    if word.parse::<Variant>().is_ok() {
        return Some(format!("to play this game, write nim-client play {word}"));
    }
    let is_address = word.contains(['.', ':']) && word.parse::<Address>().is_ok();
    is_address.then(|| format!("to play on this server, write nim-client connect {word}"))
}
