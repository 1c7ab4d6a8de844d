//! Outside a lobby: a name, a game at once, the lobbies of others, and a game of one's own.

use maud::{Markup, html};

use crate::client::session::Session;
use crate::client::words;
use crate::client::words::form::Term;
use crate::game::any::Variant;
use crate::lobby::Level;
use crate::web::form::ANY;
use crate::web::page::Page;
use crate::wire::{Listing, LobbyState};

/// The games that can be chosen: a name, and the text of the variant.
pub(super) const GAMES: [(&str, &str); 11] = [
    ("21 sticks, take 1 to 3 (java-tech)", "java-tech:21"),
    ("Nim with piles of 3, 4 and 5", "nim:3-4-5"),
    ("Nim with 1, 3, 5 and 7, the last one loses", "nim:1-3-5-7:misere"),
    ("Tic-tac-toe", "tic-tac-toe"),
    ("Connect Four", "connect-four"),
    ("11 sticks, take 1 or 2 (zero-sum)", "zero-sum:11"),
    ("Count to ten", "one-two-ten"),
    ("30 sticks, take 1 to 4", "take:30:4:normal"),
    ("Even or odd", "even-or-odd:15"),
    ("Pong Hau K'i", "pong-hau-ki"),
    ("Mū Tōrere", "mu-torere"),
];

/// The most lobbies that are shown.
const MAX_SHOWN: usize = 64;

pub(super) fn regions(session: &Session, page: &Page) -> Vec<(&'static str, Markup)> {
    let frame = html! {
        div id="invitation" {}
        section id="start" {}
        section id="seats" {}
        section id="lobbies" {}
        section id="new" {}
    };
    vec![
        ("main", frame),
        ("invitation", invitation(page)),
        ("start", start(session)),
        ("seats", seats(page)),
        ("lobbies", lobbies(session)),
        ("new", new_game()),
    ]
}

/// The lobby to which the address leads.
fn invitation(page: &Page) -> Markup {
    let Some(code) = page.invited else { return html! {} };
    html! {
        section.card {
            h1 { "The game " (code) }
            p { "Somebody has sent you the address of this game." }
            div.row {
                button.primary data-do="join" data-code=(code) { "Sit down and play" }
                button data-do="watch" data-code=(code) { "Watch" }
                button data-do="home" { "No" }
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
    let state = match listing.state {
        LobbyState::Open => "open",
        LobbyState::Playing => "playing",
        LobbyState::Over => "over",
        LobbyState::Away => "away",
    };
    html! {
        span.grow {
            b { (variant) } " " (words::in_seats(listing)) br;
            span.faint { (code) " · " (state) }
        }
        @if is_open { button.primary data-do="join" data-code=(code) { "Join" span.hidden { " " (code) } } }
        @if listing.watched { button data-do="watch" data-code=(code) { "Watch" span.hidden { " " (code) } } }
    }
}

/// A choice of the form: its name and the words of each value, the default first.
fn choice(term: Term, name: &str, values: &[(&str, &str)]) -> Markup {
    html! {
        label title=(term.meaning()) { (term.name())
            select name=(name) { @for (value, words) in values { option value=(value) { (words) } } }
        }
    }
}

fn new_game() -> Markup {
    let level = |level: Level| (level.as_str(), level.as_str());
    let levels = [Level::Perfect, Level::Strong, Level::Fair, Level::Easy, Level::Beginner].map(level);
    html! {
        h2 { "A new game" }
        form.fields data-do="new" {
            label { (Term::Game.name())
                select name="game" { @for (name, game) in GAMES { option value=(game) { (name) } } }
            }
            (choice(Term::Bot, "opponent", &[
                ("soon", "a bot if nobody comes"), ("bot", "a bot at once"), ("people", "people only"), ("bots", "two bots; you watch"),
            ]))
            details {
                summary { "More" }
                div.fields {
                    (choice(Term::Level, "level", &levels))
                    (choice(Term::Starts, "starts", &[("game", "as the game says"), ("me", "you"), ("them", "the other one")]))
                    (choice(Term::Hints, "hints", &[
                        ("against-bots", "against a bot"), ("all", "everybody"), ("nobody", "nobody"), ("watchers", "those who watch"),
                    ]))
                    (choice(Term::Away, "away", &[
                        ("stand-in", "a bot stands in"), ("wait", "the game waits"), ("forfeit", "the game can be claimed"),
                    ]))
                    (choice(Term::Clock, "clock", &[
                        ("none", "none"), ("30s/move", "30 seconds a move"), ("3m+2s", "3 minutes and 2 seconds a move"),
                        ("5m+3s", "5 minutes and 3 seconds a move"), ("10m~5s", "10 minutes with a delay of 5 seconds"),
                    ]))
                    (choice(Term::BestOf, "best-of", &[
                        ("0", "as many games as you like"), ("1", "one game"), ("3", "best of 3"), ("5", "best of 5"), ("7", "best of 7"),
                    ]))
                    (choice(Term::Watched, "watched", &[("yes", "everybody may watch"), ("no", "nobody may watch")]))
                    (choice(Term::Listed, "listed", &[("yes", "yes"), ("no", "no, only by its code")]))
                    label title=(Term::Password.meaning()) { (Term::Password.name())
                        input name="password" type="password" autocomplete="new-password" maxlength="64";
                    }
                }
            }
            button.primary { "Open" }
        }
    }
}
