//! A lobby that asks for a password, and somebody who is about to say it.

use super::hush::Hush;
use crate::client::Action;
use crate::lobby::Code;
use crate::wire::{HallRefusal, Refusal, Secret};

/// What somebody wanted when they were asked for the password.
#[derive(Debug)]
pub(super) struct Door {
    wish: Action,
    code: Code,
    /// While it is typed.
    hush: Option<Hush>,
}

/// What somebody said at a door.
#[derive(Debug)]
pub(super) enum Said {
    /// A password, with what it is for.
    Password(Action),
    /// Nothing: they go away.
    Nothing,
    /// More than a password can have.
    TooLong(Door),
}

impl Door {
    /// The door at which this refusal leaves whoever had this wish, if it does.
    pub(super) fn of(wish: &Action, refusal: &Refusal) -> Option<Self> {
        let (Action::Join(code, _) | Action::Watch(code, _)) = wish else { return None };
        let locked = *refusal == Refusal::Hall(HallRefusal::WrongPassword);
        locked.then(|| Self { wish: wish.clone(), code: *code, hush: None })
    }

    /// Why they stand there.
    pub(super) fn reason(&self) -> String {
        let (Action::Join(_, said) | Action::Watch(_, said)) = &self.wish else { return String::new() };
        let code = self.code;
        if said.is_some() {
            format!("That is not the password of {code}.")
        } else {
            format!("{code} has a password.")
        }
    }

    /// Lets it be typed unseen, where somebody types.
    pub(super) fn hush(&mut self) {
        self.hush = self.hush.take().or_else(Hush::begin);
    }

    /// The question for it.
    pub(super) fn question(&self) -> String {
        format!("Password of {} (nothing to go away): ", self.code)
    }

    /// What was typed.
    pub(super) fn hear(mut self, typed: &str) -> Said {
        self.hush = None;
        if typed.is_empty() {
            return Said::Nothing;
        }
        let Some(password) = Secret::of(typed) else { return Said::TooLong(self) };
        Said::Password(match self.wish {
            Action::Watch(code, _) => Action::Watch(code, Some(password)),
            _ => Action::Join(self.code, Some(password)),
        })
    }
}
