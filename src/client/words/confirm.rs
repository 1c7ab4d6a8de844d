//! The questions before an action that cannot be taken back, for the screen and for lines at a terminal.

use crate::client::Action;
use crate::client::model::MyLobby;
use crate::lobby::Offer;

/// After the question, at a line.
pub const YES_OR_NO: &str = " (yes or no) [no]: ";

/// The answer was neither.
pub const ANSWERS: &str = "Type yes or no.";

/// The question before this action; `None` if it loses nothing, or if somebody else is asked anyway.
pub fn before(action: &Action, mine: &MyLobby) -> Option<&'static str> {
    match action {
        Action::Resign => Some("Give this game up?"),
        Action::Claim => Some("Take this game? The game ends at once."),
        Action::Offer(Offer::Draw) if mine.is_against_bot() => {
            Some("The bot accepts where it cannot win. Offer a draw?")
        }
        // Nobody else is asked where two play at one keyboard.
        Action::Offer(Offer::Draw) if mine.is_for_two() => {
            Some("Is this game a draw? The game ends at once.")
        }
        _ => None,
    }
}
