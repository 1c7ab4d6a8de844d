//! The form for the conditions of a new lobby: one line for each term.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Position as Point, Rect};

use super::appearance::Tone;
use super::layout;
use super::painter::Painter;
use super::text_field::TextField;
use crate::client::choices::{ABSENCES, ANY, CLOCKS, GAMES, HINTS, LENGTHS, OPPONENTS, STARTS, TIMES};
use crate::client::text::full_stop;
use crate::client::words::form::{NEW, QUICK, Term, about_game};
use crate::client::{Action, Terms};
use crate::game::any::Variant;
use crate::lobby::{Code, Level};
use crate::wire::{MAX_PASSWORD, Secret};

/// The largest number of bytes of a typed term.
const MOST: usize = 80;

/// The form.
#[derive(Debug, Clone)]
pub struct Form {
    /// It is for a quick match.
    pub quick: bool,
    /// The index of the selected term.
    pub at: usize,
    /// The typed game.
    pub game: TextField,
    /// The typed clock.
    pub clock: TextField,
    /// The typed password.
    pub password: TextField,
    /// The terms that are not typed.
    pub terms: Terms,
}

impl Form {
    /// A form with these terms.
    pub fn new(terms: &Terms, quick: bool) -> Self {
        let game = TextField::preset(if quick { ANY } else { GAMES[0] });
        let (game, clock) = (game, TextField::preset(terms.clock.to_string()));
        Self { quick, at: 0, game, clock, password: TextField::default(), terms: terms.clone() }
    }

    /// The terms that it asks for: a quick match only for the game.
    fn asked(&self) -> &'static [Term] {
        if self.quick { &[Term::Game] } else { &Term::ALL }
    }

    /// The selected term.
    pub fn term(&self) -> Term {
        let asked = self.asked();
        asked[self.at.min(asked.len() - 1)]
    }

    /// The value of a term as it is shown: stars for a password.
    pub fn value(&self, term: Term) -> String {
        match term {
            Term::Game => self.game.text().to_owned(),
            Term::Clock => self.clock.text().to_owned(),
            Term::Password => "*".repeat(self.password.text().chars().count()),
            other => other.value(&self.terms),
        }
    }

    /// Paints it on a screen of this size, without its notice and its keys.
    pub(super) fn paint(&self, size: Rect, painter: &mut Painter<'_>) {
        let parts = layout::form(size);
        painter.inside(parts.title).line(0, if self.quick { QUICK } else { NEW }, Tone::Title);
        parts.rules.iter().flatten().for_each(|y| painter.rule(*y));
        let line = |term: Term| (format!("{:<14}{}", term.name(), self.value(term)), Tone::Plain);
        painter.inside(parts.list).list(self.asked().iter().copied().map(line), self.at);
        let game = about_game(self.game.text()).filter(|_| self.term() == Term::Game);
        let about: Vec<String> = game.into_iter().chain([self.term().meaning().to_owned()]).collect();
        painter.inside(parts.detail).texts(&[about.join(" ")], Tone::Plain);
    }

    /// A click selects a term; a second one selects its next value.
    pub(super) fn click(&mut self, size: Rect, at: Point) {
        let line = layout::line_at(layout::form(size).list, self.at, at);
        match line.filter(|line| *line < self.asked().len()) {
            Some(line) if line == self.at => self.turn(true),
            line => self.at = line.unwrap_or(self.at),
        }
    }

    /// Takes a key, other than those that submit or close the form.
    pub fn press(&mut self, key: KeyEvent) {
        match (key.code, self.typed()) {
            (KeyCode::Up | KeyCode::BackTab, _) => self.step(-1),
            (KeyCode::Down | KeyCode::Tab, _) => self.step(1),
            (KeyCode::Left, _) => self.turn(false),
            (KeyCode::Right, _) | (KeyCode::Char(' '), None) => self.turn(true),
            (_, Some(field)) => field.press(key, MOST),
            (_, None) => {}
        }
    }

    /// Moves the selection down by this many terms.
    pub fn step(&mut self, down: isize) {
        self.at = self.at.saturating_add_signed(down).min(self.asked().len() - 1);
    }

    /// The text of the selected term, if it is typed.
    fn typed(&mut self) -> Option<&mut TextField> {
        match self.term() {
            Term::Game => Some(&mut self.game),
            Term::Clock => Some(&mut self.clock),
            Term::Password => Some(&mut self.password),
            _ => None,
        }
    }

    /// Whether a password is typed: it may contain any character, and has no other values to choose from.
    pub fn is_at_password(&self) -> bool {
        self.term() == Term::Password
    }

    /// Selects the next value of the term, or the one before.
    pub fn turn(&mut self, forward: bool) {
        let (term, quick) = (self.term(), self.quick);
        let terms = &mut self.terms;
        match term {
            Term::Game => {
                let any = quick.then_some(ANY);
                let games: Vec<&str> = any.into_iter().chain(GAMES).collect();
                self.game = TextField::preset(turned(&games, &self.game.text(), forward));
            }
            Term::Clock => self.clock = TextField::preset(turned(&CLOCKS, &self.clock.text(), forward)),
            Term::Password => {}
            Term::Starts => terms.starts = turned(&STARTS, &terms.starts, forward),
            Term::Bot => terms.bot = turned(&OPPONENTS, &terms.bot, forward),
            Term::Level => terms.level = turned(&Level::ALL, &terms.level, forward),
            Term::Hints => terms.hints = turned(&HINTS, &terms.hints, forward),
            Term::Away => terms.away.then = turned(&ABSENCES, &terms.away.then, forward),
            Term::After => terms.away.after = turned(&TIMES, &terms.away.after, forward),
            Term::BestOf => terms.best_of = turned(&LENGTHS, &terms.best_of, forward),
            Term::Watched => terms.watched = !terms.watched,
            Term::Listed => terms.listed = !terms.listed,
        }
    }

    /// The action, or what is wrong as a sentence, with the term that is wrong selected. `waiting` is a lobby in
    /// which somebody waits for an opponent.
    pub fn action(&mut self, waiting: Option<Code>) -> Result<Action, String> {
        let variant: Variant = match (self.quick && self.game.text() == ANY, waiting) {
            (true, Some(code)) => return Ok(Action::Join(code, None)),
            (true, None) => Variant::default(),
            _ => self.game.text().parse().map_err(|bad| self.fault(Term::Game, &bad))?,
        };
        let clock = self.clock.text().parse().map_err(|bad| self.fault(Term::Clock, &bad))?;
        let password = match self.password.text() {
            "" => None,
            typed => Some(Secret::of(typed).ok_or_else(|| {
                let most = format!("a password has {MAX_PASSWORD} bytes at most");
                self.fault(Term::Password, &most)
            })?),
        };
        let terms = Terms { variant, clock, password, ..self.terms.clone() };
        Ok(if self.quick { Action::Quick(terms) } else { Action::Create(terms) })
    }

    fn fault(&mut self, about: Term, words: &dyn std::fmt::Display) -> String {
        self.at = Term::ALL.iter().position(|&term| term == about).unwrap_or(self.at);
        full_stop(&words.to_string())
    }
}

