//! The commands that are available now in the hall and in a lobby, the most important first: one list for
//! the keyboard, the key bar and the help.

use crossterm::event::KeyCode;
use ratatui::layout::Rect;

use super::command::KeyCommand;
use super::form::Form;
use super::hall;
use super::key_bar::KeyHint;
use super::layout;
use super::learn_panel::is_cut;
use super::palette::ListedCommand;
use super::state::{Overlay, Purpose, State};
use super::view::View;
use crate::client::failure::Resumable;
use crate::client::learn::Learn;
use crate::client::model::MyLobby;
use crate::client::session::Afterwards;
use crate::client::words::agreement::is_match_over;
use crate::client::words::screen::{self, Entry, Readers};
use crate::client::words::{self, confirm};
use crate::client::{Action, Question};
use crate::game::Side;
use crate::game::any::Move;
use crate::lobby::{Cover, Lobby, Offer, Phase, Refusal, Who};

/// The commands that are available now.
pub(super) fn available(state: &State, view: &View<'_>) -> Vec<KeyCommand> {
    match &state.overlay {
        Some(Overlay::Confirm(_) | Overlay::Overwrite(_)) => vec![KeyCommand::Confirm, KeyCommand::Close],
        Some(Overlay::Palette(_)) => vec![KeyCommand::Choose, KeyCommand::Close],
        Some(Overlay::Leaving { .. }) => {
            let keep = (view.kept != Resumable::Nothing).then_some(KeyCommand::KeepGame);
            keep.into_iter().chain([KeyCommand::GiveUpGame, KeyCommand::Close]).collect()
        }
        Some(_) => vec![KeyCommand::Close],
        None => in_help(state, view),
    }
}

/// The command that is available now with this key.
pub(super) fn with_key(state: &State, view: &View<'_>, key: KeyCode) -> Option<KeyCommand> {
    // Each answer to the question how to leave has its first letter too.
    let key = match (&state.overlay, key) {
        (Some(Overlay::Leaving { .. }), KeyCode::Char('k')) => KeyCode::Enter,
        (Some(Overlay::Leaving { .. }), KeyCode::Char('s')) => KeyCode::Esc,
        (_, key) => key,
    };
    available(state, view).into_iter().find(|command| state.keys.of(command) == key)
}

/// The commands that the help explains: those of the form, of the typed text, or of the screen.
pub(super) fn in_help(state: &State, view: &View<'_>) -> Vec<KeyCommand> {
    match &state.form {
        Some(form) => in_form(state, form),
        // Every other key is a letter of the text.
        _ => match &state.input {
            Some(input) if input.purpose == Purpose::File => {
                vec![KeyCommand::WriteFile, KeyCommand::Discard, KeyCommand::HelpInText]
            }
            Some(_) => vec![KeyCommand::Finish, KeyCommand::Discard, KeyCommand::HelpInText],
            None => on_screen(state, view),
        },
    }
}

fn in_form(state: &State, form: &Form) -> Vec<KeyCommand> {
    let help = help_in_form(state, form);
    if form.is_at_password() {
        return vec![KeyCommand::Submit, KeyCommand::Close, help];
    }
    vec![KeyCommand::NextValue, KeyCommand::Submit, KeyCommand::Close, help]
}

/// The help of a form: its default key cannot be part of a term other than a password, but another key can.
pub(super) fn help_in_form(state: &State, form: &Form) -> KeyCommand {
    let is_free = !form.is_at_password() && state.keys.is_default(&KeyCommand::Help);
    if is_free { KeyCommand::Help } else { KeyCommand::HelpInText }
}

/// The commands of the screen under any overlay.
pub(super) fn on_screen(state: &State, view: &View<'_>) -> Vec<KeyCommand> {
    let mut commands = match (view.mine(), &state.learn, &state.records) {
        (Some(mine), Some(learn), _) => in_learn(state, view, learn, &mine.lobby),
        (Some(_), None, _) => in_lobby(state, view),
        (None, _, Some(records)) => records.commands(),
        (None, _, None) => in_hall(state, view),
    };
    commands.push(KeyCommand::Palette);
    commands
}

