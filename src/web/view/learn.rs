//! The learn panel: every move with its exact value and the reason, and the tree below it, opened by taps.

use maud::{Markup, html};

use super::drawing;
use crate::client::learn::Learn;
use crate::client::learn::reason::reason;
use crate::client::learn::tree::LearnNode;
use crate::client::words::learn as words;
use crate::lobby::Lobby;
use crate::study::nim_pattern::Pattern;
use crate::web::page::Page;

/// The id of the panel.
pub(in crate::web) const LEARN: &str = "learn";

/// The most lines of the tree that are shown.
const MAX_SHOWN: usize = 300;

/// The panel about the game of this lobby, if it is open.
pub(super) fn panel(lobby: &Lobby, page: &Page) -> Markup {
    let close = || html! { button data-do="learn-close" { "Close" } };
    page.learn.as_deref().map(|learn| open(lobby, learn, &close())).unwrap_or_default()
}

/// The same as the whole page.
pub(super) fn tree(lobby: &Lobby, learn: &Learn) -> Markup {
    open(lobby, learn, &html! {})
}

fn open(lobby: &Lobby, learn: &Learn, close: &Markup) -> Markup {
    let ((ply, plies), lines) = (learn.plies(), learn.tree.shown());
    let node = learn.tree.node(learn.at);
    let last = node.branch.as_ref().map(|branch| branch.mv);
    let best = learn.best().filter(|_| node.branch.is_none()).map(|best| best.mv);
    html! {
        section.card.learn {
            h2 { (words::about(lobby, (ply, plies))) }
            div.row {
                @if ply > 0 { button data-do="learn-earlier" { "Earlier" } }
                @if ply < plies { button data-do="learn-later" { "Later" } }
                @if learn.turning_point().is_some() { button data-do="learn-jump" { "Next turning point" } }
                @if learn.leads_on() { button data-do="learn-deepen" { "One level deeper" } }
                (close)
            }
            (drawing::still(&node.board, &lobby.start(), last, best))
            div role="status" {
                @for line in reason(lobby, learn) { p { (line) } }
                @if learn.is_searching() { p.faint { "Thinking …" } }
                @if learn.tree.full { p { (words::FULL) } }
                @if let Some((listed, all)) = learn.left_out() { p.faint { (words::unlisted(listed, all)) } }
            }
            @if let Some(pattern) = Pattern::of(&node.board) {
                pre tabindex="0" { @for line in pattern.lines() { (line) "\n" } }
            }
            ul.tree { @for number in lines.iter().take(MAX_SHOWN) { (line(learn, *number)) } }
            @if lines.len() > MAX_SHOWN { p.faint { (MAX_SHOWN) " of " (lines.len()) " lines shown: close some." } }
            p.faint { (words::legends(learn.is_open_ended(), false)[0]) }
        }
    }
}

fn line(learn: &Learn, number: usize) -> Markup {
    let node = learn.tree.node(number);
    let is_best = node.branch.as_ref().is_some_and(|branch| branch.best);
    let name = node.branch.as_ref().map_or_else(|| node.board.write_position(), |branch| branch.name.clone());
    let marks = [(is_best, " best"), (number == learn.at, " here"), (node.window.is_none(), " cut")];
    let marks = marks.into_iter().filter(|(is_so, _)| *is_so).map(|(_, mark)| mark);
    let class = format!("depth-{}", node.depth.min(9)) + &marks.collect::<String>();
    html! {
        li class=(class) {
            @match node.is_open() {
                Some(is_open) => button.fold data-do="learn-open" data-node=(number) aria-expanded=(is_open) aria-label=(format!("What follows {name}")) {
                    @if is_open { "▾" } @else { "▸" }
                },
                None => span.fold { "·" },
            }
            button.line data-do="learn-at" data-node=(number) aria-current=[(number == learn.at).then_some("true")] {
                @if is_best { "★ " }
                (name)
                span.value {
                    @if learn.is_made(number) { "made " } @else if is_best { "best " } @else if node.window.is_none() { "cut " }
                    (value(node).unwrap_or_default())
                }
            }
        }
    }
}

/// `W 3 +1`, for the side that makes the move; at the root for the side to move.
fn value(node: &LearnNode) -> Option<String> {
    let turn = node.board.turn();
    let (known, side) = match &node.branch {
        Some(branch) => (branch.known?, !turn),
        None => (node.known()?, turn),
    };
    let plies = match known.plies() {
        Some(plies) => format!("{plies} "),
        None if known.is_open_ended() => "? ".to_owned(),
        None => String::new(),
    };
    Some(format!("{} {plies}{}", words::letter(known), words::number(known, side)))
}
