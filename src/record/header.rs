//! The lines before the first event: the game, the lobby, the players, the conditions, and the record that
//! the game continues.

use std::fmt::Display;
use std::str::FromStr;

use super::text::{RecordError, RecordLines};
use super::time::Date;
use crate::game::any::{Board, Variant};
use crate::game::notation::{number, shown};
use crate::game::{BySide, Side};
use crate::lobby::{
    AwayRule, Checksum, ClockRule, Code, Conditions, Hints, Kind, Level, Name, Origin, PlayedBy, Text,
    WhenAway, read_time, write_time,
};

/// The properties of a game before its first event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) variant: Variant,
    pub(super) code: Code,
    pub(super) game: u32,
    pub(super) started: Date,
    pub(super) players: BySide<PlayedBy>,
    /// The conditions that can change a game. The others are the defaults.
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
const STAND_IN: &str = "Stand-in";
const AWAY: &str = "When away";
const SEATS: &str = "Seats";
const HINTS: &str = "Hints";
const MATCH: &str = "Match";
const FROM: &str = "From";
const POSITION: &str = "Position";

/// Separators in the lines of the lobby and the players. No code and no name contains them.
const GAME_NUMBER: &str = ", game ";
const BOT: &str = " [bot, ";
/// The mark after the name of a program.
const PROGRAM: &str = " [program]";
/// The parts of the line about the record that the game continues.
const OF_RECORD: &str = "record ";
const AFTER_MOVE: &str = ", after move ";
/// The parts of the lines about conditions.
const AFTER: &str = " after ";
const SILENCE: &str = " of silence";
const KEPT: &str = "kept for ";
const PAUSED: &str = ", paused games for ";
const BEST_OF: &str = "best of ";
const ENDLESS: &str = "as many games as they like";

/// The conditions that a record holds, with defaults for the others.
pub(super) fn recorded_conditions(conditions: &Conditions) -> Conditions {
    let Conditions { hints, level, away, clock, best_of, .. } = *conditions;
    Conditions { hints, level, away, clock, best_of, ..Conditions::default() }
}

impl Header {
    /// The board at the start of the game.
    pub(super) fn start(&self) -> Board {
        Origin::start_of(&self.variant, self.origin.as_ref())
    }

    /// The label and the value of each line.
    pub(super) fn fields(&self) -> Vec<(&'static str, String)> {
        let Conditions { level, clock, away, hints, best_of, .. } = self.conditions;
        let player = |side: Side| write_player(&self.players[side], level);
        let mut fields = vec![
            (GAME, self.variant.text()),
            (LOBBY, format!("{}{GAME_NUMBER}{}", self.code, self.game)),
            (STARTED, self.started.to_string()),
            (FIRST, player(Side::First)),
            (SECOND, player(Side::Second)),
            (LEVEL, level.to_string()),
            (CLOCK, clock.to_string()),
            (AWAY, write_away(away)),
            (STAND_IN, away.level.to_string()),
            (SEATS, format!("{KEPT}{}{PAUSED}{}", write_time(away.kept_for), write_time(away.rests_for))),
            (HINTS, write_hints(hints).into()),
            (MATCH, if best_of == 0 { ENDLESS.into() } else { format!("{BEST_OF}{best_of}") }),
        ];
        if let Some(origin) = &self.origin {
            fields.push((FROM, format!("{OF_RECORD}{}{AFTER_MOVE}{}", origin.record, origin.moves)));
            fields.push((POSITION, origin.position.as_str().to_owned()));
        }
        fields
    }

    /// Parses the lines that [`Header::fields`] returns. Each line has to be written exactly as there.
    pub(super) fn read(lines: &mut RecordLines) -> Result<Self, RecordError> {
        let first_line = lines.index();
        let variant = lines.field(GAME, parse::<Variant>)?;
        let (code, game) = lines.field(LOBBY, read_lobby)?;
        let started = lines.field(STARTED, parse::<Date>)?;
        let players =
            BySide { first: lines.field(FIRST, read_player)?, second: lines.field(SECOND, read_player)? };
        if players.first.name.folded() == players.second.name.folded() {
            let words = "both players have the same name, which a lobby does not allow";
            return Err(lines.error_at(lines.index() - 1, words));
        }
        let conditions = read_conditions(lines)?;
        let origin = if lines.has(FROM) { Some(read_origin(lines, &variant)?) } else { None };
        let header = Self { variant, code, game, started, players, conditions, origin };
        for (index, (word, value)) in (first_line..).zip(header.fields()) {
            lines.compare(index, &format!("{word}: {value}"))?;
        }
        Ok(header)
    }
}

fn read_conditions(lines: &mut RecordLines) -> Result<Conditions, RecordError> {
    let level = lines.field(LEVEL, parse::<Level>)?;
    let clock = lines.field(CLOCK, parse::<ClockRule>)?;
    let usual = write_away(AwayRule::default());
    let away = lines.field(AWAY, |text| read_away(text).ok_or_else(|| unreadable(text, &usual)))?;
    let stand_in = lines.field(STAND_IN, parse::<Level>)?;
    let kept =
        |text: &str| read_kept(text).ok_or_else(|| unreadable(text, "kept for 15m, paused games for 7days"));
    let (kept_for, rests_for) = lines.field(SEATS, kept)?;
    let hints = lines.field(HINTS, |text| read_hints(text).ok_or_else(|| unreadable(text, "nobody")))?;
    let best_of = lines.field(MATCH, |text| read_match(text).ok_or_else(|| unreadable(text, "best of 3")))?;
    let away = AwayRule { level: stand_in, kept_for, rests_for, ..away };
    Ok(Conditions { hints, level, away, clock, best_of, ..Conditions::default() })
}

