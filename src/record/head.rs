//! The lines before the first event: the game, the lobby, the players, the conditions, and where the game
//! continues from.

use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use super::text::{Fault, Lines};
use super::time::Date;
use crate::game::any::{Board, Variant};
use crate::game::notation::{number, shown};
use crate::game::{BySide, Side};
use crate::lobby::{
    AwayRule, Checksum, ClockRule, Code, Conditions, Hints, Kind, Level, Name, Origin, PlayedBy, Text,
    WhenAway,
};

/// Everything known about a game before its first event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) variant: Variant,
    pub(super) code: Code,
    pub(super) game: u32,
    pub(super) started: Date,
    pub(super) players: BySide<PlayedBy>,
    /// Only the conditions that can change a game; the others are the defaults.
    pub(super) conditions: Conditions,
    pub(super) origin: Option<Origin>,
}

const GAME: &str = "Game";
const LOBBY: &str = "Lobby";
const STARTED: &str = "Started";
const FIRST: &str = "First";
const SECOND: &str = "Second";
const LEVEL: &str = "Bot level";
const CLOCK: &str = "Clock";
const AWAY: &str = "When away";
const SEATS: &str = "Seats";
const HINTS: &str = "Hints";
const MATCH: &str = "Match";
const FROM: &str = "From";
const POSITION: &str = "Position";

/// Between the code and the number of the game, and before a bot's level. No code and no name contains them.
const IN_LOBBY: &str = ", game ";
const BOT: &str = " [bot, ";
/// Around the checksum of the record that the game continues.
const OF_RECORD: &str = "record ";
const AFTER_MOVE: &str = ", after move ";
/// Between the parts of the conditions.
const AFTER: &str = " after ";
const SILENCE: &str = " of silence";
const KEPT: &str = "kept for ";
const RESTS: &str = ", resting for ";
const BEST_OF: &str = "best of ";
const ENDLESS: &str = "as many games as they like";

/// The conditions that a record holds; the others are set to their defaults.
pub(super) fn recorded(conditions: &Conditions) -> Conditions {
    let Conditions { hints, level, away, clock, best_of, .. } = *conditions;
    Conditions { hints, level, away, clock, best_of, ..Conditions::default() }
}

impl Head {
    /// The board at the start of the game.
    pub(super) fn start(&self) -> Board {
        let placed = self.origin.as_ref().and_then(|origin| origin.start(&self.variant).ok());
        placed.unwrap_or_else(|| self.variant.start())
    }

    /// Each line: its word, and the value after it.
    pub(super) fn fields(&self) -> Vec<(&'static str, String)> {
        let Conditions { level, clock, away, hints, best_of, .. } = self.conditions;
        let sitter = |side: Side| write_sitter(&self.players[side], level);
        let mut fields = vec![
            (GAME, self.variant.text()),
            (LOBBY, write_lobby(self.code, self.game)),
            (STARTED, self.started.to_string()),
            (FIRST, sitter(Side::First)),
            (SECOND, sitter(Side::Second)),
            (LEVEL, level.to_string()),
            (CLOCK, clock.to_string()),
            (AWAY, write_away(away)),
            (SEATS, write_kept((away.kept_for, away.rests_for))),
            (HINTS, write_hints(hints).into()),
            (MATCH, write_match(best_of)),
        ];
        if let Some(origin) = &self.origin {
            fields.push((FROM, write_source(origin.record, origin.moves)));
            fields.push((POSITION, origin.position.as_str().to_owned()));
        }
        fields
    }

    /// Reads the lines that [`Head::fields`] returns.
    pub(super) fn read(lines: &mut Lines) -> Result<Self, Fault> {
        let variant = lines.field(GAME, parsed::<Variant>, Variant::text)?;
        let (code, game) = lines.field(LOBBY, read_lobby, |&(code, game)| write_lobby(code, game))?;
        let started = lines.field(STARTED, parsed::<Date>, Date::to_string)?;
        let (players, level) = read_players(lines)?;
        let conditions = read_conditions(lines, level)?;
        let origin = if lines.has(FROM) { Some(read_origin(lines, &variant)?) } else { None };
        Ok(Self { variant, code, game, started, players, conditions, origin })
    }
}

