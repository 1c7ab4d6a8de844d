//! What lies over the screen: the help, the rules and the terms, and questions before something that cannot be undone.

use std::ops::Range;

use crossterm::event::KeyCode;
use ratatui::layout::{Position as Point, Rect};

use super::bar;
use super::board;
use super::card::{Breadth, Card};
use super::deed::{self, Deed};
use super::draw::learn::said;
use super::form::Form;
use super::layout;
use super::pen::{Pen, cut, width, wrap};
use super::state::{Over, State};
use super::view::View;
use crate::client::words::agreement::is_match_over;
use crate::client::words::form::Term;
use crate::client::words::{self, screen};
use crate::game::Side;
use crate::lobby::Phase;

/// Draws it, and the keys in it.
pub(super) fn paint(state: &State, view: &View<'_>, pen: &mut Pen<'_>) {
    let Some(card) = card(state, view) else { return };
    card.paint(pen);
    bar::paint(state, view, pen);
}

/// What lies over the screen, where it lies.
fn card(state: &State, view: &View<'_>) -> Option<Card> {
    let over = state.over.as_ref()?;
    // What can be long has the same width whatever stands in it; a question is as wide as it has to be.
    let breadth = if matches!(over, Over::Sure(_)) { Breadth::Text } else { Breadth::Full };
    Some(Card::new(state.size, title(over), &text(over, state, view), state.down, breadth))
}

fn title(over: &Over) -> &'static str {
    match over {
        Over::Help | Over::FormHelp(_) => screen::HELP,
        Over::Terms => screen::TERMS,
        Over::Reason => words::learn::REASON,
        Over::Sure(_) => screen::SURE,
        Over::Form(form) if form.quick => words::form::QUICK,
        Over::Form(_) => words::form::NEW,
    }
}

/// The line of its keys.
pub(super) fn keys(state: &State, view: &View<'_>) -> Rect {
    card(state, view).map_or_else(Rect::default, |card| card.keys())
}

/// Goes on by so many lines in a text that has no room, or back; in a form to the term that is so many lines further.
pub(super) fn scroll(state: &mut State, view: &View<'_>, down: isize) {
    if let Some(Over::Form(form)) = &mut state.over {
        return form.step(down);
    }
    if let Some(card) = card(state, view).filter(|_| is_read(state)) {
        state.down = card.moved(down);
    }
}

/// How many lines were gone past in a text behind this key, if it goes through that.
pub(super) fn scrolled(state: &State, view: &View<'_>, key: KeyCode) -> Option<usize> {
    card(state, view).filter(|_| is_read(state))?.scrolled(key)
}

/// Whether it is a text to be read, which may have no room.
fn is_read(state: &State) -> bool {
    matches!(state.over, Some(Over::Help | Over::FormHelp(_) | Over::Terms | Over::Reason))
}

fn text(over: &Over, state: &State, view: &View<'_>) -> Vec<String> {
    match over {
        Over::Sure(deed) => {
            let words = screen::sure(*deed, view.lost, state.is_from_first);
            words.lines().map(str::to_owned).collect()
        }
        Over::Help | Over::FormHelp(_) => help(state, view),
        Over::Terms => terms(state, view),
        Over::Reason => reason(state, view),
        Over::Form(form) => fields(form, state),
    }
}

/// A line for each term that has room, and what the chosen one means or what is wrong with it, which has room in any case.
fn fields(form: &Form, state: &State) -> Vec<String> {
    let (terms, room, look) = (terms_shown(form, state), usize::from(Card::room(state.size).0), state.look);
    let line = |at: usize| {
        let term = Term::ALL[at];
        let pointer = if term == form.term() { look.pointer() } else { " " };
        // There are others above and below.
        let more = match at {
            _ if at == terms.start && at > 0 => look.under(),
            _ if at + 1 == terms.end && terms.end < Term::ALL.len() => look.over(),
            _ => return format!("{pointer} {:<14}{}", term.name(), form.value(term)),
        };
        let value = cut(&form.value(term), u16::try_from(room).unwrap_or(0).saturating_sub(18), look);
        let line = format!("{pointer} {:<14}{value}", term.name());
        line.clone() + &" ".repeat(room.saturating_sub(usize::from(width(&line)) + 1)) + more
    };
    let mut lines: Vec<String> = terms.clone().map(line).collect();
    lines.push(String::new());
    lines.push(said_of(form, state));
    lines
}

fn said_of(form: &Form, state: &State) -> String {
    state.notice.clone().unwrap_or_else(|| form.term().meaning().into())
}

