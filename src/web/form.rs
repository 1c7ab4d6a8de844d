//! What a person fills in for a new game, a quick match or a code, read from the texts of the page.

use super::action::NewGame;
use super::choices::{self, Choices};
use crate::client::choices::ANY;
use crate::client::text::full_stop;
use crate::client::words::form::Term;
use crate::client::words::screen;
use crate::client::{Action, Terms};
use crate::game::any::Variant;
use crate::game::notation::BadText;
use crate::lobby::{Code, Hints};
use crate::wire::{AwayWish, BotWish, Listing, LobbyState, Secret, Starts};

/// The variant of this text.
fn variant(game: &str) -> Result<Variant, String> {
    game.trim().parse().map_err(|bad: BadText| full_stop(&format!("No: {bad}")))
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

/// The code of a lobby, or the end of its address.
pub(super) fn code(text: &str) -> Result<Code, String> {
    let path = text.trim().trim_end_matches("?watch").trim_end_matches('/');
    let code = path.rsplit('/').next().unwrap_or_default().to_lowercase();
    code.parse().map_err(|_| "No: a code looks like brave-otter.".to_owned())
}

/// The terms of a form.
pub(super) fn terms(form: &NewGame) -> Result<Terms, String> {
    let NewGame {
        game,
        ticket: _,
        typed,
        opponent,
        starts,
        level,
        hints,
        away,
        stand_in,
        after,
        clock,
        best_of,
        watched,
        listed,
        password,
    } = form;
    let usual = Terms::default();
    let typed_or_chosen = if typed.trim().is_empty() { game } else { typed };
    let secret = match Secret::of(password) {
        None if !password.is_empty() => return Err(format!("No: {}", screen::password_too_long())),
        secret => secret,
    };
    Ok(Terms {
        variant: variant(typed_or_chosen)?,
        origin: None,
        starts: chosen(Term::Starts, starts, choices::starts(), usual.starts)?,
        bot: chosen(Term::Bot, opponent, choices::opponents(), usual.bot)?,
        hints: chosen(Term::Hints, hints, choices::hints(), usual.hints)?,
        level: chosen(Term::Level, level, choices::levels(), usual.level)?,
        away: AwayWish {
            then: chosen(Term::Away, away, choices::absences(), usual.away.then)?,
            level: match stand_in.as_str() {
                "" => usual.away.level,
                level => Some(chosen(Term::Level, level, choices::levels(), usual.level)?),
            },
            after: chosen(Term::After, after, choices::times(), usual.away.after)?,
        },
        clock: match clock.trim() {
            "" => usual.clock,
            clock => clock.parse().map_err(|bad| format!("No: {bad}."))?,
        },
        best_of: chosen(Term::BestOf, best_of, choices::lengths(), usual.best_of)?,
        watched: chosen(Term::Watched, watched, choices::yes_or_no(), usual.watched)?,
        listed: chosen(Term::Listed, listed, choices::yes_or_no(), usual.listed)?,
        password: secret,
    })
}

/// The choice of this name; the default where none was made.
fn chosen<T>(term: Term, name: &str, offered: Choices<T>, usual: T) -> Result<T, String> {
    if name.is_empty() {
        return Ok(usual);
    }
    let found = offered.into_iter().find(|(known, _)| known == name);
    found.map(|(_, value)| value).ok_or_else(|| format!("No: {:?} cannot be {name:?}.", term.name()))
}
