//! A game as a text that can be read, checked, mailed and opened again. No files and no clocks are known
//! here: text and times come in as arguments, and text goes out.
//!
//! A [`Record`] is made of a lobby's events ([`Record::games`]) or of a text ([`Record::read`]), and is
//! written with `Display`. The format is described in `proto/RECORD.md`. A record holds only what can have
//! happened: reading one plays the game again, by the same rules as the lobby, and stops at the first line
//! that is wrong.
//!
//! Reading order: `text` is a text as lines, `head` the lines before the game, `replay` plays its events
//! again, `words` writes them, and `parser` reads and checks them.

mod from_events;
mod head;
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
use head::Head;
use replay::Replay;

/// One game: its players and conditions, and everything that happened in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    head: Head,
    steps: Vec<Step>,
}

/// A step of a record as it is shown to people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownStep {
    /// The sentence of the record: `3. First: take 2`.
    pub words: String,
    /// The time since the turn began.
    pub after: Span,
    /// The number of moves made so far and not taken back.
    pub moves: usize,
    /// If it is a move: the move, and the board before it.
    pub played: Option<(Board, Move)>,
    /// The board after it, if it has changed.
    pub board: Option<Board>,
}

impl Record {
    /// The games of a lobby; the last one may still go on. `events` are all events of the lobby in order,
    /// each with its moment.
    ///
    /// # Errors
    ///
    /// [`OutOfStep`] if the events cannot have happened in this order.
    pub fn games<'a>(
        setting: &LobbyInfo,
        events: impl IntoIterator<Item = (Moment, &'a Event)>,
    ) -> Result<Vec<Self>, OutOfStep> {
        let games = from_events::games(setting, events)?;
        Ok(games.into_iter().map(|(head, steps)| Self { head, steps }).collect())
    }

    /// Reads the one record in a text, within [`MAX_BYTES`], [`MAX_LINES`] and [`MAX_MOVES`]. Other text
    /// before and after it is ignored.
    ///
    /// # Errors
    ///
    /// The first line that is wrong: a move that was illegal, too late or out of turn, an event that could
    /// not happen then, a result that does not follow, or a wrong checksum.
    pub fn read(text: &[u8]) -> Result<Self, RecordError> {
        let (head, steps) = reader::read(text)?;
        Ok(Self { head, steps })
    }

    /// What was played.
    pub fn variant(&self) -> &Variant {
        &self.head.variant
    }

    /// The code of the lobby in which it was played.
    pub fn code(&self) -> Code {
        self.head.code
    }

    /// The number of the game in its lobby, from 1.
    pub fn game(&self) -> u32 {
        self.head.game
    }

    /// When it started.
    pub fn started(&self) -> Date {
        self.head.started
    }

    /// The players.
    pub fn players(&self) -> &BySide<PlayedBy> {
        &self.head.players
    }

    /// What was agreed: level, clock, hints, length of the match, and what happens to absent players. The
    /// record does not hold the other conditions, which are the defaults here.
    pub fn conditions(&self) -> &Conditions {
        &self.head.conditions
    }

    /// The record that this game continues, if it does not begin as its variant does.
    pub fn origin(&self) -> Option<&Origin> {
        self.head.origin.as_ref()
    }

    /// Everything that happened, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The steps as they are shown to people.
    pub fn shown_steps(&self) -> impl Iterator<Item = ShownStep> {
        let mut replay = Replay::of(&self.head);
        self.steps.iter().map_while(move |step| {
            let words = words::event(&step.event, &replay, replay.moment(step.after));
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
        self.head.start()
    }

    /// The boards from the start to the end, without moves that were taken back: one more than there are
    /// moves.
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

    /// How it ended; `None` if it goes on.
    pub fn result(&self) -> Option<GameResult> {
        self.replayed().result()
    }

    /// The result and its reason, or that the game goes on, as a clause without a full stop: `First won:
    /// Second resigned`.
    pub fn verdict(&self) -> String {
        words::result(&self.replayed())
    }

    /// The checksum of its text, by which other records refer to it.
    pub fn checksum(&self) -> Checksum {
        writer::checksum(&self.head, &self.steps)
    }

    /// A lobby in the state after this number of steps, or at the end if there are fewer. It is only to look
    /// at: nobody is connected to it.
    pub fn lobby(&self, steps: usize) -> Lobby {
        Replay::after(&self.head, self.steps.iter().take(steps)).into_lobby()
    }

    fn replayed(&self) -> Replay {
        Replay::after(&self.head, &self.steps)
    }
}

impl fmt::Display for Record {
    /// Writes the whole text, with a line feed after each line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writer::write(&self.head, &self.steps, f)
    }
}
