//! Makes records of the events of a lobby, with the same `apply` as in live play.

use std::time::Duration;

use super::head::{Head, recorded};
use super::replay::{Replay, Step};
use super::time::{Date, Span};
use crate::game::any::Variant;
use crate::game::{BySide, Side};
use crate::lobby::{Cause, Code, Conditions, Event, GameResult, Lobby, Moment, OutOfStep, Phase, PlayedBy};

/// What is known of a lobby besides its events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LobbyInfo {
    /// What is played.
    pub variant: Variant,
    /// What was agreed.
    pub conditions: Conditions,
    /// The lobby's code.
    pub code: Code,
    /// When it was opened, which is [`Moment::START`]: milliseconds after 1970-01-01 00:00:00 UTC.
    pub opened: u64,
}

/// The games of a lobby, each with its steps.
pub(super) fn games<'a>(
    setting: &LobbyInfo,
    events: impl IntoIterator<Item = (Moment, &'a Event)>,
) -> Result<Vec<(Head, Vec<Step>)>, OutOfStep> {
    let lobby = Lobby::new(setting.code, setting.variant.clone(), setting.conditions);
    let mut story =
        Story { setting, lobby, games: Vec::new(), last: Moment::START, unwatched: Duration::ZERO };
    for (at, event) in events {
        story.add(at, event)?;
    }
    Ok(story.games.into_iter().map(|game| (game.head, game.steps)).collect())
}

/// A lobby so far.
struct Story<'a> {
    setting: &'a LobbyInfo,
    lobby: Lobby,
    games: Vec<Game>,
    /// When the last event happened.
    last: Moment,
    /// How long nobody has watched the bots of the present game. They rested then, and a record leaves that
    /// time out.
    unwatched: Duration,
}

/// One game, and its replay as a reader of the record will see it.
struct Game {
    head: Head,
    steps: Vec<Step>,
    replay: Replay,
    /// When the present turn began, in the lobby's time.
    mark: Moment,
}

impl Story<'_> {
    fn add(&mut self, at: Moment, event: &Event) -> Result<(), OutOfStep> {
        if self.lobby.is_unwatched() {
            self.unwatched += at.since(self.last);
        }
        self.last = at;
        let is_playing = self.lobby.phase() == Phase::Playing;
        if let Some(game) = self.games.last_mut().filter(|_| is_playing) {
            let played = at.since(Moment::START).saturating_sub(self.unwatched);
            game.add(Moment::START + played, event)?;
        }
        self.lobby.apply(event, at)?;
        match event {
            Event::Started { .. } => self.start(at),
            _ => Ok(()),
        }
    }

    fn start(&mut self, at: Moment) -> Result<(), OutOfStep> {
        self.unwatched = Duration::ZERO;
        let head = self.head(at).ok_or(OutOfStep)?;
        let mut game = Game { replay: Replay::of(&head), head, steps: Vec::new(), mark: at };
        for side in Side::BOTH {
            // A player who is away when the game begins is away in its first lines.
            if let Some(absence) = self.lobby.absence(side) {
                game.add(at, &Event::Away { side, since: absence.since, loss: absence.loss })?;
            }
        }
        self.games.push(game);
        Ok(())
    }

    fn head(&self, at: Moment) -> Option<Head> {
        let LobbyInfo { variant, conditions, code, opened } = self.setting;
        let sitter = |side: Side| self.lobby.seats()[side].as_ref().map(PlayedBy::from);
        Some(Head {
            variant: variant.clone(),
            code: *code,
            game: self.lobby.games(),
            started: Date::of_millis(opened.saturating_add(at.0)),
            players: BySide { first: sitter(Side::First)?, second: sitter(Side::Second)? },
            conditions: recorded(conditions),
            origin: self.lobby.origin().cloned(),
        })
    }
}

impl Game {
    /// Adds an event, if it is one of the game's and not only of the lobby's.
    fn add(&mut self, at: Moment, event: &Event) -> Result<(), OutOfStep> {
        let after = Span::of(at.since(self.mark));
        let event = match *event {
            Event::Moved { mv, hand, .. } => self.replay.moved(mv, hand),
            Event::Away { side, since, loss } => {
                let since = self.replay.since(after, Span::of(at.since(since)));
                Event::Away { side, since, loss }
            }
            // The end by the rules follows from the last move.
            Event::Ended { result: result @ GameResult { cause: Cause::Rules | Cause::Repetition, .. } } => {
                return if self.replay.result() == Some(result) { Ok(()) } else { Err(OutOfStep) };
            }
            Event::Sat { .. }
            | Event::Started { .. }
            | Event::AgainWanted { .. }
            | Event::Left { .. }
            | Event::Closed
            | Event::Watched { .. }
            | Event::Unwatched { .. }
            | Event::Placed { .. } => return Ok(()),
            ref other => other.clone(),
        };
        let step = Step { event, after };
        self.replay.apply(&step)?;
        if step.begins_turn() {
            self.mark = at;
        }
        self.steps.push(step);
        Ok(())
    }
}
