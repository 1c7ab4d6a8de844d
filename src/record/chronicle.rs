//! Records made of what a lobby went through, by the very `apply` that live play uses.

use std::time::Duration;

use super::head::Head;
use super::replay::Replay;
use super::{Date, Deed, Ending, Record, Sitter, Span, Step, Terms};
use crate::game::any::Variant;
use crate::game::{BySide, Side};
use crate::lobby::{Cause, Code, Conditions, Event, Lobby, Moment, OutOfStep, Phase};

/// What has to be known of a lobby beside its events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// What is played.
    pub variant: Variant,
    /// What was agreed.
    pub conditions: Conditions,
    /// The lobby's code.
    pub code: Code,
    /// When it was opened, which is [`Moment::START`]: so many milliseconds after 1970 began in UTC.
    pub opened: u64,
}

impl Record {
    /// The games that a lobby went through, the last one perhaps still going on. The events are all of the lobby's, from
    /// its first one on, each with its moment; no moment is before the one before it.
    ///
    /// Refuses events that cannot have happened in this order.
    pub fn games<'a>(
        setting: &Setting,
        events: impl IntoIterator<Item = (Moment, &'a Event)>,
    ) -> Result<Vec<Self>, OutOfStep> {
        let mut chronicle = Chronicle::of(setting);
        for (at, event) in events {
            chronicle.hear(at, event)?;
        }
        Ok(chronicle.games.into_iter().map(|game| game.record).collect())
    }
}

/// What has been heard of a lobby so far.
struct Chronicle<'a> {
    setting: &'a Setting,
    lobby: Lobby,
    games: Vec<Game>,
    /// When the last event happened.
    heard: Moment,
    /// For how long nobody has watched the bots of the present game, which rested meanwhile: a record knows of no such time.
    rested: Duration,
}

/// A game, and the same once more as whoever reads the record will play it.
struct Game {
    record: Record,
    replay: Replay,
    /// When the present turn began, in the lobby's time.
    mark: Moment,
}

impl<'a> Chronicle<'a> {
    fn of(setting: &'a Setting) -> Self {
        let lobby = Lobby::new(setting.code, setting.variant.clone(), setting.conditions);
        Self { setting, lobby, games: Vec::new(), heard: Moment::START, rested: Duration::ZERO }
    }

    fn hear(&mut self, at: Moment, event: &Event) -> Result<(), OutOfStep> {
        let playing = self.lobby.phase() == Phase::Playing;
        if self.lobby.is_unwatched() {
            self.rested += at.since(self.heard);
        }
        self.heard = at;
        let game = self.games.last_mut().filter(|_| playing);
        if let Some(game) = game {
            let played = at.since(Moment::START).saturating_sub(self.rested);
            game.hear(Moment::START + played, event)?;
        }
        self.lobby.apply(event, at)?;
        match event {
            Event::Started { .. } => self.start(at),
            _ => Ok(()),
        }
    }

    fn start(&mut self, at: Moment) -> Result<(), OutOfStep> {
        self.rested = Duration::ZERO;
        let head = self.head(at).ok_or(OutOfStep)?;
        let mut game =
            Game { replay: Replay::of(&head), record: Record { head, steps: Vec::new() }, mark: at };
        for side in Side::BOTH {
            // Whoever was away when it began is away in the record from its beginning.
            if let Some(absence) = self.lobby.absence(side) {
                game.hear(at, &Event::Away { side, since: absence.since, loss: absence.loss })?;
            }
        }
        self.games.push(game);
        Ok(())
    }

    fn head(&self, at: Moment) -> Option<Head> {
        let Setting { variant, conditions, code, opened } = self.setting;
        let sitter = |side: Side| self.lobby.seats()[side].as_ref().map(Sitter::from);
        Some(Head {
            variant: variant.clone(),
            code: *code,
            game: self.lobby.games(),
            started: Date::of_millis(opened.saturating_add(at.0)),
            players: BySide { first: sitter(Side::First)?, second: sitter(Side::Second)? },
            terms: Terms::of(conditions),
            origin: self.lobby.origin().cloned(),
        })
    }
}

impl Game {
    /// Adds what an event is in this game, if it is anything.
    fn hear(&mut self, at: Moment, event: &Event) -> Result<(), OutOfStep> {
        let Some(deed) = self.deed(at, event)? else { return Ok(()) };
        let step = Step { deed, after: Span::of(at.since(self.mark)) };
        self.replay.apply(&step)?;
        self.record.steps.push(step);
        if deed.begins_turn() {
            self.mark = at;
        }
        Ok(())
    }

    fn deed(&self, at: Moment, event: &Event) -> Result<Option<Deed>, OutOfStep> {
        Ok(Some(match *event {
            Event::Moved { mv, hand, .. } => Deed::Moved { mv, hand },
            Event::Offered { side, offer } => Deed::Offered(side, offer),
            Event::Declined { side } => Deed::Declined(side),
            Event::TakenBack { moves } => Deed::TakenBack(moves),
            Event::Paused => Deed::Paused,
            Event::Resumed { side } => Deed::Resumed(side),
            Event::Away { side, since, loss } => Deed::Away { side, since: Span::of(at.since(since)), loss },
            Event::Back { side } => Deed::Back(side),
            Event::StoodIn { side } => Deed::StoodIn(side),
            Event::WaitedFor { side } => Deed::Waited(!side),
            Event::WaitedNoMore { side } => Deed::WaitedNoMore(!side),
            Event::Restarted => Deed::Restarted,
            Event::Ended { result } => match Ending::of(result) {
                Some(ending) => Deed::Ended(ending),
                // The record ends by itself with the move that ends the game.
                None if matches!(result.cause, Cause::Rules | Cause::Repetition)
                    && self.replay.result() == Some(result) =>
                {
                    return Ok(None);
                }
                None => return Err(OutOfStep),
            },
            Event::Sat { .. }
            | Event::Started { .. }
            | Event::AgainWanted { .. }
            | Event::Left { .. }
            | Event::Closed
            | Event::Watched { .. }
            | Event::Unwatched { .. }
            | Event::Placed { .. } => return Ok(None),
        }))
    }
}
