//! The state of the hall and the lobby on the screen: what is selected, dragged, open and typed. The state of
//! the game is in the session.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ratatui::layout::Rect;

use super::appearance::Appearance;
use super::board::{self, Drag};
use super::command::KeyCommand;
use super::form::Form;
use super::keys::Keys;
use super::log::Log;
use super::palette::Palette;
use super::records::Records;
use super::text_field::TextField;
use super::view::View;
use crate::client::learn::Learn;
use crate::client::learn::search::SearchTarget;
use crate::client::record_reader::RecordReader;
use crate::client::session::Afterwards;
use crate::client::{Action, Model, Terms};
use crate::game::any::{Board, Move};
use crate::lobby::{Code, Lobby};

/// The time of a falling stone in each row.
const FALL: Duration = Duration::from_millis(45);

/// The time between two updates of a clock, of a sentence about time, or of the status of the connection.
const SECOND: Duration = Duration::from_secs(1);

/// The same for a clock that shows tenths of a second.
const TENTH: Duration = Duration::from_millis(100);

/// What is open over the screen.
#[derive(Debug, Clone)]
pub enum Overlay {
    /// The help.
    Help,
    /// The rules and the agreed conditions.
    Rules,
    /// The full reason of the selected line of the learn panel.
    Reason,
    /// The list of all actions.
    Palette(Palette),
    /// A question before this command.
    Confirm(KeyCommand),
    /// The question whether to overwrite this file.
    Overwrite(PathBuf),
    /// The question whether to keep a game or to give it up.
    Leaving {
        /// Whether the program ends.
        quits: bool,
    },
}

impl Overlay {
    /// Whether it asks how to quit.
    pub(super) fn is_about_quitting(&self) -> bool {
        matches!(self, Self::Leaving { quits: true })
    }
}

/// The purpose of a typed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A chat message.
    Chat,
    /// A filter for the list of lobbies.
    Filter,
    /// The code of a lobby to join.
    Code,
    /// A move to find in the learn panel.
    Find,
    /// The name of a file for the open record.
    File,
    /// The password of a lobby; it is not shown.
    Password {
        /// The lobby.
        code: Code,
        /// Whether to watch there instead of joining.
        watch: bool,
    },
}

/// A text that is being typed.
#[derive(Debug, Clone)]
pub struct Input {
    /// Its purpose.
    pub purpose: Purpose,
    /// The text.
    pub field: TextField,
}

impl Input {
    /// A text for this purpose that begins with this.
    pub fn new(purpose: Purpose, text: &str) -> Self {
        Self { purpose, field: TextField::new(text) }
    }
}

/// The state of the hall.
#[derive(Debug, Clone, Default)]
pub struct HallState {
    /// The selected lobby.
    pub at: Option<Code>,
    /// Only lobbies whose line contains this are shown.
    pub filter: String,
}

/// The state of the board.
#[derive(Debug, Clone, Default)]
pub struct BoardState {
    /// The selected move.
    pub chosen: Option<Move>,
    /// The objects that the mouse drags.
    pub drag: Option<Drag>,
    /// The row of a falling stone; it counts down to 0, wherever the stone lands.
    pub fall: Option<u8>,
    /// A good move, and its turn.
    pub hint: Option<(u32, Move)>,
    /// The rule behind the hints was shown.
    pub explained: bool,
}

/// The state.
#[derive(Debug, Default)]
pub struct State {
    /// The area of the screen.
    pub size: Rect,
    /// The appearance.
    pub appearance: Appearance,
    /// The keys of the commands.
    pub keys: Keys,
    /// Where the person goes after leaving a lobby.
    pub afterwards: Afterwards,
    /// Quitting leads back to the home screen.
    pub is_from_home: bool,
    /// The terms of lobbies that are opened in the hall.
    pub preferences: Terms,
    /// The last action in the hall.
    pub wish: Action,
    /// The form of a new lobby, over the hall.
    pub form: Option<Form>,
    /// What is open over all else.
    pub overlay: Option<Overlay>,
    /// The first row of the overlay that is shown.
    pub scroll: usize,
    /// The text that is being typed.
    pub input: Option<Input>,
    /// Shown until the next key or event.
    pub notice: Option<String>,
    /// What happened.
    pub log: Log,
    /// The lobby that the log is about; `None` before the first one.
    pub log_of: Option<Code>,
    /// The board.
    pub board: BoardState,
    /// The hall.
    pub hall: HallState,
    /// The title of the records that can be opened from the hall, if there are any.
    pub library: Option<String>,
    /// The records, while the person looks at them. A learn panel over them is about the open one.
    pub records: Option<Box<Records>>,
    /// The learn panel.
    pub learn: Option<Box<Learn>>,
}

impl State {
    /// The state at the start.
    pub fn new(size: Rect, appearance: Appearance, afterwards: Afterwards) -> Self {
        Self { size, appearance, afterwards, ..Self::default() }
    }

    /// The search that the learn panel or the open record waits for, and its board.
    pub fn wanted(&self) -> Option<(SearchTarget, &Board)> {
        match &self.learn {
            Some(learn) => learn.question(),
            None => self.records.as_ref()?.wanted(),
        }
    }

    /// The end of the record that the learn panel is about, and its result in words.
    pub(super) fn record_in_panel(&self) -> Option<(Arc<Model>, String)> {
        let records = self.records.as_ref().filter(|_| self.learn.is_some())?;
        records.reader.as_ref().map(RecordReader::end)
    }

    /// The time until the screen changes by itself, if only in what it says of time.
    pub fn tick(&self, view: &View<'_>) -> Duration {
        let is_short = |clock: &String| clock.ends_with('s');
        let runs = view.lobby().is_some_and(|lobby| lobby.clocks().since.is_some());
        let clocks = view.clocks.as_ref().filter(|_| runs);
        match clocks {
            _ if self.board.fall.is_some() => FALL,
            Some(clocks) if clocks.iter().any(|(_, clock)| is_short(clock)) => TENTH,
            _ => SECOND,
        }
    }
}

impl BoardState {
    /// Cancels a drag; the move that was selected before it is selected again.
    pub fn cancel_drag(&mut self) {
        if let Some(drag) = self.drag.take() {
            self.chosen = drag.before;
        }
    }

    /// Drops what is void in the current turn, and selects a move if one can be made.
    pub(super) fn settle(&mut self, lobby: &Lobby, open: bool) {
        let turn = lobby.turn();
        if self.drag.is_some_and(|drag| drag.turn != turn || !open) {
            self.cancel_drag();
        }
        self.hint.take_if(|(hinted, _)| *hinted != turn);
        self.chosen.take_if(|mv| lobby.board().play(*mv).is_err());
        if open && self.chosen.is_none() {
            self.chosen = board::first(lobby.board());
        }
    }
}
