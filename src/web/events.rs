//! What a session reports becomes lines of the log and a notice, in the words of the other faces.

use std::mem;

use super::page::{Page, PasswordQuestion};
use super::returning;
use crate::client::session::{Session, SessionEvent};
use crate::client::words::meanwhile::{Seen, meanwhile};
use crate::client::{Action, words};
use crate::lobby::{Event, Lobby, Notice};
use crate::wire::Refusal;

/// Takes an event.
pub(super) fn take(page: &mut Page, session: &mut Session, event: SessionEvent) {
    match event {
        SessionEvent::Entered => {
            let unnoticed = mem::take(&mut page.unnoticed);
            enter(page, session, unnoticed);
        }
        SessionEvent::Happened { event: Event::Closed, .. } if session.is_watching() => {
            page.tell(words::chat::CLOSED);
        }
        SessionEvent::Happened { event, before } => happen(page, session, &event, &before),
        SessionEvent::Noticed(notice) => note(page, session, &notice),
        SessionEvent::Kicked => page.notice = Some(words::chat::KICKED.to_owned()),
        SessionEvent::Returned { noticed, anew, quiet, .. } => {
            for notice in &noticed {
                note(page, session, notice);
            }
            let unnoticed = mem::take(&mut page.unnoticed);
            if !quiet && !unnoticed {
                page.tell(words::connection::returned(session.is_watching()));
            }
            if anew {
                come_back(page, session, unnoticed);
            }
        }
        SessionEvent::Hint { turn, mv, words } => {
            let Some(lobby) = session.lobby().filter(|lobby| lobby.turn() == turn) else { return };
            let said = words::hint(lobby, mv, words.as_str()).join(" ");
            page.tell(said.clone());
            page.notice = Some(said);
            page.hint = Some((turn, mv));
        }
        SessionEvent::Halted => page.announce(session, words::connection::halted(session.model().halted())),
        SessionEvent::HostSaid(said) => page.announce(session, words::chat::host_said(&said)),
        SessionEvent::Said(lines) => lines.iter().for_each(|line| page.say(words::chat::said(line))),
        SessionEvent::Refused { asked, refusal } => refuse(page, session, asked.as_ref(), &refusal),
        SessionEvent::Outside => {
            page.outside();
            session.act(Action::Look);
        }
        SessionEvent::LeftUnrecorded => page.is_over = true,
        // Any other loss of a connection ends the session of a browser, which comes back with a new one.
        SessionEvent::Lost { .. } => page.tell(words::connection::MOVING),
        SessionEvent::RetryingReturn { .. }
        | SessionEvent::Reviewed(_)
        | SessionEvent::Hall { .. }
        | SessionEvent::Nothing => {}
    }
}

fn enter(page: &mut Page, session: &Session, unnoticed: bool) {
    page.enter();
    let Some(mine) = session.model().lobby() else { return };
    let lines = match mine.you() {
        None if unnoticed => Vec::new(),
        None => words::chat::watching(&mine.lobby),
        Some(you) => words::entered(&mine.lobby, you),
    };
    // The board is on the page anyway.
    let lines = lines.into_iter().filter(|line| !line.is_empty() && !line.contains('\n'));
    lines.for_each(|line| page.tell(line));
    if let Some(wish) = &page.wish {
        let lines = words::not_granted(wish, &mine.lobby);
        for line in lines {
            page.tell(line);
        }
    }
    // Who only watches keeps nothing but how it stood.
    let watched = page.watched.take_if(|_| mine.you().is_none());
    if let Some((_, seen)) = watched.filter(|(code, _)| *code == mine.lobby.code()) {
        tell_meanwhile(page, session, seen, unnoticed);
    }
}

/// Tells what has happened since then. Who has not noticed that the page was away is not told that nothing has.
fn tell_meanwhile(page: &mut Page, session: &Session, seen: Seen, unnoticed: bool) {
    let lobby = session.lobby().filter(|lobby| !unnoticed || Seen::of(lobby) != seen);
    let lines = lobby.map(|lobby| meanwhile(lobby, seen, session.viewpoint()));
    lines.into_iter().flatten().for_each(|line| page.tell(line));
}

/// The person is back, and knows of the lobby what this browser kept of it.
fn come_back(page: &mut Page, session: &Session, unnoticed: bool) {
    page.enter();
    page.wish = None;
    let Some(lobby) = session.lobby() else { return };
    let seen = page.seat_in(lobby.code()).map(|seat| seat.seen).unwrap_or_default();
    tell_meanwhile(page, session, seen, unnoticed);
}

fn happen(page: &mut Page, session: &Session, event: &Event, before: &Lobby) {
    let Some(after) = session.lobby() else { return };
    // A notice is about what was before, and so is the record of the last game.
    page.notice = None;
    if matches!(event, Event::Started { .. }) && page.records.is_some() {
        page.leave_records();
    }
    for line in words::told(event, before, after, session.viewpoint()) {
        page.tell(line);
    }
}

fn note(page: &mut Page, session: &Session, notice: &Notice) {
    let lines = session.lobby().map(|lobby| words::noticed(notice, lobby, session.viewpoint()));
    lines.into_iter().flatten().for_each(|line| page.tell(line));
}

/// A refusal is a notice. Where the first request of the page is refused, the person is in the hall.
fn refuse(page: &mut Page, session: &mut Session, asked: Option<&Action>, refusal: &Refusal) {
    // The question for the password says what was wrong.
    page.notice = (!is_about_password(refusal)).then(|| format!("No: {refusal}."));
    match asked {
        Some(Action::Return(seat)) => {
            page.notice = Some(returning::no_seat(Some(seat.code), refusal));
            page.forget.extend(returning::is_gone(refusal).then(|| seat.code.to_string()));
        }
        Some(Action::Join(code, password) | Action::Watch(code, password)) => {
            let watches = matches!(asked, Some(Action::Watch(..)));
            let question = PasswordQuestion { code: *code, watches, was_wrong: password.is_some() };
            page.asks_password = is_about_password(refusal).then_some(question);
        }
        _ => {}
    }
    if session.is_arriving() && !matches!(asked, Some(Action::Look)) {
        session.act(Action::Look);
    }
}

fn is_about_password(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::Hall(crate::wire::HallRefusal::WrongPassword))
}