fn read_lobby(text: &str) -> Result<(Code, u32), String> {
    let example = || unreadable(text, "brave-otter, game 1");
    let (code, game) = text.split_once(GAME_NUMBER).ok_or_else(example)?;
    let game = number(game, 1, u32::MAX.into()).and_then(|game| u32::try_from(game).ok());
    Ok((parse(code)?, game.ok_or_else(example)?))
}

/// Parses a player. The level after a bot's name is checked later, with the whole line.
fn read_player(text: &str) -> Result<PlayedBy, String> {
    let (name, kind) = match (text.split_once(BOT), text.strip_suffix(PROGRAM)) {
        (Some((name, _)), _) => (name, Kind::Bot),
        (None, Some(name)) => (name, Kind::Program),
        (None, None) => (text, Kind::Person),
    };
    let name = Name::try_from(name.to_owned()).map_err(|_| format!("{} is not a valid name", shown(name)))?;
    Ok(PlayedBy { name, kind })
}

fn write_player(player: &PlayedBy, level: Level) -> String {
    let PlayedBy { name, kind } = player;
    match kind {
        Kind::Person | Kind::Guest => name.to_string(),
        Kind::Bot => format!("{name}{BOT}{level}]"),
        Kind::Program => format!("{name}{PROGRAM}"),
    }
}

fn write_away(rule: AwayRule) -> String {
    let AwayRule { then, closed_after, silent_after, .. } = rule;
    format!(
        "{}{AFTER}{}, or {}{SILENCE}",
        when_away(then),
        write_time(closed_after),
        write_time(silent_after)
    )
}

fn when_away(then: WhenAway) -> &'static str {
    match then {
        WhenAway::Wait => "the game waits",
        WhenAway::StandIn => "a stand-in plays",
        WhenAway::Forfeit => "the game can be claimed",
    }
}

/// Parses the rule for absent players. The level of a stand-in and the times for which a game is kept are on
/// lines of their own.
fn read_away(text: &str) -> Option<AwayRule> {
    let (words, times) = text.split_once(AFTER)?;
    let all = [WhenAway::Wait, WhenAway::StandIn, WhenAway::Forfeit];
    let then = all.into_iter().find(|&then| when_away(then) == words)?;
    let (closed, silent) = times.strip_suffix(SILENCE)?.split_once(", or ")?;
    let (closed_after, silent_after) = (read_time(closed)?, read_time(silent)?);
    Some(AwayRule { then, closed_after, silent_after, ..AwayRule::default() })
}

/// Parses the times for which a game without players is kept: in play, and paused.
fn read_kept(text: &str) -> Option<(u32, u32)> {
    let (kept_for, rests_for) = text.strip_prefix(KEPT)?.split_once(PAUSED)?;
    Some((read_time(kept_for)?, read_time(rests_for)?))
}

fn write_hints(hints: Hints) -> &'static str {
    match hints {
        Hints::Nobody => "nobody",
        Hints::AgainstBots => "players against a bot",
        Hints::All => "players and watchers",
        Hints::Watchers => "watchers",
    }
}

fn read_hints(text: &str) -> Option<Hints> {
    let all = [Hints::Nobody, Hints::AgainstBots, Hints::All, Hints::Watchers];
    all.into_iter().find(|&hints| write_hints(hints) == text)
}

fn read_match(text: &str) -> Option<u8> {
    if text == ENDLESS {
        return Some(0);
    }
    number(text.strip_prefix(BEST_OF)?, 1, u8::MAX.into()).and_then(|number| u8::try_from(number).ok())
}

fn read_origin(lines: &mut RecordLines, variant: &Variant) -> Result<Origin, RecordError> {
    let source =
        |text: &str| read_source(text).ok_or_else(|| unreadable(text, "record 1a2b3c4d, after move 7"));
    let (record, moves) = lines.field(FROM, source)?;
    let placed = |text: &str| {
        let start = Origin { record, moves, position: Text::cut(text) }.start(variant);
        Ok(Origin::of(record, moves, &start.map_err(|bad| bad.to_string())?))
    };
    lines.field(POSITION, placed)
}

fn read_source(text: &str) -> Option<(Checksum, u32)> {
    let (record, moves) = text.strip_prefix(OF_RECORD)?.split_once(AFTER_MOVE)?;
    let moves = number(moves, 0, u32::MAX.into())?;
    Some((record.parse().ok()?, u32::try_from(moves).ok()?))
}

/// Parses a value. The error is that of its type.
fn parse<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|bad: T::Err| bad.to_string())
}

/// The error for a value that cannot be parse, with an example of a correct one.
fn unreadable(text: &str, example: &str) -> String {
    format!("{} cannot be read; write it as in {example:?}", shown(text))
}
