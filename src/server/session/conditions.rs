//! Turns the wish for a lobby into its conditions, as far as this server can grant it.

use crate::game::Side;
use crate::game::any::Variant;
use crate::game::notation::BadText;
use crate::lobby::{AwayRule, BotRule, ClockRule, Conditions, Origin, Text, WhenAway};
use crate::number::millis;
use crate::server::config::Config;
use crate::server::lobby::Plan;
use crate::wire::limits::{MOST_GAMES, SHORTEST_CLOCK, SILENT_LONGER};
use crate::wire::{BotWish, HallRefusal, NewLobby, Starts};

/// Returns the plan of the lobby; the error if the wish cannot be granted.
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
            // Without bots nobody can stand in.
            then: match wish.away.then {
                WhenAway::StandIn if !config.bots => WhenAway::Wait,
                then => then,
            },
            level: wish.away.level.unwrap_or(wish.hints.stand_in_level(wish.level)),
            closed_after: wish.away.after,
            // A silent player's deadline is not later than that of a lost connection.
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

/// Returns the origin in its canonical form; the error if it does not fit the variant.
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
        BotWish::WhenNobodyComes => Ok(BotRule::Never),
        BotWish::PeopleOnly => Ok(BotRule::PeopleOnly),
    }
}

/// Checks that the conditions are valid, alone and together.
fn check(wish: &NewLobby, config: &Config) -> Result<(), HallRefusal> {
    let time = match wish.clock {
        ClockRule::None => u32::MAX,
        ClockRule::Move(time) => time,
        ClockRule::Fischer { base, .. } | ClockRule::Delay { base, .. } => base,
    };
    let complaint = if time < millis(SHORTEST_CLOCK) {
        format!("a clock gives {} second at least", SHORTEST_CLOCK.as_secs())
    } else if wish.away.after < millis(config.shortest_away) {
        format!("a lobby waits {} seconds at least for a player who is away", config.shortest_away.as_secs())
    } else if wish.best_of > MOST_GAMES {
        format!("a match has {MOST_GAMES} games at most")
    } else if wish.bot == BotWish::Both && !(wish.watched && config.max_watchers > 0) {
        "a game between bots is there to be watched".into()
    } else if wish.bot == BotWish::Both && wish.clock != ClockRule::None {
        // It would stop and start with each watcher who goes and comes, and that would be recorded.
        "two bots play each other without a clock".into()
    } else if wish.password.as_ref().is_some_and(crate::wire::Secret::is_empty) {
        "a password has one character at least".into()
    } else {
        return Ok(());
    };
    Err(HallRefusal::Conditions(Text::cut(&complaint)))
}
