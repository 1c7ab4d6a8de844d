//! What a message changes on the screen, and what is to be done about it. Nothing is asked of the world here: what is known
//! comes in as a view, and what is wanted goes out as commands.

mod drag;
mod hall;
mod keys;
mod learn;
mod news;
mod records;

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position as Point, Rect};

use super::bar;
use super::board::{self, Pointed};
use super::deed::{self, Deed};
use super::form::Form;
use super::layout;
use super::log::Kind;
use super::message::{Command, Message};
use super::over;
use super::state::{Input, Over, Purpose, State};
use super::view::View;
use crate::client::Action;
use crate::client::model::MyLobby;
use crate::client::session::SendStatus;
use crate::client::words::screen;
use crate::game::any::Move;
use crate::lobby::Lobby;

/// How many lines the wheel goes by.
const WHEEL: i16 = 3;

/// Takes in a message.
pub fn update(state: &mut State, view: &View<'_>, message: Message) -> Vec<Command> {
    if state.records.is_some() && is_for_records(&message) {
        return records::read(state, message);
    }
    let mut commands = match message {
        Message::Key(key) => keys::press(state, view, key),
        // What cannot be seen cannot be meant.
        Message::Mouse(_) if layout::is_small(state.size) => Vec::new(),
        Message::Mouse(mouse) => touch(state, view, mouse),
        Message::Resize(columns, lines) => {
            state.size = Rect::new(0, 0, columns, lines);
            // Their games have their own screen, which is as large.
            let read = records::read(state, Message::Resize(columns, lines));
            // Whatever the mouse held is somewhere else now.
            state.table.call_off();
            read
        }
        Message::Unfocused => {
            state.table.call_off();
            Vec::new()
        }
        Message::Tick => tick(state),
        Message::News(news) => news::take(state, view, news),
        Message::Sent(sent) => tell_sent(state, view, sent),
        Message::Said(text) => {
            state.log.add(Kind::Told, text);
            Vec::new()
        }
        Message::Looked(question, looked) => {
            if let Some(learn) = &mut state.learn {
                learn.note(question, looked);
            }
            Vec::new()
        }
        Message::Learnt(question, found) => {
            learn::take(state, question, found);
            Vec::new()
        }
        // Nobody looks at records any more.
        Message::Read(_) => Vec::new(),
    };
    state.settle(view);
    over::settle(state);
    commands.extend(learn::thoughts(state));
    commands
}

/// Whether this is for whoever looks at records, as long as somebody does.
fn is_for_records(message: &Message) -> bool {
    use Message::{Key, Learnt, Looked, Mouse, Read};
    matches!(message, Key(_) | Mouse(_) | Read(_) | Looked(..) | Learnt(..))
}

/// A falling stone is one row lower.
fn tick(state: &mut State) -> Vec<Command> {
    state.table.fall =
        state.table.fall.take().filter(|(fall, end)| fall.row > *end).map(|(mut fall, end)| {
            fall.row -= 1;
            (fall, end)
        });
    Vec::new()
}

fn tell_sent(state: &mut State, view: &View<'_>, sent: SendStatus) -> Vec<Command> {
    let words = match sent {
        // Which move it is that waits stands there by itself.
        SendStatus::Now | SendStatus::Later | SendStatus::Done => return Vec::new(),
        SendStatus::Leaving if view.is_watching() => screen::LEAVING_NO_SEAT,
        SendStatus::Leaving => screen::LEAVING,
        SendStatus::Never => screen::NOT_NOW,
    };
    state.notice = Some(words.to_owned());
    Vec::new()
}

/// Does something, or asks first whether it is meant.
fn act(state: &mut State, view: &View<'_>, deed: Deed) -> Vec<Command> {
    if deed.is_grave(view) && state.over.is_none() {
        state.over = Some(Over::Sure(deed));
        return Vec::new();
    }
    carry_out(state, view, deed)
}

/// Does something.
fn carry_out(state: &mut State, view: &View<'_>, deed: Deed) -> Vec<Command> {
    if let (Deed::Turn, Some(Over::Form(form))) = (deed, &mut state.over) {
        form.turn(true);
        return Vec::new();
    }
    let before = state.over.take();
    state.down = 0;
    let ask = |action| vec![Command::Ask(action)];
    match deed {
        Deed::Make => return make(state, view, deed::meant(state, view)),
        Deed::Hint => return ask(Action::Hint),
        Deed::Offer(offer) => return ask(Action::Offer(offer)),
        Deed::Answer(accept) => return answer(view, accept),
        Deed::Resign => return ask(Action::Resign),
        Deed::Resume => return ask(Action::Resume),
        Deed::Again => return ask(Action::Rematch),
        Deed::Learn | Deed::Review => learn::begin(state, view),
        Deed::Unfold | Deed::Deepen | Deed::Earlier | Deed::Later => {
            return learn::carry_out(state, view, deed);
        }
        Deed::Wait => return ask(Action::Wait),
        Deed::WaitNoMore => return ask(Action::StopWaiting),
        Deed::Claim => return ask(Action::Claim),
        Deed::Leave => return ask(Action::Leave),
        Deed::Quit => return vec![Command::Quit],
        Deed::Yes => {
            if let Some(Over::Sure(deed)) = before {
                return carry_out(state, view, deed);
            }
        }
        Deed::Join | Deed::Watch | Deed::Open => return hall::go(state, view, deed, before),
        Deed::New | Deed::Quick => {
            state.over = Some(Over::Form(Box::new(Form::new(&state.preferences, deed == Deed::Quick))));
        }
        Deed::Records => return records::begin(state),
        Deed::Enter | Deed::Drop => return keys::write(state, view, deed.key()),
        Deed::Filter => state.input = Some(Input::new(Purpose::Filter)),
        Deed::Talk => state.input = Some(Input::new(Purpose::Say)),
        Deed::Terms => state.over = Some(Over::Terms),
        Deed::Reason => state.over = Some(Over::Reason),
        Deed::Help | Deed::HelpInText => state.over = Some(Over::help(before)),
        Deed::Close if before.is_none() => return learn::carry_out(state, view, deed),
        Deed::Close => state.over = before.and_then(Over::behind),
        Deed::Turn => {}
    }
    Vec::new()
}

