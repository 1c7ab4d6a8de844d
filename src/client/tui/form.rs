//! The terms of a lobby as they are chosen: one line for each, gone through with the arrow keys or the mouse. What each
//! means is said in words elsewhere; what becomes of them is for the session.

use crossterm::event::KeyCode;

use super::field::Field;
use super::home::GAMES;
use crate::client::action::Terms;
use crate::client::words::form::Term;
use crate::client::{Action, Preferences};
use crate::game::any::Variant;
use crate::lobby::{Hints, Level, WhenAway};
use crate::wire::{BotWish, MAX_PASSWORD, Secret, Starts};

/// The clocks that the arrow keys go through.
const CLOCKS: [&str; 5] = ["none", "30s/move", "3m+2s", "5m+3s", "10m~5s"];

/// The times after which something is done about an absence, in milliseconds.
const TIMES: [u32; 5] = [0, 10_000, 30_000, 60_000, 300_000];

/// The lengths of matches.
const LENGTHS: [u8; 5] = [0, 1, 3, 5, 7];

/// The longest text of a term that is typed.
const LONGEST: usize = 80;

/// A form that is being filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// Whether somebody who waits is looked for first.
    pub quick: bool,
    /// The place of the term that is being chosen.
    pub at: usize,
    /// The game as it is typed.
    pub game: Field,
    /// The clock as it is typed.
    pub clock: Field,
    /// The password as it is typed.
    pub password: Field,
    /// All that is not typed.
    pub terms: Preferences,
}

impl Form {
    /// One that begins with these terms.
    pub fn new(terms: &Preferences, quick: bool) -> Self {
        let (clock, terms) = (Field::chosen(terms.clock.to_string()), terms.clone());
        Self { quick, at: 0, game: Field::chosen(GAMES[0]), clock, password: Field::default(), terms }
    }

    /// The term that is being chosen.
    pub fn term(&self) -> Term {
        Term::ALL[self.at.min(Term::ALL.len() - 1)]
    }

    /// What is chosen for a term. A password is not shown.
    pub fn value(&self, term: Term) -> String {
        match term {
            Term::Game => self.game.as_str().to_owned(),
            Term::Clock => self.clock.as_str().to_owned(),
            Term::Password => "*".repeat(self.password.as_str().chars().count()),
            other => other.value(&self.terms),
        }
    }

    /// Takes in a key that is not one of those that open or close the form.
    pub fn press(&mut self, key: KeyCode) {
        match key {
            KeyCode::Up | KeyCode::BackTab => self.step(-1),
            KeyCode::Down | KeyCode::Tab => self.step(1),
            KeyCode::Left => self.turn(false),
            KeyCode::Right => self.turn(true),
            KeyCode::Backspace => {
                self.typed().map(Field::pop);
            }
            KeyCode::Char(letter) => match self.typed() {
                Some(text) => text.push(letter, LONGEST),
                None if letter == ' ' => self.turn(true),
                None => {}
            },
            _ => {}
        }
    }

    /// Nothing stands any more in the text that is being typed.
    pub fn empty(&mut self) {
        self.typed().map(Field::clear);
    }

    /// Goes to the term that is so many lines further down, or up.
    pub fn step(&mut self, down: isize) {
        self.at = self.at.saturating_add_signed(down).min(Term::ALL.len() - 1);
    }

    /// The text that is being typed, where one is.
    fn typed(&mut self) -> Option<&mut Field> {
        match self.term() {
            Term::Game => Some(&mut self.game),
            Term::Clock => Some(&mut self.clock),
            Term::Password => Some(&mut self.password),
            _ => None,
        }
    }

    /// Whether what is typed may hold any sign, also those that are keys elsewhere.
    pub fn holds_any_sign(&self) -> bool {
        self.term() == Term::Password
    }

    /// Whether there are others to choose from than what is chosen.
    pub fn turns(&self) -> bool {
        self.term() != Term::Password
    }

