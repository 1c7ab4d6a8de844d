//! What a person fills in for a new game, a quick match or a code, read from the texts of the page.

use super::action::PageAction;
use crate::client::{Action, Terms};
use crate::game::any::Variant;
use crate::lobby::{Code, Hints, WhenAway};
use crate::wire::{AwayWish, BotWish, Listing, LobbyState, Secret, Starts};

/// The choice of a quick match that leads to any game for which somebody waits.
pub(super) const ANY: &str = "any";

/// The variant of this text.
fn variant(game: &str) -> Result<Variant, String> {
    game.trim().parse().map_err(|bad| format!("No: {bad}."))
}

/// A game against the bot, as one begins it at home: with hints, and so that the person can win.
pub(super) fn against_bot(game: &str) -> Result<Terms, String> {
    let variant = variant(game)?;
    let starts = if variant == Variant::default() { Starts::Them } else { Starts::Variant };
    Ok(Terms { variant, starts, bot: BotWish::AtOnce, hints: Hints::All, ..Terms::default() })
}

/// A game with somebody who waits: a seat in the oldest lobby of any game, or a quick match.
pub(super) fn quick(game: &str, hall: &[Listing]) -> Result<Action, String> {
    if game != ANY {
        return Ok(Action::Quick(Terms { variant: variant(game)?, ..Terms::default() }));
    }
    let is_open = |listing: &&Listing| listing.state == LobbyState::Open && !listing.locked;
    Ok(match hall.iter().rfind(is_open) {
        Some(listing) => Action::Join(listing.code, None),
        None => Action::Quick(Terms::default()),
    })
}

/// The code of a lobby.
pub(super) fn code(text: &str) -> Result<Code, String> {
    text.trim().to_lowercase().parse().map_err(|_| "No: a code looks like brave-otter.".to_owned())
}

/// One of the words of a choice; the first is the default.
fn choose<T: Copy>(what: &str, word: &str, choices: &[(&str, T)]) -> Result<T, String> {
    let chosen = choices.iter().find(|(known, _)| *known == word);
    let default = choices.first().filter(|_| word.is_empty());
    chosen.or(default).map(|(_, value)| *value).ok_or_else(|| format!("No: {what} cannot be {word:?}."))
}

/// The terms of a form.
pub(super) fn terms(form: &PageAction) -> Result<Terms, String> {
    let PageAction::New {
        game,
        opponent,
        starts,
        level,
        hints,
        away,
        clock,
        best_of,
        watched,
        listed,
        password,
        ..
    } = form
    else {
        return Err(String::new());
    };
    let opponents = [
        ("soon", BotWish::WhenNobodyComes),
        ("bot", BotWish::AtOnce),
        ("people", BotWish::PeopleOnly),
        ("bots", BotWish::Both),
    ];
    let usual = Terms::default();
    let firsts = [("game", Starts::Variant), ("me", Starts::Me), ("them", Starts::Them)];
    let hint_rules = [
        ("against-bots", Hints::AgainstBots),
        ("all", Hints::All),
        ("nobody", Hints::Nobody),
        ("watchers", Hints::Watchers),
    ];
    let absences =
        [("stand-in", WhenAway::StandIn), ("wait", WhenAway::Wait), ("forfeit", WhenAway::Forfeit)];
    let read_level = || level.parse().map_err(|_| format!("No: there is no level {level:?}."));
    let read_clock = || clock.parse().map_err(|bad| format!("No: {bad}."));
    let read_length = || best_of.parse().map_err(|_| format!("No: a match has no {best_of:?} games."));
    Ok(Terms {
        variant: variant(game)?,
        origin: None,
        starts: choose("the first player", starts, &firsts)?,
        bot: choose("the opponent", opponent, &opponents)?,
        hints: choose("the rule for hints", hints, &hint_rules)?,
        level: if level.is_empty() { usual.level } else { read_level()? },
        away: AwayWish { then: choose("the rule for absences", away, &absences)?, ..usual.away },
        clock: if clock.is_empty() { usual.clock } else { read_clock()? },
        best_of: if best_of.is_empty() { usual.best_of } else { read_length()? },
        watched: choose("watching", watched, &[("yes", true), ("no", false)])?,
        listed: choose("the list", listed, &[("yes", true), ("no", false)])?,
        password: Secret::of(password),
    })
}