fn answer(view: &View<'_>, accept: bool) -> Vec<Command> {
    let action = view.mine().and_then(MyLobby::offer).map(|offer| Action::Answer { offer, accept });
    action.map(Command::Ask).into_iter().collect()
}

/// Makes a move, if that can be done now.
fn make(state: &mut State, view: &View<'_>, mv: Option<Move>) -> Vec<Command> {
    let Some((lobby, mv)) = view.lobby().zip(mv).filter(|_| view.is_open()) else { return Vec::new() };
    if let Err(illegal) = lobby.board().play(mv) {
        state.notice = Some(format!("{illegal}."));
        return Vec::new();
    }
    // One that waits for the server stays chosen: it is still to be seen, and can be another one.
    (state.table.chosen, state.table.drag) = (Some(mv).filter(|_| view.lost), None);
    vec![Command::Ask(Action::Play(mv))]
}

/// Says why a move cannot be made, where one could.
fn refuse(state: &mut State, view: &View<'_>, barred: Option<Move>) -> Vec<Command> {
    let asked = view.lobby().filter(|_| view.is_open()).zip(barred);
    if let Some(Err(illegal)) = asked.map(|(lobby, mv)| lobby.board().play(mv)) {
        state.notice = Some(format!("{illegal}."));
    }
    Vec::new()
}

/// The mouse does something.
fn touch(state: &mut State, view: &View<'_>, mouse: MouseEvent) -> Vec<Command> {
    let at = Point { x: mouse.column, y: mouse.row };
    let press = mouse.kind == MouseEventKind::Down(MouseButton::Left);
    if press {
        state.notice = None;
        if let Some(deed) = bar::at(state, view, at) {
            return act(state, view, deed);
        }
    }
    match (mouse.kind, view.lobby()) {
        (MouseEventKind::Down(MouseButton::Left), _) if state.over.is_some() => touch_over(state, view, at),
        (kind, _) if state.over.is_some() => {
            match kind {
                MouseEventKind::ScrollUp => over::scroll(state, view, -1),
                MouseEventKind::ScrollDown => over::scroll(state, view, 1),
                _ => {}
            }
            Vec::new()
        }
        (kind, None) => hall::touch(state, view, kind, at),
        (kind, _) if state.learn.is_some() => learn::touch(state, view, kind, at),
        (MouseEventKind::ScrollUp, _) => scroll(state, WHEEL),
        (MouseEventKind::ScrollDown, _) => scroll(state, -WHEEL),
        (kind, Some(lobby)) => on_board(state, view, lobby, kind, at),
    }
}

/// A click on what lies over the screen, or beside it, which closes it. What was chosen in a form is not lost by one between
/// its lines.
fn touch_over(state: &mut State, view: &View<'_>, at: Point) -> Vec<Command> {
    if let Some(deed) = over::deed_at(state, view, at) {
        close(state);
        return act(state, view, deed);
    }
    let (term, on) = (over::term_at(state, view, at), over::is_on(state, view, at));
    match (&mut state.over, term) {
        (Some(Over::Form(form)), Some(term)) if form.at == term => form.turn(true),
        (Some(Over::Form(form)), Some(term)) => form.at = term,
        (Some(Over::Form(_)), None) if on => {}
        _ => close(state),
    }
    Vec::new()
}

/// What lies over the screen is closed; behind the help of a form that goes on.
fn close(state: &mut State) {
    state.over = state.over.take().and_then(Over::behind);
    state.down = 0;
}

/// What was told is shown further back, or less far.
fn scroll(state: &mut State, lines: i16) -> Vec<Command> {
    let log = layout::table(state.size).log;
    state.log.scroll(lines, (log.width, log.height));
    Vec::new()
}

fn on_board(
    state: &mut State,
    view: &View<'_>,
    lobby: &Lobby,
    kind: MouseEventKind,
    at: Point,
) -> Vec<Command> {
    let (plane, area) = (board::plane(lobby.board()), layout::table(state.size).board);
    if plane.has_piles() {
        return drag::pull(state, view, &*plane, (kind, at));
    }
    let meant = plane.pick(area, at).filter(|_| view.is_open());
    let barred = plane.barred(Pointed::Place(area, at));
    match kind {
        MouseEventKind::Down(MouseButton::Left) if meant.is_some() => make(state, view, meant),
        MouseEventKind::Down(MouseButton::Left) if barred.is_some() => refuse(state, view, barred),
        MouseEventKind::Down(MouseButton::Left) if view.is_open() && plane.is_ambiguous(area, at) => {
            state.notice = Some(screen::WHICH_STONE.to_owned());
            Vec::new()
        }
        MouseEventKind::Moved | MouseEventKind::Drag(_) if meant.is_some() => {
            state.table.chosen = meant;
            Vec::new()
        }
        _ => Vec::new(),
    }
}

/// What can be done now with this key.
fn deed_of(state: &State, view: &View<'_>, key: crossterm::event::KeyCode) -> Option<Deed> {
    deed::open(state, view).into_iter().find(|deed| deed.key() == key)
}

/// What somebody is told who pressed a key that means nothing now.
fn unknown(state: &mut State) -> Vec<Command> {
    state.notice = Some(screen::NO_SUCH_KEY.to_owned());
    Vec::new()
}