/// The players, and the level of the bot, which is on the line below them and beside a bot's name.
fn read_players(lines: &mut Lines) -> Result<(BySide<PlayedBy>, Level), Fault> {
    let index = lines.index();
    let mut read = |word| lines.field(word, read_sitter, |(sitter, level)| write_sitter(sitter, *level));
    let [(first, _), (second, _)] = [read(FIRST)?, read(SECOND)?];
    let level = lines.field(LEVEL, parsed::<Level>, Level::to_string)?;
    if first.name.folded() == second.name.folded() {
        return Err(lines.fault(index + 1, "both players have the same name, and no two in a lobby have"));
    }
    for (offset, (word, sitter)) in [(FIRST, &first), (SECOND, &second)].into_iter().enumerate() {
        lines.compare(index + offset, &format!("{word}: {}", write_sitter(sitter, level)))?;
    }
    Ok((BySide { first, second }, level))
}

fn read_conditions(lines: &mut Lines, level: Level) -> Result<Conditions, Fault> {
    let clock = lines.field(CLOCK, parsed::<ClockRule>, ClockRule::to_string)?;
    let usual = write_away(AwayRule::default());
    let away = lines.field(
        AWAY,
        |text| read_away(text).ok_or_else(|| as_in(text, &usual)),
        |&rule| write_away(rule),
    )?;
    let kept = |text: &str| read_kept(text).ok_or_else(|| as_in(text, "kept for 15m, resting for 7days"));
    let (kept_for, rests_for) = lines.field(SEATS, kept, |&times| write_kept(times))?;
    let hints = |text: &str| read_hints(text).ok_or_else(|| as_in(text, "nobody"));
    let hints = lines.field(HINTS, hints, |&hints| write_hints(hints).into())?;
    let games = |text: &str| read_match(text).ok_or_else(|| as_in(text, "best of 3"));
    let best_of = lines.field(MATCH, games, |&best_of| write_match(best_of))?;
    let away = AwayRule { kept_for, rests_for, ..away };
    Ok(Conditions { hints, level, away, clock, best_of, ..Conditions::default() })
}

fn read_lobby(text: &str) -> Result<(Code, u32), String> {
    let example = || as_in(text, "brave-otter, game 1");
    let (code, game) = text.split_once(IN_LOBBY).ok_or_else(example)?;
    let game = number(game, 1, u32::MAX.into()).and_then(|game| u32::try_from(game).ok());
    Ok((parsed(code)?, game.ok_or_else(example)?))
}

fn write_lobby(code: Code, game: u32) -> String {
    format!("{code}{IN_LOBBY}{game}")
}

/// A player, and the level beside the name if it is a bot.
fn read_sitter(text: &str) -> Result<(PlayedBy, Level), String> {
    let (name, kind, level) = match text.split_once(BOT) {
        Some((name, mark)) => (name, Kind::Bot, parsed(mark.trim_end_matches(']'))?),
        None => (text, Kind::Person, Level::default()),
    };
    let name = Name::try_from(name.to_owned()).map_err(|_| format!("{} is nobody's name", shown(name)))?;
    Ok((PlayedBy { name, kind }, level))
}

fn write_sitter(sitter: &PlayedBy, level: Level) -> String {
    let PlayedBy { name, kind } = sitter;
    match kind {
        Kind::Person | Kind::Guest => name.to_string(),
        Kind::Bot => format!("{name}{BOT}{level}]"),
    }
}

