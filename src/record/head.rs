//! What stands before the first move: the game, the lobby, the players, the terms, and where it all came from.

use std::fmt::Display;
use std::str::FromStr;

use super::reader::Lines;
use super::sheet::Fault;
use super::terms::{self, Terms};
use super::{Date, Sitter};
use crate::game::any::{Board, Variant};
use crate::game::notation::{number, shown};
use crate::game::{BySide, Side};
use crate::lobby::{AwayRule, Checksum, ClockRule, Code, Kind, Level, Name, Origin, Text};

/// Everything about a game that was so before it began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) variant: Variant,
    pub(super) code: Code,
    pub(super) game: u32,
    pub(super) started: Date,
    pub(super) players: BySide<Sitter>,
    pub(super) terms: Terms,
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

/// All of these words.
pub(super) const WORDS: [&str; 13] =
    [GAME, LOBBY, STARTED, FIRST, SECOND, LEVEL, CLOCK, AWAY, SEATS, HINTS, MATCH, FROM, POSITION];

/// What stands between the code and the number of the game, and before a bot's level; no code and no name holds it.
const IN_LOBBY: &str = ", game ";
const BOT: &str = " [bot, ";
/// Around the checksum of the record that it came from.
const OF_RECORD: &str = "record ";
const AFTER_MOVE: &str = ", after move ";

impl Head {
    /// The board on which it began.
    pub(super) fn start(&self) -> Board {
        let placed = self.origin.as_ref().and_then(|origin| origin.start(&self.variant).ok());
        placed.unwrap_or_else(|| self.variant.start())
    }

    /// Each line: its word, and what stands behind it.
    pub(super) fn fields(&self) -> Vec<(&'static str, String)> {
        let Terms { level, clock, away, hints, best_of } = self.terms;
        let sitter = |side: Side| write_sitter(&self.players[side], level);
        let mut fields = vec![
            (GAME, self.variant.text()),
            (LOBBY, write_lobby(self.code, self.game)),
            (STARTED, self.started.to_string()),
            (FIRST, sitter(Side::First)),
            (SECOND, sitter(Side::Second)),
            (LEVEL, level.to_string()),
            (CLOCK, clock.to_string()),
            (AWAY, terms::write_away(away)),
            (SEATS, terms::write_kept((away.kept_for, away.rests_for))),
            (HINTS, terms::write_hints(hints).into()),
            (MATCH, terms::write_match(best_of)),
        ];
        if let Some(origin) = &self.origin {
            fields.push((FROM, write_source(origin.record, origin.moves)));
            fields.push((POSITION, origin.position.as_str().to_owned()));
        }
        fields
    }

    /// Reads what [`Head::fields`] says, line by line.
    pub(super) fn read(lines: &mut Lines<'_>) -> Result<Self, Fault> {
        let variant = lines.field(GAME, parsed::<Variant>, Variant::text)?;
        let (code, game) = lines.field(LOBBY, read_lobby, |&(code, game)| write_lobby(code, game))?;
        let started = lines.field(STARTED, parsed::<Date>, Date::to_string)?;
        let (players, level) = read_players(lines)?;
        let terms = read_terms(lines, level)?;
        let origin = if lines.has(FROM) { Some(read_origin(lines, &variant)?) } else { None };
        Ok(Self { variant, code, game, started, players, terms, origin })
    }
}

/// The players, and the level of the bot, which stands below them and in their marks.
fn read_players(lines: &mut Lines<'_>) -> Result<(BySide<Sitter>, Level), Fault> {
    let place = lines.place();
    let mut read = |word| lines.field(word, read_sitter, |(sitter, level)| write_sitter(sitter, *level));
    let [(first, _), (second, _)] = [read(FIRST)?, read(SECOND)?];
    let level = lines.field(LEVEL, parsed::<Level>, Level::to_string)?;
    if first.name.folded() == second.name.folded() {
        return Err(lines.fault(place + 1, "both players have the same name, and no two in a lobby have"));
    }
    for (offset, (word, sitter)) in [(FIRST, &first), (SECOND, &second)].into_iter().enumerate() {
        lines.compare(place + offset, &format!("{word}: {}", write_sitter(sitter, level)))?;
    }
    Ok((BySide { first, second }, level))
}

