//! Runs the commands of the hall and of a lobby.

use super::{board, hall, learn, typing};
use crate::client::Action;
use crate::client::model::MyLobby;
use crate::client::tui::command::Command;
use crate::client::tui::commands;
use crate::client::tui::form::Form;
use crate::client::tui::message::Effect;
use crate::client::tui::state::{Input, Overlay, Purpose, State};
use crate::client::tui::view::View;

/// Runs a command, or asks for a confirmation first.
pub(super) fn run(state: &mut State, view: &View<'_>, command: Command) -> Vec<Effect> {
    if commands::asks_first(command, view) && state.overlay.is_none() {
        state.overlay = Some(Overlay::Confirm(command));
        return Vec::new();
    }
    run_now(state, view, command)
}

/// Runs a command.
fn run_now(state: &mut State, view: &View<'_>, command: Command) -> Vec<Effect> {
    if let (Command::NextValue, Some(Overlay::Form(form))) = (command, &mut state.overlay) {
        form.turn(true);
        return Vec::new();
    }
    let overlay = state.overlay.take();
    state.scroll = 0;
    if let Some(action) = action(view, command) {
        return vec![Effect::Act(action)];
    }
    match command {
        Command::Move => return board::make(state, view, commands::meant(state, view)),
        Command::Confirm => {
            if let Some(Overlay::Confirm(command)) = overlay {
                return run_now(state, view, command);
            }
        }
        Command::Join => return hall::go(state, view, false),
        Command::Watch => return hall::go(state, view, true),
        Command::Submit => return hall::submit(state, overlay),
        Command::New | Command::Quick => {
            let form = Form::new(&state.preferences, command == Command::Quick);
            state.overlay = Some(Overlay::Form(Box::new(form)));
        }
        Command::Records => return vec![Effect::Records],
        Command::Finish | Command::Discard => return typing::press(state, view, command.key().into()),
        Command::Filter => state.input = Some(Input::new(Purpose::Filter, "")),
        Command::Chat => state.input = Some(Input::new(Purpose::Chat, "")),
        Command::Rules => state.overlay = Some(Overlay::Rules),
        Command::Reason => state.overlay = Some(Overlay::Reason),
        Command::Help | Command::HelpInText => state.overlay = Some(Overlay::help_over(overlay)),
        Command::Learn | Command::Review => learn::open(state, view),
        Command::Close if overlay.is_some() => state.overlay = overlay.and_then(Overlay::closed),
        Command::Unfold | Command::Deepen | Command::Earlier | Command::Later | Command::Close => {
            learn::run(state, view, command);
        }
        _ => {}
    }
    Vec::new()
}

/// The action that a command stands for as it is.
fn action(view: &View<'_>, command: Command) -> Option<Action> {
    Some(match command {
        Command::Hint => Action::Hint,
        Command::Offer(offer) => Action::Offer(offer),
        Command::Answer(accept) => Action::Answer { offer: view.mine().and_then(MyLobby::offer)?, accept },
        Command::Resign => Action::Resign,
        Command::Resume => Action::Resume,
        Command::Rematch => Action::Rematch,
        Command::Wait => Action::Wait,
        Command::StopWaiting => Action::StopWaiting,
        Command::Claim => Action::Claim,
        Command::Leave => Action::Leave,
        Command::Quit => Action::Quit,
        _ => return None,
    })
}
