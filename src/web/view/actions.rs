//! What can be done in a lobby besides a move, as buttons.

use maud::{Markup, html};

use crate::client::Question;
use crate::client::model::MyLobby;
use crate::client::session::Session;
use crate::client::words::agreement::is_match_over;
use crate::game::Side;
use crate::lobby::{Cover, Offer, Phase, Who};

pub(super) fn all(session: &Session, mine: &MyLobby) -> Markup {
    let (lobby, is_watching) = (&mine.lobby, session.is_watching());
    let who = mine.you().map_or(Who::Watcher, Who::Player);
    let is_playing = !is_watching && lobby.phase() == Phase::Playing;
    let may_offer = |offer| mine.side().is_some_and(|side| lobby.may_offer(side, offer).is_ok());
    let again = session.question() == Some(Question::Again)
        || is_watching && lobby.is_exhibition() && matches!(lobby.phase(), Phase::Over { .. });
    let is_against_bot = mine.side().is_some_and(|side| lobby.is_bot(!side));
    html! {
        div.row {
            @if again {
                button.primary data-do="again" { @if is_match_over(lobby) { "New match" } @else { "Another game" } }
            }
            @if mine.side().is_some_and(|side| lobby.may_resume(side).is_ok()) { button.primary data-do="resume" { "Resume" } }
            @if !is_watching { (in_absence(session, mine)) }
            @if lobby.may_hint(who).is_ok() { button data-do="hint" { "Hint" } }
            @if mine.may_learn() {
                button data-do="learn" { @if lobby.has_last_game() { "Review" } @else { "Learn" } }
            }
            @if lobby.has_last_game() { button data-do="record" data-act="of-lobby" { "See the record" } }
            @if is_playing && !lobby.is_paused() {
                @if may_offer(Offer::Takeback) { button data-do="offer-takeback" { "Take back" } }
                @if may_offer(Offer::Pause) { button data-do="offer-pause" { "Pause" } }
                @if may_offer(Offer::Draw) {
                    @if is_against_bot { button data-do="ask" data-about="draw" { "Offer a draw" } }
                    @else { button data-do="offer-draw" { "Offer a draw" } }
                }
                button data-do="ask" data-about="resign" { "Give up" }
            }
            button data-do="ask" data-about="rules" { "Rules" }
            @if mine.side().is_some() { button data-do="ask" data-about="device" { "Other device" } }
            @if session.has_game() { button data-do="ask" data-about="leave" { "Leave" } }
            @else { button data-do="give-up" { "Leave" } }
        }
    }
}

/// To accept and to decline an offer, above the board: it may come while nobody looks below.
pub(super) fn offer(session: &Session) -> Markup {
    let Some(Question::Offer(offer)) = session.question() else { return html! {} };
    let what = match offer {
        Offer::Draw => "the draw",
        Offer::Takeback => "that the move is taken back",
        Offer::Pause => "the pause",
    };
    html! {
        div.row {
            button.primary data-do="accept" { "Accept " (what) }
            button data-do="decline" { "Decline" }
        }
    }
}

/// What can be done about a player who is away.
fn in_absence(session: &Session, mine: &MyLobby) -> Markup {
    let waited_for = |side| mine.lobby.cover(side) == Some(Cover::Waited);
    let is_due = mine.lobby.absence_deadline().is_some();
    html! {
        @if is_due { button data-do="wait" { "Wait for them" } }
        @else if Side::BOTH.into_iter().any(waited_for) { button data-do="wait-no-more" { "Wait no more" } }
        @if session.is_claimable() { button data-do="ask" data-about="claim" { "Claim the game" } }
    }
}
