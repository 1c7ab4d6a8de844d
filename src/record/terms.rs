//! The terms of a game as lines of words that can be read back.

use std::time::Duration;

use crate::game::notation::number;
use crate::lobby::{AwayRule, ClockRule, Conditions, Hints, Level, WhenAway};

/// What was agreed for a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// How strong the house's bot played, where it played or stood in.
    pub level: Level,
    /// How much time players had.
    pub clock: ClockRule,
    /// What happened when somebody was away.
    pub away: AwayRule,
    /// Who might ask for the best move.
    pub hints: Hints,
    /// How many games the match had; 0 if people played as long as they liked.
    pub best_of: u8,
}

impl Terms {
    pub(super) fn of(conditions: &Conditions) -> Self {
        let Conditions { level, clock, away, hints, best_of, .. } = *conditions;
        Self { level, clock, away, hints, best_of }
    }

    /// A lobby's conditions with these terms; what else is in them changes no game.
    pub(super) fn conditions(&self) -> Conditions {
        let Self { level, clock, away, hints, best_of } = *self;
        Conditions { hints, level, away, clock, best_of, ..Conditions::default() }
    }
}

const AFTER: &str = " after ";
const SILENCE: &str = " of silence";
const KEPT: &str = "kept for ";
const RESTS: &str = ", resting for ";
const BEST_OF: &str = "best of ";
const ENDLESS: &str = "as many games as they like";

/// What happens when somebody is away, and after which times.
pub(super) fn write_away(rule: AwayRule) -> String {
    let AwayRule { then, closed_after, silent_after, .. } = rule;
    format!("{}{AFTER}{}, or {}{SILENCE}", when_away(then), short(closed_after), short(silent_after))
}

fn when_away(then: WhenAway) -> &'static str {
    match then {
        WhenAway::Wait => "the game waits",
        WhenAway::StandIn => "a stand-in plays",
        WhenAway::Forfeit => "the game can be claimed",
    }
}

/// Reads what [`write_away`] writes, with the times for which games are kept.
pub(super) fn read_away(text: &str, (kept_for, rests_for): (u32, u32)) -> Option<AwayRule> {
    let (words, times) = text.split_once(AFTER)?;
    let all = [WhenAway::Wait, WhenAway::StandIn, WhenAway::Forfeit];
    let then = all.into_iter().find(|&then| when_away(then) == words)?;
    let (closed, silent) = times.strip_suffix(SILENCE)?.split_once(", or ")?;
    let (closed_after, silent_after) = (millis(closed)?, millis(silent)?);
    Some(AwayRule { then, closed_after, silent_after, kept_for, rests_for })
}

/// How long a game is kept where nobody is there, and how long one that rests.
pub(super) fn write_kept((kept_for, rests_for): (u32, u32)) -> String {
    format!("{KEPT}{}{RESTS}{}", short(kept_for), short(rests_for))
}

pub(super) fn read_kept(text: &str) -> Option<(u32, u32)> {
    let (kept_for, rests_for) = text.strip_prefix(KEPT)?.split_once(RESTS)?;
    Some((millis(kept_for)?, millis(rests_for)?))
}

/// Who may have hints, in words.
pub(super) fn write_hints(hints: Hints) -> &'static str {
    match hints {
        Hints::Nobody => "nobody",
        Hints::AgainstBots => "whoever plays against a bot",
        Hints::All => "players and watchers",
        Hints::Watchers => "watchers",
    }
}

pub(super) fn read_hints(text: &str) -> Option<Hints> {
    let all = [Hints::Nobody, Hints::AgainstBots, Hints::All, Hints::Watchers];
    all.into_iter().find(|&hints| write_hints(hints) == text)
}

pub(super) fn write_match(best_of: u8) -> String {
    if best_of == 0 { ENDLESS.into() } else { format!("{BEST_OF}{best_of}") }
}

pub(super) fn read_match(text: &str) -> Option<u8> {
    if text == ENDLESS {
        return Some(0);
    }
    number(text.strip_prefix(BEST_OF)?, 1, u8::MAX.into()).and_then(|number| u8::try_from(number).ok())
}

/// So many milliseconds as they are typed: `1m30s`.
fn short(millis: u32) -> String {
    humantime::format_duration(Duration::from_millis(millis.into())).to_string().replace(' ', "")
}

fn millis(text: &str) -> Option<u32> {
    u32::try_from(humantime::parse_duration(text).ok()?.as_millis()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn any_terms_are_read_as_they_are_written(kept_for: u32, rests_for: u32, closed_after: u32, silent_after: u32, best_of: u8, clock: u32) {
            for then in [WhenAway::Wait, WhenAway::StandIn, WhenAway::Forfeit] {
                let rule = AwayRule { then, closed_after, silent_after, kept_for, rests_for };
                assert_eq!(read_away(&write_away(rule), (kept_for, rests_for)), Some(rule));
            }
            assert_eq!(read_kept(&write_kept((kept_for, rests_for))), Some((kept_for, rests_for)));
            assert_eq!(read_match(&write_match(best_of)), Some(best_of));
            let rule = ClockRule::Fischer { base: clock, bonus: closed_after };
            assert_eq!(rule.to_string().parse(), Ok(rule));
        }
    }

    #[test]
    fn who_may_have_hints_is_read_as_it_is_written() {
        for hints in [Hints::Nobody, Hints::AgainstBots, Hints::All, Hints::Watchers] {
            assert_eq!(read_hints(write_hints(hints)), Some(hints));
        }
    }
}