/// The choice after this one, or before it; the first one if this is none of them.
pub(super) fn turned<T: Copy + PartialEq>(all: &[T], now: &T, forward: bool) -> T {
    let count = all.len();
    let next = match all.iter().position(|one| one == now) {
        Some(at) if forward => (at + 1) % count,
        Some(at) => (at + count - 1) % count,
        None => 0,
    };
    all[next]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lobby::Hints;

    fn form() -> Form {
        Form::new(&Terms::default(), false)
    }

    #[test]
    fn all_values_can_be_selected_and_submitted() {
        for at in 0..Term::ALL.len() {
            let mut form = Form { at, ..form() };
            let first = form.value(form.term());
            for _ in 0..20 {
                form.press(KeyCode::Right.into());
                assert!(form.action(None).is_ok(), "{form:?}");
            }
            let seen = (0..20).any(|_| {
                form.press(KeyCode::Left.into());
                form.value(form.term()) == first
            });
            assert!(seen, "{:?}", form.term());
        }
    }

    #[test]
    fn the_level_of_a_stand_in_follows_from_the_hints_unless_one_was_chosen() {
        let mut form = form();
        assert_eq!(form.value(Term::Away), "a bot stands in (beginner)");
        form.terms.hints = Hints::All;
        assert_eq!(form.value(Term::Away), "a bot stands in (perfect)");
        form.terms.away.level = Some(Level::Easy);
        assert_eq!(form.value(Term::Away), "a bot stands in (easy)");
    }

    #[test]
    fn a_wrong_term_is_reported_and_selected() {
        let mut form = Form { game: TextField::preset("chess"), at: 5, ..form() };
        assert!(form.action(None).unwrap_err().starts_with("chess: no game has this name"));
        assert_eq!(form.term(), Term::Game);
        form.game = TextField::preset("nim:3-4-5");
        form.clock = TextField::preset("soon");
        assert!(form.action(None).is_err());
        assert_eq!(form.term(), Term::Clock);
        form.clock = TextField::preset("none");
        form.password = TextField::preset("x".repeat(MAX_PASSWORD + 1));
        assert!(form.action(None).is_err());
        assert_eq!(form.term(), Term::Password);
    }
}
