//! A game as a text that can be read, checked, mailed and opened again. Knows no files and no clocks: text
//! and times come in as arguments.
//!
//! A [`Record`] is built from a lobby's events ([`Record::games`]) or parsed from a text ([`Record::read`]),
//! and is written with `Display`. `proto/RECORD.md` describes the format. A record holds only what can have
//! happened: parsing one replays the game by the rules of the lobby, and stops at the first wrong line.
//!
//! Reading order: `text` splits a text into lines, `header` is the lines before the game, `replay` applies
//! the events, `words` writes them, and `parser` parses and checks them.

mod from_events;
mod header;
mod parser;
mod reader;
mod replay;
mod text;
mod time;
mod words;
mod writer;

pub use from_events::LobbyInfo;
pub use reader::MAX_MOVES;
pub use replay::Step;
pub use text::{MAX_BYTES, MAX_LINES, MAX_WIDTH, RecordError, VERSION};
pub use time::{BadDate, BadSpan, Date, Span};

use std::fmt;

use crate::game::BySide;
use crate::game::any::{Board, Move, Variant};
use crate::lobby::{
    Checksum, Code, Conditions, Event, GameResult, Lobby, Moment, Origin, OutOfStep, PlayedBy,
};
use header::Header;
use replay::Replay;

/// One game: its players, its conditions and its events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    header: Header,
    steps: Vec<Step>,
}

/// A step of a record for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownStep {
    /// The sentence of the record: `3. First: take 2`.
    pub words: String,
    /// The time since the turn began.
    pub after: Span,
    /// The number of moves made so far and not taken back.
    pub moves: usize,
    /// The move and the board before it, if the step is a move.
    pub played: Option<(Board, Move)>,
    /// The board after the step, if the step changes it.
    pub board: Option<Board>,
}

impl Record {
    /// Builds the records of a lobby's games, of which the last may still go on. `events` are all events of
    /// the lobby in order, each with its moment.
    ///
    /// # Errors
    ///
    /// [`OutOfStep`] if the events cannot have happened in this order.
    pub fn games<'a>(
        info: &LobbyInfo,
        events: impl IntoIterator<Item = (Moment, &'a Event)>,
    ) -> Result<Vec<Self>, OutOfStep> {
        let games = from_events::games(info, events)?;
        Ok(games.into_iter().map(|(header, steps)| Self { header, steps }).collect())
    }

    /// Parses the record in a text, within [`MAX_BYTES`], [`MAX_LINES`] and [`MAX_MOVES`]. Ignores the text
    /// before and after it.
    ///
    /// # Errors
    ///
    /// The first line that is wrong: a move that was illegal, too late or out of turn, an event that could
    /// not happen then, a result that does not follow, or a wrong checksum.
    pub fn read(text: &[u8]) -> Result<Self, RecordError> {
        let (header, steps) = reader::read(text)?;
        Ok(Self { header, steps })
    }

    /// The variant that was played.
    pub fn variant(&self) -> &Variant {
        &self.header.variant
    }

    /// The code of the lobby in which the game was played.
    pub fn code(&self) -> Code {
        self.header.code
    }

    /// The number of the game in its lobby, from 1.
    pub fn game(&self) -> u32 {
        self.header.game
    }

    /// When the game started.
    pub fn started(&self) -> Date {
        self.header.started
    }

    /// The players.
    pub fn players(&self) -> &BySide<PlayedBy> {
        &self.header.players
    }

    /// The conditions: level, clock, hints, length of the match, and the rule for absent players. A record
    /// does not hold the other conditions, which are the defaults here.
    pub fn conditions(&self) -> &Conditions {
        &self.header.conditions
    }

    /// The record that this game continues, or `None` if it begins at the start of its variant.
    pub fn origin(&self) -> Option<&Origin> {
        self.header.origin.as_ref()
    }

    /// The events in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The steps for display.
    pub fn shown_steps(&self) -> impl Iterator<Item = ShownStep> {
        let mut replay = Replay::of(&self.header);
        self.steps.iter().map_while(move |step| {
            let words = words::event(&step.event, &replay);
            let before = replay.board().clone();
            replay.apply(step).ok()?;
            let played = match step.event {
                Event::Moved { mv, .. } => Some((before, mv)),
                _ => None,
            };
            let is_changed = played.is_some() || matches!(step.event, Event::TakenBack { .. });
            let board = is_changed.then(|| replay.board().clone());
            Some(ShownStep { words, after: step.after, moves: replay.moves(), played, board })
        })
    }

    /// The board at the start.
    pub fn start(&self) -> Board {
        self.header.start()
    }

    /// The boards from the start to the end, without moves that were taken back. There is one more than there
    /// are moves.
    pub fn boards(&self) -> Vec<Board> {
        let mut boards = vec![self.start()];
        for step in self.shown_steps() {
            if let Some(board) = step.board {
                boards.truncate(step.moves);
                boards.push(board);
            }
        }
        boards
    }

    /// The result, or `None` if the game goes on.
    pub fn result(&self) -> Option<GameResult> {
        self.replayed().result()
    }

    /// The result and its reason as a clause: `First won: Second resigned`, or `the game goes on`.
    pub fn verdict(&self) -> String {
        words::result(&self.replayed())
    }

    /// The checksum of the canonical text. Other records refer to this one by it.
    pub fn checksum(&self) -> Checksum {
        writer::checksum(&self.header, &self.steps)
    }

    /// A lobby in the state after this number of steps, or at the end if there are fewer. It is for display
    /// only.
    pub fn lobby(&self, steps: usize) -> Lobby {
        Replay::after(&self.header, self.steps.iter().take(steps)).into_lobby()
    }

    fn replayed(&self) -> Replay {
        Replay::after(&self.header, &self.steps)
    }
}

impl fmt::Display for Record {
    /// Writes the whole text, with a line feed after each line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writer::write(&self.header, &self.steps, f)
    }
}