/// What a command does now, for the help and the list of actions.
pub(super) fn meaning(state: &State, view: &View<'_>, command: &KeyCommand) -> &'static str {
    match command {
        KeyCommand::Leave { quits: true } if state.is_from_home => screen::TO_FIRST_SCREEN,
        KeyCommand::Act(Action::Again) if view.lobby().is_some_and(is_match_over) => screen::TO_NEW_MATCH,
        command => command.meaning(),
    }
}

/// The commands among which the list of actions chooses, each with what it does; none where a text is typed or a
/// question is open.
pub(super) fn in_palette(state: &State, view: &View<'_>) -> Vec<ListedCommand> {
    let is_open = matches!(state.overlay, None | Some(Overlay::Palette(_)));
    if !is_open || state.form.is_some() || state.input.is_some() {
        return Vec::new();
    }
    let mut commands = on_screen(state, view);
    commands.retain(|command| *command != KeyCommand::Palette);
    let listed = |command| ListedCommand { meaning: meaning(state, view, &command), command };
    commands.into_iter().map(listed).collect()
}

/// The move that can be made: that of the learn panel, or the selected one.
pub(super) fn meant(state: &State, view: &View<'_>) -> Option<Move> {
    let chosen = match &state.learn {
        Some(learn) => learn.next(),
        None => state.board.chosen,
    };
    chosen.filter(|_| view.is_open())
}

/// Whether a command asks for a confirmation: it loses something for good.
pub(super) fn asks_first(command: &KeyCommand, view: &View<'_>) -> bool {
    question_before(command, view).is_some()
}

/// The question before a command that loses something for good.
pub(super) fn question_before(command: &KeyCommand, view: &View<'_>) -> Option<&'static str> {
    let KeyCommand::Act(action) = command else { return None };
    confirm::before(action, view.mine()?)
}

/// Whether leaving asks whether to keep the game.
pub(super) fn asks_how_to_leave(quits: bool, view: &View<'_>) -> bool {
    view.has_game && !(quits && view.cannot_leave_now)
}

fn in_learn(state: &State, view: &View<'_>, learn: &Learn, lobby: &Lobby) -> Vec<KeyCommand> {
    let (ply, plies) = learn.plies();
    let (leads_on, cut) = (learn.leads_on(), is_cut(learn, lobby, state.size));
    let moves = meant(state, view).is_some();
    // A reason without room is more important than the rest.
    let mut commands: Vec<KeyCommand> = leads_on.then_some(KeyCommand::Unfold).into_iter().collect();
    commands.extend(moves.then_some(KeyCommand::MakeFromTree));
    commands.extend(learn.turning_point().map(|_| KeyCommand::TurningPoint));
    commands.extend(answers(view).into_iter().filter(|_| !view.lost));
    let all = [
        (KeyCommand::Reason, cut),
        (KeyCommand::Earlier, ply > 0),
        (KeyCommand::Later, ply < plies),
        (KeyCommand::Deepen, leads_on),
        (KeyCommand::Reason, !cut),
        (KeyCommand::Close, true),
        (KeyCommand::Help, true),
        (KeyCommand::Leave { quits: true }, true),
    ];
    commands.extend(all.into_iter().filter(|(_, available)| *available).map(|(command, _)| command));
    commands
}

fn in_hall(state: &State, view: &View<'_>) -> Vec<KeyCommand> {
    let mut commands = Vec::new();
    // A person who has just arrived and waits to be let in has no choice yet.
    if view.question.is_some() {
        if let Some(listing) = hall::selected(state, view) {
            commands.extend(hall::entry(listing, view).map(|_| KeyCommand::Join));
            commands.extend(listing.watched.then_some(KeyCommand::Watch));
        }
        commands.extend([KeyCommand::New, KeyCommand::Quick, KeyCommand::ByCode]);
    }
    commands.extend((!state.hall.filter.is_empty()).then_some(KeyCommand::ShowAll));
    commands.extend((view.question.is_some() && state.library.is_some()).then_some(KeyCommand::Records));
    // The list can be searched even while the connection is lost.
    commands.extend((!view.arriving).then_some(KeyCommand::Filter));
    commands.extend([KeyCommand::Help, KeyCommand::Leave { quits: true }]);
    commands
}

fn in_lobby(state: &State, view: &View<'_>) -> Vec<KeyCommand> {
    let mut commands = with_connection(state, view);
    commands.retain(|command| !view.lost || works_offline(command));
    commands.retain(|command| !view.leaves_later || *command != KeyCommand::Leave { quits: false });
    commands
}

/// Whether a command works while the connection is lost, if only later.
fn works_offline(command: &KeyCommand) -> bool {
    use KeyCommand::{Help, Learn, Leave, Move, Review, Rules};
    matches!(command, Move | Learn | Review | Rules | Help | Leave { .. })
}

/// Whether the command with this key has to wait until the connection is back.
pub(super) fn waits_for_connection(state: &State, view: &View<'_>, key: KeyCode) -> bool {
    view.lost && with_connection(state, view).into_iter().any(|command| state.keys.of(&command) == key)
}

fn with_connection(state: &State, view: &View<'_>) -> Vec<KeyCommand> {
    let Some(mine) = view.mine() else { return Vec::new() };
    let (lobby, watching) = (&mine.lobby, view.is_watching());
    let mut commands = Vec::new();
    commands.extend(meant(state, view).map(|_| KeyCommand::Move));
    commands.extend(answers(view));
    commands.extend(in_absence(lobby, view.claimable).into_iter().filter(|_| !watching));
    match lobby.phase() {
        Phase::Playing if mine.side().is_some_and(|side| lobby.may_resume(side).is_ok()) => {
            commands.push(KeyCommand::Act(Action::Resume));
        }
        Phase::Over { .. } if view.question == Some(Question::Again) || watching && lobby.is_exhibition() => {
            commands.push(KeyCommand::Act(Action::Again));
        }
        _ => {}
    }
    commands.extend(lobby.may_hint(who(view)).is_ok().then_some(KeyCommand::Act(Action::Hint)));
    if may_learn(view) {
        commands.push(if lobby.has_last_game() { KeyCommand::Review } else { KeyCommand::Learn });
    }
    // Its key opens the line in any case.
    let is_read = matches!(readers(view), Readers::Opponent | Readers::Watchers);
    commands.extend((mine.may_kick() || is_read).then_some(KeyCommand::Chat));
    if view.is_playing() && !lobby.is_paused() {
        let offers = [Offer::Takeback, Offer::Draw, Offer::Pause];
        let offers = offers.into_iter().filter(|offer| may_offer(mine, *offer));
        commands.extend(offers.map(|offer| KeyCommand::Act(Action::Offer(offer))));
        commands.push(KeyCommand::Act(Action::Resign));
    }
    commands.push(KeyCommand::Rules);
    commands.extend((state.afterwards == Afterwards::Hall).then_some(KeyCommand::Leave { quits: false }));
    commands.extend([KeyCommand::Help, KeyCommand::Leave { quits: true }]);
    commands
}

/// To accept and to decline an offer, if there is one.
fn answers(view: &View<'_>) -> Vec<KeyCommand> {
    let Some(Question::Offer(offer)) = view.question else { return Vec::new() };
    [true, false].map(|accept| KeyCommand::Act(Action::Answer { offer, accept })).into()
}

/// Whether this can be offered now.
fn may_offer(mine: &MyLobby, offer: Offer) -> bool {
    mine.side().is_some_and(|side| mine.lobby.may_offer(side, offer).is_ok())
}

fn who(view: &View<'_>) -> Who {
    view.mine().and_then(MyLobby::you).map_or(Who::Watcher, Who::Player)
}

/// Whether the person may open the learn panel.
pub(super) fn may_learn(view: &View<'_>) -> bool {
    view.mine().is_some_and(MyLobby::may_learn)
}

/// Whether a game runs in which the person gets no hints.
pub(super) fn are_hints_off(view: &View<'_>) -> bool {
    view.lobby().is_some_and(|lobby| lobby.may_hint(who(view)) == Err(Refusal::NoHints))
}

/// Who would read a chat message.
pub(super) fn readers(view: &View<'_>) -> Readers {
    let Some(mine) = view.mine().filter(|_| !view.lost) else { return Readers::NotNow };
    match mine.side() {
        Some(side) if mine.lobby.is_client(!side) => Readers::Opponent,
        Some(_) => Readers::Nobody,
        None if mine.lobby.watchers() < 2 => Readers::NoWatcher,
        None => Readers::Watchers,
    }
}

/// The commands about an absent player.
fn in_absence(lobby: &Lobby, claimable: bool) -> Vec<KeyCommand> {
    let waited_for = |side| lobby.cover(side) == Some(Cover::Waited);
    let change = match lobby.absence_deadline() {
        None if Side::BOTH.into_iter().any(waited_for) => KeyCommand::Act(Action::WaitNoMore),
        None => return Vec::new(),
        Some(_) => KeyCommand::Act(Action::Wait),
    };
    if claimable { vec![change, KeyCommand::Act(Action::Claim)] } else { vec![change] }
}

/// The keys of the key bar, and whether they are shown for sure.
pub(super) fn keys(state: &State, view: &View<'_>) -> Vec<KeyHint> {
    let selected = hall::selected(state, view).filter(|_| view.mine().is_none());
    let entry = selected.and_then(|listing| hall::entry(listing, view));
    // Where Enter watches too, one key for it is enough.
    let commands = available(state, view)
        .into_iter()
        .filter(|command| *command != KeyCommand::Watch || entry != Some(Entry::Watch));
    let key = |command: KeyCommand| {
        let key = KeyHint::of(&command, &state.keys, state.appearance);
        KeyHint { label: label(&command, entry, state, view).unwrap_or(key.label), ..key }
    };
    commands.map(key).collect()
}

/// The label of a command, where it is not the default one: a move has its own name.
fn label(command: &KeyCommand, entry: Option<Entry>, state: &State, view: &View<'_>) -> Option<String> {
    match (command, view.lobby()) {
        (KeyCommand::Move | KeyCommand::MakeFromTree, Some(lobby)) => {
            let mv = meant(state, view)?;
            let name = words::move_name(lobby.board(), mv);
            Some(if view.held == Some(mv) { screen::waits(&name) } else { name })
        }
        (KeyCommand::Act(Action::Again), Some(lobby)) if is_match_over(lobby) => Some("new match".to_owned()),
        (KeyCommand::Join, _) if entry == Some(Entry::Watch) => Some(KeyCommand::Watch.label().to_owned()),
        (KeyCommand::Join, _) if entry == Some(Entry::Return) => Some("return".to_owned()),
        (KeyCommand::Close, _) if state.overlay.is_none() && state.form.is_none() => Some("board".to_owned()),
        (KeyCommand::Close, _)
            if matches!(state.overlay, Some(Overlay::Confirm(_) | Overlay::Overwrite(_))) =>
        {
            Some("no".to_owned())
        }
        (KeyCommand::Close, _) if matches!(state.overlay, Some(Overlay::Leaving { .. })) => {
            Some("stay".to_owned())
        }
        _ => None,
    }
}

/// The rows of the notice and of the key bar on the screen itself.
pub(super) fn last_rows(state: &State, view: &View<'_>) -> [Rect; 2] {
    match (view.mine(), &state.records) {
        (Some(_), _) => [layout::lobby(state.size).notice, layout::lobby(state.size).keys],
        (None, Some(records)) => records.last_rows(state.size),
        (None, None) => [layout::hall(state.size).notice, layout::hall(state.size).keys],
    }
}
