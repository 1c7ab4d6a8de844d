//! Coming back to a seat: what the browser keeps for that, links without a key, lobbies that are closed meanwhile,
//! and why a session ended.

use super::page::Page;
use super::search::Thinker;
use super::update::Keep;
use crate::client::session::Session;
use crate::client::text::{capital, full_stop};
use crate::client::{Action, Failure};
use crate::lobby::Code;
use crate::wire::{Farewell, HallRefusal, Refusal};

/// What is said of a link that moves a seat, if the key in it is none.
const NO_KEY: &str = "This link does not have the whole key to a seat. Perhaps its end was cut off: open it again, or make a new one with “Other device”.";

/// What a page says whose seat another page has taken.
const ELSEWHERE: &str = "Your seat is open elsewhere now: in another tab, or on another device.";

/// The seat that the browser is to keep.
pub(super) fn kept_seat(session: &Session) -> Option<Keep> {
    let mine = session.model().lobby()?;
    let (side, ticket) = (mine.side()?, mine.ticket()?);
    let opponent = mine.lobby.seats()[!side].as_ref().map(|other| format!(" against {}", other.name));
    Some(Keep {
        code: mine.lobby.code().to_string(),
        ticket: ticket.to_hex(),
        name: mine.lobby.seats()[side].as_ref()?.name.to_string(),
        about: mine.lobby.variant_text().to_owned() + &opponent.unwrap_or_default(),
    })
}

/// The browser has no key to its seat in this lobby.
pub(super) fn has_no_key(page: &mut Page, code: &str) {
    page.forget.push(code.to_owned());
    page.notice = Some(NO_KEY.to_owned());
}

/// Forgets the seats in lobbies that the host has closed, and says so.
pub(super) fn forget_closed(page: &mut Page, Thinker { host, address }: &Thinker) {
    let is_gone = |code: Code| host.is_gone(*address, code);
    let codes = page.seats.iter().map(|seat| &seat.code);
    let codes = codes.filter(|code| !page.forget.contains(code));
    let gone: Vec<String> = codes.filter(|code| code.parse().is_ok_and(is_gone)).cloned().collect();
    if !gone.is_empty() {
        let codes = gone.join(", ");
        page.notice = Some(format!("The host has closed {codes}: you have no seat there any more."));
        page.forget.extend(gone);
    }
}

/// The session is over. A seat that cannot be returned to leads to the hall.
pub(super) fn end(page: &mut Page, failure: &Failure) {
    let has_no_seat = match failure {
        Failure::ReturnRefused(refusal) => is_gone(refusal),
        other => matches!(other, Failure::SeatOver { .. }),
    };
    // The page comes back at once, and nobody has to read why.
    page.notice = (!failure.is_move()).then(|| why(failure));
    if let Some(Action::Return(seat)) = page.wish.take().as_deref() {
        if let Failure::ReturnRefused(refusal) = failure {
            page.notice = Some(no_seat(Some(seat.code), refusal));
        }
        page.forget.extend(has_no_seat.then(|| seat.code.to_string()));
    }
    (page.is_over, page.stays) = (true, !may_come_back(failure));
}

/// Why something failed, in sentences for a page: what helps in a terminal does not help here.
pub(super) fn why(failure: &Failure) -> String {
    match failure {
        Failure::Dropped { failure, .. } => why(failure),
        Failure::Goodbye(Farewell::Elsewhere) => ELSEWHERE.to_owned(),
        Failure::ReturnRefused(refusal) | Failure::SeatLost(refusal) => no_seat(None, refusal),
        Failure::Refused(refusal) => full_stop(&capital(&refusal.to_string())),
        other => full_stop(&capital(&other.reason())),
    }
}

/// That the person does not have the seat in this lobby, and what to do.
pub(super) fn no_seat(code: Option<Code>, refusal: &Refusal) -> String {
    let there = code.map_or_else(|| "that lobby".to_owned(), |code| code.to_string());
    match refusal {
        Refusal::Hall(HallRefusal::BadTicket) => format!(
            "You have no seat in {there}: it was given up, or the link to it is another one. Ask for a new link, or \
             open the address of the lobby without it to sit down or to watch."
        ),
        Refusal::Hall(HallRefusal::NoSuchLobby) => {
            format!(
                "Your seat in {there} is gone: the lobby is over and closed. Open a new one, or join another."
            )
        }
        other => format!("You cannot come back to your seat in {there} now: {other}. Try it again later."),
    }
}

/// Whether a seat is gone for good after this refusal.
pub(super) fn is_gone(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::Hall(HallRefusal::BadTicket | HallRefusal::NoSuchLobby))
}

/// Whether the page comes back by itself after this end of its session: not after somebody has decided it.
fn may_come_back(failure: &Failure) -> bool {
    match failure {
        // A host that cannot record may be able to in a moment.
        Failure::Broken(_)
        | Failure::Silent(_)
        | Failure::Unread
        | Failure::ReturnRefused(Refusal::Halted { .. }) => true,
        Failure::Dropped { failure, .. } => may_come_back(failure),
        Failure::Goodbye(farewell) => !matches!(
            farewell,
            Farewell::Elsewhere | Farewell::ClosedByHost | Farewell::LobbyClosed | Farewell::NoDiskSpace
        ),
        _ => false,
    }
}
