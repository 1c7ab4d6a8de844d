//! In a lobby: the players, the board, what can be done, and what happened.

use maud::{Markup, html};

use super::drawing::{self, side_class};
use super::spoken_board::has_stones;
use super::{actions, board, learn};
use crate::client::model::{MyLobby, Viewpoint};
use crate::client::session::Session;
use crate::client::words;
use crate::client::words::meanwhile::last_move;
use crate::client::words::screen;
use crate::game::Side;
use crate::game::notation::stone_letter;
use crate::lobby::{Lobby, Phase};
use crate::web::page::{FORGETS, LogLine, Page};

/// The id of what the lobby waits for.
pub(in crate::web) const STATUS: &str = "why";

pub(super) fn regions(session: &Session, mine: &MyLobby, page: &Page) -> Vec<(&'static str, Markup)> {
    let frame = html! {
        div.game {
            @if page.forgets && !session.is_watching() { p.card { (FORGETS) " “Other device” has an address that leads back to it." } }
            div id="title" {}
            div id="players" {}
            p id="why" {}
            div id="offer" {}
            // What is read aloud: without clocks, which change every second.
            p.hidden id="spoken" role="status" {}
            div id="board" {}
            div id="moves" {}
            div id="actions" {}
            div id="learn" {}
        }
        aside {
            h2.hidden { "What happened" }
            div id="log" role="log" tabindex="0" {}
            div id="chat" {}
        }
    };
    vec![
        ("main", frame),
        ("title", title(&mine.lobby, page, session.viewpoint())),
        ("players", players(session, mine)),
        (STATUS, status(session, mine)),
        ("offer", actions::offer(session)),
        ("spoken", html! { (words::alert::in_short(mine, session.is_lost())) }),
        ("board", board::drawn(mine, page)),
        ("moves", board::moves(mine)),
        ("actions", actions::all(session, mine)),
        (learn::LEARN, learn::panel(&mine.lobby, page)),
        ("chat", chat(mine)),
    ]
}

/// A game on the wall: the players, the board, and how it stands.
pub(super) fn on_the_wall(session: &Session, mine: &MyLobby) -> Markup {
    let lobby = &mine.lobby;
    let last = lobby.past().last().map(|past| past.mv);
    html! {
        section.card {
            h2 { span.grow { (lobby.variant().text()) } " " span.faint { (lobby.code()) } }
            (players(session, mine))
            (drawing::still(lobby.board(), &lobby.start(), last, None))
            @match screen::result(lobby, session.viewpoint()) {
                Some(result) => p.how.over { (result) },
                None => p.how { (words::session::why(session)) },
            }
        }
    }
}

fn title(lobby: &Lobby, page: &Page, eyes: Viewpoint) -> Markup {
    let parts = screen::company(lobby, eyes).next().unwrap_or_default();
    html! {
        h1 { (lobby.variant_text()) " " span.faint { (lobby.code()) } }
        p { (lobby.variant().goal()) " " span.faint { (parts.join(" · ")) } }
        @if lobby.open_seat().is_some() {
            div.card.join {
                p { (who_can_join(lobby, page)) " Its code is " b { (lobby.code()) } ", in a terminal too." }
                (page.qr.drawn)
            }
        }
    }
}

/// What the lobby waits for, the last move, and how the match ended. The title has the score.
pub(super) fn status(session: &Session, mine: &MyLobby) -> Markup {
    let (lobby, eyes) = (&mine.lobby, session.viewpoint());
    let last = last_move(lobby, eyes).filter(|_| lobby.phase() == Phase::Playing);
    html! {
        (words::session::why(session))
        @if let Some(last) = last { " " span.faint { (last) } }
        @if let Some(end) = words::agreement::match_ended(lobby, eyes) { " " span.faint { (end) } }
    }
}

/// Where the free seat can be taken.
fn who_can_join(lobby: &Lobby, page: &Page) -> Markup {
    let path = format!("/{}", lobby.code());
    let others = page.address.for_others(&path);
    html! {
        @if others.is_some() { "A friend can join at " } @else { "Another window on this machine can join at " }
        span.link { (others.unwrap_or_else(|| page.address.of_path(&path))) } "."
    }
}

fn players(session: &Session, mine: &MyLobby) -> Markup {
    let (lobby, clocks) = (&mine.lobby, words::session::clock_faces(session));
    let moves = |side: Side| {
        lobby.phase() == Phase::Playing && lobby.to_move().is_some() && lobby.board().turn() == side
    };
    html! {
        @let has_stones = has_stones(lobby.variant());
        @for side in Side::BOTH {
            div.player.turn[moves(side)] {
                span class=(format!("stone {}", side_class(side))) {}
                @if has_stones { span.hidden { (stone_letter(side)) ", " } }
                span.grow {
                    (words::sitter(lobby, side))
                    @if mine.side() == Some(side) { " (you)" }
                    @if moves(side) { span.hidden { ", to move" } }
                }
                @if let Some(clocks) = &clocks { span.clock { (clocks[side]) } }
            }
        }
    }
}

pub(super) fn log_lines<'a>(lines: impl Iterator<Item = &'a LogLine>) -> Markup {
    html! { @for (is_said, line) in lines { li.said[*is_said] { (line) } } }
}

fn chat(mine: &MyLobby) -> Markup {
    let is_alone = mine.side().is_some_and(|side| mine.lobby.is_bot(!side)) && mine.lobby.watchers() == 0;
    html! {
        @if !is_alone {
            form.row data-do="say" {
                label.hidden for="words" { "A line of chat" }
                input.grow id="words" name="words" maxlength="200" autocomplete="off" placeholder="Say something";
                button { "Say" }
            }
        }
    }
}
