//! The tree of a game that nobody plays, for a projector; and the games to choose from.

use maud::{Markup, html};

use super::learn;
use crate::client::choices::GAMES;
use crate::client::words::form::{ANOTHER_GAME, about_game};
use crate::web::page::Page;

/// Whether a game is explored, or chosen to be.
pub(super) fn is_open(page: &Page) -> bool {
    page.studied.is_some() || page.no_study.is_some()
}

/// The path in the address bar.
pub(super) fn path(page: &Page) -> String {
    page.studied
        .as_ref()
        .map_or_else(|| "/study".to_owned(), |lobby| format!("/study/{}", lobby.variant().text()))
}

pub(super) fn regions(page: &Page) -> Vec<(&'static str, Markup)> {
    if let Some(fault) = &page.no_study {
        return vec![("main", html! { div id="study-games" {} }), ("study-games", games(fault))];
    }
    let (Some(lobby), Some(learn)) = (&page.studied, &page.learn) else { return Vec::new() };
    let frame = html! { div.study { div id="study-title" {} div id="learn" {} } };
    let title = html! {
        h1 { "The tree of " (lobby.variant().text()) }
        p { (lobby.variant().summary()) " " (lobby.variant().goal()) }
        div.row { button data-do="study" data-game="" { "Another game" } button data-do="home" { "To the first page" } }
    };
    vec![("main", frame), ("study-title", title), (learn::LEARN, learn::tree(lobby, learn))]
}

/// The games to explore, and why the one that was asked for is none.
fn games(fault: &str) -> Markup {
    html! {
        h1 { "Explore a game" }
        @if !fault.is_empty() { p.card role="alert" { (fault) } }
        p { "Every move with its value and the reason, and the tree below it." }
        ul.list {
            @for game in GAMES {
                li {
                    button data-do="study" data-game=(game) {
                        b { (game) } br; span.faint { (about_game(game).unwrap_or_default()) }
                    }
                }
            }
        }
        form.row data-do="study" {
            label for="study-game" { (ANOTHER_GAME) }
            input id="study-game" name="game" autocapitalize="none" autocomplete="off" maxlength="80";
            button { "Explore" }
        }
    }
}