    /// The next thing that can be chosen, or the one before.
    pub fn turn(&mut self, on: bool) {
        let terms = &mut self.terms;
        match Term::ALL[self.at.min(Term::ALL.len() - 1)] {
            Term::Game => self.game = Field::chosen(turned(&GAMES, &self.game.as_str(), on)),
            Term::Clock => self.clock = Field::chosen(turned(&CLOCKS, &self.clock.as_str(), on)),
            Term::Password => {}
            Term::Starts => {
                terms.starts = turned(&[Starts::Variant, Starts::Me, Starts::Them], &terms.starts, on);
            }
            Term::Bot => {
                let all = [BotWish::WhenNobodyComes, BotWish::AtOnce, BotWish::PeopleOnly, BotWish::Both];
                terms.bot = turned(&all, &terms.bot, on);
            }
            Term::Level => terms.level = turned(&Level::ALL, &terms.level, on),
            Term::Hints => {
                let all = [Hints::AgainstBots, Hints::All, Hints::Watchers, Hints::Nobody];
                terms.hints = turned(&all, &terms.hints, on);
            }
            Term::Away => {
                let all = [WhenAway::StandIn, WhenAway::Wait, WhenAway::Forfeit];
                terms.away.then = turned(&all, &terms.away.then, on);
            }
            Term::After => terms.away.after = turned(&TIMES, &terms.away.after, on),
            Term::BestOf => terms.best_of = turned(&LENGTHS, &terms.best_of, on),
            Term::Watched => terms.watched = !terms.watched,
            Term::Listed => terms.listed = !terms.listed,
        }
    }

    /// What is wished for, or what is wrong with what was typed, as a sentence; then the term that is meant is chosen.
    pub fn wish(&mut self) -> Result<Action, String> {
        let variant: Variant = self.game.as_str().parse().map_err(|bad| self.complain(Term::Game, &bad))?;
        let clock = self.clock.as_str().parse().map_err(|bad| self.complain(Term::Clock, &bad))?;
        let password = match self.password.as_str() {
            "" => None,
            typed => Some(Secret::of(typed).ok_or_else(|| {
                let most = format!("a password has {MAX_PASSWORD} bytes at most");
                self.complain(Term::Password, &most)
            })?),
        };
        let preferences = Preferences { clock, password, ..self.terms.clone() };
        let terms = Terms { variant, origin: None, preferences };
        Ok(if self.quick { Action::Quick(terms) } else { Action::Create(terms) })
    }

    fn complain(&mut self, about: Term, words: &dyn std::fmt::Display) -> String {
        self.at = Term::ALL.iter().position(|&term| term == about).unwrap_or(self.at);
        format!("{words}.")
    }
}

/// The one behind this, or before it; the first where this is none of them.
pub(super) fn turned<T: Copy + PartialEq>(all: &[T], now: &T, on: bool) -> T {
    let count = all.len();
    let next = match all.iter().position(|one| one == now) {
        Some(at) if on => (at + 1) % count,
        Some(at) => (at + count - 1) % count,
        None => 0,
    };
    all[next]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form() -> Form {
        Form::new(&Preferences::default(), false)
    }

    #[test]
    fn everything_that_can_be_turned_to_can_be_opened_and_read_back() {
        for at in 0..Term::ALL.len() {
            let mut form = Form { at, ..form() };
            let first = form.value(form.term());
            for _ in 0..20 {
                form.press(KeyCode::Right);
                assert!(form.wish().is_ok(), "{form:?}");
            }
            let seen = (0..20).any(|_| {
                form.press(KeyCode::Left);
                form.value(form.term()) == first
            });
            assert!(seen, "{:?}", form.term());
        }
    }

    #[test]
    fn what_is_typed_wrongly_is_said_and_shown() {
        let mut form = Form { game: Field::chosen("chess"), at: 5, ..form() };
        assert!(form.wish().unwrap_err().starts_with("chess: no game has this name"));
        assert_eq!(form.term(), Term::Game);
        form.game = Field::chosen("nim:3-4-5");
        form.clock = Field::chosen("soon");
        assert!(form.wish().is_err());
        assert_eq!(form.term(), Term::Clock);
        (form.clock, form.password) = (Field::chosen("none"), Field::chosen("x".repeat(MAX_PASSWORD + 1)));
        assert!(form.wish().is_err());
        assert_eq!(form.term(), Term::Password);
    }

    #[test]
    fn a_password_is_typed_unseen() {
        let mut form = Form { at: 11, ..form() };
        "secret".chars().for_each(|letter| form.press(KeyCode::Char(letter)));
        assert_eq!((form.value(Term::Password).as_str(), form.password.as_str()), ("******", "secret"));
    }
}