fn write_away(rule: AwayRule) -> String {
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

/// The rule, with the default times for which games are kept: those are on another line.
fn read_away(text: &str) -> Option<AwayRule> {
    let (words, times) = text.split_once(AFTER)?;
    let all = [WhenAway::Wait, WhenAway::StandIn, WhenAway::Forfeit];
    let then = all.into_iter().find(|&then| when_away(then) == words)?;
    let (closed, silent) = times.strip_suffix(SILENCE)?.split_once(", or ")?;
    let (closed_after, silent_after) = (millis(closed)?, millis(silent)?);
    Some(AwayRule { then, closed_after, silent_after, ..AwayRule::default() })
}

/// How long a game is kept while nobody is there, and how long a paused one.
fn write_kept((kept_for, rests_for): (u32, u32)) -> String {
    format!("{KEPT}{}{RESTS}{}", short(kept_for), short(rests_for))
}

fn read_kept(text: &str) -> Option<(u32, u32)> {
    let (kept_for, rests_for) = text.strip_prefix(KEPT)?.split_once(RESTS)?;
    Some((millis(kept_for)?, millis(rests_for)?))
}

fn write_hints(hints: Hints) -> &'static str {
    match hints {
        Hints::Nobody => "nobody",
        Hints::AgainstBots => "whoever plays against a bot",
        Hints::All => "players and watchers",
        Hints::Watchers => "watchers",
    }
}

fn read_hints(text: &str) -> Option<Hints> {
    let all = [Hints::Nobody, Hints::AgainstBots, Hints::All, Hints::Watchers];
    all.into_iter().find(|&hints| write_hints(hints) == text)
}

fn write_match(best_of: u8) -> String {
    if best_of == 0 { ENDLESS.into() } else { format!("{BEST_OF}{best_of}") }
}

fn read_match(text: &str) -> Option<u8> {
    if text == ENDLESS {
        return Some(0);
    }
    number(text.strip_prefix(BEST_OF)?, 1, u8::MAX.into()).and_then(|number| u8::try_from(number).ok())
}

fn read_origin(lines: &mut Lines, variant: &Variant) -> Result<Origin, Fault> {
    let source = |text: &str| read_source(text).ok_or_else(|| as_in(text, "record 1a2b3c4d, after move 7"));
    let (record, moves) = lines.field(FROM, source, |&(record, moves)| write_source(record, moves))?;
    let placed = |text: &str| {
        let start = Origin { record, moves, position: Text::cut(text) }.start(variant);
        Ok(Origin::of(record, moves, &start.map_err(|bad| bad.to_string())?))
    };
    lines.field(POSITION, placed, |origin| origin.position.as_str().to_owned())
}

fn read_source(text: &str) -> Option<(Checksum, u32)> {
    let (record, moves) = text.strip_prefix(OF_RECORD)?.split_once(AFTER_MOVE)?;
    let moves = number(moves, 0, u32::MAX.into())?;
    Some((record.parse().ok()?, u32::try_from(moves).ok()?))
}

fn write_source(record: Checksum, moves: u32) -> String {
    format!("{OF_RECORD}{record}{AFTER_MOVE}{moves}")
}

/// Parses a value. The error is that type's own sentence.
fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|bad: T::Err| bad.to_string())
}

/// That a value cannot be read, with an example of one that can.
fn as_in(text: &str, example: &str) -> String {
    format!("{} cannot be read; it is written as in {example:?}", shown(text))
}

/// Milliseconds as they are typed: `1m30s`.
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
        fn conditions_round_trip(kept_for: u32, rests_for: u32, closed_after: u32, silent_after: u32, best_of: u8) {
            for then in [WhenAway::Wait, WhenAway::StandIn, WhenAway::Forfeit] {
                let rule = AwayRule { then, closed_after, silent_after, ..AwayRule::default() };
                assert_eq!(read_away(&write_away(rule)), Some(rule));
            }
            assert_eq!(read_kept(&write_kept((kept_for, rests_for))), Some((kept_for, rests_for)));
            assert_eq!(read_match(&write_match(best_of)), Some(best_of));
        }
    }

    #[test]
    fn hints_round_trip() {
        for hints in [Hints::Nobody, Hints::AgainstBots, Hints::All, Hints::Watchers] {
            assert_eq!(read_hints(write_hints(hints)), Some(hints));
        }
    }
}
