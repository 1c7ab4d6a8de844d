//! A game as a text that can be read, checked, mailed and opened again. It knows no files and no clocks: text and times
//! come in as arguments, and text goes out.
//!
//! A [`Record`] is made of what a lobby went through ([`Record::games`]) or of a text ([`Record::read`]), and writes
//! itself (`Display`). `proto/RECORD.md` is its page. What stands in a record can have happened: reading a text plays it
//! once more, by the same rules as the lobby, and stops at the first line that is wrong.
//!
//! Reading order: [`deed`] is what can happen in a game; [`replay`] plays it once more; [`phrase`] is its words and
//! [`head`] what stands before it; [`sheet`] is the text as lines, whatever a mail has made of them.

mod chronicle;
mod date;
mod deed;
mod head;
mod judge;
mod phrase;
mod reader;
mod replay;
mod scene;
mod sheet;
mod span;
mod terms;
mod unfolding;
mod verdict;
mod writer;

pub use chronicle::Setting;
pub use date::{BadDate, Date};
pub use deed::{Deed, Ending, Step};
pub use scene::Scene;
pub use sheet::{Fault, MAX_BYTES, MAX_LINES, MAX_WIDTH};
pub use span::{BadSpan, Span};
pub use terms::Terms;

use crate::game::BySide;
use crate::game::any::{Board, Variant};
use crate::lobby::{Checksum, Code, GameResult, Kind, Lobby, Name, Origin, Player};
use head::Head;
use replay::Replay;

/// The version of the format that this release writes, and the only one that it reads.
pub const VERSION: u32 = 1;

/// The most moves that are read, those included that were taken back. Nobody plays longer, and it bounds the time that a
/// hostile text takes.
pub const MAX_MOVES: usize = 20_000;

/// One game: who played it by what terms, and everything that happened in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    head: Head,
    steps: Vec<Step>,
}

/// Who sat on a side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sitter {
    /// What they are called.
    pub name: Name,
    /// Person or bot.
    pub kind: Kind,
}

impl From<&Player> for Sitter {
    fn from(Player { name, kind, .. }: &Player) -> Self {
        Self { name: name.clone(), kind: *kind }
    }
}

impl Record {
    /// What was played.
    pub fn variant(&self) -> &Variant {
        &self.head.variant
    }

    /// The lobby in which it was played.
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

    /// Who sat where.
    pub fn players(&self) -> &BySide<Sitter> {
        &self.head.players
    }

    /// What was agreed.
    pub fn terms(&self) -> &Terms {
        &self.head.terms
    }

    /// Where it came from, if it did not begin as its variant does.
    pub fn origin(&self) -> Option<&Origin> {
        self.head.origin.as_ref()
    }

    /// Everything that happened, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The board on which it began.
    pub fn start(&self) -> Board {
        self.head.start()
    }

    /// The boards from the start to the end, one more than there are moves: none that was taken back.
    pub fn boards(&self) -> Vec<Board> {
        let mut boards = vec![self.start()];
        for scene in self.scenes() {
            if let Some(board) = scene.board {
                boards.truncate(scene.moves);
                boards.push(board);
            }
        }
        boards
    }

    /// How it ended; `None` if it goes on.
    pub fn result(&self) -> Option<GameResult> {
        self.replayed().result()
    }

    /// How it ended and why, or that it goes on, as a clause without a full stop: `First won: Second resigned`.
    pub fn verdict(&self) -> String {
        verdict::of(&self.replayed())
    }

    /// The checksum of its text, by which other records name it.
    pub fn checksum(&self) -> Checksum {
        writer::checksum(self)
    }

    /// The lobby as it was behind so many of its steps, or at the end if there are not so many: one to look at, which nobody
    /// can come back to.
    pub fn lobby(&self, steps: usize) -> Lobby {
        self.replayed_as_far_as(steps).lobby().clone()
    }

    /// The game played once more, to its end.
    fn replayed(&self) -> Replay {
        self.replayed_as_far_as(self.steps.len())
    }

    fn replayed_as_far_as(&self, steps: usize) -> Replay {
        let mut replay = Replay::of(&self.head);
        for step in self.steps.iter().take(steps) {
            // Every step was applied once, when the record was made.
            let _ = replay.apply(step);
        }
        replay
    }
}
