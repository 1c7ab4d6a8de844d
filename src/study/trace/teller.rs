//! The words for the steps of a search. Numbers are always for the side that moves first in the game, as in
//! the textbook, where one side wants them large and the other small.

use crate::game::{Game, Side};
use crate::search::Evaluation;
use crate::search::run::{Answer, Event, Observer};
use crate::study::label::{Named, Shown};

/// Tells every step of a search.
pub struct Teller<'a, G: Game, W, N> {
    names: &'a N,
    tell: &'a mut dyn FnMut(&str),
    /// The positions entered and not left, with their windows.
    way: Vec<(G, Option<(W, W)>)>,
}

impl<'a, G: Game, W: Evaluation<G> + Into<Shown>, N: Named<G>> Teller<'a, G, W, N> {
    pub(super) fn new(names: &'a N, tell: &'a mut dyn FnMut(&str)) -> Self {
        Self { names, tell, way: Vec::new() }
    }

    /// Tells the result.
    pub(super) fn result(&mut self, root: &G, answer: Answer<W>) {
        let about = if answer.exact { "" } else { "about " };
        let number = number(answer.value, root.turn());
        let (title, place) = (self.names.title(), self.names.position(root));
        (self.tell)("");
        (self.tell)(&format!("{title} is worth {about}{number} at {place}"));
    }

    /// A line, indented by its depth, which it begins with.
    fn line(&mut self, words: &str) {
        let depth = self.way.len().saturating_sub(1);
        (self.tell)(&format!("{}{depth} {words}", "  ".repeat(depth)));
    }

    fn enter(&mut self, by: Option<G::Move>, position: &G, window: Option<(W, W)>) {
        let by = by.and_then(|mv| Some(self.names.mv(&self.way.last()?.0, mv))).filter(|mv| !mv.is_empty());
        let by = by.map_or(String::new(), |mv| format!(", by {mv}"));
        self.way.push((position.clone(), window));
        let side = self.names.side(position.turn());
        let over = if position.outcome().is_some() { String::new() } else { format!(", {side} to move") };
        let words =
            format!("enter {}{by}{over}{}", self.names.position(position), self.sure(position, window));
        self.line(&words);
    }

    /// What each side is sure of elsewhere: `; first is sure of 10; second is sure of 14`.
    fn sure(&self, position: &G, window: Option<(W, W)>) -> String {
        let Some((alpha, beta)) = window else { return String::new() };
        let turn = position.turn();
        let mine = (alpha > W::LEAST).then(|| (turn, number(alpha, turn)));
        let theirs = (beta < W::GREATEST).then(|| (!turn, number(beta, turn)));
        let mut sure: Vec<(Side, String)> = mine.into_iter().chain(theirs).collect();
        sure.sort();
        let mut words: Vec<String> = sure
            .iter()
            .map(|(side, number)| format!("{} is sure of {number}", self.names.side(*side)))
            .collect();
        words.insert(0, String::new());
        words.join("; ")
    }

    fn cut(&mut self, left: u64) {
        let Some((position, window)) = self.way.last() else { return };
        let turn = position.turn();
        let moves = if left == 1 { "1 move is".into() } else { format!("{left} moves are") };
        let beta = window.map(|(_, beta)| beta).filter(|&beta| beta < W::GREATEST);
        let why = match beta {
            Some(beta) => format!("{} is sure of {} elsewhere", self.names.side(!turn), number(beta, turn)),
            None => "nothing can be better".into(),
        };
        self.line(&format!("cut: {moves} left out, for {why}"));
    }

    fn leave(&mut self, position: &G, worth: W, estimated: bool) {
        let turn = position.turn();
        let over = position.outcome().is_some();
        let window = self.way.last().and_then(|(_, window)| *window).filter(|_| !over);
        // A bound at the edge of the range is the value itself.
        let edge = worth == W::LEAST || worth == W::GREATEST;
        let bound = match window.filter(|_| !edge) {
            Some((alpha, _)) if worth <= alpha => bound(turn == Side::Second),
            Some((_, beta)) if worth >= beta => bound(turn == Side::First),
            _ => "",
        };
        let ending = match (over, estimated) {
            (true, _) => format!(", {}", self.names.end()),
            (_, true) => ", estimated".into(),
            _ => String::new(),
        };
        self.line(&format!(
            "leave {}: {bound}{}{ending}",
            self.names.position(position),
            number(worth, turn)
        ));
        self.way.pop();
    }

    fn better(&mut self, mv: G::Move, worth: W) {
        let Some((position, _)) = self.way.last() else { return };
        let turn = position.turn();
        let (side, mv) = (self.names.side(turn), self.move_name(position, mv));
        self.line(&format!("bound: {side} is sure of {} here, by {mv}", number(worth, turn)));
    }

    /// The move's name, or else that of the position that it leads to.
    fn move_name(&self, position: &G, mv: G::Move) -> String {
        let name = self.names.mv(position, mv);
        match position.play(mv) {
            Ok(child) if name.is_empty() => self.names.position(&child),
            _ => name,
        }
    }
}

/// Whether a number for the first side is a lower or an upper bound.
fn bound(at_least: bool) -> &'static str {
    if at_least { "at least " } else { "at most " }
}

impl<G: Game, W: Evaluation<G> + Into<Shown>, N: Named<G>> Observer<G, W> for Teller<'_, G, W, N> {
    fn observe(&mut self, event: Event<'_, G, W>) {
        match event {
            Event::Enter { by, position, window } => self.enter(by, position, window),
            Event::Known => self.line("known from before"),
            Event::Better { mv, value } => self.better(mv, value),
            Event::Cut { left } => self.cut(left),
            Event::Leave { position, value, estimated } => self.leave(position, value, estimated),
        }
    }
}

/// The number for the first side of a value for the side `turn`.
fn number(value: impl Into<Shown>, turn: Side) -> String {
    value.into().number_text(turn)
}
