//! Builds records from the events of a lobby, with the same `apply` as in live play.

use super::header::{Header, recorded_conditions};
use super::replay::{Replay, Step};
use super::time::{Date, Span};
use crate::game::any::Variant;
use crate::game::{BySide, Side};
use crate::lobby::{Cause, Code, Conditions, Event, GameResult, Lobby, Moment, OutOfStep, Phase, PlayedBy};

/// The properties of a lobby that its events do not contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LobbyInfo {
    /// The variant.
    pub variant: Variant,
    /// The conditions.
    pub conditions: Conditions,
    /// The lobby's code.
    pub code: Code,
    /// The time of [`Moment::START`], when it was opened, in milliseconds since 1970-01-01 00:00:00 UTC.
    pub opened: u64,
}

/// The header and the steps of each game of a lobby.
pub(super) fn games<'a>(
    info: &LobbyInfo,
    events: impl IntoIterator<Item = (Moment, &'a Event)>,
) -> Result<Vec<(Header, Vec<Step>)>, OutOfStep> {
    let lobby = Lobby::new(info.code, info.variant.clone(), info.conditions);
    let mut collector = GameCollector { info, lobby, games: Vec::new() };
    for (at, event) in events {
        collector.add(at, event)?;
    }
    Ok(collector.games.into_iter().map(|game| (game.header, game.steps)).collect())
}

/// The state while the events of a lobby are read.
struct GameCollector<'a> {
    info: &'a LobbyInfo,
    lobby: Lobby,
    games: Vec<Game>,
}

/// One game, and its replay as the parser of the record will see it.
struct Game {
    header: Header,
    steps: Vec<Step>,
    replay: Replay,
    /// When the current turn began.
    turn_began: Moment,
}

impl GameCollector<'_> {
    fn add(&mut self, at: Moment, event: &Event) -> Result<(), OutOfStep> {
        let is_playing = self.lobby.phase() == Phase::Playing;
        if let Some(game) = self.games.last_mut().filter(|_| is_playing) {
            game.add(at, event)?;
        }
        self.lobby.apply(event, at)?;
        match event {
            Event::Started { .. } => self.start(at),
            _ => Ok(()),
        }
    }

    fn start(&mut self, at: Moment) -> Result<(), OutOfStep> {
        let header = self.header(at).ok_or(OutOfStep)?;
        let game = Game { replay: Replay::of(&header), header, steps: Vec::new(), turn_began: at };
        self.games.push(game);
        Ok(())
    }

    fn header(&self, at: Moment) -> Option<Header> {
        let LobbyInfo { variant, conditions, code, opened } = self.info;
        let player = |side: Side| self.lobby.seats()[side].as_ref().map(PlayedBy::from);
        Some(Header {
            variant: variant.clone(),
            code: *code,
            game: self.lobby.games(),
            started: Date::of_millis(opened.saturating_add(at.0)),
            players: BySide { first: player(Side::First)?, second: player(Side::Second)? },
            conditions: recorded_conditions(conditions),
            origin: self.lobby.origin().cloned(),
        })
    }
}

impl Game {
    /// Adds an event, unless it concerns only the lobby.
    fn add(&mut self, at: Moment, event: &Event) -> Result<(), OutOfStep> {
        let after = Span::of(at.since(self.turn_began));
        let event = match *event {
            Event::Moved { mv, hand, .. } => self.replay.moved(mv, hand),
            // The result by the rules follows from the last move.
            Event::Ended { result: result @ GameResult { cause: Cause::Rules | Cause::Repetition, .. } } => {
                return if self.replay.result() == Some(result) { Ok(()) } else { Err(OutOfStep) };
            }
            Event::Sat { .. }
            | Event::Started { .. }
            | Event::AgainWanted { .. }
            | Event::Left { .. }
            | Event::Closed
            | Event::Placed { .. } => return Ok(()),
            ref other => other.clone(),
        };
        let step = Step { event, after };
        self.replay.apply(&step)?;
        if step.begins_turn() {
            self.turn_began = at;
        }
        self.steps.push(step);
        Ok(())
    }
}
