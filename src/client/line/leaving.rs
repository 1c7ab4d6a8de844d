//! The question how to leave a game, and its answers.

use crate::client::Leaving;

/// The open question how to leave a game.
#[derive(Debug, Clone, Copy)]
pub(super) struct LeavingQuestion {
    /// Whether the program ends too.
    pub(super) quits: bool,
    /// Whether the game can be kept.
    pub(super) may_keep: bool,
}

/// An answer: how to leave, or `None` to stay.
type LeavingAnswer = Option<Leaving>;

impl LeavingQuestion {
    /// Reads an answer; `None` if it is none. The usual answer keeps the game, if that is possible.
    pub(super) fn answer(self, line: &str) -> Option<LeavingAnswer> {
        match line.trim().to_lowercase().as_str() {
            "" => Some(self.may_keep.then_some(Leaving::Keep)),
            "keep" | "k" | "quit" | "exit" | "leave" if self.may_keep => Some(Some(Leaving::Keep)),
            "give up" | "give it up" | "g" => Some(Some(Leaving::GiveUp)),
            "stay" | "s" => Some(None),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEPT: LeavingQuestion = LeavingQuestion { quits: true, may_keep: true };
    const LOST: LeavingQuestion = LeavingQuestion { may_keep: false, ..KEPT };

    #[test]
    fn the_usual_answer_never_loses_a_game() {
        for line in ["", " ", "keep", "QUIT", "leave"] {
            assert_eq!(KEPT.answer(line), Some(Some(Leaving::Keep)), "{line}");
        }
        assert_eq!(LOST.answer(""), Some(None));
        assert_eq!(LOST.answer("quit"), None);
        assert_eq!(LOST.answer("Give up"), Some(Some(Leaving::GiveUp)));
        assert_eq!(KEPT.answer("stay"), Some(None));
        assert_eq!(KEPT.answer("3"), None);
    }
}
