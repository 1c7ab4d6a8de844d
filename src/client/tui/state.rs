//! All that the screen keeps: what is chosen, what is held by the mouse, what moves, what lies over the screen, what is being
//! typed, and what was told. What is true of the game it does not keep: that is the session's.

use std::time::Duration;

use ratatui::layout::Rect;

use super::board::{self, Drag, Fall};
use super::deed::{self, Deed};
use super::form::Form;
use super::learn::{Learn, Question};
use super::log::Log;
use super::look::Look;
use super::records::Records;
use super::view::View;
use crate::client::session::Afterwards;
use crate::client::words::Chosen;
use crate::client::{Action, Preferences};
use crate::game::any::Move;
use crate::lobby::{Code, Lobby};

/// How long a falling stone is in each row.
const FALL: Duration = Duration::from_millis(45);

/// How often a clock or a sentence about time is looked at.
const SECOND: Duration = Duration::from_secs(1);

/// How often it is looked at whether a server is still heard that has nothing to say.
const LOOK: Duration = Duration::from_secs(5);

/// The same for a clock that shows tenths of a second.
const TENTH: Duration = Duration::from_millis(100);

/// What lies over the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Over {
    /// What can be done.
    Help,
    /// The rules, and what was agreed.
    Terms,
    /// All that is to be said of the line of the learn panel on which one is.
    Reason,
    /// Whether this is meant.
    Sure(Deed),
    /// The terms of a lobby.
    Form(Box<Form>),
    /// What can be done in that form, which goes on behind it.
    FormHelp(Box<Form>),
}

impl Over {
    /// The help over what lies over the screen now.
    pub(super) fn help(over: Option<Self>) -> Self {
        match over {
            Some(Self::Form(form) | Self::FormHelp(form)) => Self::FormHelp(form),
            _ => Self::Help,
        }
    }

    /// What lies over the screen once this is closed.
    pub(super) fn behind(self) -> Option<Self> {
        match self {
            Self::FormHelp(form) => Some(Self::Form(form)),
            _ => None,
        }
    }
}

/// What a line is typed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To be said to others.
    Say,
    /// To search the list of lobbies.
    Filter,
    /// To go to a move in the learn panel.
    Find,
    /// To be let into this lobby; it is not shown.
    Password {
        /// Which one.
        code: Code,
        /// Whether to watch there, instead of sitting down.
        watch: bool,
    },
}

/// A line that is being typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// What for.
    pub purpose: Purpose,
    /// What was typed so far.
    pub text: String,
}

impl Input {
    /// One in which nothing stands yet.
    pub fn new(purpose: Purpose) -> Self {
        Self { purpose, text: String::new() }
    }
}

/// What the screen keeps of the hall.
#[derive(Debug, Clone, Default)]
pub struct Hall {
    /// The lobby on which the cursor is.
    pub at: Option<Code>,
    /// Only lobbies in whose line this stands are shown.
    pub filter: String,
}

/// What the screen keeps of the game that is played.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// The move that would be made.
    pub chosen: Option<Move>,
    /// What the mouse pulls.
    pub drag: Option<Drag>,
    /// A stone on its way, and the row where it comes to lie.
    pub fall: Option<(Fall, u8)>,
    /// A good move, and the turn for which it is.
    pub hint: Option<(u32, Move)>,
    /// What the nim-sum is has been said.
    pub explained: bool,
}

/// The screen.
#[derive(Debug)]
pub struct State {
    /// Its size.
    pub size: Rect,
    /// How things look.
    pub look: Look,
    /// Where somebody goes who leaves a lobby.
    pub afterwards: Afterwards,
    /// Whoever quits goes back to the first screen, from which they came.
    pub is_from_first: bool,
    /// The terms of lobbies that are opened from the hall.
    pub preferences: Preferences,
    /// What was last asked of the hall.
    pub wish: Action,
    /// Where the terms of that were said.
    pub chosen: Chosen,
    /// What lies over it.
    pub over: Option<Over>,
    /// How many lines of that were gone past.
    pub down: usize,
    /// What is being said to others.
    pub input: Option<Input>,
    /// What was told last and is worth looking at, until the next key.
    pub notice: Option<String>,
    /// All that was told.
    pub log: Log,
    /// The game.
    pub table: Table,
    /// The list of lobbies.
    pub hall: Hall,
    /// The heading of the records that there are on this server, where there are any.
    pub library: Option<String>,
    /// Those records, while somebody looks at them.
    pub records: Option<Box<Records>>,
    /// The learn panel.
    pub learn: Option<Box<Learn>>,
    /// What is being thought about for it.
    pub thinking: Option<Question>,
}

impl State {
    /// A screen of this size before anything has happened.
    pub fn new(size: Rect, look: Look, afterwards: Afterwards) -> Self {
        Self {
            size,
            look,
            afterwards,
            is_from_first: false,
            preferences: Preferences::default(),
            wish: Action::List,
            chosen: Chosen::ByFlags,
            over: None,
            down: 0,
            input: None,
            notice: None,
            log: Log::default(),
            table: Table::default(),
            hall: Hall::default(),
            library: None,
            records: None,
            learn: None,
            thinking: None,
        }
    }

    /// After how long the screen looks otherwise by itself; `None` if it does not.
    pub fn tick(&self, view: &View<'_>) -> Option<Duration> {
        let is_short = |face: &String| face.ends_with('s');
        let shown = view.clocks.as_ref();
        let runs = view.lobby().is_some_and(|lobby| lobby.clocks().since.is_some());
        if self.table.fall.is_some() {
            Some(FALL)
        } else if runs && shown.is_some_and(|faces| faces.iter().any(|(_, face)| is_short(face))) {
            Some(TENTH)
        } else {
            let looks = view.link.is_some().then_some(LOOK);
            if view.counting { Some(SECOND) } else { looks }
        }
    }

    /// Lets go of what the game has gone past: a choice that is no longer a move, a pull of another turn, a question about
    /// what cannot be done any more, or by which nothing is lost any more.
    pub fn settle(&mut self, view: &View<'_>) {
        match view.lobby() {
            None => (self.table, self.learn) = (Table::default(), None),
            Some(lobby) => {
                self.records = None;
                self.learn.take_if(|_| !deed::may_learn(view, lobby));
                if let Some(learn) = &mut self.learn {
                    learn.settle(lobby);
                }
                self.table.settle(lobby, view.is_open());
                self.over.take_if(|over| matches!(over, Over::Form(_) | Over::FormHelp(_)));
            }
        }
        self.input.take_if(|input| input.purpose == Purpose::Find && self.learn.is_none());
        self.over.take_if(|over| *over == Over::Reason && self.learn.is_none());
        let beneath = deed::beneath(self, view);
        let is_past = |deed: &Deed| !beneath.contains(deed) || !deed.is_grave(view);
        self.over.take_if(|over| matches!(over, Over::Sure(deed) if is_past(deed)));
    }
}

impl Table {
    /// What the mouse pulls falls back, and nothing is chosen by that.
    pub fn call_off(&mut self) {
        if let Some(drag) = self.drag.take() {
            self.chosen = drag.before;
        }
    }

    fn settle(&mut self, lobby: &Lobby, open: bool) {
        let turn = lobby.turn();
        if self.drag.is_some_and(|drag| drag.turn != turn || !open) {
            self.call_off();
        }
        self.hint.take_if(|(hinted, _)| *hinted != turn);
        self.chosen.take_if(|mv| lobby.board().play(*mv).is_err());
        if open && self.chosen.is_none() {
            self.chosen = board::first(lobby.board());
        }
    }
}
