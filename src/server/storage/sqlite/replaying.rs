//! A lobby gone through once more from its rows, by the same `apply` as in play, to hold everything else against it.

use rusqlite::{Result, Row};

use super::checking::Played;
use super::loading::opening;
use super::recording::integer;
use super::summary::{self, Sitter};
use crate::game::BySide;
use crate::game::any::Variant;
use crate::lobby::{Event, Lobby, Moment, Phase};
use crate::wire::{self, ToClient};

/// What a lobby has come to.
#[derive(Debug)]
pub(super) enum Replayed {
    /// It goes on.
    Open(Box<Course>),
    /// It was closed, and these games were played there.
    Closed(Vec<Played>),
    /// Something is wrong with it that has been told.
    Unknown,
}

/// A lobby that is gone through.
#[derive(Debug)]
pub(super) struct Course {
    lobby: Lobby,
    games: Vec<Played>,
    first_event: i64,
    /// Its row says that it was closed then, by this event.
    closed: Option<(i64, i64)>,
}

impl Replayed {
    /// A lobby of whose row the checksum fits.
    pub(super) fn opened(row: &Row<'_>) -> Result<Self> {
        let Some(opening) = opening(row)? else { return Ok(Self::Unknown) };
        let Ok(variant) = opening.variant.parse::<Variant>() else { return Ok(Self::Unknown) };
        Ok(Self::Open(Box::new(Course {
            lobby: Lobby::new(opening.code, variant, opening.conditions),
            games: Vec::new(),
            first_event: row.get("first_event")?,
            closed: row.get::<_, Option<i64>>("closed")?.zip(row.get("last_event")?),
        })))
    }

    /// Takes an event of it whose checksum fits. What is wrong with it, if anything is.
    pub(super) fn hear(&mut self, row: &Row<'_>) -> Result<Option<String>> {
        let fault = match self {
            Self::Unknown => None,
            Self::Closed(_) => Some("something happened after it was closed".into()),
            Self::Open(course) => course.hear(row)?,
        };
        if let (Self::Open(course), None) = (&mut *self, &fault)
            && course.lobby.phase() == Phase::Closed
        {
            *self = Self::Closed(std::mem::take(&mut course.games));
        }
        Ok(fault)
    }

    /// What is wrong when there are no more events.
    pub(super) fn fault_at_the_end(&self) -> Option<&'static str> {
        match self {
            Self::Open(course) if course.closed.is_some() => {
                Some("it is told to be closed, and its events do not say so")
            }
            _ => None,
        }
    }

    /// Who sits there.
    pub(super) fn seats(&self) -> BySide<Option<Sitter>> {
        match self {
            Self::Open(course) => course.seats(),
            _ => BySide::default(),
        }
    }

    /// What was played there.
    pub(super) fn games(&self) -> &[Played] {
        match self {
            Self::Open(course) => &course.games,
            Self::Closed(games) => games,
            Self::Unknown => &[],
        }
    }
}

impl Course {
    fn seats(&self) -> BySide<Option<Sitter>> {
        self.lobby.seats().map(|seat| seat.as_ref().map(Sitter::from))
    }

    fn hear(&mut self, row: &Row<'_>) -> Result<Option<String>> {
        let (id, wall, expected) =
            (row.get("id")?, row.get("wall")?, self.lobby.last_event().saturating_add(1));
        Ok(match told(row, expected)? {
            Ok((at, event)) => {
                self.live(id, wall, at, &event).map(|fault| format!("event {expected} {fault}"))
            }
            Err(fault) => Some(fault),
        })
    }

    /// Lets something happen there. What is wrong with it, if anything is.
    fn live(&mut self, id: i64, wall: i64, at: Moment, event: &Event) -> Option<&'static str> {
        if id < self.first_event {
            return Some("is older than the lobby");
        }
        if self.lobby.apply(event, at).is_err() {
            return Some("cannot have happened there");
        }
        match event {
            Event::Started { game, .. } => {
                let (sitters, started) = (self.seats(), (wall, id));
                self.games.push(Played { game: *game, sitters, started, ended: None, result: None });
            }
            Event::Ended { result } => {
                if let Some(played) = self.games.last_mut() {
                    played.ended = Some((wall, id));
                    let (outcome, cause) = (summary::outcome(result.outcome), summary::cause(result.cause));
                    played.result = Some((outcome.into(), cause.into()));
                }
            }
            Event::Closed if self.closed != Some((wall, id)) => {
                return Some("closed the lobby, and the lobby's row does not say when");
            }
            _ => {}
        }
        None
    }
}

/// The event that a row tells of, which is to have this number; or what is wrong with the row.
fn told(row: &Row<'_>, expected: u32) -> Result<Result<(Moment, Event), String>> {
    let number_said: i64 = row.get("number")?;
    if number_said != i64::from(expected) {
        return Ok(Err(format!("event {expected} is missing, {number_said} is there")));
    }
    let message = wire::decode(row.get_ref("body")?.as_blob()?);
    let Ok(ToClient::Lobby { number, at, event }) = message else {
        return Ok(Err(format!("event {expected} is no event")));
    };
    let (at_said, kind_said): (i64, String) = (row.get("at")?, row.get("kind")?);
    let is_so = number == expected && at_said == integer(at.0) && kind_said == summary::kind(&event);
    Ok(if is_so { Ok((at, event)) } else { Err(format!("event {expected} is not what its row says of it")) })
}
