//! Outside a lobby: a name, a game at once, the lobbies of others, and a game of one's own.

use maud::{Markup, html};

use super::new_game;
use crate::client::choices::ANY;
use crate::client::session::Session;
use crate::client::text::{capital, full_stop};
use crate::client::words;
use crate::client::words::screen;
use crate::game::any::Variant;
use crate::web::page::{FORGETS, Page};
use crate::web::update::{Html, hash};
use crate::wire::{Access, HallRefusal, Listing, LobbyState};

/// The most lobbies that are shown.
const MAX_SHOWN: usize = 64;

pub(super) fn regions(session: &Session, page: &Page) -> Vec<(&'static str, Markup)> {
    let frame = html! {
        @if page.forgets { p.card { (FORGETS) " To keep it, allow this address to store data." } }
        div id="invitation" {}
        section id="start" {}
        section id="seats" {}
        section id="lobbies" {}
        section id="new" {}
    };
    vec![
        ("main", frame),
        ("invitation", invitation(session, page)),
        ("start", start(session)),
        ("seats", seats(page)),
    ]
}

/// The regions that take long to draw: the lobbies, and the form for a new game, which never changes.
pub(super) fn long_regions(session: &Session) -> Vec<(&'static str, Html<'_>)> {
    let lobbies = Box::new(|| lobbies(session).into_string());
    vec![
        ("lobbies", Html::IfNew(hash(session.model().hall()), lobbies)),
        ("new", Html::IfNew(0, Box::new(|| new_game::form().into_string()))),
    ]
}

/// The lobby to which the address leads, and what can be done there. What the list of lobbies says is newer.
fn invitation(session: &Session, page: &Page) -> Markup {
    let Some(there) = page.invited.as_deref() else { return html! {} };
    let (code, hall) = (there.code, session.model().hall());
    let listed = hall.iter().find(|listing| listing.code == code).map(Listing::access);
    let (access, words) = match (listed, &there.access) {
        (Some(access), _) | (None, &Ok(access)) => (Some(access), screen::entrance(access)),
        (None, Err(refusal)) => {
            let may_be = matches!(refusal, HallRefusal::TooManyGuesses { .. });
            (may_be.then_some(Access::UNKNOWN), full_stop(&capital(&refusal.to_string())))
        }
    };
    let sits = access.is_some_and(|access| access.has_seat());
    let watches = access.is_some_and(|access| access.watched);
    html! {
        section.card {
            h1 { "The game " (code) }
            p { "Somebody has sent you the address of this game. " (words) }
            div.row {
                @if sits { button.primary data-do="join" data-code=(code) { "Sit down and play" } }
                @if watches { button.primary[!sits] data-do="watch" data-code=(code) { "Watch" } }
                button data-do="home" { @if sits || watches { "No" } @else { "To the first page" } }
            }
        }
    }
}

fn start(session: &Session) -> Markup {
    html! {
        h1 { "Play" }
        form.row data-do="rename" {
            label for="name" { "Your name" }
            input id="name" name="name" maxlength="24" autocomplete="nickname" value=(session.model().name());
            button { "Change" }
        }
        div.row {
            button.primary.big data-do="play-now" data-game="java-tech:21" { "Play now" }
            button.big data-do="quick" data-game=(ANY) { "Find an opponent" }
        }
        div.row {
            button data-do="record" data-act="list" { "Records" }
            button data-do="study" data-game="" { "Explore a game" }
        }
        p.faint { "“Play now” is a game of 21 sticks against the bot. It starts, so you can win." }
    }
}

/// The seats that the browser keeps.
fn seats(page: &Page) -> Markup {
    if page.seats.is_empty() {
        return html! {};
    }
    html! {
        h2 { "Your games" }
        ul.list {
            @for seat in &page.seats {
                li {
                    button data-do="return" data-code=(seat.code) data-ticket=(seat.ticket) data-name=(seat.name) {
                        (seat.code) span.faint { " " (seat.about) }
                    }
                }
            }
        }
    }
}

fn lobbies(session: &Session) -> Markup {
    let listed = words::sorted(session.model().hall());
    html! {
        h2 { "Lobbies" }
        @if listed.is_empty() {
            p.faint { (words::NO_LOBBIES) " “Find an opponent” opens one, and the bot comes if nobody else does." }
        }
        ul.list {
            @for listing in listed.iter().take(MAX_SHOWN) { li { (lobby(listing)) } }
        }
        @if listed.len() > MAX_SHOWN { p.faint { (MAX_SHOWN) " of " (listed.len()) " shown." } }
        form.row data-do="join" {
            label for="code" { "Or type a code" }
            input id="code" name="code" placeholder="brave-otter" autocapitalize="none" autocomplete="off" maxlength="32";
            button { "Join" }
        }
    }
}

fn lobby(listing: &Listing) -> Markup {
    // The text of a variant comes from the network: only one that can be read back is shown.
    let variant =
        listing.variant.as_str().parse::<Variant>().map_or_else(|_| "?".into(), |variant| variant.text());
    let (is_open, code) = (listing.state == LobbyState::Open, listing.code);
    html! {
        span.grow {
            b { (variant) } " " (words::in_seats(listing)) br;
            span.faint { (code) " · " (screen::entrance(listing.access())) }
        }
        @if is_open { button.primary data-do="join" data-code=(code) { "Join" span.hidden { " " (code) } } }
        @if listing.watched { button data-do="watch" data-code=(code) { "Watch" span.hidden { " " (code) } } }
    }
}
