//! The question for the password of a lobby.

use super::no_echo::NoEcho;
use crate::client::Action;
use crate::lobby::Code;
use crate::wire::{HallRefusal, Refusal, Secret};

/// An open question for a password.
#[derive(Debug)]
pub(super) struct PasswordQuestion {
    /// The action that was refused.
    action: Action,
    code: Code,
    no_echo: Option<NoEcho>,
}

/// The answer to the question.
#[derive(Debug)]
pub(super) enum PasswordAnswer {
    /// The same action, with the password.
    Password(Action),
    /// An empty line: cancel.
    Nothing,
    /// Longer than a password may be.
    TooLong(PasswordQuestion),
}

impl PasswordQuestion {
    /// The question after this refusal; `None` if the refusal is not about a password.
    pub(super) fn after(action: &Action, refusal: &Refusal) -> Option<Self> {
        let (Action::Join(code, _) | Action::Watch(code, _)) = action else { return None };
        let is_locked = *refusal == Refusal::Hall(HallRefusal::WrongPassword);
        is_locked.then(|| Self { action: action.clone(), code: *code, no_echo: None })
    }

    /// The reason for the question.
    pub(super) fn reason(&self) -> String {
        let code = self.code;
        match &self.action {
            Action::Join(_, Some(_)) | Action::Watch(_, Some(_)) => {
                format!("That is not the password of {code}.")
            }
            _ => format!("{code} has a password."),
        }
    }

    /// Turns off the terminal's echo until the answer.
    pub(super) fn stop_echo(&mut self) {
        self.no_echo = self.no_echo.take().or_else(NoEcho::start);
    }

    /// The question.
    pub(super) fn question(&self) -> String {
        format!("Password of {} (empty to cancel): ", self.code)
    }

    /// Reads the answer.
    pub(super) fn answer(mut self, typed: &str) -> PasswordAnswer {
        self.no_echo = None;
        if typed.is_empty() {
            return PasswordAnswer::Nothing;
        }
        let Some(password) = Secret::of(typed) else { return PasswordAnswer::TooLong(self) };
        PasswordAnswer::Password(match self.action {
            Action::Watch(code, _) => Action::Watch(code, Some(password)),
            _ => Action::Join(self.code, Some(password)),
        })
    }
}
