//! Formats the steps of a search as lines. Numbers are for the side that moves first in the game, as in the
//! textbook, where one side maximizes them and the other minimizes them.

use crate::game::{Game, Side};
use crate::search::Evaluation;
use crate::search::run::{Observer, SearchResult, SearchStep};
use crate::study::label::{DisplayValue, Named};

/// Writes a line for every step of a search.
pub struct TraceFormatter<'a, G: Game, W, N> {
    names: &'a N,
    write_line: &'a mut dyn FnMut(&str),
    /// The positions entered and not left, with their windows.
    path: Vec<(G, Option<(W, W)>)>,
    /// Whether a position was estimated: then later bounds may be estimates, too.
    estimated: bool,
}

impl<'a, G: Game, W: Evaluation<G> + Into<DisplayValue>, N: Named<G>> TraceFormatter<'a, G, W, N> {
    pub(super) fn new(names: &'a N, write_line: &'a mut dyn FnMut(&str)) -> Self {
        Self { names, write_line, path: Vec::new(), estimated: false }
    }

    /// Writes the result.
    pub(super) fn result(&mut self, root: &G, answer: SearchResult<W>) {
        let about = if answer.exact { "" } else { "about " };
        let number = number(answer.value, root.turn());
        let (title, place) = (self.names.title(), self.names.position(root));
        (self.write_line)("");
        (self.write_line)(&format!("{title} is worth {about}{number} at {place}"));
    }

    /// Writes a line, which begins with its depth and is indented by it.
    fn line(&mut self, words: &str) {
        let depth = self.path.len().saturating_sub(1);
        (self.write_line)(&format!("{}{depth} {words}", "  ".repeat(depth)));
    }

    fn enter(&mut self, by: Option<G::Move>, position: &G, window: Option<(W, W)>) {
        let by = by.and_then(|mv| Some(self.names.mv(&self.path.last()?.0, mv))).filter(|mv| !mv.is_empty());
        let by = by.map_or(String::new(), |mv| format!(", by {mv}"));
        self.path.push((position.clone(), window));
        let side = self.names.side(position.turn());
        let over = if position.outcome().is_some() { String::new() } else { format!(", {side} to move") };
        let words =
            format!("enter {}{by}{over}{}", self.names.place(position), self.window_text(position, window));
        self.line(&words);
    }

    /// Alpha and beta in words: `; max already has 10, and min 14, elsewhere`.
    fn window_text(&self, position: &G, window: Option<(W, W)>) -> String {
        let Some((alpha, beta)) = window else { return String::new() };
        let turn = position.turn();
        let about = if self.estimated { "about " } else { "" };
        let has = |value: W| format!("{about}{}", number(value, turn));
        let mine = (alpha > W::LEAST).then(|| (turn, has(alpha)));
        let theirs = (beta < W::GREATEST).then(|| (!turn, has(beta)));
        let mut bounds: Vec<(Side, String)> = mine.into_iter().chain(theirs).collect();
        // The first side comes first.
        bounds.sort_by_key(|(side, _)| *side == Side::Second);
        match bounds.as_slice() {
            [] => String::new(),
            [(side, value), others @ ..] => {
                let others =
                    others.iter().map(|(side, value)| format!(", and {} {value},", self.names.side(*side)));
                format!(
                    "; {} already has {value}{} elsewhere",
                    self.names.side(*side),
                    others.collect::<String>()
                )
            }
        }
    }

    /// What `side` can get, as a bound for the first side. The value is for the side `turn`.
    fn bound(&self, value: W, turn: Side, side: Side) -> String {
        let about = if self.estimated { "about " } else { "" };
        format!("{}{about}{}", bound(side == Side::First), number(value, turn))
    }

    /// The name of the side for which all numbers are.
    fn first(&self) -> &'static str {
        self.names.side(Side::First)
    }

    fn cutoff(&mut self, skipped: u64) {
        let Some((position, window)) = self.path.last() else { return };
        let turn = position.turn();
        let moves = if skipped == 1 { "1 move is".into() } else { format!("{skipped} moves are") };
        let beta = window.map(|(_, beta)| beta).filter(|&beta| beta < W::GREATEST);
        let why = match beta {
            Some(beta) => format!("elsewhere {} gets {}", self.first(), self.bound(beta, turn, !turn)),
            None => "nothing can be better".into(),
        };
        self.line(&format!("cutoff: {moves} skipped, because {why}"));
    }

    fn leave(&mut self, position: &G, value: W, estimated: bool) {
        let turn = position.turn();
        self.estimated |= estimated;
        let over = position.outcome().is_some();
        let window = self.path.last().and_then(|(_, window)| *window).filter(|_| !over);
        // A bound at the edge of the range is the value itself.
        let edge = value == W::LEAST || value == W::GREATEST;
        let bound = match window.filter(|_| !edge) {
            Some((alpha, _)) if value <= alpha => bound(turn == Side::Second),
            Some((_, beta)) if value >= beta => bound(turn == Side::First),
            _ => "",
        };
        let about = if self.estimated && !bound.is_empty() { "about " } else { "" };
        let whose = if bound.is_empty() { String::new() } else { format!(" for {}", self.first()) };
        let ending = match (over, estimated) {
            (true, _) => format!(", {}", self.names.end()),
            (_, true) => ", estimated".into(),
            _ => String::new(),
        };
        self.line(&format!(
            "leave {}: {bound}{about}{}{whose}{ending}",
            self.names.place(position),
            number(value, turn)
        ));
        self.path.pop();
    }

    fn new_best(&mut self, mv: G::Move, value: W) {
        let Some((position, _)) = self.path.last() else { return };
        let turn = position.turn();
        let (bound, mv) = (self.bound(value, turn, turn), self.move_name(position, mv));
        self.line(&format!("bound: {bound} for {} here, by {mv}", self.first()));
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

impl<G: Game, W: Evaluation<G> + Into<DisplayValue>, N: Named<G>> Observer<G, W>
    for TraceFormatter<'_, G, W, N>
{
    fn observe(&mut self, event: SearchStep<'_, G, W>) {
        match event {
            SearchStep::Enter { by, position, window } => self.enter(by, position, window),
            SearchStep::TableHit => self.line("found in the transposition table"),
            SearchStep::NewBest { mv, value } => self.new_best(mv, value),
            SearchStep::Cutoff { skipped } => self.cutoff(skipped),
            SearchStep::Leave { position, value, estimated } => self.leave(position, value, estimated),
        }
    }
}

/// Converts a value for the side `turn` into a number for the first side.
fn number(value: impl Into<DisplayValue>, turn: Side) -> String {
    value.into().number_text(turn)
}
