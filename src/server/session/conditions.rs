//! What somebody wants a lobby to be like, as this server can grant it.

use crate::game::Side;
use crate::game::any::Variant;
use crate::game::notation::BadText;
use crate::lobby::{AwayRule, BotRule, ClockRule, Conditions, Origin, Text, WhenAway};
use crate::number::millis;
use crate::server::config::Config;
use crate::server::lobby::Plan;
use crate::wire::limits::{MOST_GAMES, SHORTEST_CLOCK, SILENT_LONGER};
use crate::wire::{BotWish, HallRefusal, NewLobby, Starts};

/// What a wished-for lobby is to be, or what is wrong with the wish.
pub(super) fn agree(wish: &NewLobby, config: &Config) -> Result<Plan, HallRefusal> {
    let variant: Variant = wish
        .variant
        .as_str()
        .parse()
        .map_err(|bad: BadText| HallRefusal::Variant(Text::cut(&bad.to_string())))?;
    let origin = wish.origin.as_ref().map(|origin| placed(origin, &variant)).transpose()?;
    check(wish, config)?;
    let conditions = Conditions {
        opener: opener(wish.starts, &variant, Origin::start_of(&variant, origin.as_ref()).turn()),
        bot: bot(wish.bot, config)?,
        hints: wish.hints,
        level: wish.level,
        away: AwayRule {
            // A server without bots has none to stand in either.
            then: match wish.away.then {
                WhenAway::StandIn if !config.bots => WhenAway::Wait,
                then => then,
            },
            closed_after: wish.away.after,
            // A silent player is waited for no longer than it takes until the connection counts as lost.
            silent_after: wish.away.after.saturating_add(millis(SILENT_LONGER.min(config.gone_after))),
            kept_for: millis(config.seats_kept),
            rests_for: millis(config.paused_kept),
        },
        clock: wish.clock,
        best_of: wish.best_of,
        watchers: if wish.watched { config.max_watchers } else { 0 },
        listed: wish.listed,
        locked: wish.password.is_some(),
    };
    Ok(Plan { variant, conditions, origin })
}

/// The side of the player who opens a lobby in which this side makes the first move.
fn opener(starts: Starts, variant: &Variant, first: Side) -> Side {
    match starts {
        Starts::Me => first,
        Starts::Variant if variant.opener() == Side::First => first,
        Starts::Them | Starts::Variant => !first,
    }
}

/// The origin as it is written; or what is wrong with it.
fn placed(origin: &Origin, variant: &Variant) -> Result<Origin, HallRefusal> {
    match origin.start(variant) {
        Ok(start) => Ok(Origin::of(origin.record, origin.moves, &start)),
        Err(bad) => Err(HallRefusal::Conditions(Text::cut(&bad.to_string()))),
    }
}

fn bot(wish: BotWish, config: &Config) -> Result<BotRule, HallRefusal> {
    match wish {
        BotWish::AtOnce | BotWish::Both if !config.bots => Err(HallRefusal::NoBots),
        BotWish::AtOnce => Ok(BotRule::After(0)),
        BotWish::Both => Ok(BotRule::Both),
        BotWish::WhenNobodyComes if config.bots => Ok(BotRule::After(millis(config.bot_after))),
        BotWish::WhenNobodyComes | BotWish::PeopleOnly => Ok(BotRule::Never),
    }
}

/// Whether the conditions make sense, and together.
fn check(wish: &NewLobby, config: &Config) -> Result<(), HallRefusal> {
    let time = match wish.clock {
        ClockRule::None => u32::MAX,
        ClockRule::Move(time) => time,
        ClockRule::Fischer { base, .. } | ClockRule::Delay { base, .. } => base,
    };
    let complaint = if time < millis(SHORTEST_CLOCK) {
        format!("a clock gives {} second at least", SHORTEST_CLOCK.as_secs())
    } else if wish.best_of > MOST_GAMES {
        format!("a match has {MOST_GAMES} games at most")
    } else if wish.bot == BotWish::Both && !(wish.watched && config.max_watchers > 0) {
        "a game between bots is there to be watched".into()
    } else if wish.password.as_ref().is_some_and(crate::wire::Secret::is_empty) {
        "a password has one character at least".into()
    } else {
        return Ok(());
    };
    Err(HallRefusal::Conditions(Text::cut(&complaint)))
}