/// The terms that are shown: all, or as many as have room above what is said of the chosen one, which is among them.
fn terms_shown(form: &Form, state: &State) -> Range<usize> {
    let (room, lines) = Card::room(state.size);
    // Two lines are enough for what most of them mean; faults may have more.
    let words = wrap(&said_of(form, state), room).len().max(3);
    let most = lines.saturating_sub(words + 1).clamp(1, Term::ALL.len());
    let start = state.down.min(form.at).max((form.at + 1).saturating_sub(most)).min(Term::ALL.len() - most);
    start..start + most
}

/// The list of a form stays where it is as long as the chosen term is in sight.
pub(super) fn settle(state: &mut State) {
    if let Some(Over::Form(form)) = &state.over {
        state.down = terms_shown(form, state).start;
    }
}

/// The term of the form at this place.
pub(super) fn term_at(state: &State, view: &View<'_>, at: Point) -> Option<usize> {
    let Some(Over::Form(form)) = &state.over else { return None };
    let line = card(state, view)?.text_at(at)?;
    let shown = terms_shown(form, state);
    Some(shown.start + line).filter(|at| shown.contains(at))
}

/// Whether this place is on what lies over the screen.
pub(super) fn is_on(state: &State, view: &View<'_>, at: Point) -> bool {
    card(state, view).is_some_and(|card| card.is_on(at))
}

/// What the line of the help at this place is about.
pub(super) fn deed_at(state: &State, view: &View<'_>, at: Point) -> Option<Deed> {
    let is_help = matches!(state.over, Some(Over::Help | Over::FormHelp(_)));
    let line = card(state, view).filter(|_| is_help)?.text_at(at)?;
    deed::explained(state, view).get(line).copied()
}

fn help(state: &State, view: &View<'_>) -> Vec<String> {
    let deeds = deed::explained(state, view).into_iter();
    let meaning = |deed| match deed {
        Deed::Quit if state.is_from_first => screen::TO_FIRST_SCREEN,
        Deed::Again if view.lobby().is_some_and(is_match_over) => screen::TO_NEW_MATCH,
        deed => screen::meaning(deed),
    };
    let line = |deed| format!("{}\t{}", bar::key(deed, state.look), meaning(deed));
    let mut lines: Vec<String> = deeds.map(line).collect();
    let fills_in = matches!(state.over, Some(Over::FormHelp(_)));
    let types = fills_in || state.input.is_some();
    let how: &[&str] = match (view.lobby(), &state.learn) {
        _ if fills_in => &[words::form::HOW_TO_FILL_IN, screen::HOW_TO_TYPE],
        _ if types => &[screen::HOW_TO_TYPE],
        (None, _) => &[screen::HOW_IN_THE_HALL],
        (_, Some(_)) => &words::learn::HOW_TO_GO,
        (_, None) if view.is_watching() => &[],
        (Some(lobby), None) if matches!(lobby.phase(), Phase::Over { .. }) => &[],
        (Some(lobby), None) => {
            let plane = board::plane(lobby.board());
            match (plane.has_piles(), plane.has_buttons(layout::table(state.size).board)) {
                (true, false) => &[screen::HOW_TO_PULL],
                (true, true) => &[screen::HOW_TO_PULL, screen::HOW_TO_COUNT],
                (false, _) if plane.counts() => &[screen::HOW_TO_COUNT_ON],
                (false, _) if plane.has_slides() => &[screen::HOW_TO_SLIDE],
                (false, _) => &[screen::HOW_TO_CHOOSE],
            }
        }
    };
    let told = (view.lobby().is_some() && state.learn.is_none() && !types).then_some(screen::HOW_TO_SCROLL);
    let more = ["", screen::HOW_TO_CLICK].iter().chain(how).chain(&told);
    lines.extend(more.map(|&line| line.to_owned()));
    lines
}

/// All that is to be said of the line of the learn panel on which one is.
fn reason(state: &State, view: &View<'_>) -> Vec<String> {
    let panel = state.learn.as_ref().zip(view.lobby());
    panel.map_or_else(Vec::new, |(learn, lobby)| said(lobby, learn))
}

/// The rules name the stones as they are drawn here.
fn terms(state: &State, view: &View<'_>) -> Vec<String> {
    let Some(lobby) = view.lobby() else { return Vec::new() };
    let signs = Side::BOTH.map(|side| board::sign(lobby.board(), side, state.look));
    let mut lines: Vec<String> = words::rules(lobby).iter().map(|line| screen::drawn(line, signs)).collect();
    lines.push(String::new());
    lines.extend(words::agreement::terms(lobby));
    lines
}
