//! The question at a terminal before an action that cannot be taken back. Lines from a pipe take effect at once.

use std::io::Write;

use super::{LineFace, Typing};
use crate::client::words::confirm;
use crate::client::{Action, Failure};
use crate::lobby::Phase;

impl<W: Write> LineFace<W> {
    /// Whether a person at a terminal is asked before this action. An offer that would be refused is not asked
    /// about.
    pub(super) fn asks_first(&self, action: &Action) -> bool {
        let Some(mine) = self.session.model().lobby().filter(|_| self.typing == Typing::AtTerminal) else {
            return false;
        };
        let is_possible = match action {
            Action::Offer(offer) => {
                mine.side().is_some_and(|side| mine.lobby.may_offer(side, *offer).is_ok())
            }
            // This word is typed after it was offered, and is no key beside others.
            Action::Claim => false,
            _ => mine.side().is_some(),
        };
        let is_here = !self.session.is_lost() && !self.session.is_halted();
        is_here && is_possible && confirm::before(action, mine).is_some()
    }

    /// The open question, unless the game has ended in the meantime.
    pub(super) fn confirmation(&mut self) -> Option<String> {
        let mine = self.session.model().lobby().filter(|mine| mine.lobby.phase() == Phase::Playing);
        let question =
            self.confirm.as_ref().zip(mine).and_then(|(action, mine)| confirm::before(action, mine));
        if question.is_none() {
            self.confirm = None;
        }
        question.map(|question| format!("{question}{}", confirm::YES_OR_NO))
    }

    /// Reads the answer about this action; an empty line is a no.
    pub(super) fn answer_confirmation(&mut self, action: Action, line: &str) -> Result<(), Failure> {
        match line.trim().to_lowercase().as_str() {
            "yes" | "y" => self.ask(action),
            "" | "no" | "n" => Ok(()),
            _ => {
                self.confirm = Some(action);
                self.say(confirm::ANSWERS)
            }
        }
    }
}
