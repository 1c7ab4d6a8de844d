//! What is open over the page: a question, the rules, or a password.

use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::client::session::Session;
use crate::client::words;
use crate::client::words::{agreement, leaving};
use crate::web::action::Dialog;
use crate::web::page::{FORGETS, Page, PasswordQuestion};
use crate::web::qr;

pub(super) fn open(session: &Session, page: &Page) -> Markup {
    if let Some(PasswordQuestion { code, watches, was_wrong }) = page.asks_password {
        let (act, label) = if watches { ("watch", "Watch") } else { ("join", "Join") };
        return framed(
            "This lobby has a password",
            &html! {
                @if was_wrong { p { "That was not the password." } }
                form.row data-do=(act) {
                    input type="hidden" name="code" value=(code);
                    label for="password" { "Password" }
                    input id="password" name="password" type="password" autocomplete="off" maxlength="64" autofocus;
                    button.primary { (label) }
                }
            },
        );
    }
    let Some(dialog) = page.dialog else { return html! {} };
    match dialog {
        Dialog::Rules => rules(session),
        Dialog::Leave => leave(session, page),
        Dialog::Device => device(session, page),
        Dialog::Resign => resign(session),
        Dialog::Draw => {
            confirm("Offer a draw?", "The bot accepts wherever it cannot win.", "offer-draw", "Offer")
        }
        Dialog::Claim => {
            confirm("Claim this game?", "You win, and the other player loses.", "claim", "Claim")
        }
    }
}

/// A dialog with this title.
fn framed(title: &str, content: &Markup) -> Markup {
    html! {
        div.cover data-do="close" {}
        div.dialog role="dialog" aria-modal="true" aria-labelledby="dialog-title" {
            h2 id="dialog-title" { (title) }
            (content)
            button data-do="close" { "Close" }
        }
    }
}

fn confirm(title: &str, words: &str, act: &str, label: &str) -> Markup {
    framed(title, &html! { p { (words) } button.primary data-do=(act) { (label) } })
}

fn rules(session: &Session) -> Markup {
    let Some(lobby) = session.lobby() else { return html! {} };
    framed(
        "Rules",
        &html! {
            @for line in words::rules_and_name(lobby) { p { (line) } }
            ul { @for line in agreement::terms(lobby) { li { (line) } } }
        },
    )
}

fn resign(session: &Session) -> Markup {
    let Some(lobby) = session.lobby() else { return html! {} };
    confirm("Give this game up?", &leaving::giving_up(lobby, false), "resign", "Give up")
}

fn leave(session: &Session, page: &Page) -> Markup {
    let Some(mine) = session.model().lobby() else { return html! {} };
    let kept = leaving::without_seat_words(mine);
    framed(
        leaving::title(&mine.lobby),
        &html! {
            @for line in kept { p { (line) } }
            p {
                @if page.forgets { (FORGETS) " “Play on another device” shows the address that leads back to it. " }
                @else { "This browser keeps your seat: “Your games” on the first page returns to it. " }
                (leaving::giving_up(&mine.lobby, false))
            }
            div.row {
                @if page.forgets { button.primary data-do="ask" data-about="device" { "Play on another device" } }
                button.primary[!page.forgets] data-do="leave-and-keep" { "Leave and keep the game" }
                button data-do="give-up" { "Give it up" }
                @if !page.forgets { button data-do="ask" data-about="device" { "Play on another device" } }
            }
        },
    )
}

/// The address with which another browser takes this seat over, and its name if it has none. The ticket stands behind
/// the `#`, which browsers send to nobody.
fn device(session: &Session, page: &Page) -> Markup {
    let mine = session.model().lobby().filter(|mine| mine.side().is_some());
    let Some((mine, ticket)) = mine.and_then(|mine| Some((mine, mine.ticket()?))) else { return html! {} };
    let name = mine.side().and_then(|side| Some(mine.lobby.seats()[side].as_ref()?.name.as_str()));
    let name = utf8_percent_encode(name.unwrap_or_default(), NON_ALPHANUMERIC);
    let path = format!("/{}#seat={}&name={name}", mine.lobby.code(), ticket.to_hex());
    let others = page.address.for_others(&path);
    framed(
        "Play on another device",
        &html! {
            p {
                "Open this address there, and your seat is there."
                @if others.is_none() { " Only this machine can open it." }
            }
            @if let Some(address) = &others { (qr::drawn(address, "QR code of the address that moves your seat")) }
            p.link { (others.unwrap_or_else(|| page.address.of_path(&path))) }
            p { "Show it to nobody else: it is the key to your seat." }
        },
    )
}
