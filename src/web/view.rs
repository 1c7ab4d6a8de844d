//! The page as regions of HTML. The first region, the frame of the main part, holds the others.

mod actions;
mod board;
mod dialog;
mod drawing;
mod hall;
mod learn;
mod lobby;
mod new_game;
mod records;
mod spoken_board;
mod study;

pub(super) use learn::LEARN;
pub(super) use lobby::STATUS;
use maud::{Markup, html};

use super::page::{LogLine, Page};
use super::update::Html;
use crate::client::Failure;
use crate::client::model::MyLobby;
use crate::client::session::Session;
use crate::client::text::{capital, full_stop};
use crate::wire::HelloRefusal;

/// The frame's id.
const MAIN: &str = "main";

/// The id of the notice.
pub(super) const NOTICE: &str = "notice";

/// The regions of the page but the log, and the id of the one that holds the others.
pub(super) fn regions<'a>(
    session: &'a Session,
    page: &'a Page,
) -> (&'static str, Vec<(&'static str, Html<'a>)>) {
    let mut long = Vec::new();
    let mut regions = match session.model().lobby() {
        _ if study::is_open(page) => study::regions(page),
        _ if page.records.is_some() => {
            page.records.iter().flat_map(|open| records::regions(page, open)).collect()
        }
        Some(mine) => lobby::regions(session, mine, page),
        None => {
            long = hall::long_regions(session);
            hall::regions(session, page)
        }
    };
    regions.push(("dialog", dialog::open(session, page)));
    regions.push((NOTICE, text(page.notice.as_deref().unwrap_or_default())));
    let drawn = regions.into_iter().map(|(id, html)| (id, Html::Drawn(html.into_string())));
    (MAIN, drawn.chain(long).collect())
}

/// Whether the page shows the lobby in which the person is.
pub(super) fn shows_lobby(session: &Session, page: &Page) -> bool {
    session.lobby().is_some() && page.records.is_none() && !study::is_open(page)
}

/// All lines of the log.
pub(super) fn log<'a>(lines: impl Iterator<Item = &'a LogLine>) -> String {
    html! { ol { (lobby::log_lines(lines)) } }.into_string()
}

/// Lines to add to the log.
pub(super) fn log_lines<'a>(lines: impl Iterator<Item = &'a LogLine>) -> String {
    lobby::log_lines(lines).into_string()
}

fn text(words: &str) -> Markup {
    html! { (words) }
}

/// A game on the wall.
pub(super) fn on_the_wall(session: &Session, mine: &MyLobby) -> Markup {
    lobby::on_the_wall(session, mine)
}

/// The page of somebody whom the server does not take now: why, and what helps. It comes back by itself.
pub(super) fn not_open(failure: &Failure) -> Markup {
    let helps = match failure {
        Failure::Unwelcome(HelloRefusal::Crowded { .. }) => {
            "Each open page and each program in your network counts. Close pages that nobody needs. This page then opens by itself."
        }
        Failure::Unwelcome(HelloRefusal::Banned) => "Ask the host.",
        _ => "This page tries it again by itself.",
    };
    let why = match failure {
        Failure::Unwelcome(refusal) => refusal.to_string(),
        other => other.reason(),
    };
    html! {
        h1 { "This page cannot be opened now" }
        p role="alert" { (full_stop(&capital(&why))) }
        p { (helps) }
    }
}

/// What the lobby waits for, if the page shows the lobby.
pub(super) fn status(session: &Session, page: &Page) -> Option<String> {
    let mine = session.model().lobby().filter(|_| shows_lobby(session, page))?;
    Some(lobby::status(session, mine).into_string())
}

/// The title of the window: that it is the person's turn is said first.
pub(super) fn title(session: &Session, page: &Page) -> String {
    let mine = session.model().lobby();
    let about = match (mine.filter(|mine| mine.is_to_move()), &page.records) {
        (Some(mine), _) => Some(format!("Your turn · {}", mine.lobby.code())),
        (None, Some(open)) => Some(records::title(open)),
        (None, None) => mine.map(|mine| mine.lobby.code().to_string()),
    };
    about.map_or_else(|| "nim".to_owned(), |about| format!("{about} · nim"))
}

/// The path in the address bar: that of the lobby.
pub(super) fn path(session: &Session, page: &Page) -> String {
    if study::is_open(page) {
        return study::path(page);
    }
    if let Some(path) = page.records.as_deref().and_then(records::path) {
        return path;
    }
    match (session.model().lobby(), &page.invited) {
        (Some(mine), _) if mine.you().is_none() => format!("/{}?watch", mine.lobby.code()),
        (Some(mine), _) => format!("/{}", mine.lobby.code()),
        (None, Some(there)) if there.watches => format!("/{}?watch", there.code),
        (None, Some(there)) => format!("/{}", there.code),
        (None, None) => "/".to_owned(),
    }
}
