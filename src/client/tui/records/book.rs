//! One game that was played, gone through step by step: what happened, the lobby behind it, what each move was worth, and the
//! tree at any of its positions.

use std::collections::BTreeMap;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::errand::Errand;
use crate::client::Model;
use crate::client::session::Afterwards;
use crate::client::tui::draw::draw;
use crate::client::tui::learn::Learn;
use crate::client::tui::look::Look;
use crate::client::tui::message::{Command, Message};
use crate::client::tui::state::State;
use crate::client::tui::update::update;
use crate::client::tui::view::View;
use crate::client::words::records as words;
use crate::lobby::{Lobby, Phase};
use crate::record::{Record, Scene};

/// A game that is open.
#[derive(Debug)]
pub(in crate::client::tui) struct Book {
    record: Record,
    scenes: Vec<Scene>,
    /// One is behind so many of them.
    at: usize,
    /// The lobby there.
    model: Model,
    /// The lobby at the end.
    end: Lobby,
    /// What moves were worth, by the numbers of their scenes, as far as that was found out; nothing where it cannot be.
    worths: BTreeMap<usize, Option<String>>,
    /// The move that is thought about.
    asked: Option<usize>,
    /// How many positions that thought has looked at.
    looked: u64,
    tree: Option<Box<Tree>>,
}

/// The learn panel, on a screen of its own.
#[derive(Debug)]
struct Tree {
    state: State,
    model: Model,
}

impl Book {
    /// A record, open at its start.
    pub(super) fn of(record: Record) -> Self {
        let (scenes, end) = (record.scenes().collect(), record.lobby(usize::MAX));
        let model = Model::of_record(record.lobby(0));
        let (worths, asked, tree) = (BTreeMap::new(), None, None);
        Self { record, scenes, at: 0, model, end, worths, asked, looked: 0, tree }
    }

    /// The record.
    pub(in crate::client::tui) fn record(&self) -> &Record {
        &self.record
    }

    /// What happened, in order.
    pub(in crate::client::tui) fn scenes(&self) -> &[Scene] {
        &self.scenes
    }

    /// Behind how many of these one is.
    pub(in crate::client::tui) fn at(&self) -> usize {
        self.at
    }

    /// What there is to be seen there.
    pub(in crate::client::tui) fn view(&self) -> View<'_> {
        View::of_record(&self.model, String::new())
    }

    /// Goes so many steps on, or back.
    pub(super) fn step(&mut self, on: isize) {
        self.go(self.at.saturating_add_signed(on));
    }

    /// Goes behind so many steps, or to the end.
    pub(super) fn go(&mut self, at: usize) {
        let at = at.min(self.scenes.len());
        if at != self.at {
            (self.at, self.model) = (at, Model::of_record(self.record.lobby(at)));
        }
    }

    /// The number of the scene on which one is, if it is a move.
    fn made(&self) -> Option<usize> {
        self.at.checked_sub(1).filter(|&number| self.scenes[number].played.is_some())
    }

    /// What is to be said of where one is.
    pub(in crate::client::tui) fn words(&self) -> Vec<String> {
        match (self.at, self.made()) {
            (0, _) => words::beginning(&self.record),
            (_, None) => Vec::new(),
            (_, Some(number)) => match self.worths.get(&number) {
                Some(Some(worth)) => worth.lines().map(str::to_owned).collect(),
                Some(None) => vec![words::NOT_JUDGED.to_owned()],
                None => vec![words::thinking(self.looked)],
            },
        }
    }

    /// How the game ended, or that it goes on, once one is behind all of it.
    pub(in crate::client::tui) fn end(&self) -> Option<String> {
        (self.at == self.scenes.len()).then(|| words::end(&self.record))
    }

    /// What has to be found out now, if that is something else than before.
    pub(super) fn wants(&mut self) -> Option<Errand> {
        let wanted = self.made().filter(|number| !self.worths.contains_key(number));
        if wanted == self.asked {
            return None;
        }
        (self.asked, self.looked) = (wanted, 0);
        let played = wanted.and_then(|number| Some((number, self.scenes[number].played.as_ref()?)));
        Some(match played {
            Some((number, (board, mv))) => Errand::Judge(number, Box::new(board.clone()), *mv),
            None => Errand::Rest,
        })
    }

    /// Takes in how far a thought about a step has come.
    pub(super) fn note(&mut self, number: usize, looked: u64) {
        if self.asked == Some(number) {
            self.looked = looked;
        }
    }

    /// Takes in what a move was worth.
    pub(super) fn judged(&mut self, number: usize, worth: Option<String>) {
        self.asked.take_if(|asked| *asked == number);
        self.worths.insert(number, worth);
    }

    /// How many moves were made in the game that stands before the one on which one is, or before where one is: nothing in a game
    /// that goes on, nor where moves were taken back later.
    fn ply(&self) -> Option<usize> {
        let here = &self.model.lobby()?.lobby;
        let is_over = matches!(self.end.phase(), Phase::Over { .. });
        let stands =
            here.base() == self.end.base() && here.past().eq(self.end.past().take(here.past().len()));
        let before = here.past().len().checked_sub(self.made().map_or(0, |_| 1))?;
        (is_over && stands).then_some(before)
    }

    /// Whether what moves are worth can be seen here, and the tree.
    pub(super) fn has_tree(&self) -> bool {
        self.ply().is_some()
    }

    /// Opens the learn panel here.
    pub(super) fn learn(&mut self, size: Rect, look: Look) -> Vec<Command> {
        let Some(ply) = self.ply() else { return Vec::new() };
        let mut state = State::new(size, look, Afterwards::Home);
        state.learn = Some(Box::new(Learn::behind(&self.end, ply)));
        self.tree = Some(Box::new(Tree { state, model: Model::of_record(self.end.clone()) }));
        // Something is to be thought about from the beginning.
        self.in_tree(Message::Tick)
    }

    /// Whether the learn panel is open.
    pub(super) fn is_in_tree(&self) -> bool {
        self.tree.is_some()
    }

    /// Takes in a message there.
    pub(super) fn in_tree(&mut self, message: Message) -> Vec<Command> {
        let Some(tree) = &mut self.tree else { return Vec::new() };
        let Tree { state, model } = &mut **tree;
        let commands = update(state, &View::of_record(model, words::end(&self.record)), message);
        self.tree.take_if(|tree| tree.state.learn.is_none());
        commands
    }

    /// Draws the learn panel, if it is open; returns whether it is.
    pub(in crate::client::tui) fn draw_tree(&self, frame: &mut Frame<'_>) -> bool {
        if let Some(tree) = &self.tree {
            draw(&tree.state, &View::of_record(&tree.model, words::end(&self.record)), frame);
        }
        self.tree.is_some()
    }
}
