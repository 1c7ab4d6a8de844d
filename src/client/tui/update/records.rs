//! What the keys and the mouse do while somebody in the hall looks at records: all that happens there is for these.

use crate::client::tui::message::{Command, Message};
use crate::client::tui::records::{Errand, Follows, Left, Records};
use crate::client::tui::state::State;

/// Opens the records of the server.
pub(super) fn begin(state: &mut State) -> Vec<Command> {
    let Some(title) = state.library.clone() else { return Vec::new() };
    let (records, first) = Records::new(state.size, state.look, title);
    state.records = Some(Box::new(records));
    vec![first]
}

/// Something happens there.
pub(super) fn read(state: &mut State, message: Message) -> Vec<Command> {
    let Some(records) = &mut state.records else { return Vec::new() };
    match records.update(message) {
        Follows::Commands(commands) => commands,
        Follows::Left(left) => {
            state.records = None;
            let rest = [Command::Read(Errand::Rest), Command::Rest];
            rest.into_iter().chain((left == Left::Quit).then_some(Command::Quit)).collect()
        }
    }
}
