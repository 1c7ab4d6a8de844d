//! The list of records, and one record step by step.

use maud::{Markup, html};

use super::{drawing, learn};
use crate::client::record_reader::RecordReader;
use crate::client::records::GameSummary;
use crate::client::words::{self, records as record_words, screen};
use crate::game::Side;
use crate::lobby::Lobby;
use crate::web::page::Page;
use crate::web::records::{Records, Shows};

/// The most steps that are listed on each side of the present one.
const AROUND: usize = 20;

pub(super) fn regions(page: &Page, records: &Records) -> Vec<(&'static str, Markup)> {
    match (&records.shows, &records.reader) {
        (Shows::List, _) => vec![("main", html! { div id="records" {} }), ("records", list(records))],
        (Shows::Record(_), Some(reader)) => record(page, reader),
        (Shows::Record(_), None) => {
            vec![("main", html! { div id="records" {} }), ("records", not_open(records))]
        }
    }
}

/// The title of the window.
pub(super) fn title(records: &Records) -> String {
    let named = |reader: &RecordReader| record_words::title(reader.record(), "·");
    records.reader.as_ref().map_or_else(|| "Records".to_owned(), named)
}

/// The path in the address bar. A record whose name is not known yet has none.
pub(super) fn path(records: &Records) -> Option<String> {
    match records.shows {
        Shows::List => Some("/records".to_owned()),
        Shows::Record(name) => name.map(|name| format!("/records/{name}")),
    }
}

fn list(records: &Records) -> Markup {
    html! {
        h1 { "Records" }
        p.faint { "Games that everybody could watch, and those that this browser played. All times are in UTC." }
        @if records.games.is_empty() && !records.is_fetching() && records.fault.is_none() {
            p { (record_words::NONE) }
        }
        ul.list { @for game in &records.games { li { (listed(game)) } } }
        @if let Some(fault) = &records.fault {
            p role="status" { (fault) }
            div.row { button data-do="record" data-act="list" { "Try again" } }
        }
        @if records.is_fetching() { p role="status" { (screen::ONE_MOMENT) } }
        @else if records.has_more() { div.row { button data-do="record" data-act="more" { "More" } } }
        div.row { button data-do="record" data-act="close" { "Back" } }
    }
}

fn listed(game: &GameSummary) -> Markup {
    let players = Side::BOTH.map(|side| game.called(side)).join(" against ");
    html! {
        button data-do="record" data-act="open" data-game=(game.name) {
            b { (game.variant) } " " (players) ": " (game.ending(None)) br;
            span.faint { (game.code) " · " (game.started) @if game.mine { " · yours" } }
        }
    }
}

/// A record that is not fetched yet, or is not open to this person.
fn not_open(records: &Records) -> Markup {
    html! {
        h1 { "The record" }
        @match &records.fault {
            None => p role="status" { (screen::ONE_MOMENT) },
            Some(fault) => {
                p role="status" { (fault) }
                p { (record_words::WHO_MAY_READ) }
            }
        }
        (ways_out())
    }
}

fn ways_out() -> Markup {
    html! {
        div.row {
            button data-do="record" data-act="list" { "All records" }
            button data-do="record" data-act="close" { "Back" }
        }
    }
}

fn record(page: &Page, reader: &RecordReader) -> Vec<(&'static str, Markup)> {
    let frame = html! {
        div.game {
            div id="record-title" {}
            div id="record-players" {}
            div id="record-board" {}
            div id="record-keys" {}
            div id="record-words" role="status" {}
            div id="learn" {}
        }
        aside { h2 { "The moves" } div id="record-steps" {} (ways_out()) }
    };
    let lobby = reader.model().lobby().map(|mine| &mine.lobby);
    let end = page.record_end();
    let end = end.as_ref().and_then(|end| end.lobby());
    let panel = end.map(|end| learn::panel(&end.lobby, page)).unwrap_or_default();
    vec![
        ("main", frame),
        ("record-title", head(reader)),
        ("record-players", lobby.map(players).unwrap_or_default()),
        ("record-board", lobby.map(board).unwrap_or_default()),
        ("record-keys", keys(reader)),
        ("record-words", said(reader)),
        (learn::LEARN, panel),
        ("record-steps", steps(reader)),
    ]
}

fn head(reader: &RecordReader) -> Markup {
    html! {
        h1 { (record_words::title(reader.record(), "·")) }
        p.faint { "Begun at " (reader.record().started()) ". " (record_words::end(reader.record())) }
    }
}

fn players(lobby: &Lobby) -> Markup {
    html! {
        @for side in Side::BOTH {
            div.player {
                span class=(format!("stone {}", drawing::side_class(side))) {}
                span.grow { (words::sitter(lobby, side)) }
            }
        }
    }
}

/// The board. The script has the arrow keys go through the record.
fn board(lobby: &Lobby) -> Markup {
    let last = lobby.past().last().map(|past| past.mv);
    html! {
        div id="record-arrows" tabindex="0" role="group" aria-label="The board; the arrow keys go through the game" {
            (drawing::still(lobby.board(), &lobby.start(), last, None))
        }
    }
}

fn keys(reader: &RecordReader) -> Markup {
    let (at, all) = (reader.at(), reader.steps().len());
    let key = |act: &str, label: &str, is_off: bool| {
        html! { button data-do="record" data-act=(act) aria-disabled=[is_off.then_some("true")] { (label) } }
    };
    html! {
        div.row.steppers {
            (key("first", "First", at == 0))
            (key("back", "Back", at == 0))
            (key("forward", "Forward", at == all))
            (key("last", "Last", at == all))
        }
        div.row {
            span.faint { (at) " of " (all) }
            @if reader.ply().is_some() { (key("learn", "Learn", false)) }
            (key("save", "Save as a file", false))
        }
    }
}

/// The value and the reason of the last move, and how the game ended.
fn said(reader: &RecordReader) -> Markup {
    let goes_on = reader.record().result().is_none();
    let step = reader.at().checked_sub(1).and_then(|at| reader.steps().get(at));
    html! {
        @if let Some(step) = step { p { b { (record_words::step(reader.record(), &step.words)) } } }
        @match reader.wanted() {
            Some(_) if goes_on => p.faint { (record_words::NOT_JUDGED_YET) },
            Some(_) => p.faint { "Thinking …" },
            None => @for line in reader.words() { p { (line) } },
        }
        @if let Some(end) = reader.end_reached() { p { b { (end) } } }
    }
}

/// The steps around the present one.
fn steps(reader: &RecordReader) -> Markup {
    let (at, all) = (reader.at(), reader.steps().len());
    let (first, last) = (at.saturating_sub(AROUND), (at + AROUND).min(all));
    html! {
        @if first > 0 { p.faint { (first) " before these" } }
        ol.steps {
            @for number in first..=last {
                @let step = number.checked_sub(1).map(|number| &reader.steps()[number]);
                li {
                    button.line data-do="record" data-act="at" data-step=(number) aria-current=[(number == at).then_some("step")] {
                        @match step {
                            None => (record_words::START),
                            Some(step) => { (record_words::step(reader.record(), &step.words)) " " span.faint { (step.after) } }
                        }
                    }
                }
            }
        }
        @if last < all { p.faint { (all - last) " after these" } }
    }
}