fn read_terms(lines: &mut Lines<'_>, level: Level) -> Result<Terms, Fault> {
    let clock = lines.field(CLOCK, parsed::<ClockRule>, ClockRule::to_string)?;
    let away = |text: &str| terms::read_away(text, (0, 0)).ok_or_else(|| wrong_away(text));
    let away = lines.field(AWAY, away, |&rule| terms::write_away(rule))?;
    let kept =
        |text: &str| terms::read_kept(text).ok_or_else(|| as_in(text, "kept for 15m, resting for 7days"));
    let (kept_for, rests_for) = lines.field(SEATS, kept, |&times| terms::write_kept(times))?;
    let hints = |text: &str| terms::read_hints(text).ok_or_else(|| as_in(text, "nobody"));
    let hints = lines.field(HINTS, hints, |&hints| terms::write_hints(hints).into())?;
    let games = |text: &str| terms::read_match(text).ok_or_else(|| as_in(text, "best of 3"));
    let best_of = lines.field(MATCH, games, |&best_of| terms::write_match(best_of))?;
    Ok(Terms { level, clock, away: AwayRule { kept_for, rests_for, ..away }, hints, best_of })
}

fn wrong_away(text: &str) -> String {
    let usual = terms::write_away(AwayRule::default());
    as_in(text, &usual)
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

/// Somebody, and the level in their mark if they are a bot.
fn read_sitter(text: &str) -> Result<(Sitter, Level), String> {
    let (name, kind, level) = match text.split_once(BOT) {
        Some((name, mark)) => (name, Kind::Bot, parsed(mark.trim_end_matches(']'))?),
        None => (text, Kind::Person, Level::default()),
    };
    let name = Name::try_from(name.to_owned()).map_err(|_| format!("{} is nobody's name", shown(name)))?;
    Ok((Sitter { name, kind }, level))
}

fn write_sitter(sitter: &Sitter, level: Level) -> String {
    let Sitter { name, kind } = sitter;
    match kind {
        Kind::Person => name.to_string(),
        Kind::Bot => format!("{name}{BOT}{level}]"),
    }
}

fn read_origin(lines: &mut Lines<'_>, variant: &Variant) -> Result<Origin, Fault> {
    let source = |text: &str| read_source(text).ok_or_else(|| as_in(text, "record 1a2b3c4d, after move 7"));
    let (record, moves) = lines.field(FROM, source, |&(record, moves)| write_source(record, moves))?;
    let placed = |text: &str| read_placed(variant, &Origin { record, moves, position: Text::cut(text) });
    lines.field(POSITION, placed, |origin| origin.position.as_str().to_owned())
}

/// The same, with the position as it is written.
fn read_placed(variant: &Variant, origin: &Origin) -> Result<Origin, String> {
    let start = origin.start(variant).map_err(|bad| bad.to_string())?;
    Ok(Origin::of(origin.record, origin.moves, &start))
}

fn read_source(text: &str) -> Option<(Checksum, u32)> {
    let (record, moves) = text.strip_prefix(OF_RECORD)?.split_once(AFTER_MOVE)?;
    let moves = number(moves, 0, u32::MAX.into())?;
    Some((record.parse().ok()?, u32::try_from(moves).ok()?))
}

fn write_source(record: Checksum, moves: u32) -> String {
    format!("{OF_RECORD}{record}{AFTER_MOVE}{moves}")
}

/// Reads what has its own text, and says what is wrong with it in that type's words.
fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|bad: T::Err| bad.to_string())
}

/// That something cannot be read, and how it is written.
fn as_in(text: &str, example: &str) -> String {
    format!("{} cannot be read; it is written as in {example:?}", shown(text))
}
